// A channel that a page follows: its older messages, where the device holds a window of it.
// @ts-check
import { lookedAt } from '../core/looked.js';
import { checkMembers } from '../core/names.js';
import { isCount } from '../core/shapes.js';
import { timetokenMax } from '../core/timetoken.js';
import { pageMax } from '../core/window.js';
import { checkTimetoken } from '../core/writes.js';
import { MarkedChannel } from './marked-channel.js';
import { errorOf } from './questions.js';

/** @typedef {import('../core/types.js').ChannelWindow} ChannelWindow */
/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('../core/types.js').OlderAnswer} OlderAnswer */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./questions.js').Questions} Questions */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */
/** @typedef {{resolve: (answer: any) => void, reject: (error: Error) => void}} Asker */

/** Messages that one page of the history has at most. */
const historyMax = 100;

/** @param {string} what @param {any} count @param {number} min @param {number} max */
function checkCount(what, count, min, max) {
  if (isCount(count) && count >= min && count <= max) return;
  throw new RangeError(`${what} is a whole number from ${min} to ${max}.`);
}

/** The timetoken behind another one, and the one before it, as far as there are any. */
const following = (/** @type {string} */ it) =>
  it === timetokenMax ? it : String(BigInt(it) + 1n);
const preceding = (/** @type {string} */ it) => it === '0' ? it : String(BigInt(it) - 1n);

/** What a page asks for of older messages. */
export class WindowedChannel extends MarkedChannel {
  #device;
  #outbox;
  #questions;
  /** @type {Asker[]} For older messages. */ #askers = [];
  /** @type {Asker[]} For a comparison. */ #comparing = [];
  /** @type {{version: number, resolve: () => void}[]} For what another tab has stored. */
  #behind = [];
  /** @type {Set<(error: Error) => void>} What this tab waits for, itself or through another. */
  #own = new Set();
  /** Somebody wants something of the window: set by whoever asks the daemon. */
  asked = () => {};

  /**
   * @param {string} name @param {Device} device @param {StoredOutbox} outbox
   * @param {Questions} questions
   * @param {(channel: any) => void} left Ends following it.
   * @param {ChannelWindow|null} size How much of it is held; null: all.
   */
  constructor(name, device, outbox, questions, left, size) {
    super(name, device, outbox, left, size);
    this.#device = device;
    this.#outbox = outbox;
    this.#questions = questions;
  }

  /**
   * Whether there are messages before those of the list; where all are held, never. What only has
   * reactions on messages that are gone counts for some: nobody says of what rows are.
   */
  get hasOlder() {
    // Also of a channel that is followed whole: its cache may still be a part, or another tab's.
    return this.sync.cache.rest.mayHold;
  }

  /**
   * Brings messages into the list that are before those of its window: resolves with `more`, with
   * `beginning` when the list has the channel's first message, and with `full` when it has as many
   * as are to be kept. Without a connection it waits for one. Rejects (RangeError) what is no
   * count, what the daemon refuses with an Error that has its `status` and `code`, and when the
   * channel is left or the client closed. A channel that was refused is asked for again.
   * @param {number} [count] At least, where there are so many.
   * @returns {Promise<'more'|'beginning'|'full'>}
   */
  async older(count = 50) {
    checkCount('The count of older messages', count, 1, pageMax);
    return this.#want({ older: count });
  }

  /**
   * Compares what is before the window with the daemon's, which pushes cannot do; the client does
   * so about once an hour. Resolves when all is as the daemon has it; without a connection it waits
   * for one, and rejects, as `older` does. What shows stays when the daemon refuses to compare.
   * @returns {Promise<void>}
   */
  async verify() {
    return this.#want({ verify: true });
  }

