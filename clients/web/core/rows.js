// The reactions of one channel, one for each key.
// @ts-check
import { Group } from './group.js';
import { groupKey, scoreOf } from './row.js';
import { isLater } from './timetoken.js';

/** @typedef {import('./tally.js').Tally} Tally */
/** @typedef {import('./types.js').Row} Row */

/** Rows by message, group and user; iterates over all of them. */
export class Rows {
  #tally;
  /**
   * The groups by message, also those of messages not here; a group by its key.
   * @type {Map<string, Map<string, Group>>}
   */
  #messages = new Map();
  /** @type {Map<string, Row>} What was put or dropped lately. */ #touched = new Map();

  /** @param {Tally} tally Hears of each that comes or goes. */
  constructor(tally) {
    this.#tally = tally;
  }

  get isEmpty() {
    return this.#messages.size === 0;
  }

  /** @returns {Iterator<Row>} */
  * [Symbol.iterator]() {
    for (const groups of this.#messages.values()) {
      for (const group of groups.values()) yield* group;
    }
  }

  /** The messages that have rows. */
  messages() {
    return this.#messages.keys();
  }

  /**
   * The groups of a message, by their keys; each has a row.
   * @param {string} message @returns {ReadonlyMap<string, Group>}
   */
  groups(message) {
    return this.#messages.get(message) ?? none;
  }

  /** @param {string} message @param {string} type @param {string} value @param {string} uuid */
  find(message, type, value, uuid) {
    return this.groups(message).get(groupKey(type, value))?.of(uuid);
  }

  /**
   * A user's reactions to a message.
   * @param {string} message @param {string} uuid
   */
  own(message, uuid) {
    const found = [...this.groups(message).values()].map((group) => group.of(uuid));
    return found.flatMap((row) => row ? [row] : []);
  }

  /**
   * Adds a row, unless a later action stands under its key. One with the same timetoken and
   * another score was damaged.
   * @param {Row} row
   */
  put(row) {
    const { messageTimetoken: message, type, value, uuid } = row;
    const key = groupKey(type, value);
    const groups = this.#messages.get(message) ?? new Map();
    const group = groups.get(key) ?? new Group(key, type, value);
    const standing = group.of(uuid);
    if (standing && !isLater(row.actionTimetoken, standing.actionTimetoken)) {
      const isSame = row.actionTimetoken === standing.actionTimetoken;
      if (!isSame || scoreOf(row) === scoreOf(standing)) return;
    }
    if (standing) this.#tally.row(standing, -1);
    group.replace(standing, row);
    groups.set(key, group);
    this.#messages.set(message, groups);
    this.#tally.row(row, 1);
    this.#touched.set(`${message} ${key}${uuid}`, row);
  }

  /**
   * Drops what stands under a row's key.
   * @param {Row} row
   */
  drop({ messageTimetoken: message, type, value, uuid }) {
    const groups = this.#messages.get(message);
    const key = groupKey(type, value);
    const group = groups?.get(key);
    const standing = group?.of(uuid);
    if (!groups || !group || !standing) return;
    group.drop(standing);
    if (group.size === 0) groups.delete(key);
    if (groups.size === 0) this.#messages.delete(message);
    this.#tally.row(standing, -1);
    this.#touched.set(`${message} ${key}${uuid}`, standing);
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

/** @type {ReadonlyMap<string, Group>} */
const none = new Map();
