// The reactions of one channel, one for each key, and what their digest is.
// @ts-check
import { Digest } from './digest.js';
import { Hasher } from './hasher.js';
import { rowKey } from './row.js';
import { isLater } from './timetoken.js';

/** @typedef {import('./types.js').Row} Row */

/** Rows by message and key; iterates over all of them. */
export class Rows {
  /** @type {Hasher|null} Without one the server keeps no digests. */ hasher = null;
  digest = new Digest();
  /** @type {Map<string, Map<string, Row>>} By message, also those of messages not here. */
  #messages = new Map();
  /** @type {Map<string, Row>} What was put or dropped lately. */ #touched = new Map();

  get isEmpty() {
    return this.#messages.size === 0;
  }

  /** @returns {Iterator<Row>} */
  * [Symbol.iterator]() {
    for (const rows of this.#messages.values()) yield* rows.values();
  }

  /** The messages that have rows. */
  messages() {
    return this.#messages.keys();
  }

  /**
   * The rows of a message, by their keys.
   * @param {string} message @returns {ReadonlyMap<string, Row>}
   */
  of(message) {
    return this.#messages.get(message) ?? none;
  }

  /** @param {string} message @param {string} type @param {string} value @param {string} uuid */
  find(message, type, value, uuid) {
    return this.of(message).get(rowKey(type, value, uuid));
  }

  /**
   * Takes the server's key; hashes anew when it is another.
   * @param {string|undefined} key
   */
  setKey(key) {
    if (key === undefined || this.hasher?.text === key) return;
    this.hasher = new Hasher(key);
    this.digest = new Digest();
    for (const row of this) this.#count(row, 1);
  }

  /**
   * Whether these are the rows that a server's state speaks of; true when it says nothing.
   * @param {{n: number, d: string}|undefined} state
   */
  matches(state) {
    return !state || !this.hasher ||
      (state.n === this.digest.count && state.d === this.digest.text);
  }

  /** @param {Row} row @param {1|-1} sign */
  #count(row, sign) {
    if (!this.hasher) {
      this.digest.count += sign;
      return;
    }
    this.hasher.row(row);
    this.digest.add(this.hasher.hash, sign);
  }

  /**
   * Adds a row, unless a later action stands under its key.
   * @param {Row} row
   */
  put(row) {
    const rows = this.#messages.get(row.messageTimetoken) ?? new Map();
    const key = rowKey(row.type, row.value, row.uuid);
    const standing = rows.get(key);
    if (standing && !isLater(row.actionTimetoken, standing.actionTimetoken)) return;
    if (standing) this.#count(standing, -1);
    rows.set(key, row);
    this.#messages.set(row.messageTimetoken, rows);
    this.#count(row, 1);
    this.#touched.set(`${row.messageTimetoken} ${key}`, row);
  }

  /**
   * Drops what stands under a row's key.
   * @param {Row} row
   */
  drop(row) {
    const rows = this.#messages.get(row.messageTimetoken);
    const key = rowKey(row.type, row.value, row.uuid);
    const standing = rows?.get(key);
    if (!rows || !standing) return;
    rows.delete(key);
    if (rows.size === 0) this.#messages.delete(row.messageTimetoken);
    this.#count(standing, -1);
    this.#touched.set(`${row.messageTimetoken} ${key}`, standing);
  }

  /** What changed since it was forgotten: rows that stand, and rows that are gone. */
  changes() {
    /** @type {{rows: Row[], gone: Row[]}} */
    const found = { rows: [], gone: [] };
    for (const row of this.#touched.values()) {
      const standing = this.find(row.messageTimetoken, row.type, row.value, row.uuid);
      if (standing) found.rows.push(standing);
      else found.gone.push(row);
    }
    return found;
  }

  forgetChanges() {
    this.#touched.clear();
  }
}

/** @type {ReadonlyMap<string, Row>} */
const none = new Map();
