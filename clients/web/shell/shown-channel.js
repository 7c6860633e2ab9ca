// A channel that a page follows, as it shows: the list of its messages, and who observes it.
// @ts-check
import { ChannelSync } from '../core/channel-sync.js';
import { canonicalEmoji } from '../core/emoji.js';
import { ItemList } from '../core/list.js';
import { groupKey } from '../core/row.js';
import { canonicalKey, isSameRules, usualRules } from '../core/rules.js';
import { WindowSync } from '../core/window-sync.js';
import { reactionFields } from '../core/writes.js';
import { callSafely } from './callbacks.js';

/** @typedef {import('../core/types.js').ChannelWindow} ChannelWindow */
/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('../core/types.js').ListChange} ListChange */
/** @typedef {import('../core/types.js').Rules} Rules */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */
/** @typedef {(changes: ListChange[], items: readonly Item[]) => void} Observer */

/** How often it is looked whether all is stored, while more comes. */
const turnsMax = 20;

/** What a page sees of a channel. */
export class ShownChannel {
  name;
  /** The conversation with the server. */
  sync;
  /** @type {WindowSync|null} The same, where a part of the channel is held. */ window;
  /** @type {Promise<void>} Resolved when what the cache kept is there. */
  ready = Promise.resolve();
  /** Whether it is. */
  isLoaded = false;
  /** Whether this tab follows it, or another one. */
  isWanted = false;
  isHeld = false;
  /** @type {Error|null} Why the daemon does not let it be had, as long as it is not asked again. */
  refusal = null;
  /** Whether the user is in it while it is followed. */
  isSeen = false;
  /** Resolves when what shows is stored: set by whoever stores it. */
  kept = () => Promise.resolve();
  /** What shows. */
  list = new ItemList();
  /** What the page knows of the rules. */
  #told = usualRules;
  #device;
  #outbox;
  #left;
  /** @type {Set<Observer>} */ #observers = new Set();
  /** @type {(() => void)[]} Steps that observers do not know yet. */ #news = [];
  #isTelling = false;
  /** @type {{resolve: () => void, reject: (error: Error) => void}[]} */ #waiting = [];

  /**
   * @param {string} name @param {Device} device @param {StoredOutbox} outbox
   * @param {(channel: ShownChannel) => void} left Ends following it.
   * @param {ChannelWindow|null} size How much of it is held; null: all.
   */
  constructor(name, device, outbox, left, size) {
    this.name = name;
    this.window = size && new WindowSync(name, size);
    this.sync = this.window ?? new ChannelSync(name);
    this.#device = device;
    this.#outbox = outbox;
    this.#left = left;
  }

  /**
   * The messages in their order, those on their way last.
   * @returns {readonly Item[]}
   */
  get items() {
    return this.list.items;
  }

  /** Whether the server said that the cache has the same messages and reactions. */
  get isVerified() {
    return this.sync.isVerified;
  }

