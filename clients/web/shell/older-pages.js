// Asks the daemon for pages: the newest messages of a channel, and those before what is held.
// @ts-check
import { commandDelay } from '../core/delays.js';
import { isWorthRetrying } from '../core/replies.js';
import { isPage } from '../core/window.js';
import { errorOf } from './questions.js';

/** @typedef {import('../core/types.js').Outcome} Outcome */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./followed.js').Followed} Followed */

/** Milliseconds after which what is before a window is compared, more or less. */
const comparisonEvery = 3_600_000;

/** What is asked about channels of which a window is held. */
export class OlderPages {
  #device;
  #connection;
  #followed;
  #take;
  /** Pages that were refused for now, one after the other. */ #retries = 0;
  /** @type {any} */ #comparing = null;

  /**
   * @param {Device} device @param {Connection} connection @param {Followed} followed
   * @param {(channel: Channel, outcome: Outcome) => void} take Does what a channel's step asks for.
   */
  constructor(device, connection, followed, take) {
    this.#device = device;
    this.#connection = connection;
    this.#followed = followed;
    this.#take = take;
  }

  /**
   * Asks for the page that is needed most, if one is.
   * @param {Channel} channel
   */
  ask(channel) {
    const { window: sync } = channel;
    if (!sync) return;
    this.#compareLater();
    const question = sync.nextPage();
    const answer = sync.pages.takeAnswer();
    if (answer) channel.answerOlder(answer);
    if (!question) return;
    const { number, command } = question;
    this.#connection.send(command, (ok, error) => {
      if (!error) this.#retries = 0;
      else if (isWorthRetrying(error)) this.#later(channel, error);
      const outcome = error ? sync.pageRefused(error, number) : sync.paged(ok, number);
      const refusal = sync.pages.takeRefusal();
      // Before it looks as if all was compared.
      if (refusal) channel.failComparing(errorOf(refusal));
      this.#take(channel, outcome);
    }, isPage);
  }

  /** @param {Channel} channel @param {any} error Why not now. */
  #later(channel, error) {
    this.#connection.later(() => {
      channel.window?.retryPages();
      this.ask(channel);
    }, commandDelay(error, this.#retries++, this.#device.random()));
  }

  /** Has windows compared now and then, as long as there are any; not by all devices at once. */
  #compareLater() {
    if (this.#comparing !== null || this.#device.isClosed) return;
    this.#comparing = setTimeout(() => {
      this.#comparing = null;
      for (const channel of this.#followed) {
        channel.window?.verify();
        this.ask(channel);
      }
    }, comparisonEvery * (0.5 + this.#device.random()));
  }

  /** Ends what waits for its time. */
  close() {
    clearTimeout(this.#comparing);
  }
}
