// When a finger that stays is a long press: decided from what pointers do, without a clock.
// @ts-check

/** Milliseconds that a finger stays, and CSS pixels that it may tremble. */
export const pressMilliseconds = 500;
export const pressPixels = 10;

/** One press, from where the pointer came down. */
export class Press {
  #x;
  #y;
  #since;
  #isOver = false;

  /** @param {{x: number, y: number, at: number}} down */
  constructor({ x, y, at }) {
    [this.#x, this.#y, this.#since] = [x, y, at];
  }

  /** A pointer moved; too far, and it is a stroke. @param {{x: number, y: number}} to */
  move({ x, y }) {
    if (Math.hypot(x - this.#x, y - this.#y) > pressPixels) this.#isOver = true;
  }

  /** It went up, or was taken for something else. */
  end() {
    this.#isOver = true;
  }

  /** Whether it still may become a long press. */
  get isOpen() {
    return !this.#isOver;
  }

  /** Whether it is one now. @param {number} now */
  isLong(now) {
    return !this.#isOver && now - this.#since >= pressMilliseconds;
  }
}
