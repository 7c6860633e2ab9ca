// What a device holds of one channel: messages and reactions, as the server had them.
// @ts-check
import { act, remove } from './acts.js';
import { fromBase64 } from './bytes.js';
import { Digest } from './digest.js';
import { Messages, isMessage, messageFrom, messageOf } from './messages.js';
import { unpackRows, unpackTimetokens } from './packed.js';
import { Rest, goneOf } from './rest.js';
import { isRow } from './row.js';
import { Rows } from './rows.js';
import { readRules, unknownRules } from './rules.js';
import { isKey, isText } from './shapes.js';
import { Tally } from './tally.js';
import { isLater, isTimetoken } from './timetoken.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Head} Head */
/** @typedef {import('./types.js').Patch} Patch */
/** @typedef {import('./types.js').State} State */

/**
 * The messages and reactions of one channel, or those after some message, as the server had them at
 * `cursor`.
 */
export class ChannelCache {
  cursor = '0';
  /** @type {string|null} */ epoch = null;
  version = 0;
  /** What reactions there are, as the daemon last said. */ rules = unknownRules;
  /** What rows and messages come to. */ tally = new Tally();
  rows = new Rows(this.tally);
  messages = new Messages(this.tally);
  /** What is before them. */ rest = Rest.none();
  /**
   * What happened while a page is on its way, deletions with what they took of the rest; null: none
   * is.
   * @type {{event: any, gone: Digest|null}[]|null}
   */
  seen = null;
  /**
   * Where the last page was read that found the channel otherwise than the newest one did. Not
   * stored: whoever comes back is told all after the cursor before anything is compared.
   */
  otherwiseAt = '0';
  /** @type {Set<string>} */ #touchedMessages = new Set();
  #isReplaced = false;

  /**
   * What a store kept, row by row. `isSound` tells whether it is what was stored, as far as a
   * digest can tell: that of an earlier version is of reactions only, and tells of nothing else.
   * @param {any} head @param {any[]} rows @param {any[]} messages
   */
  static load(head, rows, messages) {
    const cache = new ChannelCache();
    const rest = Rest.from(head?.rest);
    const isHead = head && rest && isTimetoken(head.cursor) &&
      (head.key === null || isKey(head.key)) &&
      Number.isSafeInteger(head.version) &&
      (head.epoch === null || (isText(head.epoch) && /^[ -~]{1,64}$/.test(head.epoch)));
    const stored = rows.length + messages.length;
    if (!isHead) return { cache, isSound: !head && stored === 0 };
    cache.cursor = head.cursor;
    cache.rules = heardRules(head);
    cache.epoch = head.epoch;
    cache.version = head.version;
    cache.setKey(head.key ?? undefined);
    cache.rest = rest;
    cache.tally.countLater(cache.rows, cache.messages);
    for (const row of rows) {
      if (isRow(row) && !rest.contains(row.messageTimetoken)) cache.rows.put(row);
    }
    for (const message of messages) {
      const isIn = isMessage(message) && !rest.contains(message.timetoken);
      if (isIn) cache.messages.set(message.timetoken, messageFrom(message));
    }
    cache.#forgetChanges();
    return {
      cache,
      // All is hashed for it: so it is asked for when the rows show.
      get isSound() {
        const { digest, hasher } = cache.tally;
        return digest.count === head.count && stored === head.count &&
          (hasher === null || digest.text === head.digest);
      },
    };
  }

  /**
   * Takes the server's key.
   * @param {string|undefined} key
   */
  setKey(key) {
    const { rest, tally: { hasher } } = this;
    // What came to something under another key comes to nothing that is known.
    if (hasher && key !== undefined && hasher.text !== key && rest.isPart) {
      this.rest = rest.unknown();
    }
    this.tally.setKey(key, this.rows, this.messages);
  }

  get isEmpty() {
    return this.rows.isEmpty && this.messages.size === 0;
  }

  /**
   * What the channel comes to, the rest and the rows; null where that cannot be said: before the
   * cursor has come to where a page was read.
   * @returns {State|null}
   */
  get state() {
    const { rest: { digest, cursor }, tally } = this;
    if (digest === null || isLater(cursor, this.cursor)) return null;
    return digest.copy().merge(tally.digest, 1).state;
  }

  /**
   * Whether this is what a server's state speaks of; true when it says nothing.
   * @param {State|undefined} state
   */
  matches(state) {
    const { rest, tally } = this;
    if (!rest.isPart || !state || !tally.hasher) return tally.matches(state);
    const own = this.state;
    return own !== null && own.n === state.n && own.d === state.d;
  }

  /** @param {Message} message */
  putMessage(message) {
    this.messages.set(message.timetoken, message);
    this.#touchedMessages.add(message.timetoken);
  }

  /** @param {string} timetoken */
  dropMessage(timetoken) {
    if (this.messages.delete(timetoken)) this.#touchedMessages.add(timetoken);
  }

  /**
   * Takes what another one has of the same channel; that one is of no use any more.
   * @param {ChannelCache} other
   */
  gain(other) {
    if (this.isEmpty && this.#isReplaced) {
      // Nothing is hashed twice.
      [this.tally, this.rows, this.messages] = [other.tally, other.rows, other.messages];
      return;
    }
    for (const message of other.messages.values()) this.putMessage(message);
    for (const row of other.rows) this.rows.put(row);
  }

