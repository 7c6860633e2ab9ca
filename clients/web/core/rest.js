// What stands before the part of a channel that a cache holds: no rows, only what they come to.
// @ts-check
import { Digest } from './digest.js';
import { messageOf } from './messages.js';
import { rowOf } from './row.js';
import { isObject, isState } from './shapes.js';
import { isLater, isTimetoken, timetokenMax } from './timetoken.js';

/** @typedef {import('./hasher.js').Hasher} Hasher */
/** @typedef {import('./types.js').State} State */

/** Whether an event is about any number of messages: a deletion or a clearing. */
export const isSweep = (/** @type {any} */ event) =>
  event.e === 5 || (event.e === 3 && event.d.event === 'cleared');

/** What a deletion or a clearing took of the channel, where it says so. */
export function goneOf(/** @type {any} */ event) {
  const gone = isSweep(event) ? event.d.data.gone : undefined;
  return isState(gone) ? Digest.of(gone) : null;
}

/**
 * Where a cache starts, and what is before. All of the channel is this and the cache: digests add
 * up, so the channel's state proves the cache right. Events lead from one state of the rest to the
 * next, since each names its row, and a deletion or a clearing says what went by it.
 */
export class Rest {
  /** The cache has what is on messages after this; '0': all, `timetokenMax`: nothing yet. */ after;
  /** @type {Digest|null} What the rows before come to; null: not known. */ digest;
  /** Events up to here are in it. */ cursor;
  /** @type {State|null} What the whole channel came to then, if somebody said it. */ whole;

  /**
   * @param {string} after @param {Digest|null} digest @param {string} [cursor]
   * @param {State|null} [whole]
   */
  constructor(after, digest, cursor = '0', whole = null) {
    this.after = after;
    this.digest = digest;
    this.cursor = cursor;
    this.whole = whole;
  }

  /** Whether a message is before what the cache has. */
  isBefore(/** @type {string} */ timetoken) {
    return this.isPart && !isLater(timetoken, this.after);
  }

  /** Of a cache that has all of its channel. */
  static none() {
    return new Rest('0', new Digest());
  }

  /** Of a cache that has nothing yet. */
  static all() {
    return new Rest(timetokenMax, null);
  }

  /** Of the same cache, when nobody knows what it comes to. */
  unknown() {
    return new Rest(this.after, null);
  }

  /**
   * As a store kept it; null when that is none.
   * @param {any} kept Of a head.
   */
  static from(kept) {
    if ((kept ?? null) === null) return Rest.none();
    const isStateOrNull = (/** @type {any} */ it) => it === null || isState(it);
    // Where nothing is before a cache nothing is kept.
    const isRest = isObject(kept) && isTimetoken(kept.after) && kept.after !== '0' &&
      isTimetoken(kept.cursor) &&
      isStateOrNull(kept.state) && isStateOrNull(kept.whole);
    if (!isRest) return null;
    return new Rest(
      kept.after, kept.state && Digest.of(kept.state), kept.cursor, kept.whole);
  }

  /** As it is stored. */
  get kept() {
    const { after, digest, cursor, whole } = this;
    return { after, state: digest?.state ?? null, cursor, whole };
  }

  /** Whether there is any. */
  get isPart() {
    return this.after !== '0';
  }

  /** Whether there are known to be no rows: all before the cache was deleted. */
  get isEmpty() {
    return this.digest?.count === 0;
  }

  /** Whether there may be messages; not before anything is known. */
  get mayHold() {
    return this.isPart && !this.isAll && !this.isEmpty;
  }

  /** Whether the cache waits for its first page. */
  get isAll() {
    return this.after === timetokenMax;
  }

  /** Whether rows on a message are of the rest. */
  contains(/** @type {string} */ message) {
    return this.isPart && !isLater(message, this.after);
  }

  /** Whether an event is about the rest alone. */
  isAbout(/** @type {any} */ event) {
    if (!this.isPart || isSweep(event)) return false;
    return this.contains(event.e === 3 ? event.d.data.messageTimetoken : event.p.t);
  }

  /**
   * Takes an event into account.
   * @param {any} event @param {Digest|null} gone What it took of the rest; null: nobody said it.
   * @param {Hasher} hasher
   */
  follow(event, gone, hasher) {
    if (!this.isPart || this.digest === null || !isLater(event.p.t, this.cursor)) return;
    if (isSweep(event)) {
      if (gone) this.digest.merge(gone, -1);
      else this.digest = null;
    } else if (this.isAbout(event)) {
      if (event.e === 3) hasher.row(rowOf(event));
      else hasher.message(messageOf(event));
      this.digest.add(hasher.hash, event.e === 3 && event.d.event === 'removed' ? -1 : 1);
    }
  }
}