  /**
   * Resolves when `isVerified` is true: then messages, reactions and rules are those of the daemon,
   * and what shows is stored, if it can be: whoever loads the page anew fetches nothing. Without a
   * connection it waits for one. Rejects when the daemon refuses the channel, or has refused it and
   * was not asked again; when it is left or the client closed, and when the cache is somebody
   * else's.
   * @returns {Promise<void>}
   */
  async whenVerified() {
    await this.ready;
    // What comes while something is stored is to be stored, too; but not for ever where much comes.
    for (let turn = 1; ; turn++) {
      if (this.#device.refusal) throw this.#device.refusal;
      await new Promise((/** @type {(it?: any) => void} */ resolve, reject) => {
        this.#waiting.push({ resolve, reject });
        if (this.#device.isClosed) this.fail(new Error('The client is closed.'));
        else if (!this.isWanted) this.#failLeft();
        else if (this.refusal) reject(this.refusal);
        else this.tellVerified();
      });
      const { version } = this.sync.cache;
      await this.kept();
      const isStored = this.isVerified && this.sync.cache.version === version;
      if (isStored || turn === turnsMax) return;
    }
  }

  /** Tells who waits for it, if it is. */
  tellVerified() {
    if (!this.isVerified) return;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /**
   * Tells who waits in this tab that it will not be.
   * @param {Error} error
   */
  failOwn(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /**
   * The same of all who wait, in whatever tab.
   * @param {Error} error
   */
  fail(error) {
    this.failOwn(error);
  }

  /**
   * What reactions there are, as far as the daemon has said so.
   * @returns {Rules}
   */
  get rules() {
    return this.sync.cache.rules;
  }

  /**
   * What a reaction is called here: the type and the value under which `react` has it on a message,
   * whatever a person calls it (an alias, another spelling of an emoji, another type). Throws as
   * `react` rejects what can be none. What the channel's rules are has to be known for it.
   * @param {string} messageTimetoken @param {string} value @param {string} [type]
   * @returns {{type: string, value: string}}
   */
  named(messageTimetoken, value, type = 'reaction') {
    reactionFields(this.name, { messageTimetoken, type, value, present: true });
    return this.stored({ messageTimetoken, type, value });
  }

  /**
   * The same, of what is known to be one.
   * @param {{messageTimetoken: string, type: string, value: string}} wish
   */
  stored({ messageTimetoken, type, value }) {
    // What stood before the rules may be taken back by the name that it has.
    const stands = this.sync.cache.rows.find(messageTimetoken, type, value, this.#device.userId);
    const named = stands ? { type, value } : canonicalKey(this.rules, type, value);
    if (named.type !== 'reaction' || this.#shows(messageTimetoken, named.value)) return named;
    return { ...named, value: canonicalEmoji(named.value) };
  }

  /**
   * Whether anybody's reaction stands on a message in just this spelling.
   * @param {string} messageTimetoken @param {string} value
   */
  #shows(messageTimetoken, value) {
    return this.sync.cache.rows.groups(messageTimetoken).has(groupKey('reaction', value)) ||
      this.list.shows(messageTimetoken, 'reaction', value);
  }

  /**
   * Calls back with each batch of changes, and at once with an `insert` for each item there is.
   * `items` is the list as it is; a callback that makes a wish hears of it after this batch.
   * @param {Observer} callback
   * @returns {() => void} Ends it.
   */
  observe(callback) {
    /** @type {Observer} Its own, so that one function can observe twice. */
    const observer = (changes, items) => callback(changes, items);
    const all = this.items.map((item, index) =>
      ({ kind: /** @type {'insert'} */ ('insert'), index, item }));
    this.#observers.add(observer);
    this.#tell([observer], all);
    return () => {
      this.#observers.delete(observer);
    };
  }

  /**
   * One batch after the other, also when a callback causes the next one.
   * @param {Observer[]} observers @param {ListChange[]} changes
   */
  #tell(observers, changes) {
    this.#news.push(() => {
      for (const observer of observers) {
        if (this.#observers.has(observer)) callSafely(() => observer(changes, this.items));
      }
    });
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next; (next = this.#news.shift());) next();
    this.#isTelling = false;
  }

  /**
   * Shows what cache and outbox have.
   * @param {Set<string>|'all'} affected The messages that the cache may have otherwise now.
   */
  refresh(affected) {
    // Whoever closed does not want to hear any more.
    if (this.#device.isClosed) return;
    const changes = this.bringUpToDate(affected);
    if (changes.length > 0) this.#tell([...this.#observers], changes);
    this.#tellRules();
    this.tellVerified();
  }

  /**
   * Brings the list up to date, before anybody hears of it.
   * @param {Set<string>|'all'} affected
   */
  bringUpToDate(affected) {
    const own = this.#outbox.of(this.name);
    return this.list.refresh(this.sync.cache, own, this.#device.userId, affected);
  }

  #tellRules() {
    const { name, rules } = this;
    if (rules === this.#told) return;
    const isNew = !isSameRules(rules, this.#told);
    this.#told = rules;
    if (isNew) this.#device.emit('rules', { channel: name, rules });
  }

  /**
   * Ends following the channel: no callback comes any more, and the daemon sends nothing. What the
   * cache has stays for the next `client.channel`, and what waits in the outbox is sent all the
   * same. Other tabs go on.
   */
  leave() {
    this.#observers.clear();
    this.#left(this);
    this.#failLeft();
  }

  #failLeft() {
    this.failOwn(this.leftError);
  }

  /** What is said of a channel that nobody follows any longer. */
  get leftError() {
    return new Error(`The channel ${this.name} was left: follow it anew.`);
  }
}
