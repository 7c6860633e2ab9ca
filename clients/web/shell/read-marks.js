// The read marks of this device: stored, shared with the other tabs, told to the daemon and asked.
// @ts-check
import { commandDelay } from '../core/delays.js';
import {
  answered, asked, heard, isUnread, unreadChannelsMax, unreadOf,
} from '../core/read-marks.js';
import { isWorthRetrying } from '../core/replies.js';
import { isTimetoken } from '../core/timetoken.js';
import { StoredMarks } from './stored-marks.js';

/** @typedef {import('../core/read-marks.js').ReadMark} ReadMark */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./followed.js').Followed} Followed */
/** @typedef {import('./open-store.js').Opened} Opened */

/** Milliseconds between two wishes of a channel: who scrolls wishes with each message. */
const pace = 1000;

/** What is unread in channels: wished, told and asked, by the tab that connects. */
export class ReadMarks {
  #device;
  #connection;
  #followed;
  #stored;
  /** @type {Set<string>} Channels that this connection was asked about. */ #asked = new Set();
  /** @type {Set<string>} Those that the token does not allow. */ #forbidden = new Set();
  /** @type {Set<string>} Those with a wish under way, or until another may follow. */
  #resting = new Set();
  /** The daemon of this connection does not know what a read mark is. */ #isUnknown = false;
  #retries = 0;

  /**
   * @param {Device} device @param {Promise<Opened>} opened @param {Connection} connection
   * @param {Followed} followed
   */
  constructor(device, opened, connection, followed) {
    this.#device = device;
    this.#connection = connection;
    this.#followed = followed;
    this.#stored = new StoredMarks(device, opened, {
      shown: (name, mark) => followed.get(name)?.useMark(mark),
      rested: () => this.#flush(),
    });
  }

  /**
   * Somebody wants to know from now on what is unread in a channel.
   * @param {Channel} channel
   */
  begin(channel) {
    channel.useMark(this.#stored.of(channel.name));
    this.#stored.load();
    // Else it is done with the subscription.
    if (!channel.isLoaded) return;
    if (this.#device.isLeader) this.ask([channel]);
    else this.#followed.tell([channel.name]);
  }

  /**
   * The person has read a channel up to there. Resolves when that is stored.
   * @param {string} name @param {string} through
   */
  wish(name, through) {
    return this.#stored.wish(name, through);
  }

  /**
   * Another tab has stored marks.
   * @param {[string, ReadMark][]} marks
   */
  hear(marks) {
    this.#stored.hear(marks);
  }

  /**
   * Another tab counts channels.
   * @param {string[]} names
   */
  tell(names) {
    this.#stored.tell(names);
  }

  /** This tab is to connect. */
  lead() {
    return this.#stored.lead();
  }

  /** Resolves when all that was wished and told is stored. */
  rest() {
    return this.#stored.rest();
  }

  /** The daemon knows this device: asks about all channels, in the flight of the subscribe. */
  welcomed() {
    this.ask([...this.#followed]);
    this.#flush();
  }

  /** @param {Channel[]} channels */
  ask(channels) {
    if (!this.#connection.isOnline) return;
    const names = channels.filter(({ isCounted, isLoaded, name }) =>
      isCounted && isLoaded && !this.#asked.has(name)).map(({ name }) => name);
    for (let at = 0; at < names.length; at += unreadChannelsMax) {
      this.#ask(names.slice(at, at + unreadChannelsMax));
    }
  }

  /** @param {string[]} names */
  #ask(names) {
    for (const name of names) this.#asked.add(name);
    this.#connection.send({ op: 'unread', channels: names }, (ok, error) => {
      if (error) return this.#refused(names.filter((it) => this.#asked.has(it)), error);
      this.#retries = 0;
      for (const { name, through } of unreadOf(ok)) {
        this.#hear(name, (mark) => asked(mark, through ?? '0'));
      }
    }, isUnread);
  }

  /** @param {string[]} names @param {any} error */
  #refused(names, error) {
    const again = () => this.#ask(names.filter((it) => this.#asked.has(it)));
    if (names.length === 0) return;
    if (error.code === 'unknown_op') {
      this.#isUnknown = true;
    } else if (isWorthRetrying(error)) {
      this.#connection.later(() => again(), this.#delay(error));
    } else if (names.length > 1) {
      // One of them is to blame, or all are too long for a frame.
      const middle = names.length >> 1;
      this.#ask(names.slice(0, middle));
      this.#ask(names.slice(middle));
    } else {
      if (error.code === 'forbidden') this.#forbidden.add(names[0]);
      this.#blame(names[0], error);
    }
  }

  /** @param {any} error */
  #delay(error) {
    return commandDelay(error, this.#retries++, this.#device.random());
  }

  /** @param {string} name @param {any} error */
  #blame(name, error) {
    this.#device.problem(new Error(`What is unread in the channel ${name}: ${error.message}`));
  }

  /**
   * The daemon tells where marks are: of all channels of the user.
   * @param {{name: string, through: string}[]} places
   */
  told(places) {
    for (const { name, through } of places) this.#hear(name, (mark) => heard(mark, through));
  }

  /** @param {string} name @param {(mark: ReadMark) => ReadMark} change */
  #hear(name, change) {
    if (this.#followed.get(name)?.isCounted) this.#stored.change({ name, change });
  }

  /** Tells the daemon what is wished. */
  #flush() {
    if (!this.#connection.isOnline || this.#isUnknown) return;
    for (const [name, wish] of this.#stored.wishes) {
      if (!this.#resting.has(name)) this.#send(name, wish);
    }
  }

  /** @param {string} name @param {string} wish */
  #send(name, wish) {
    this.#resting.add(name);
    let left = 2;
    const over = () => {
      if (--left > 0) return;
      this.#resting.delete(name);
      this.#flush();
    };
    this.#connection.later(over, pace);
    this.#connection.send({ op: 'markRead', channel: name, through: wish }, (ok, error) => {
      if (error && isWorthRetrying(error)) {
        this.#connection.later(over, this.#delay(error));
        return;
      }
      if (error?.code === 'unknown_op') {
        this.#isUnknown = true;
      } else {
        if (error) this.#blame(name, error);
        else this.#retries = 0;
        const through = error ? null : ok.through;
        this.#stored.change({ name, change: (mark) => answered(mark, wish, through) });
      }
      over();
    }, ({ through }) => isTimetoken(through));
  }

  /** Nobody follows a channel any longer. */
  forget(/** @type {string} */ name) {
    this.#asked.delete(name);
    this.#forbidden.delete(name);
  }

  /** Asks again for what a token did not allow: the daemon has another one. */
  allowed() {
    const names = [...this.#forbidden];
    this.#forbidden.clear();
    if (names.length > 0) this.#ask(names);
  }

  /** The connection is gone: the next one is asked about all. */
  disconnect() {
    this.#asked.clear();
    this.#forbidden.clear();
    this.#resting.clear();
    this.#isUnknown = false;
  }
}
