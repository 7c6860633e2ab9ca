// Coded symbols of a set of rows, from which the daemon finds how its own set differs.
// @ts-check
import { split } from './timetoken.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./hasher.js').Hasher} Hasher */

/** The infinite sequence of a set's coded symbols, taken in order. */
export class SymbolStream {
  /** How many were taken. */
  position = 0;

  /**
   * @param {Iterable<Row>} rows Kept as they are now. @param {Iterable<Message>} messages As well.
   * @param {Hasher} hasher
   */
  constructor(rows, messages, hasher) {
    const [reactions, said] = [[...rows], [...messages]];
    this.count = reactions.length + said.length;
    const words = () => new Int32Array(this.count);
    this.lows = words();
    this.highs = words();
    this.tags = words();
    this.checksums = words();
    // Each item's next symbol, and the generator that finds the one after it.
    this.next = new Float64Array(this.count);
    this.firsts = words();
    this.seconds = words();
    const halves = new Int32Array(2);
    let i = 0;
    // Takes what was hashed last.
    const take = (/** @type {string} */ timetoken) => {
      const tag = hasher.hash[0];
      split(timetoken, halves);
      hasher.item(halves[0], halves[1], tag);
      this.lows[i] = halves[0];
      this.highs[i] = halves[1];
      this.tags[i] = tag;
      this.checksums[i] = hasher.hash[2];
      this.firsts[i] = hasher.hash[0];
      this.seconds[i] = hasher.hash[1];
      i++;
    };
    for (const row of reactions) {
      hasher.row(row);
      take(row.actionTimetoken);
    }
    for (const message of said) {
      hasher.message(message);
      take(message.timetoken);
    }
  }

  /**
   * The next symbols, as bytes for the wire.
   * @param {number} count
   */
  take(count) {
    const from = this.position;
    const to = this.position += count;
    const columns = Array.from({ length: 5 }, () => new Int32Array(count));
    const [lows, highs, tags, checksums, counts] = columns;
    for (let i = 0; i < this.count; i++) {
      let index = this.next[i];
      let first = this.firsts[i];
      let second = this.seconds[i];
      while (index < to) {
        const at = index - from;
        lows[at] ^= this.lows[i];
        highs[at] ^= this.highs[i];
        tags[at] ^= this.tags[i];
        checksums[at] ^= this.checksums[i];
        counts[at]++;
        // xoroshiro64**, then the inverse of the law of gaps.
        const product = Math.imul(first, 0x9e3779bb);
        const drawn = Math.imul(product << 5 | product >>> 27, 5) >>> 0;
        second ^= first;
        first = (first << 26 | first >>> 6) ^ second ^ second << 9;
        second = second << 13 | second >>> 19;
        const uniform = (drawn + 0.5) / 4294967296;
        index = Math.ceil(Math.sqrt((index + 1) * (index + 2) / uniform + 0.25) - 1.5);
      }
      this.next[i] = index;
      this.firsts[i] = first;
      this.seconds[i] = second;
    }
    /** @type {number[]} */
    const bytes = [];
    for (let at = 0; at < count; at++) {
      for (const word of [lows[at], highs[at], tags[at], checksums[at]]) {
        bytes.push(word & 255, word >> 8 & 255, word >> 16 & 255, word >>> 24);
      }
      const deviation = counts[at] - Math.floor(2 * this.count / (from + at + 2));
      let rest = deviation < 0 ? -2 * deviation - 1 : 2 * deviation;
      for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128);
      bytes.push(rest);
    }
    return Uint8Array.from(bytes);
  }
}
