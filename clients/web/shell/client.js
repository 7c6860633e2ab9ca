// The client as a page has it: made of its parts, opened and closed.
// @ts-check
import { checkChannel } from '../core/names.js';
import { checkChannels, unreadOf } from '../core/read-marks.js';
import { rulesOf } from '../core/rules.js';
import { isObject } from '../core/shapes.js';
import { Connection } from './connection.js';
import { Device } from './device.js';
import { Followed } from './followed.js';
import { Keeper } from './keeper.js';
import { Neighbours } from './neighbours.js';
import { OlderPages } from './older-pages.js';
import { openStore } from './open-store.js';
import { channelOptions, checkOptions, outboxMaxDefault } from './options.js';
import { Questions } from './questions.js';
import { ReadMarks } from './read-marks.js';
import { Sender } from './sender.js';
import { Steps } from './steps.js';
import { StoredOutbox } from './stored-outbox.js';
import { Subscriptions } from './subscriptions.js';
import { Tabs } from './tabs.js';

/** @typedef {import('../core/types.js').Outcome} Outcome */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./open-store.js').Opened} Opened */
/** @typedef {import('./options.js').Options} Options */

/**
 * A device: one connection, the channels it follows, and the writes that wait. Tabs with the same
 * `cache` are one device: one of them connects, all show the same.
 */
export class SyncClient {
  #options;
  /** @type {Device} */ #device;
  /** @type {Connection} */ #connection;
  /** @type {StoredOutbox} */ #outbox;
  /** @type {Followed} */ #followed;
  /** @type {Keeper} */ #keeper;
  /** @type {Subscriptions} */ #subscriptions;
  /** @type {Sender} */ #sender;
  /** @type {OlderPages} */ #pages;
  /** @type {Questions} */ #questions;
  /** @type {ReadMarks} */ #marks;
  /** @type {Steps} */ #steps;
  /** @type {Promise<Opened>} Resolved when the store is the one to use. */ #opened;
  /** @type {Promise<void>} */ #started;
  /** @type {Promise<void>|null} */ #closing = null;