  /**
   * Applies a push, but nothing that the cache is beyond; returns the events that nobody stores.
   * @param {any} push
   */
  apply(push) {
    const unstored = [];
    // A page may have told more than what was missed, summed up.
    const summedUp = isLater(this.cursor, push.t.t) ? undefined : push.window;
    if (summedUp && this.rest.isPart) {
      // It does not say what became of the rest.
      this.rest = this.rest.unknown();
      this.seen = null;
    }
    for (const event of push.m) {
      if (event.f === 1) unstored.push(event);
      else this.take(event);
    }
    if (isLater(push.t.t, this.cursor)) this.cursor = push.t.t;
    if (summedUp?.rest && this.rest.isPart && summedUp.after === this.rest.after) {
      this.rest = new Rest(this.rest.after, Digest.of(summedUp.rest), push.t.t);
    }
    return unstored;
  }

  /**
   * Applies an event, to the rows or to what the rest comes to, unless the cache is beyond it.
   * @param {any} event @param {Digest|null} [told] What went by it.
   */
  take(event, told = goneOf(event)) {
    const { rest, tally } = this;
    if (!isLater(event.p.t, this.cursor)) return;
    const before = rest.isPart ? tally.digest.copy() : null;
    if (!rest.isAbout(event)) {
      if (!event.e) this.putMessage(messageOf(event));
      else if (event.e === 3) act(this, event);
      else if (event.e === 5) remove(this, event);
    }
    if (!before || !tally.hasher) return;
    // What went of the rows did not go of the rest.
    const gone = told?.copy().merge(tally.digest, 1).merge(before, -1) ?? null;
    rest.follow(event, gone, tally.hasher);
    this.seen?.push({ event, gone });
  }

  /**
   * Applies a repair's reply: then all is as the server had it at the reply's cursor.
   * @param {{cursor: string, rows: string, drop: string, messages?: any}} reply
   */
  repair(reply) {
    const gone = new Set(unpackTimetokens(fromBase64(reply.drop)));
    const rows = unpackRows(fromBase64(reply.rows));
    const { cursor, messages = [] } = reply;
    if (!isTimetoken(cursor) || !rows.every(isRow)) {
      throw new Error('A repair cannot be read: it has no timetokens.');
    }
    if (!Array.isArray(messages) || !messages.every(isMessage)) {
      throw new Error('A repair cannot be read: its messages are none.');
    }
    for (const row of [...this.rows]) if (gone.has(row.actionTimetoken)) this.rows.drop(row);
    for (const timetoken of gone) this.dropMessage(timetoken);
    for (const row of rows) this.rows.put(row);
    for (const message of messages) this.putMessage(messageFrom(message));
    this.cursor = cursor;
  }

  /** @returns {Head} */
  get head() {
    const { cursor, epoch, version, tally, rest } = this;
    const key = tally.hasher?.text ?? null;
    const { count, text } = tally.digest;
    const said = this.rules === unknownRules ? {} : { rules: this.rules };
    return { cursor, epoch, version, key, count, digest: text, ...said,
      ...rest.isPart ? { rest: rest.kept } : {} };
  }

  /** From now on everything counts as changed: a store writes all of it. */
  replaceAll() {
    this.#isReplaced = true;
  }

  /**
   * What changed since the last patch, for a store and for other tabs.
   * @param {string} channel
   */
  takePatch(channel) {
    const clear = this.#isReplaced;
    this.version++;
    const changes = clear ? { rows: [...this.rows], gone: [] } : this.rows.changes();
    /** @type {Patch} */
    const patch = {
      channel, clear, ...changes, messages: [], dropped: [], head: this.head, settled: [],
    };
    if (clear) {
      patch.messages = [...this.messages.values()];
    } else {
      for (const timetoken of this.#touchedMessages) {
        const message = this.messages.get(timetoken);
        if (message) patch.messages.push(message);
        else patch.dropped.push(timetoken);
      }
    }
    this.#forgetChanges();
    return patch;
  }

  #forgetChanges() {
    this.#isReplaced = false;
    this.rows.forgetChanges();
    this.#touchedMessages.clear();
  }

  /**
   * Does what a patch says, as another tab.
   * @param {Patch} patch
   */
  follow(patch) {
    this.rest = Rest.from(patch.head.rest) ?? this.rest.unknown();
    for (const row of patch.gone) this.rows.drop(row);
    for (const row of patch.rows) {
      // Also where a damaged row seems to be later.
      this.rows.drop(row);
      this.rows.put(row);
    }
    for (const timetoken of patch.dropped) this.messages.delete(timetoken);
    for (const message of patch.messages) this.messages.set(message.timetoken, message);
    this.cursor = patch.head.cursor;
    this.rules = heardRules(patch.head);
    this.epoch = patch.head.epoch;
    this.version = patch.head.version;
    this.tally.setKey(patch.head.key ?? undefined, this.rows, this.messages);
    this.#forgetChanges();
  }
}

/**
 * What a head has of the rules.
 * @param {{rules?: any}} head
 */
const heardRules = ({ rules }) => rules === undefined ? unknownRules : readRules(rules);
