// What the rows of a channel come to: reactions and stored messages in one digest.
// @ts-check
import { Digest } from './digest.js';
import { Hasher } from './hasher.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Row} Row */

/** Counts what comes and goes, under the server's key. */
export class Tally {
  /** @type {Hasher|null} Without one the server keeps no digests. */ hasher = null;
  #digest = new Digest();
  /**
   * All that is there, as long as nobody has asked what it comes to.
   * @type {{rows: Iterable<Row>, messages: Map<string, Message>}|null}
   */
  #uncounted = null;

  /** What all comes to that is there. */
  get digest() {
    this.#count();
    return this.#digest;
  }

  #count() {
    if (!this.#uncounted) return;
    const { rows, messages } = this.#uncounted;
    this.#uncounted = null;
    this.#digest = new Digest();
    for (const row of rows) this.row(row, 1);
    for (const message of messages.values()) this.message(message, 1);
  }

  /**
   * A reaction comes, or goes.
   * @param {Row} row @param {1|-1} sign
   */
  row(row, sign) {
    if (this.#uncounted) return;
    this.hasher?.row(row);
    this.#add(sign);
  }

  /**
   * A message comes, or goes.
   * @param {Message} message @param {1|-1} sign
   */
  message(message, sign) {
    if (this.#uncounted) return;
    this.hasher?.message(message);
    this.#add(sign);
  }

  /**
   * Adds what was hashed last, or takes it away.
   * @param {1|-1} sign
   */
  #add(sign) {
    if (this.hasher) this.#digest.add(this.hasher.hash, sign);
    else this.#digest.count += sign;
  }

  /**
   * Takes the server's key; counts all that is there anew when it is another.
   * @param {string|undefined} key
   * @param {Iterable<Row>} rows @param {Map<string, Message>} messages
   */
  setKey(key, rows, messages) {
    if (key === undefined || this.hasher?.text === key) return;
    this.hasher = new Hasher(key);
    this.countLater(rows, messages);
    this.#count();
  }

  /**
   * Counts all that is there, and comes, when somebody asks what it comes to.
   * @param {Iterable<Row>} rows @param {Map<string, Message>} messages
   */
  countLater(rows, messages) {
    this.#uncounted = { rows, messages };
  }

  /**
   * Whether these are the rows that a server's state speaks of; true when it says nothing.
   * @param {{n: number, d: string}|undefined} state
   */
  matches(state) {
    return !state || !this.hasher ||
      (state.n === this.digest.count && state.d === this.digest.text);
  }
}
