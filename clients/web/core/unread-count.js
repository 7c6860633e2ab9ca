// How many messages of others are behind a read mark, kept as the list changes.
// @ts-check
import { readThrough, unknownMark } from './read-marks.js';
import { isLater } from './timetoken.js';

/** @typedef {import('./cache.js').ChannelCache} ChannelCache */
/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./types.js').ListChange} ListChange */
/** @typedef {import('./read-marks.js').ReadMark} ReadMark */

/**
 * What a page sees. `atLeast`: further ones may be before the list's first message. `through` is
 * null where nothing is read.
 * @typedef {{count: number, atLeast: boolean, through: string|null}} UnreadMessages
 */

/** Costs as much as changes, however many messages there are: only a new mark has all looked at. */
export class UnreadCount {
  #mark = unknownMark;
  /** @type {string|null} The mark behind which was counted. */ #through = null;
  /** @type {Set<string>} Keys of the items that count. */ #keys = new Set();
  /** Whether the messages were there once: a connection that ends takes none away. */
  #isOpened = false;
  #user;

  /** @param {string} user Whose own messages are read. */
  constructor(user) {
    this.#user = user;
  }

  /**
   * The mark is, or may be, another one.
   * @param {ReadMark} mark @param {readonly Item[]} items All there are.
   */
  use(mark, items) {
    this.#mark = mark;
    const through = readThrough(mark);
    if (through === this.#through) return;
    this.#through = through;
    this.#keys.clear();
    for (let i = items.length - 1; i >= 0; i--) {
      const { timetoken } = items[i];
      // They are in their order.
      if (timetoken !== null && !isLater(timetoken, through)) break;
      this.#look(items[i], through);
    }
  }

  /** @param {Item} item @param {string} through */
  #look({ key, timetoken, uuid, isDeleted }, through) {
    const counts = timetoken !== null && uuid !== this.#user && !isDeleted &&
      isLater(timetoken, through);
    if (counts) this.#keys.add(key);
    else this.#keys.delete(key);
  }

  /** @param {ListChange[]} changes Of the list. */
  take(changes) {
    const through = readThrough(this.#mark);
    for (const { kind, item } of changes) {
      if (kind === 'remove') this.#keys.delete(item.key);
      else this.#look(item, through);
    }
  }

  /**
   * What is unread; null until both the mark and the messages are known.
   * @param {ChannelCache} cache @param {boolean} isVerified @returns {UnreadMessages|null}
   */
  of(cache, isVerified) {
    const { rest, cursor } = cache;
    this.#isOpened ||= !rest.isAll && (cursor !== '0' || isVerified);
    if (this.#mark.through === null || !this.#isOpened) return null;
    const through = readThrough(this.#mark);
    return {
      count: this.#keys.size,
      atLeast: rest.isPart && !rest.isEmpty && isLater(rest.after, through),
      through: through === '0' ? null : through,
    };
  }
}

/**
 * Whether a page was told this already.
 * @param {UnreadMessages|null} left @param {UnreadMessages|null} right
 */
export const isSameUnread = (left, right) => left === right || (left !== null && right !== null &&
  left.count === right.count && left.atLeast === right.atLeast && left.through === right.through);
