// The channels that are followed, by this tab or for another one.
// @ts-check
import { isChannelName } from '../core/names.js';
import { unknownRules } from '../core/rules.js';
import { afterFrame } from './after-frame.js';
import { Channel } from './channel.js';
import { errorOf } from './questions.js';
import { Timers } from './timers.js';

/** @typedef {import('../core/types.js').ChannelWindow} ChannelWindow */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./questions.js').Questions} Questions */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */

/** Milliseconds that other tabs have to say that they follow a channel, too. */
const leavingTime = 1000;

/**
 * What begins when a channel is followed, that its user is to be seen there from now on, that what
 * is unread there is to be counted, up to where it was read, that somebody wants more of its
 * window, and what ends when nobody follows it any longer. `kept` resolves when what shows is
 * stored, as far as it can be.
 * @typedef {{begin: (channel: Channel) => Promise<void>, seen: (channel: Channel) => void,
 *   counted: (channel: Channel) => void, read: (name: string, through: string) => Promise<void>,
 *   wanted: (channel: Channel) => void, end: (name: string) => void,
 *   kept: () => Promise<void>}} Events
 */

/** One channel for each name. */
export class Followed {
  /** @type {Map<string, Channel>} */ #channels = new Map();
  #leaving = new Timers();
  #device;
  #outbox;
  #questions;
  #events;

  /**
   * @param {Device} device @param {StoredOutbox} outbox @param {Questions} questions
   * @param {Events} events
   */
  constructor(device, outbox, questions, events) {
    this.#device = device;
    this.#outbox = outbox;
    this.#questions = questions;
    this.#events = events;
  }

  /** @returns {Iterator<Channel>} */
  [Symbol.iterator]() {
    return this.#channels.values();
  }

  get names() {
    return [...this.#channels.keys()];
  }

  /** Resolves when a page shows what was stored of them: it is hashed, to be compared, behind. */
  async shown() {
    if ([...this].some(({ items }) => items.length > 0)) await afterFrame();
  }

  /** @param {string} name */
  get(name) {
    return this.#channels.get(name);
  }

  /**
   * What reactions there are in a channel, as far as is known here.
   * @param {string} name
   */
  rules(name) {
    return this.#channels.get(name)?.rules ?? unknownRules;
  }

  /**
   * Shows which writes wait in a channel. Those of an earlier page come with what the cache has: a
   * list that begins with them alone would jump.
   * @param {string} name
   */
  showWaiting(name) {
    const channel = this.#channels.get(name);
    if (!channel) return;
    const isNew = this.#outbox.of(name).some(({ order }) => order === undefined);
    if (channel.isLoaded || channel.items.length > 0 || isNew) channel.refresh(new Set());
  }

  /**
   * Whether it is followed: not another one that was followed anew under its name.
   * @param {Channel} channel
   */
  has(channel) {
    return this.#channels.get(channel.name) === channel;
  }

  /**
   * Follows a channel for this tab.
   * @param {string} name
   * @param {{presence: boolean, unread: boolean, size: ChannelWindow|null}} options Whether the
   *   user is to be in it, whether what is unread counts, and how much of it is held, unless it is
   *   followed already.
   */
  want(name, { presence, unread, size }) {
    const channel = this.#follow(name, size);
    // It was left, and another tab follows it.
    if (!channel.isWanted && channel.refusal) channel.asked();
    channel.isWanted = true;
    if (presence) this.#show(channel);
    if (unread) this.#count(channel);
    return channel;
  }

  /**
   * Follows channels for another tab, as the one that connects.
   * @param {any[]} names @param {any[]} [seen] Those in which the user is to be.
   * @param {[string, ChannelWindow][]} [windows] How much is held of those that are not held whole.
   * @param {any[]} [counted] Those in which what is unread counts.
   */
  hold(names, seen = [], windows = [], counted = []) {
    const sizes = new Map(windows);
    for (const name of names) {
      if (!isChannelName(name)) continue;
      const channel = this.#follow(name, sizes.get(name) ?? null);
      channel.isHeld = true;
      if (seen.includes(name)) this.#show(channel);
      if (counted.includes(name)) this.#count(channel);
    }
  }

  /** @param {Channel} channel */
  #show(channel) {
    if (channel.isSeen) return;
    channel.isSeen = true;
    this.#events.seen(channel);
  }

