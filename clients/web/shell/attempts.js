// How long to wait before the next attempt to connect: longer after each that came to nothing.
// @ts-check
import { retryDelay } from '../core/delays.js';

/** Milliseconds after which a session was a good one: the next back-off starts anew. */
const goodSession = 10_000;

/** Attempts that came to nothing after which it is time to doubt the address. */
const doubtful = 3;

/** The attempts since the last good session. */
export class Attempts {
  #count = 0;
  /** Those that opened no socket; infinite: one did, and so the address is right. */ #failed = 0;
  /** When the daemon said welcome; infinite: it did not, or the session was no good one. */
  #welcomedAt = Infinity;

  /** @param {number} now In milliseconds, as every time here. */
  welcomed(now) {
    this.#welcomedAt = now;
  }

  /** A socket opened. */
  opened() {
    this.#failed = -Infinity;
  }

  /**
   * A socket is over: what is to be said if so many have been, and none was ever open. A page may
   * not know why it could not connect.
   * @param {string|URL} url Where it should have led.
   */
  doubt(url) {
    return ++this.#failed === doubtful ? new Error(`${url} could not be reached as a WebSocket ` +
      `${doubtful} times, and never was: no daemon is there, or it is not its address. ` +
      'The client goes on trying.') : null;
  }

  /** However long the session lasted, it was no good one. */
  disappointed() {
    this.#welcomedAt = Infinity;
  }

  /**
   * A session, or an attempt at one, is over. Who only greets and hangs up is not called again at
   * once.
   * @param {number} code With which it was closed. @param {number} now
   * @param {number} random From 0 to 1.
   * @returns {number|null} Milliseconds to wait; null: there is no use in trying.
   */
  over(code, now, random) {
    if (now - this.#welcomedAt >= goodSession) this.#count = 0;
    this.#welcomedAt = Infinity;
    return retryDelay(code, this.#count++, random);
  }
}
