// The outbox as it is stored and shown: its changes, one transaction after the other.
// @ts-check
import { isAnswered, named, orderOf } from '../core/entry.js';
import { LostWritesError, OutboxFullError } from '../core/errors.js';
import { edited, wishAction } from '../core/outbox.js';
import { usualRules } from '../core/rules.js';
import { wishMessage } from '../core/versions.js';

/** @typedef {import('../core/types.js').Edits} Edits */
/** @typedef {import('../core/types.js').Entry} Entry */
/** @typedef {import('../core/types.js').Rules} Rules */
/** @typedef {import('../core/cache.js').ChannelCache} ChannelCache */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./open-store.js').Opened} Opened */
/** @typedef {(entries: Entry[]) => Entry[]} Transform */

/**
 * A change that waits for its transaction.
 * @typedef {{transform: Transform, isShown: boolean, resolve: () => void,
 *   reject: (error: any) => void, error?: any}} Change
 */

/** Of who wants to know what is stored, and to change nothing. */
const asItIs = (/** @type {Entry[]} */ entries) => entries;

/**
 * What the outbox tells: that entries of a channel show otherwise, and that all changes are stored.
 * What it asks: whether this tab shows at least a version of a channel's cache.
 * @typedef {{shown: (channel: string) => void, rested: () => void,
 *   isShown: (channel: string, version: number) => boolean}} Events
 */

/** The writes of this device that wait, in the store and with what is being stored. */
export class StoredOutbox {
  /** @type {Entry[]} As they show, with what is being stored. */ entries = [];
  #device;
  #opened;
  #max;
  #events;
  /** @type {Entry[]} What the store has, as far as is known. */ #kept = [];
  /** @type {Change[]} */ #changes = [];
  #isChanging = false;
  /** @type {Promise<void>} The changes under way. */ #changed = Promise.resolve();
  /** @type {Set<number>} Entries that a patch took away. */ #settled = new Set();
  /**
   * Entries that have left the store: they show until this tab's cache has the version that the
   * store had then.
   * @type {Map<number, number>}
   */
  #leaving = new Map();

  /**
   * @param {Device} device @param {Promise<Opened>} opened
   * @param {number} max How many may wait. @param {Events} events
   */
  constructor(device, opened, max, events) {
    this.#device = device;
    this.#opened = opened;
    this.#max = max;
    this.#events = events;
  }

