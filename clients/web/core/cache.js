// What a device holds of one channel: messages and reactions, as the server had them.
// @ts-check
import { fromBase64 } from './bytes.js';
import { clear } from './clearing.js';
import { Messages } from './messages.js';
import { unpackRows, unpackTimetokens } from './packed.js';
import { isRow, scored } from './row.js';
import { Rows } from './rows.js';
import { readRules, unknownRules } from './rules.js';
import { isKey, isText } from './shapes.js';
import { isLater, isTimetoken } from './timetoken.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Head} Head */
/** @typedef {import('./types.js').Patch} Patch */

/** The messages and reactions of one channel, as the server had them at `cursor`. */
export class ChannelCache {
  cursor = '0';
  actionsCursor = '0';
  deletion = '0';
  isPartial = false;
  /** @type {string|null} */ epoch = null;
  version = 0;
  /** What reactions there are, as the daemon last said. */ rules = unknownRules;
  rows = new Rows();
  messages = new Messages();
  /** @type {Set<string>} */ #touchedMessages = new Set();
  #isReplaced = false;

  /**
   * What a store kept, row by row. `isSound` tells whether it is what was stored, as far as counts
   * and a digest can tell, and `isWhole` whether it has all of the messages.
   * @param {any} head @param {any[]} rows @param {any[]} messages
   */
  static load(head, rows, messages) {
    const cache = new ChannelCache();
    const isHead = head && isTimetoken(head.cursor) && isTimetoken(head.actionsCursor) &&
      (head.key === null || isKey(head.key)) &&
      Number.isSafeInteger(head.version) &&
      (head.epoch === null || (isText(head.epoch) && /^[ -~]{1,64}$/.test(head.epoch)));
    if (!isHead) {
      const isNew = !head && rows.length + messages.length === 0;
      return { cache, isSound: isNew, isWhole: isNew };
    }
    cache.cursor = head.cursor;
    cache.actionsCursor = head.actionsCursor;
    cache.deletion = isTimetoken(head.deletion) ? head.deletion : '0';
    cache.isPartial = head.isPartial === true;
    cache.rules = heardRules(head);
    cache.epoch = head.epoch;
    cache.version = head.version;
    cache.rows.setKey(head.key ?? undefined);
    for (const row of rows) if (isRow(row)) cache.rows.put(row);
    for (const message of messages) {
      if (message && isTimetoken(message.timetoken) && isText(message.uuid)) {
        cache.messages.set(message.timetoken, message);
      }
    }
    cache.#forgetChanges();
    const { digest, hasher } = cache.rows;
    const isSound = digest.count === head.count && rows.length === head.count &&
      (hasher === null || digest.text === head.digest);
    // What is missing of the messages no digest tells. Earlier versions of this did not count them.
    const isWhole = cache.messages.size === (head.messageCount ?? cache.messages.size);
    return { cache, isSound: isSound && isWhole, isWhole };
  }

  get isEmpty() {
    return this.rows.isEmpty && this.messages.size === 0;
  }

  /** @param {string} timetoken */
  dropMessage(timetoken) {
    if (this.messages.delete(timetoken)) this.#touchedMessages.add(timetoken);
  }

  /**
   * Applies a push; returns the events that nobody stores.
   * @param {any} push
   */
  apply(push) {
    const unstored = [];
    for (const event of push.m) {
      if (event.f === 1) unstored.push(event);
      else if (!event.e) this.#publish(event);
      else if (event.e === 3) this.#act(event);
      else if (event.e === 5) this.#delete(event);
    }
    // Who comes with nothing is not told what was deleted before.
    const isFilled = push.s && (this.isPartial || this.cursor === '0');
    if (isFilled && isLater(push.t.t, this.deletion)) this.deletion = push.t.t;
    if (push.s) this.isPartial = false;
    else if (this.rows.hasher && isLater(push.t.t, this.cursor)) this.isPartial = true;
    if (isLater(push.t.t, this.cursor)) this.cursor = push.t.t;
    if (isLater(this.cursor, this.actionsCursor)) this.actionsCursor = this.cursor;
    return unstored;
  }

