// When a finger that stays is a long press: decided from what pointers do, without a clock.
// @ts-check

/** Milliseconds that a finger stays, and CSS pixels that it may tremble. */
export const pressMilliseconds = 500;
export const pressPixels = 10;

/** One press, from where the pointer came down. */
export class Press {
  #down;
  #isOver = false;

  /** @param {{x: number, y: number, at: number}} down */
  constructor({ x, y, at }) {
    this.#down = { x, y, at };
  }

  /**
   * A pointer moved; too far, and it is a stroke.
   * @param {{x: number, y: number}} to
   */
  move({ x, y }) {
    if (Math.hypot(x - this.#down.x, y - this.#down.y) > pressPixels) this.#isOver = true;
  }

  /** It went up, or was taken for something else. */
  end() {
    this.#isOver = true;
  }

  /** Whether it still may become a long press. */
  get isOpen() {
    return !this.#isOver;
  }

  /**
   * Whether it is one now.
   * @param {number} now
   */
  isLong(now) {
    return !this.#isOver && now - this.#down.at >= pressMilliseconds;
  }
}
