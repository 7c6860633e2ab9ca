// Timers that end together.
// @ts-check

/** What is to happen later, unless all of it is called off. */
export class Timers {
  /** @type {Set<any>} */ #waiting = new Set();

  /**
   * @param {() => void} callback @param {number} delay Milliseconds.
   * @returns {() => void} Calls it off.
   */
  later(callback, delay) {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      callback();
    }, delay);
    this.#waiting.add(timer);
    return () => {
      clearTimeout(timer);
      this.#waiting.delete(timer);
    };
  }

  clear() {
    for (const timer of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
  }
}
