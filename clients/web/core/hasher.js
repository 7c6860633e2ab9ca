// Hashes reactions and messages under a channel's key, with SipHash in 32-bit arithmetic.
// @ts-check
import { scoreOf } from './row.js';
import { split } from './timetoken.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Row} Row */

/** Hashes rows under a channel's key: SipHash-2-4 with 128 bits, in 32-bit arithmetic. */
export class Hasher {
  /** @param {string} key 32 hexadecimal digits. */
  constructor(key) {
    if (!/^[0-9a-f]{32}$/.test(key)) throw new Error(`A digest key is not "${key}".`);
    this.text = key;
    const word = (/** @type {number} */ at) => {
      const digits = key.slice(8 * at, 8 * at + 8);
      return parseInt(/** @type {string[]} */ (digits.match(/../g)).reverse().join(''), 16) | 0;
    };
    this.key = [word(0), word(1), word(2), word(3)];
    /** The last hash: four words, the lowest first. */
    this.hash = new Int32Array(4);
    this.#reserve(1024);
  }

  /** @type {Uint8Array} */ #bytes = new Uint8Array(0);
  /** @type {Int32Array} The same memory; every machine that browsers run on is little-endian. */
  #words = new Int32Array(0);
  #length = 0;
  /** Of the timetoken that was read last. */ #halves = new Int32Array(2);

  /** @param {number} count */
  #reserve(count) {
    if (count <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.ceil(count / 1024) * 1024);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer);
  }

  /**
   * Leaves a reaction's hash in `hash`.
   * @param {Row} row
   */
  row(row) {
    this.#length = 0;
    this.#timetoken(row.messageTimetoken);
    this.#text(row.type);
    this.#text(row.value);
    this.#text(row.uuid);
    this.#timetoken(row.actionTimetoken);
    if (scoreOf(row) !== 1) {
      this.#word(scoreOf(row));
      this.#word(0);
    }
    this.#sip();
  }

  /**
   * Leaves a message's hash there. What it says is not in it: a stored message never changes.
   * @param {Message} message
   */
  message({ timetoken, uuid, messageType }) {
    this.#length = 0;
    this.#timetoken(timetoken);
    // No text is as long as that, so no reaction has these bytes.
    this.#word(-1);
    this.#text(uuid);
    this.#text(messageType ?? '');
    this.#sip();
  }

  /**
   * The hash of a repair item.
   * @param {number} lower @param {number} upper @param {number} tag
   */
  item(lower, upper, tag) {
    this.#words[0] = lower;
    this.#words[1] = upper;
    this.#words[2] = tag;
    this.#length = 12;
    this.#sip();
  }

  /** @param {number} word */
  #word(word) {
    this.#bytes[this.#length++] = word;
    this.#bytes[this.#length++] = word >> 8;
    this.#bytes[this.#length++] = word >> 16;
    this.#bytes[this.#length++] = word >> 24;
  }

  /** @param {string} text */
  #timetoken(text) {
    split(text, this.#halves);
    this.#word(this.#halves[0]);
    this.#word(this.#halves[1]);
  }

  /** Its count of bytes, then UTF-8; by hand, since TextEncoder is slow for a few letters. */
  #text(/** @type {string} */ text) {
    this.#reserve(this.#length + 40 + 3 * text.length);
    const bytes = this.#bytes;
    const start = this.#length;
    let at = start + 4;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      if (code < 0x80) {
        bytes[at++] = code;
        continue;
      }
      if (code >= 0xd800 && code < 0xe000) code = /** @type {number} */ (text.codePointAt(i));
      if (code < 0x800) {
        bytes[at++] = 0xc0 | code >> 6;
      } else {
        if (code < 0x10000) {
          // A surrogate without its other half reads as U+FFFD, as everywhere in UTF-8.
          if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
          bytes[at++] = 0xe0 | code >> 12;
        } else {
          bytes[at++] = 0xf0 | code >> 18;
          bytes[at++] = 0x80 | code >> 12 & 63;
          i++;
        }
        bytes[at++] = 0x80 | code >> 6 & 63;
      }
      bytes[at++] = 0x80 | code & 63;
    }
    this.#word(at - start - 4);
    this.#length = at;
  }

  /** Zeros up to the last byte of a word of 64 bits, which says the length. */
  #pad() {
    const length = this.#length;
    for (let at = length; at < (length | 7); at++) this.#bytes[at] = 0;
    this.#bytes[length | 7] = length;
  }

  /** Hashes the first `#length` bytes. Aumasson and Bernstein, "SipHash", 2012. */
  #sip() {
    this.#pad();
    const { 0: k0, 1: k1, 2: k2, 3: k3 } = this.key;
    const words = this.#words;
    // Four numbers of 64 bits: a, b, c, d are the low halves, e, f, g, h the high ones.
    let a = k0 ^ 0x70736575, e = k1 ^ 0x736f6d65;
    let b = k2 ^ 0x6e646f6d ^ 0xee, f = k3 ^ 0x646f7261;
    let c = k0 ^ 0x6e657261, g = k1 ^ 0x6c796765;
    let d = k2 ^ 0x79746573, h = k3 ^ 0x74656462;
    const body = ((this.#length >> 3) + 1) * 2;
    for (let round = 0; round < body + 8; round++) {
      if (round < body) {
        if ((round & 1) === 0) {
          d ^= words[round];
          h ^= words[round + 1];
        }
      } else if (round === body) {
        c ^= 0xee;
      } else if (round === body + 4) {
        this.hash[0] = a ^ b ^ c ^ d;
        this.hash[1] = e ^ f ^ g ^ h;
        b ^= 0xdd;
      }
      a = a + b | 0;
      e = (e + f | 0) + (a >>> 0 < b >>> 0 ? 1 : 0) | 0;
      let kept = b;
      b = (b << 13 | f >>> 19) ^ a;
      f = (f << 13 | kept >>> 19) ^ e;
      kept = a;
      a = e;
      e = kept;
      c = c + d | 0;
      g = (g + h | 0) + (c >>> 0 < d >>> 0 ? 1 : 0) | 0;
      kept = d;
      d = (d << 16 | h >>> 16) ^ c;
      h = (h << 16 | kept >>> 16) ^ g;
      a = a + d | 0;
      e = (e + h | 0) + (a >>> 0 < d >>> 0 ? 1 : 0) | 0;
      kept = d;
      d = (d << 21 | h >>> 11) ^ a;
      h = (h << 21 | kept >>> 11) ^ e;
      c = c + b | 0;
      g = (g + f | 0) + (c >>> 0 < b >>> 0 ? 1 : 0) | 0;
      kept = b;
      b = (b << 17 | f >>> 15) ^ c;
      f = (f << 17 | kept >>> 15) ^ g;
      kept = c;
      c = g;
      g = kept;
      if (round < body && (round & 1) === 1) {
        a ^= words[round - 1];
        e ^= words[round];
      }
    }
    this.hash[2] = a ^ b ^ c ^ d;
    this.hash[3] = e ^ f ^ g ^ h;
  }
}
