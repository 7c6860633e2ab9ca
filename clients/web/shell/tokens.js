// What a page shows to be let in: the token that it has, or one that it gets each time.
// @ts-check
import { checkText, tokenMax } from '../core/names.js';
import { tokenCodes } from '../core/replies.js';
import { isText } from '../core/shapes.js';

/**
 * What is needed of a connection. `later` gives what calls it off; `now` is in milliseconds.
 * @typedef {{isOnline: boolean, now: number,
 *   later: (callback: () => void, delay: number) => () => void,
 *   send: (command: Record<string, any>, reply: (ok: any, error: any) => void) => void}} Line
 */

/**
 * What is told: that the daemon took another one, and why there is none.
 * @typedef {{taken: () => void, problem: (problem: Error) => void}} Events
 */

/** Milliseconds before its end at which another token is shown; a fifth of its time at most. */
const leftMax = 60_000;
/** Milliseconds that a timer may take, in any case. */
const delayMax = 86_400_000;
/** Milliseconds that the page may take to get one; then it is asked again, later. */
const gettingMax = 15_000;
/** Refusals after which another token may help. */
const codes = [...tokenCodes, 'forbidden'];

/** A token, or who makes them, for one session after the other. */
export class Tokens {
  #source;
  #line;
  #events;
  /** @type {object|null} What another one is being got and shown for. */ #asking = null;
  /** Whether somebody wants one that was got later than that. */ #isWanted = false;
  /** When the time of the one that the daemon has is over. */ #end = 0;
  #callOff = () => {};

  /**
   * @param {string|(() => string|Promise<string>)|null|undefined} source @param {Line} line
   * @param {Events} events
   */
  constructor(source, line, events) {
    this.#source = source;
    this.#line = line;
    this.#events = events;
  }

  /** Whether there is another one each time. */
  get areMade() {
    return typeof this.#source === 'function';
  }

  /**
   * Calls back with the token for a session: at once with one that is there. One of both is called,
   * once, unless the connection ends before.
   * @param {(token: string|null|undefined) => void} done @param {(problem: Error) => void} failed
   */
  get(done, failed) {
    const source = this.#source;
    if (typeof source !== 'function') {
      done(source);
      return;
    }
    this.#isWanted = false;
    let isOver = false;
    const once = (/** @type {(it: any) => void} */ callback) => (/** @type {any} */ it) => {
      if (isOver) return;
      isOver = true;
      callOff();
      callback(it);
    };
    const fail = once((error) =>
      failed(new Error(`There is no token: ${error?.message ?? error}`)));
    const callOff = this.#line.later(() =>
      fail(`the page's function gave none within ${gettingMax / 1000} s.`), gettingMax);
    new Promise((resolve) => resolve(source())).then((token) => {
      checkText('A token', token, tokenMax);
      return token;
    }).then(once(done), fail);
  }

  /**
   * A session began, with one that is good for so long: before that another one is shown.
   * @param {any} seconds
   */
  welcomed(seconds) {
    this.#renewBefore(seconds);
    if (this.#isWanted) this.#ask();
  }

  /** The session is over. */
  disconnect() {
    this.#asking = null;
  }

  /** Gets another one now, and shows it as soon as there is a session. */
  renew() {
    this.#isWanted = true;
    if (this.#line.isOnline && !this.#asking) this.#ask();
  }

  /** @param {any} seconds Until the end of this one. */
  #renewBefore(seconds) {
    this.#callOff();
    this.#end = 0;
    if (!this.areMade || !(seconds >= 1)) return;
    const delay = Math.min(delayMax, seconds * 1000 - Math.min(leftMax, seconds * 200));
    this.#end = this.#line.now + seconds * 1000;
    this.#callOff = this.#line.later(() => {
      if (!this.#asking) this.#ask();
    }, delay);
  }

  /** Gets another one and shows it. */
  #ask() {
    const asking = this.#asking = {};
    const failed = (/** @type {Error} */ problem) => {
      if (asking !== this.#asking) return;
      this.#events.problem(problem);
      // Tried again while there is time; then the daemon ends the connection.
      this.#renewBefore((this.#end - this.#line.now) / 1000);
      this.#asked();
    };
    this.get((token) => {
      if (asking !== this.#asking) return;
      this.#line.send({ op: 'token', token }, (ok, error) => {
        if (!ok) return failed(new Error(`The daemon refused another token: ${error.message}`));
        this.#renewBefore(ok.tokenExpires);
        this.#events.taken();
        this.#asked();
      });
    }, failed);
  }

  #asked() {
    this.#asking = null;
    if (this.#isWanted && this.#line.isOnline) this.#ask();
  }

  /**
   * Whether another one may open what was refused with this code, or closed with this reason.
   * @param {any} text
   */
  mayOpen(text) {
    return this.areMade && isText(text) && codes.includes(text.split(':')[0]);
  }
}