  /** @param {Channel} channel */
  #count(channel) {
    if (channel.isCounted) return;
    channel.isCounted = true;
    this.#events.counted(channel);
  }

  /**
   * Tells the tab that connects what to follow.
   * @param {string[]} names
   */
  tell(names) {
    const seen = names.filter((it) => this.get(it)?.isSeen);
    const counted = names.filter((it) => this.get(it)?.isCounted);
    const windows = names.map((name) => [name, this.get(name)?.window?.size])
      .filter(([, size]) => size);
    this.#device.tell({ kind: 'follow', names, seen, windows, counted });
  }

  /** @param {string} name @param {ChannelWindow|null} size */
  #follow(name, size) {
    const known = this.#channels.get(name);
    if (known) return known;
    const channel = new Channel(name, this.#device, this.#outbox, this.#questions,
      (it) => this.#leave(it), size);
    channel.asked = () => this.#events.wanted(channel);
    channel.kept = () => this.#events.kept();
    channel.reads = (through) => this.#events.read(name, through);
    this.#channels.set(name, channel);
    channel.ready = this.#events.begin(channel);
    return channel;
  }

  /** @param {Channel} channel */
  #leave(channel) {
    if (!channel.isWanted) return;
    channel.isWanted = false;
    if (this.#device.isLeader) {
      this.#review(channel);
      return;
    }
    this.#channels.delete(channel.name);
    this.#device.tell({ kind: 'left', name: channel.name });
  }

  /**
   * Another tab has left a channel.
   * @param {string} name
   */
  left(name) {
    const channel = this.#channels.get(name);
    if (channel) this.#review(channel);
  }

  /**
   * Leaves a channel for good, as the tab that connects, unless another tab follows it.
   * @param {Channel} channel
   */
  #review(channel) {
    if (channel.isWanted) return;
    channel.isHeld = false;
    if (!this.#device.tabs) {
      this.#forget(channel);
      return;
    }
    this.#device.tell({ kind: 'who', name: channel.name });
    this.#leaving.later(() => {
      if (!channel.isWanted && !channel.isHeld) this.#forget(channel);
    }, leavingTime);
  }

  /** @param {Channel} channel */
  #forget(channel) {
    if (!this.has(channel)) return;
    this.#channels.delete(channel.name);
    this.#events.end(channel.name);
  }

  /**
   * The daemon does not let a channel be had: all tabs hear why.
   * @param {Channel} channel @param {Error} error
   */
  refuse(channel, error) {
    this.#refuse(channel, error);
    this.tellRefused();
  }

  /** @param {Channel} channel @param {Error} error */
  #refuse(channel, error) {
    this.#device.problem(new Error(`The channel ${channel.name}: ${error.message}`));
    channel.refuse(error);
  }

  /**
   * The daemon does not let the device in: none of its channels is to be had, until another attempt
   * is made.
   * @param {Channel[]} channels @param {Error} error Everybody was told.
   */
  bar(channels, error) {
    for (const channel of channels) channel.refuse(error);
    this.tellRefused();
  }

  /**
   * Asks anew for what was not to be had, if some of it was not.
   * @param {Channel[]} channels
   */
  allow(channels) {
    const refused = channels.filter(({ refusal }) => refusal);
    for (const channel of refused) channel.refusal = null;
    if (refused.length > 0) this.tellRefused();
  }

  /** Tells the other tabs what is not to be had, and why. */
  tellRefused() {
    const channels = [...this].filter(({ refusal }) => refusal).map(({ name, refusal }) => {
      const { status, code, message } = /** @type {any} */ (refusal);
      return [name, { status, code, message }];
    });
    this.#device.tell({ kind: 'denied', channels });
  }

  /**
   * The tab that connects says what is not to be had.
   * @param {[string, any][]} channels And why.
   */
  hearRefused(channels) {
    const told = new Map(channels);
    for (const channel of this) {
      const error = told.get(channel.name);
      if (!error) channel.refusal = null;
      else if (!channel.refusal) this.#refuse(channel, errorOf(error));
    }
  }

  /** The connection is gone. */
  disconnect() {
    for (const { sync } of this) sync.disconnect();
    this.allow([...this]);
  }

  /** @param {Error} error What is said to all who wait. */
  fail(error) {
    for (const channel of this) channel.fail(error);
    this.#leaving.clear();
  }

  close() {
    this.fail(new Error('The client is closed.'));
  }
}
