// A clock that stands still while the machine sleeps: who slept has not waited.
// @ts-check

/** It has to be looked at every so often. */
export class AwakeClock {
  #interval;
  /** Milliseconds that this page was awake, at the last look at the clock; and that look. */
  #awake = 0;
  #lookedAt = performance.now();

  /** @param {number} interval Milliseconds between two looks, at most. */
  constructor(interval) {
    this.#interval = interval;
  }

  /** Milliseconds while this page was awake. */
  get now() {
    const passed = performance.now() - this.#lookedAt;
    return this.#awake + Math.max(0, Math.min(passed, 2 * this.#interval));
  }

  /** Looks at the clock, and says what it shows. */
  look() {
    this.#awake = this.now;
    this.#lookedAt = performance.now();
    return this.#awake;
  }
}