  /** How many writes wait for the daemon. */
  get waiting() {
    return this.entries.filter((entry) =>
      !isAnswered(entry) && !this.#leaving.has(entry.order ?? 0)).length;
  }

  /** @param {string} channel */
  of(channel) {
    this.#letGo();
    return this.entries.filter((entry) => entry.channel === channel);
  }

  /**
   * Adds a wish, or takes back what it is opposite to; resolves when that is stored.
   * @param {Entry} entry
   * @param {() => ChannelCache} cache Its channel's, as it is when it is needed.
   * @param {Rules} [rules] Of its channel.
   * @returns {Promise<void>}
   */
  add(entry, cache, rules = usualRules) {
    const { userId } = this.#device;
    /** @type {Edits|null} */
    let first = null;
    return this.change((entries) => {
      if (entry.kind === 'publish') return this.#bounded(entries, [...entries, entry]);
      if (entry.kind !== 'action') {
        const edits = wishMessage(entries, entry, cache(), userId);
        return this.#bounded(entries, edited(entries, edits));
      }
      const { rows, rest } = cache();
      const message = entry.messageTimetoken ?? '';
      const edits = wishAction(
        entries, entry, rows.own(message, userId), rules, rest.isBefore(message));
      first ??= edits;
      const order = orderOf(entry, rules);
      if (entries.some((it) => orderOf(named(it, rules), rules) === order)) {
        return this.#bounded(entries, edited(entries, edits));
      }
      // The tab that connects may have settled what this tab's cache does not show yet: then the
      // wish is about what the person saw.
      const own = first.put.filter(({ mutation }) => mutation.startsWith(entry.mutation));
      const isNothing = first.put.length + first.remove.length === 0;
      const put = own.length > 0 || isNothing ? own : [entry];
      return this.#bounded(entries, edited(entries, { put, remove: [] }));
    });
  }

  /**
   * Throws when there would be more than there may be.
   * @param {Entry[]} before @param {Entry[]} after
   */
  #bounded(before, after) {
    if (after.length > before.length && after.length > this.#max) {
      throw new OutboxFullError(this.#max);
    }
    return after;
  }

  /**
   * Changes the stored outbox. `transform` runs on what the store has, so it is right whatever
   * other tabs did; with `isShown` also at once on what is shown.
   * @param {Transform} transform @param {boolean} [isShown]
   * @returns {Promise<void>}
   */
  change(transform, isShown = true) {
    return new Promise((resolve, reject) => {
      if (isShown) this.#show(transform(this.entries));
      this.#changes.push({ transform, isShown, resolve, reject });
      if (!this.#isChanging) this.#changed = this.#runChanges();
    });
  }

  /** Takes what the store has. */
  reread() {
    return this.change(asItIs, false).catch((error) => this.#device.problem(error));
  }

  /**
   * Nobody follows a channel any longer: no cache will show what was answered.
   * @param {string} channel
   */
  forgetAnswered(channel) {
    const isGone = (/** @type {Entry} */ it) => it.channel === channel && isAnswered(it);
    if (!this.entries.some(isGone)) return;
    this.change((entries) => entries.filter((entry) => !isGone(entry)), false)
      .catch((error) => this.#device.problem(error));
  }

  /**
   * A patch takes entries away, with what it stores.
   * @param {number[]} orders
   */
  settle(orders) {
    if (orders.length === 0) return;
    // Also out of what was read before they were taken away.
    for (const order of orders) {
      this.#settled.add(order);
      this.#leaving.delete(order);
    }
    this.entries = this.entries.filter(({ order = 0 }) => !orders.includes(order));
  }

  /** Resolves when all changes are stored. */
  async rest() {
    while (this.#isChanging) await this.#changed;
  }

  async #runChanges() {
    this.#isChanging = true;
    const opened = await this.#opened; // What is wished in one turn shares a transaction.
    while (this.#changes.length > 0) await this.#runBatch(opened, this.#changes.splice(0));
    this.#isChanging = false;
    this.#events.rested();
  }

  /** @param {Opened} opened @param {Change[]} batch */
  async #runBatch({ store, refusal }, batch) {
    let before = this.entries;
    try {
      if (refusal) throw refusal;
      const isLook = batch.every(({ transform }) => transform === asItIs);
      const changed = await store.change((stored) => {
        // What has settled goes with its patch, which may wait; no wish is about it any more.
        const isSettled = (/** @type {Entry} */ { order = 0 }) => this.#settled.has(order);
        return [...stored.filter(isSettled), ...batch.reduce((list, change) => {
          try {
            return change.transform(list);
          } catch (error) {
            change.error = error;
            return list;
          }
        }, stored.filter((it) => !isSettled(it)))];
      }, this.#device.isLeader ? [] : this.#channels,
      isLook ? 'readonly' : 'readwrite');
      const { entries, isChanged, versions, unreadable } = changed;
      if (unreadable > 0) this.#lost(unreadable, isLook);
      this.#kept = entries;
      before = this.entries;
      this.#noteLeaving(versions);
      if (isChanged) this.#device.tell({ kind: 'outbox' });
    } catch (error) {
      for (const change of batch) change.error = error;
    }
    this.#showStored(before);
    for (const { resolve, reject, error } of batch) {
      if (error) reject(error);
      else resolve();
    }
  }

  /**
   * Some of what was stored is no write any more. One tab says so: that which clears them away.
   * @param {number} count @param {boolean} areThere
   */
  #lost(count, areThere) {
    if (!areThere) return this.#device.problem(new LostWritesError(count));
    this.change((entries) => entries, false).catch((error) => this.#device.problem(error));
  }

  /** Those with entries that are stored, as far as is known. */
  get #channels() {
    const stored = this.entries.filter(({ order }) => order !== undefined);
    return [...new Set(stored.map(({ channel }) => channel))];
  }

  /**
   * Another tab took entries away. What they did shows with its patch, and this reading may have
   * come before that: without them, a message would go and come again.
   * @param {Map<string, number>} versions What the store has of the channels.
   */
  #noteLeaving(versions) {
    const kept = new Set(this.#kept.map(({ order }) => order));
    for (const { order, channel } of this.entries) {
      const version = versions.get(channel) ?? 0;
      if (order === undefined || kept.has(order) || this.#leaving.has(order)) continue;
      if (Number.isSafeInteger(version)) this.#leaving.set(order, version);
    }
    this.#letGo();
  }

  /** What has left the store goes as soon as the cache has what it did. */
  #letGo() {
    if (this.#leaving.size === 0) return;
    this.entries = this.entries.filter(({ order = 0, channel }) => {
      const version = this.#leaving.get(order);
      if (version === undefined || !this.#events.isShown(channel, version)) return true;
      this.#leaving.delete(order);
      return false;
    });
  }

  /**
   * What was not stored does not show any longer, but for what another tab took away just now.
   * @param {Entry[]} before What showed, also of what has gone since.
   */
  #showStored(before) {
    const stored = [
      ...this.entries.filter(({ order = 0 }) => this.#leaving.has(order)),
      ...this.#kept.filter(({ order = 0 }) => !this.#settled.has(order)),
    ];
    this.#settled = new Set([...this.#settled].filter(
      (order) => this.#kept.some((entry) => entry.order === order)));
    const shown = this.#changes.filter(({ isShown }) => isShown);
    this.#show(shown.reduce((list, { transform }) => {
      try {
        return transform(list);
      } catch {
        return list;
      }
    }, stored), before);
  }

  /** @param {Entry[]} entries @param {Entry[]} [before] What showed. */
  #show(entries, before = this.entries) {
    const names = new Set([...before, ...entries].map(({ channel }) => channel));
    this.entries = entries;
    for (const name of names) this.#events.shown(name);
  }
}