  /** @param {any} wish @returns {Promise<any>} Until this tab leaves, too. */
  #want(wish) {
    return new Promise((resolve, reject) => {
      this.#own.add(reject);
      this.#granted(wish).then(resolve, reject).finally(() => this.#own.delete(reject));
    });
  }

  /** @param {any} wish @returns {Promise<any>} */
  async #granted(wish) {
    for (;;) {
      await this.ready;
      const { isClosed, isLeader, refusal, tabs } = this.#device;
      if (isClosed) throw new Error('The client is closed.');
      if (refusal) throw refusal;
      if (!this.isWanted) throw this.leftError;
      if (isLeader || !tabs) return this.grant(wish);
      try {
        return await this.#questions.wish(this.name, wish, (it) => this.#comesTo(it));
      } catch (error) {
        // Another tab connects now: that one is asked.
        if (/** @type {any} */ (error).code !== 'offline') throw error;
      }
    }
  }

  /**
   * Does what this tab or another one wants, as the tab that connects.
   * @param {{older?: number, verify?: boolean}} wish @returns {Promise<any>}
   */
  grant({ older }) {
    const { window: sync } = this;
    if (older !== undefined && !sync) {
      if (!this.sync.cache.rest.isPart) return Promise.resolve('beginning');
      this.asked();
      return this.whenVerified().then(() => 'beginning');
    }
    return new Promise((resolve, reject) => {
      if (older !== undefined) {
        this.#askers.push({ resolve, reject });
        sync?.wantOlder(older);
      } else {
        this.#comparing.push({ resolve: () => resolve(undefined), reject });
        sync?.verify();
        this.tellVerified();
      }
      this.asked();
    });
  }

  /**
   * Resolves when this tab shows what another one has stored.
   * @param {number} version @returns {Promise<void>}
   */
  #comesTo(version) {
    return new Promise((resolve) => {
      this.#behind.push({ version, resolve });
      this.#tellVersion();
    });
  }

  #tellVersion() {
    const { version } = this.sync.cache;
    const isThere = (/** @type {{version: number}} */ it) => it.version <= version;
    for (const { resolve } of this.#behind.filter(isThere)) resolve();
    this.#behind = this.#behind.filter((it) => !isThere(it));
  }

  /** @param {Set<string>|'all'} affected */
  refresh(affected) {
    super.refresh(affected);
    this.#tellVersion();
  }

  /** @param {OlderAnswer} answer */
  answerOlder(answer) {
    for (const { resolve, reject } of this.#askers.splice(0)) {
      if (typeof answer === 'string') resolve(answer);
      else reject(errorOf(answer.error));
    }
  }

  /** @param {Error} error Why what is before the window was not compared. */
  failComparing(error) {
    for (const { reject } of this.#comparing.splice(0)) reject(error);
  }

  /**
   * The daemon does not let it be had: nothing comes of it before it is asked again.
   * @param {Error} error
   */
  refuse(error) {
    this.refusal = error;
    this.window?.pages.giveUp();
    this.fail(error);
  }

  tellVerified() {
    super.tellVerified();
    if (!this.isVerified || this.window?.isComparing) return;
    for (const { resolve } of this.#comparing.splice(0)) resolve(undefined);
  }

  /** @param {Error} error */
  failOwn(error) {
    super.failOwn(error);
    for (const reject of this.#own) reject(error);
  }

  /** @param {Error} error */
  fail(error) {
    super.fail(error);
    for (const { reject } of this.#askers.splice(0)) reject(error);
    this.failComparing(error);
  }

  /**
   * Looks at the messages around one, which the device need not have: as they are now, in their
   * order, with their reactions; nothing keeps them. Rejects as `signal` does.
   * @param {string} timetoken Where it is, or was.
   * @param {{around?: number}} [options] Messages before it and after it together.
   * @returns {Promise<{items: readonly Item[], hasOlder: boolean, hasNewer: boolean}>}
   */
  async jump(timetoken, options = {}) {
    checkTimetoken(timetoken);
    checkMembers('The options of jump', options, ['around']);
    const { around = 50 } = options;
    checkCount('around', around, 2, 2 * historyMax);
    const limit = Math.floor(around / 2);
    const [older, newer] = await Promise.all([
      this.#history({ before: following(timetoken), limit }),
      this.#history({ after: timetoken, limit })]);
    return this.#looked([...older.messages, ...newer.messages],
      older.next !== undefined, newer.next !== undefined);
  }

  /**
   * Looks at the messages before one, or after one: as `jump` does.
   * @param {{before?: string, after?: string, count?: number}} query Either of the two.
   * @returns {Promise<{items: readonly Item[], hasOlder: boolean, hasNewer: boolean}>}
   */
  async page(query) {
    checkMembers('The options of page', query, ['before', 'after', 'count']);
    const { before, after, count: limit = 50 } = query;
    checkCount('count', limit, 1, historyMax);
    if ((before === undefined) === (after === undefined)) {
      throw new TypeError('A page is before a message, or after one.');
    }
    checkTimetoken(before ?? after);
    // And whether there is one on its other side.
    const one = { limit: 1, actions: false };
    const older = before === undefined
      ? { before: following(String(after)), ...one } : { before, limit };
    const newer = after === undefined
      ? { after: preceding(String(before)), ...one } : { after, limit };
    const [{ messages: earlier, next: first }, { messages: later, next: last }] =
      await Promise.all([this.#history(older), this.#history(newer)]);
    return before === undefined
      ? this.#looked(later, earlier.length > 0, last !== undefined)
      : this.#looked(earlier, first !== undefined, later.length > 0);
  }

  /** @param {Record<string, any>} query */
  #history(query) {
    if (!this.isWanted) throw this.leftError;
    return this.#questions.ask({ op: 'history', channel: this.name, actions: true, ...query });
  }

  /** @param {any[]} messages @param {boolean} hasOlder @param {boolean} hasNewer */
  #looked(messages, hasOlder, hasNewer) {
    const own = this.#outbox.of(this.name);
    const items = lookedAt(messages, own, this.#device.userId, this.rules);
    return { items, hasOlder, hasNewer };
  }
}
