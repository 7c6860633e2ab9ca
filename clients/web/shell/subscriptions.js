// Asks the daemon for channels: subscriptions, repairs, and their end.
// @ts-check
import { commandDelay } from '../core/delays.js';
import { isSubscribed, isWorthRetrying } from '../core/replies.js';
import { rulesOf } from '../core/rules.js';
import { errorOf } from './questions.js';

/** @typedef {import('../core/types.js').Outcome} Outcome */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./followed.js').Followed} Followed */
/** @typedef {import('./older-pages.js').OlderPages} OlderPages */
/** @typedef {import('./options.js').Options} Options */

/** Bytes of a command's requests, by a high estimate, and how many they may be. */
const requestBytesMax = 28_000;
const requestsMax = 1000;

/** What is asked about channels, and asked again. */
export class Subscriptions {
  #device;
  #connection;
  #followed;
  #take;
  #pages;
  #batch;
  #coalesce;
  /** Commands that were refused for now, one after the other. */ #retries = 0;
  /** @type {Set<Channel>} What the token does not allow. */ #forbidden = new Set();

  /**
   * @param {Device} device @param {Connection} connection @param {Followed} followed
   * @param {Options} options
   * @param {(channel: Channel, outcome: Outcome) => void} take Does what a channel's step asks for.
   * @param {OlderPages} pages
   */
  constructor(device, connection, followed, { batch, coalesce }, take, pages) {
    this.#device = device;
    this.#connection = connection;
    this.#followed = followed;
    this.#take = take;
    this.#pages = pages;
    this.#batch = batch;
    this.#coalesce = coalesce;
  }

  /** @param {Channel[]} channels Split into commands that fit. */
  subscribe(channels) {
    const { isOnline, refusal } = this.#connection;
    const asked = channels.filter((it) => this.#followed.has(it));
    if (refusal) return this.#followed.bar(asked, refusal);
    if (!isOnline) return;
    let [start, size] = [0, 0];
    this.#followed.allow(asked);
    const requests = asked.map((it) =>
      ({ ...it.sync.request(), batch: this.#batch, coalesce: this.#coalesce,
        presence: it.isSeen || undefined }));
    requests.forEach((request, i) => {
      size += JSON.stringify(request).length * 3;
      const isFull = size > requestBytesMax || i - start >= requestsMax - 1;
      if (!isFull && i < requests.length - 1) return;
      this.#send(asked.slice(start, i + 1), requests.slice(start, i + 1));
      [start, size] = [i + 1, 0];
    });
  }

  /** @param {Channel[]} channels @param {any[]} requests */
  #send(channels, requests) {
    this.#connection.send({ op: 'subscribe', channels: requests }, (ok, error) => {
      // Who was left meanwhile, and perhaps followed anew, has nothing to do with this reply.
      const followed = channels.filter((it) => this.#followed.has(it));
      if (error) this.#refused(followed, error);
      else this.#subscribed(followed, ok.channels, ok.rules);
    }, (ok) => isSubscribed(ok, channels.map(({ name }) => name)));
    // A first page need not wait for the reply.
    for (const channel of channels) this.#pages.ask(channel);
  }

  /** @param {Channel[]} channels @param {any[]} replies @param {any} rules */
  #subscribed(channels, replies, rules) {
    this.#retries = 0;
    const { epoch, time } = this.#connection;
    for (const reply of replies) {
      const channel = channels.find(({ name }) => name === reply.name);
      if (!channel) continue;
      const outcome = channel.sync.subscribed(reply, epoch, time, rulesOf(reply, rules));
      this.#take(channel, outcome);
    }
  }

  /** @param {Channel[]} channels @param {any} error */
  #refused(channels, error) {
    for (const { sync } of channels) sync.refused();
    if (isWorthRetrying(error)) {
      this.#later(channels, error);
    } else if (channels.length > 1) {
      // One of them is to blame.
      for (const channel of channels) this.subscribe([channel]);
    } else {
      for (const channel of channels) this.refused(channel, error);
    }
  }

  /**
   * A channel is not to be had.
   * @param {Channel} channel @param {any} error Why.
   */
  refused(channel, error) {
    if (error.code === 'forbidden') this.#forbidden.add(channel);
    this.#followed.refuse(channel, errorOf(error));
  }

  /**
   * Somebody wants something of a channel: once more, where it was not to be had.
   * @param {Channel} channel
   */
  wanted(channel) {
    if (!channel.refusal) return this.#pages.ask(channel);
    this.#forbidden.delete(channel);
    this.subscribe([channel]);
  }

  /** Asks again for what a token did not allow: the daemon has another one. */
  allowed() {
    const channels = [...this.#forbidden];
    this.#forbidden.clear();
    this.subscribe(channels);
  }

  /** The connection is gone: the next one asks for all channels. */
  disconnect() {
    this.#forbidden.clear();
  }

  /** @param {Channel[]} channels @param {any} error Why not now. */
  #later(channels, error) {
    this.#connection.later(() => this.subscribe(channels.filter(({ sync }) => sync.asked === 0)),
      this.#delay(error));
  }

  /** @param {any} error */
  #delay(error) {
    return commandDelay(error, this.#retries++, this.#device.random());
  }

  /**
   * Subscribes to a channel whose cache turned out to be wrong. A repair and a snapshot come at
   * once; whoever disagrees after that is asked seldom.
   * @param {Channel} channel
   */
  again(channel) {
    const { failures } = channel.sync;
    const delay = failures > 2 ? 1000 * 2 ** Math.min(6, failures - 2) : 0;
    if (delay === 0) this.subscribe([channel]);
    else {
      this.#connection.later(() => this.subscribe([channel]),
        delay * (0.5 + this.#device.random()));
    }
  }

  /**
   * Sends the symbols that a repair needs.
   * @param {Channel} channel
   */
  repair(channel) {
    const { sync } = channel;
    const { exchange, commands } = sync.symbols();
    for (const command of commands) {
      this.#connection.send(command, (ok, error) => {
        if (error?.code === 'store_damaged') {
          // What is damaged for all is no better as a whole.
          if (sync.repairRefused(exchange)) this.refused(channel, error);
        } else if (!error || !isWorthRetrying(error)) {
          this.#take(channel, sync.repairReply(exchange, ok));
        } else if (sync.repairRefused(exchange)) {
          this.#later([channel], error);
        }
      });
    }
  }

  /** @param {string} name */
  unsubscribe(name) {
    if (!this.#connection.isOnline || this.#followed.get(name)) return;
    this.#connection.send({ op: 'unsubscribe', channels: [name] }, (ok, error) => {
      if (!error) return;
      if (isWorthRetrying(error)) {
        this.#connection.later(() => this.unsubscribe(name), this.#delay(error));
      } else {
        this.#device.problem(new Error(`The channel ${name}: ${error.message}`));
      }
    });
  }
}