  /** @param {Options} options */
  constructor(options) {
    checkOptions(options);
    this.#options = options;
    const device = this.#device = new Device(options, () => this.#keeper.verified);
    this.#opened = this.#open();
    const take = (/** @type {Channel} */ channel, /** @type {Outcome} */ outcome) =>
      this.#steps.take(channel, outcome);
    const connection = this.#connection = new Connection(device, options, {
      welcomed: () => this.#welcomed(),
      allowed: () => {
        this.#subscriptions.allowed();
        this.#marks.allowed();
        this.#sender.resume();
      },
      pushed: (push) => this.#pushed(push),
      ruled: ({ channels, rules }) =>
        channels.forEach((/** @type {any} */ it) => this.#ruled(it, rules)),
      read: (places) => this.#marks.told(places),
      absent: ({ channels, error }) => device.problem(
        new Error(`The user is not in all of these channels: ${channels}. ${error?.message}`)),
      refused: () => this.#subscriptions.subscribe([...this.#followed]),
      dropped: () => {
        questions.disconnect();
        this.#subscriptions.disconnect();
        this.#sender.disconnect();
        this.#marks.disconnect();
        this.#followed.disconnect();
      },
    });
    const questions = this.#questions = new Questions(device, () => this.#connection);
    const max = options.outboxMax ?? outboxMaxDefault;
    const outbox = this.#outbox = new StoredOutbox(device, this.#opened, max, {
      shown: (name) => this.#followed.showWaiting(name),
      rested: () => this.#sender.flush(),
      isShown: (name, version) => device.isLeader ||
        version <= (this.#followed.get(name)?.sync.cache.version ?? version),
    });
    const followed = this.#followed = new Followed(device, outbox, questions, {
      begin: (channel) => this.#started.then(() => this.#begin(channel)),
      seen: (channel) => {
        if (channel.isLoaded) this.#follow(channel);
      },
      counted: (channel) => this.#marks.begin(channel),
      read: (name, through) => this.#marks.wish(name, through),
      wanted: (channel) => this.#subscriptions.wanted(channel),
      kept: () => this.#keeper.kept,
      end: (name) => {
        this.#subscriptions.unsubscribe(name);
        this.#marks.forget(name);
        outbox.forgetAnswered(name);
      },
    });
    this.#marks = new ReadMarks(device, this.#opened, connection, followed);
    const keeper = this.#keeper = new Keeper(device, followed);
    const pages = this.#pages = new OlderPages(device, connection, followed, take);
    const subscriptions = this.#subscriptions =
      new Subscriptions(device, connection, followed, options, take, pages);
    const sender = this.#sender = new Sender(device, connection, outbox, followed, take);
    device.refused = (it) => { connection.close(); followed.fail(it); };
    this.#steps = new Steps(device, { followed, outbox, keeper, subscriptions, sender, pages });
    this.#started = this.#opened.then((opened) => this.#start(opened))
      .catch((error) => device.problem(error));
  }

  /** `starting`, `connecting`, `online`, `waiting` to connect again, `refused`, or `closed`. */
  get status() {
    return this.#device.status;
  }

  get userId() {
    return this.#device.userId;
  }

  /** Empty until the cache is open. */
  get deviceId() {
    return this.#device.deviceId;
  }

  /** Traffic of this tab's connections, as `Connection.stats` has it. */
  get stats() {
    return this.#connection.stats;
  }

  /** How many writes wait for the daemon. */
  get waiting() {
    return this.#outbox.waiting;
  }

  /**
   * Listens for `status`; `event` ({channel, event}: what is not stored, such as a signal, presence
   * in `NAME-pnpres`, a message with store=0); `refused` ({entry, error}: a write that the daemon
   * will never take), `rules` ({channel, rules}: what reactions there are is not what the page was
   * told before), `unread` ({channel, unread}, likewise) and `problem`. Returns what ends it.
   * @param {'status'|'event'|'refused'|'rules'|'unread'|'problem'} kind
   * @param {(value: any) => void} callback
   */
  on(kind, callback) {
    return this.#device.on(kind, callback);
  }

  /**
   * Follows a channel, from the beginning of its history. Throws (TypeError, RangeError) unless its
   * name is one: well-formed, of 1 to 255 bytes, without a comma and control characters; not `*`,
   * and with no `.*` or `.*-pnpres` at its end.
   * With `presence` the user is in the channel as long as a tab follows it, and who comes and goes
   * is an `event` of `NAME-pnpres`.
   * With `window` the device holds only its newest messages, at least `last` (50) and about
   * `keeping` (1000) at most: `older` brings more of them. Who follows it first decides.
   * With `unread` it counts what others said behind the user's read mark: see `Channel.unread`.
   * @param {string} name @param {import('./options.js').ChannelOptions} [options]
   */
  channel(name, options = {}) {
    checkChannel(name);
    return this.#followed.want(name, channelOptions(name, options));
  }

  /**
   * Asks the daemon what is unread in 1 to 100 channels, which need not be followed. Rejects as
   * `Channel.signal` does.
   * @param {string[]} names
   */
  async unread(names) {
    checkChannels(names);
    return unreadOf(await this.#questions.ask({ op: 'unread', channels: names }));
  }

  /**
   * Calls the option `token` now, and shows the daemon what it gives, without a break: for example
   * when the user was let into another channel. What that channel was refused for is asked again.
   * What goes wrong is a `problem`. Throws (TypeError) when `token` is no function.
   */
  renewToken() {
    if (typeof this.#options.token !== 'function') {
      throw new TypeError('The option token is no function: there is nobody to ask for another.');
    }
    if (this.#device.isClosed) return;
    if (!this.#device.isLeader) this.#device.tell({ kind: 'renew' });
    else this.#connection.renewToken();
  }

  /**
   * Leaves; what waits in the outbox stays there. Resolves when all that was wished and seen is
   * stored: then another client may have the cache.
   * @returns {Promise<void>}
   */
  close() {
    return this.#closing ??= this.#close();
  }

  async #close() {
    const device = this.#device;
    device.isClosed = true;
    this.#keeper.close();
    this.#pages.close();
    this.#followed.close();
    this.#connection.close();
    device.tabs?.stopWaiting();
    device.setStatus('closed');
    const { store } = await this.#opened;
    // A wish of this very moment is stored, too, and the other tabs hear of it.
    await this.#outbox.rest();
    await this.#keeper.rest();
    await this.#marks.rest();
    device.tabs?.close();
    device.tabs = null;
    store.close();
  }

  async #open() {
    const opened = await openStore(this.#options);
    this.#keeper.use(opened.store);
    this.#device.deviceId = opened.deviceId;
    if (opened.refusal) this.#device.refuse(opened.refusal);
    if (opened.problem) this.#device.emit('problem', opened.problem);
    return opened;
  }

  /** @param {Opened} opened */
  async #start({ refusal, isShared }) {
    const device = this.#device;
    if (device.isClosed || refusal) return;
    if (!isShared) return this.#lead();
    const neighbours = new Neighbours(device, this.#followed, this.#keeper, this.#outbox,
      this.#questions, this.#marks, () => this.#connection.renewToken());
    const tabs = device.tabs = new Tabs(`syncclient:${this.#options.cache}`,
      (message) => neighbours.hear(message), (isThere) => neighbours.heardLeader(isThere));
    await tabs.join(() => this.#lead(), () => this.#outbox.reread(),
      (error) => device.problem(error));
  }

  async #lead() {
    const device = this.#device;
    if (device.isClosed) return;
    // What another tab said of them holds no longer. The socket opens while the disk is read.
    this.#followed.disconnect();
    this.#connection.connect();
    const first = Promise.all([this.#outbox.reread(), this.#marks.lead()]);
    for (const channel of this.#followed) await this.#keeper.load(channel, first);
    await first;
    await this.#followed.shown();
    if (device.isClosed || device.refusal) return;
    device.isLeader = true;
    // What the tab before was asked is lost.
    this.#questions.disconnect();
    device.tell({ kind: 'leader' });
    device.tellStatus();
    this.#connection.begin();
  }

  /** @param {Channel} channel It was followed just now. */
  async #begin(channel) {
    if (channel.isLoaded) return;
    await this.#keeper.load(channel);
    this.#follow(channel);
  }

  /** @param {Channel} channel To be followed, or in another way. */
  #follow(channel) {
    if (!this.#device.isLeader) return this.#followed.tell([channel.name]);
    this.#subscriptions.subscribe([channel]);
    this.#marks.ask([channel]);
  }

  #welcomed() {
    this.#subscriptions.subscribe([...this.#followed].filter(({ isLoaded }) => isLoaded));
    this.#marks.welcomed();
    this.#sender.flush();
  }

  /** @param {any} said @param {any} rules */
  #ruled(said, rules) {
    const channel = isObject(said) ? this.#followed.get(said.name) : undefined;
    if (channel) this.#steps.take(channel, channel.sync.ruled(rulesOf(said, rules)));
  }

  /** @param {any} push */
  #pushed(push) {
    const channel = this.#followed.get(push.c);
    if (channel) this.#steps.take(channel, channel.sync.push(push));
    else if (this.#followed.get(push.c.replace(/-pnpres$/, ''))?.isSeen) this.#announce(push);
  }

  /** @param {any} push Who comes and goes. */
  #announce({ c, m }) {
    for (const event of m) {
      this.#device.emit('event', { channel: c, event });
      this.#device.tell({ kind: 'event', value: { channel: c, event } });
    }
  }
}
