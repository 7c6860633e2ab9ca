// The connection to the daemon: opens it, notices its end, and tries again.
// @ts-check
import { RefusedError } from '../core/errors.js';
import { isForNow } from '../core/replies.js';
import { isText } from '../core/shapes.js';
import { silenceMeans } from '../core/silence.js';
import { isTimetoken } from '../core/timetoken.js';
import { Attempts } from './attempts.js';
import { AwakeClock } from './awake-clock.js';
import { Commands } from './commands.js';
import { Incoming } from './incoming.js';
import { replySecondsDefault } from './options.js';
import { openSocket } from './socket.js';
import { Timers } from './timers.js';
import { Tokens } from './tokens.js';
import { onWakeup } from './wakeups.js';

/** @typedef {import('./commands.js').Reply} Reply */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./options.js').Options} Options */

/** Milliseconds between two looks at a connection, at most. */
const lookMax = 5000;
/** Seconds of silence after which to ask, where the daemon does not say. */
const heartbeatDefault = 25;

/**
 * What the connection tells: that commands can be sent, that another token holds for them, what
 * comes by itself, that it is gone, and that it will not come back.
 * @typedef {{welcomed: () => void, allowed: () => void, dropped: () => void,
 *   refused: () => void} & import('./incoming.js').Events} Events
 */

/** One socket after the other. */
export class Connection {
  /**
   * Traffic of this tab's connections; characters are bytes but for texts beyond ASCII.
   * `unreadable` counts what came and could not be read: each was a `problem`.
   */
  stats = { connections: 0, received: 0, sent: 0, unreadable: 0 };
  /** Whether the daemon knows this device: commands can be sent. */ isOnline = false;
  /** What the daemon says it is, for the cursors that it gives. */ epoch = '';
  /** When it said so, as a timetoken. */ time = '0';
  /** @type {Error|null} Why no other attempt is made. */ refusal = null;
  #device;
  #options;
  #events;
  #replySeconds;
  /** Milliseconds between two looks at the connection. */ #look;
  #clock;
  #commands;
  #incoming;
  #tokens;
  /** @type {WebSocket|null} */ #socket = null;
  /** @type {object|null} What a token is being got for. */ #opening = null;
  #isWaiting = false;
  /** Whether somebody is there who sends commands. */ #hasBegun = false;
  /** @type {any} What the daemon said when nobody was. */ #welcome = null;
  #attempts = new Attempts();
  /** When the last frame came. */ #heardAt = 0;
  /** What ends with the connection. */ #timers = new Timers();
  /** @type {any} */ #retrying;
  /** @type {any} */ #watching;
  #ignoreWakeups;

