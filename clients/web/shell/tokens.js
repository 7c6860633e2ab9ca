// What a page shows to be let in: the token that it has, or one that it gets each time.
// @ts-check
import { isText } from '../core/shapes.js';

/**
 * What is needed of a connection.
 * @typedef {{isOnline: boolean, stats: {connections: number},
 *   later: (callback: () => void, delay: number) => void,
 *   send: (command: Record<string, any>, reply: (ok: any, error: any) => void) => void}} Line
 */

/** Milliseconds before its end at which another token is shown; a fifth of its time at most. */
const leftMax = 60_000;
/** Milliseconds that a timer may take, in any case. */
const delayMax = 86_400_000;
/** Refusals after which another token may help. */
const codes = ['token_missing', 'token_invalid', 'token_expired', 'token_revoked', 'forbidden'];

/** A token, or who makes them. */
export class Tokens {
  #source;

  /** @param {string|(() => string|Promise<string>)|null|undefined} source */
  constructor(source) {
    this.#source = source;
  }

  /** Whether there is another one each time. */
  get areMade() {
    return typeof this.#source === 'function';
  }

  /**
   * Calls back with the token: at once with one that is there. One of both is called, once.
   * @param {(token: string|null|undefined) => void} done @param {(problem: Error) => void} failed
   */
  get(done, failed) {
    const source = this.#source;
    if (typeof source !== 'function') {
      done(source);
      return;
    }
    new Promise((resolve) => resolve(source())).then((token) => {
      if (!isText(token)) throw new TypeError('it is not a text.');
      return token;
    }).then(done, (error) => failed(new Error(`There is no token: ${error?.message ?? error}`)));
  }

  /**
   * Shows another one on a connection before the time of this one is over, again and again.
   * @param {Line} connection @param {any} seconds Until then.
   * @param {(problem: Error) => void} tell Hears why there is none.
   */
  renew(connection, seconds, tell) {
    if (!this.areMade || !(seconds >= 1)) return;
    const delay = Math.min(delayMax, seconds * 1000 - Math.min(leftMax, seconds * 200));
    const { connections } = connection.stats;
    const isGone = () => !connection.isOnline || connection.stats.connections !== connections;
    const failed = (/** @type {Error} */ problem) => {
      tell(problem);
      // Tried again while there is time; then the daemon ends the connection.
      this.renew(connection, seconds - delay / 1000, tell);
    };
    connection.later(() => this.get((token) => {
      if (isGone()) return;
      connection.send({ op: 'token', token }, (ok, error) => {
        if (ok) this.renew(connection, ok.tokenExpires, tell);
        else failed(new Error(`The daemon refused another token: ${error.message}`));
      });
    }, (problem) => {
      if (!isGone()) failed(problem);
    }), delay);
  }

  /**
   * Whether another one may open what was refused with this code, or closed with this reason.
   * @param {any} text
   */
  mayOpen(text) {
    return this.areMade && isText(text) && codes.includes(text.split(':')[0]);
  }
}