  /** @param {any} event */
  #publish(event) {
    /** @type {Message} */
    const message = { timetoken: event.p.t, uuid: event.i ?? '', payload: event.d };
    if ((event.u ?? null) !== null) message.meta = event.u;
    if ((event.cmt ?? null) !== null) message.messageType = event.cmt;
    if ((event.parent ?? null) !== null) message.parent = event.parent;
    this.messages.set(message.timetoken, message);
    this.#touchedMessages.add(message.timetoken);
  }

  /** @param {any} event */
  #act(event) {
    if (event.d.event === 'cleared') return clear(this.rows, event.d.data, event.p.t);
    const { messageTimetoken, type, value, actionTimetoken, score } = event.d.data;
    // Stores have actions that nobody signed: they count in the digest like all others.
    const uuid = event.i ?? '';
    const row = { messageTimetoken, type, value, uuid, actionTimetoken, ...scored(score) };
    if (event.d.event === 'added') {
      this.rows.put(row);
    } else {
      // A later action under the key is known when a repair ran ahead of the messages.
      const standing = this.rows.find(messageTimetoken, type, value, uuid);
      if (standing && !isLater(standing.actionTimetoken, actionTimetoken)) this.rows.drop(standing);
    }
  }

  /** @param {any} event */
  #delete(event) {
    const { after, through } = event.d.data;
    if (isLater(event.p.t, this.deletion)) this.deletion = event.p.t;
    const isIn = (/** @type {string} */ at) => isLater(at, after) && !isLater(at, through);
    for (const timetoken of this.messages.keys()) if (isIn(timetoken)) this.dropMessage(timetoken);
    for (const timetoken of this.rows.messages()) {
      if (!isIn(timetoken)) continue;
      // What was added after the deletion stands, also when a repair brought it before.
      for (const row of [...this.rows.groups(timetoken).values()].flatMap((it) => [...it])) {
        if (!isLater(row.actionTimetoken, event.p.t)) this.rows.drop(row);
      }
    }
  }

  /**
   * Applies a repair's reply.
   * @param {{cursor: string, rows: string, drop: string}} reply
   */
  repair(reply) {
    const gone = new Set(unpackTimetokens(fromBase64(reply.drop)));
    const rows = unpackRows(fromBase64(reply.rows));
    if (!isTimetoken(reply.cursor) || !rows.every(isRow)) {
      throw new Error('A repair cannot be read: it has no timetokens.');
    }
    for (const row of [...this.rows]) if (gone.has(row.actionTimetoken)) this.rows.drop(row);
    for (const row of rows) this.rows.put(row);
    this.actionsCursor = reply.cursor;
  }

  /** @returns {Head} */
  get head() {
    const { cursor, actionsCursor, deletion, isPartial, epoch, version } = this;
    const key = this.rows.hasher?.text ?? null;
    const { count, text } = this.rows.digest;
    const said = this.rules === unknownRules ? {} : { rules: this.rules };
    return {
      cursor, actionsCursor, deletion, isPartial, epoch, version, key, count, digest: text,
      messageCount: this.messages.size, ...said,
    };
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
    for (const row of patch.gone) this.rows.drop(row);
    for (const row of patch.rows) {
      // Also where a damaged row seems to be later.
      this.rows.drop(row);
      this.rows.put(row);
    }
    for (const timetoken of patch.dropped) this.messages.delete(timetoken);
    for (const message of patch.messages) this.messages.set(message.timetoken, message);
    this.cursor = patch.head.cursor;
    this.actionsCursor = patch.head.actionsCursor;
    this.deletion = patch.head.deletion;
    this.isPartial = patch.head.isPartial;
    this.rules = heardRules(patch.head);
    this.epoch = patch.head.epoch;
    this.version = patch.head.version;
    this.rows.setKey(patch.head.key ?? undefined);
    this.#forgetChanges();
  }
}

/**
 * What a head has of the rules.
 * @param {{rules?: any}} head
 */
const heardRules = ({ rules }) => rules === undefined ? unknownRules : readRules(rules);

/**
 * The messages that a patch concerns.
 * @param {Patch} patch @returns {Set<string>|'all'}
 */
export function affectedBy(patch) {
  if (patch.clear) return 'all';
  const timetokens = [...patch.rows, ...patch.gone].map((row) => row.messageTimetoken);
  return new Set([
    ...timetokens, ...patch.dropped, ...patch.messages.map((message) => message.timetoken)]);
}