  /** @param {Device} device @param {Options} options @param {Events} events */
  constructor(device, options, events) {
    this.#device = device;
    this.#options = options;
    this.#events = events;
    this.#tokens = new Tokens(options.token, this, {
      taken: () => events.allowed(), problem: (problem) => device.problem(problem) });
    this.#replySeconds = options.replySeconds ?? replySecondsDefault;
    this.#look = Math.min(lookMax, this.#replySeconds * 1000 / 3);
    this.#clock = new AwakeClock(this.#look);
    this.#commands = new Commands((text) => this.#write(text), () => this.#clock.now);
    this.#incoming = new Incoming(device, this.stats, this.#commands, events);
    this.#ignoreWakeups = onWakeup(() => this.#hurry());
  }

  /** Connects, now and whenever the connection is gone. */
  connect() {
    const { isClosed, refusal } = this.#device;
    if (isClosed || refusal || this.#socket || this.#opening) return;
    this.#isWaiting = false;
    if (this.refusal) {
      this.refusal = null;
      this.#events.dropped(); // What was refused with it is only waiting again.
    }
    this.#device.setStatus('connecting');
    if (this.#device.isClosed) return; // Whoever was told may have closed the client.
    const opening = this.#opening = {};
    // Before there is a socket: the daemon does not wait for a hello for long.
    this.#tokens.get((token) => {
      if (opening === this.#opening) this.#open(token);
    }, (problem) => {
      if (opening === this.#opening) this.#lose(1006, problem);
    });
  }

  /** What was welcomed before, and what will be, is told from now on. */
  begin() {
    this.#hasBegun = true;
    if (this.#welcome) this.#enter(this.#welcome);
    else if (this.refusal) this.#events.refused();
  }

  /** @param {string|null|undefined} token */
  #open(token) {
    this.#opening = null;
    this.stats.connections++;
    let /** @type {WebSocket} */ socket;
    const isNow = () => socket === this.#socket;
    try {
      socket = openSocket(this.#options, {
        opened: () => isNow() && this.#greet(token),
        received: (data) => isNow() && this.#receive(data),
        ended: (code, reason) => {
          if (!isNow()) return;
          this.#lose(code === 1008 && this.#tokens.mayOpen(reason) ? 1013 : code, null, reason);
        },
      });
    } catch (error) {
      // No address, or one that this page may not call: the next time would be the same.
      return this.#giveUp(/** @type {Error} */ (error));
    }
    this.#socket = socket;
    // Nobody looked since the last connection: without it the clock would stand still for a while.
    this.#heardAt = this.#clock.look();
    this.#watch(Infinity);
  }

  /** @param {string|null|undefined} token */
  #greet(token) {
    this.#attempts.opened();
    this.#watch(heartbeatDefault);
    const { userId, deviceId } = this.#device;
    const { keyset, publishKey } = this.#options;
    this.send({ op: 'hello', userId, deviceId, keyset, publishKey, token }, (ok, error) => {
      if (ok) this.#enter(ok);
      else if (isForNow(error)) this.#lose(1013);
      else if (this.#tokens.mayOpen(error.code)) this.#lose(1013, new Error(error.message));
      else this.#lose(1008, new RefusedError('refused the device', error));
    }, ({ epoch }) => isText(epoch));
  }

  /** @param {any} ok The reply to hello. */
  #enter(ok) {
    this.#welcome = this.#hasBegun ? null : ok;
    if (!this.#hasBegun) return;
    this.isOnline = true;
    this.#attempts.welcomed(this.#clock.now);
    this.epoch = ok.epoch;
    this.time = isTimetoken(ok.time) ? ok.time : '0';
    this.#watch(ok.heartbeat > 0 ? ok.heartbeat : heartbeatDefault);
    this.#device.setStatus('online');
    this.#tokens.welcomed(ok.tokenExpires);
    this.#events.welcomed();
  }

  /**
   * Looks at the connection every so often.
   * @param {number} heartbeat Seconds of silence after which to ask; infinite: it is not open yet.
   */
  #watch(heartbeat) {
    clearInterval(this.#watching);
    this.#watching = setInterval(() => {
      const now = this.#clock.look();
      const silence = (now - this.#heardAt) / 1000;
      const { oldest } = this.#commands;
      const waited = oldest ? (now - oldest.at) / 1000 : 0;
      const means = silenceMeans(silence, waited, this.#replySeconds, heartbeat);
      if (means === 'unanswered') {
        this.#attempts.disappointed();
        this.#lose(1006, new Error(
          `The daemon has not answered the command ${oldest?.op} for ${Math.floor(waited)} s.`));
      } else if (means === 'gone') {
        this.#lose(1006);
      } else if (means === 'ask' && this.isOnline) {
        this.send({ op: 'ping' }, () => {});
      }
    }, this.#look);
  }

  /** Tries at once, or asks whether the daemon is still there: nobody may have noticed its end. */
  #hurry() {
    if (this.#isWaiting) {
      clearTimeout(this.#retrying);
      this.#retrying = setTimeout(() => this.connect(), 500 * this.#device.random());
    } else if (this.isOnline && this.#commands.isEmpty) {
      this.send({ op: 'ping' }, () => {});
    }
  }

  /** Milliseconds that this machine was awake. */
  get now() {
    return this.#clock.now;
  }

  /** Gets another token now, and shows it; also where the one before was refused for good. */
  renewToken() {
    if (this.#isWaiting) this.#hurry();
    else if (this.#device.status === 'refused' && this.#tokens.areMade) this.connect();
    else this.#tokens.renew();
  }

  /** Leaves, for good. */
  close() {
    this.#ignoreWakeups();
    clearTimeout(this.#retrying);
    this.#drop();
  }

  #drop() {
    const socket = this.#socket;
    this.#opening = null;
    this.#socket = null;
    this.#welcome = null;
    this.isOnline = false;
    clearInterval(this.#watching);
    this.#timers.clear();
    this.#tokens.disconnect();
    this.#commands.clear();
    this.#events.dropped();
    socket?.close();
  }

  /**
   * The connection is over.
   * @param {number} code @param {Error|null} problem Why, if not that.
   * @param {string} reason What the daemon said to it.
   */
  #lose(code, problem = null, reason = '') {
    const told = problem ?? (this.#socket && this.#attempts.doubt(this.#options.url));
    this.#drop();
    const delay = this.#attempts.over(code, this.#clock.now, this.#device.random());
    if (delay === null) return this.#giveUp(problem ?? RefusedError.ofClose(code, reason));
    this.#isWaiting = true;
    this.#device.setStatus('waiting');
    this.#retrying = setTimeout(() => this.connect(), delay);
    if (told) this.#device.emit('problem', told);
  }

  /** @param {Error} refusal The next attempt would come to the same. */
  #giveUp(refusal) {
    this.refusal = refusal;
    this.#device.setStatus('refused');
    this.#events.refused();
    this.#device.emit('problem', refusal);
  }

  /**
   * Does something later, unless the connection ends before.
   * @param {() => void} callback @param {number} delay Milliseconds.
   * @returns {() => void} Calls it off.
   */
  later(callback, delay) {
    return this.#timers.later(callback, delay);
  }

  /**
   * Sends a command. No reply comes when the connection ends before.
   * @param {Record<string, any>} command @param {Reply} reply
   * @param {(ok: any) => boolean} [isReply] Whether what is under `ok` can be read.
   */
  send(command, reply, isReply = () => true) {
    this.#commands.send(command, reply, isReply);
  }

  /** @param {string} text */
  #write(text) {
    this.stats.sent += text.length;
    this.#socket?.send(text);
  }

  /** @param {any} text A frame. */
  #receive(text) {
    this.#heardAt = this.#clock.now;
    this.#incoming.take(text);
  }
}
