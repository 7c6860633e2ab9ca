// A channel's digest: how many rows there are, and the sum of their hashes.
// @ts-check
import { hexadecimal } from './bytes.js';

/** @typedef {import('./types.js').State} State */

/** How many rows there are, and the sum of their hashes in two lanes modulo 2^64. */
export class Digest {
  count = 0;
  /** The lanes' halves, the lowest first. */
  #lanes = new Int32Array(4);

  /** @param {State} state As the daemon has it. */
  static of({ n, d }) {
    const digest = new Digest();
    digest.count = n;
    const word = (/** @type {number} */ at) => parseInt(d.slice(at, at + 8), 16) | 0;
    digest.#lanes.set([word(8), word(0), word(24), word(16)]);
    return digest;
  }

  copy() {
    const digest = new Digest();
    digest.count = this.count;
    digest.#lanes.set(this.#lanes);
    return digest;
  }

  /**
   * Adds all rows of another one, or takes them away.
   * @param {Digest} other @param {1|-1} sign
   */
  merge(other, sign) {
    this.add(other.#lanes, sign);
    this.count += sign * (other.count - 1);
    return this;
  }

  /** @returns {State} */
  get state() {
    return { n: this.count, d: this.text };
  }

  /**
   * Adds a hash, or takes it away.
   * @param {Int32Array} hash @param {1|-1} sign
   */
  add(hash, sign) {
    const lanes = this.#lanes;
    this.count += sign;
    for (let at = 0; at < 4; at += 2) {
      const sum = (lanes[at] >>> 0) + sign * (hash[at] >>> 0);
      lanes[at] = sum | 0;
      lanes[at + 1] += sign * hash[at + 1] + (sum > 0xffffffff ? 1 : sum < 0 ? -1 : 0);
    }
  }

  get text() {
    const [a, b, c, d] = this.#lanes;
    return hexadecimal(b) + hexadecimal(a) + hexadecimal(d) + hexadecimal(c);
  }
}
