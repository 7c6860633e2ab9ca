// Asks the daemon for pages: the newest messages of a channel, and those before what is held.
// @ts-check
import { commandDelay } from '../core/delays.js';
import { isWorthRetrying } from '../core/replies.js';
import { isPage } from '../core/window.js';

/** @typedef {import('../core/types.js').Outcome} Outcome */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./device.js').Device} Device */

/** What is asked about channels of which a window is held. */
export class OlderPages {
  #device;
  #connection;
  #take;
  /** Pages that were refused for now, one after the other. */ #retries = 0;

  /**
   * @param {Device} device @param {Connection} connection
   * @param {(channel: Channel, outcome: Outcome) => void} take Does what a channel's step asks for.
   */
  constructor(device, connection, take) {
    this.#device = device;
    this.#connection = connection;
    this.#take = take;
  }

  /**
   * Asks for the page that is needed most, if one is.
   * @param {Channel} channel
   */
  ask(channel) {
    const { window: sync } = channel;
    if (!sync) return;
    const question = sync.nextPage();
    const answer = sync.takeAnswer();
    if (answer) channel.answerOlder(answer);
    if (!question) return;
    const { number, command } = question;
    this.#connection.send(command, (ok, error) => {
      if (!error) this.#retries = 0;
      else if (isWorthRetrying(error)) this.#later(channel, error);
      this.#take(channel, error ? sync.pageRefused(error, number) : sync.paged(ok, number));
    }, isPage);
  }

  /** @param {Channel} channel @param {any} error Why not now. */
  #later(channel, error) {
    this.#connection.later(() => {
      channel.window?.retryPages();
      this.ask(channel);
    }, commandDelay(error, this.#retries++, this.#device.random()));
  }
}
