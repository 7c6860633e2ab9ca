// What operators ask of the daemon, as the console asks it: figures, lists, and a few changes.
// @ts-check
import { faultOf } from './place.js';

/** What is asked once a second, and how often a list is: both only while the page is in sight. */
export const everyMilliseconds = 1000;

/**
 * Milliseconds until a daemon counts as silent. It waits for its own reactors for 5 s at most, and
 * what changes something may take as long as syncctl gives it.
 */
export const answersWithin = { question: 7000, change: 45_000 };

/**
 * What ends a request that goes on for so long.
 * @param {number} milliseconds @returns {AbortSignal}
 */
export const endAfter = (milliseconds) => /** @type {any} */ (AbortSignal).timeout(milliseconds);

/** Where the operators' key is kept, until this tab is closed. */
const keyName = 'syncdaemon-console-key';

/** What the daemon says to that is meant for programs. */
const keyWanted = 'The operators\' key is missing or wrong: a click on the address in the head ' +
  'takes it. The daemon has it in its admin_key_file.';

const noAnswer = 'The daemon gives no answer: it is stopped, or hangs.';

/**
 * What was refused, as an error with its HTTP status.
 * @param {string} text @param {number} status
 */
const refusal = (text, status) => Object.assign(new Error(text), { status });

/** What it says as JSON; null: it is none. */
const spoken = (/** @type {string} */ text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Why there are no figures, in words.
 * @param {any} error
 */
export const whyNoFigures = (error) => error?.status === 404
  ? 'The daemon shows its figures where operators ask: at admin_listen.'
  : String(error?.message ?? error);

/** The answers to operators of the daemon that serves this page: no other is told their key. */
export class Admin {
  #key = sessionStorage.getItem(keyName) ?? '';

  get key() {
    return this.#key;
  }

  set key(key) {
    this.#key = key;
    sessionStorage.setItem(keyName, key);
  }

  /** @param {string} path @param {RequestInit} [options] */
  async #ask(path, options = {}) {
    // A browser refuses to send some of what cannot be a key, in words of its own.
    if (this.#key && faultOf('key', this.#key)) throw refusal(keyWanted, 401);
    /** @type {Record<string, string>} */
    const headers = this.#key ? { Authorization: `Bearer ${this.#key}` } : {};
    const signal = endAfter(answersWithin[options.method ? 'change' : 'question']);
    let response, text;
    try {
      response = await fetch(path, { cache: 'no-store', signal, ...options, headers });
      text = await response.text();
    } catch {
      throw new Error(options.method ? `${noAnswer} It may still do it.` : noAnswer);
    }
    if (response.ok) return text;
    const error = spoken(text)?.error;
    throw refusal(response.status === 401 ? keyWanted
      : error?.message ?? error ?? `${response.status} ${response.statusText}`, response.status);
  }

  /** The figures as Prometheus reads them. */
  async metrics() {
    return this.#ask('/metrics');
  }

  /**
   * What the daemon says of itself, or of what it has: a command that changes nothing.
   * @param {string} words @param {Record<string, string>} [fields] @returns {Promise<any>}
   */
  async query(words, fields = {}) {
    const asked = new URLSearchParams(fields);
    return JSON.parse(await this.#ask(`/admin/v1/${words.replaceAll(' ', '/')}?${asked}`));
  }

  /**
   * The subscribe keys of the daemon's keysets, as far as it has any at this moment.
   * @returns {Promise<string[]>}
   */
  async keysets() {
    const { tenants } = await this.query('tenants');
    return tenants.filter((/** @type {any} */ it) => !it.removed)
      .map((/** @type {any} */ it) => it.keyset);
  }

  /**
   * A command that changes something.
   * @param {string} words @param {Record<string, any>} fields @returns {Promise<any>}
   */
  async change(words, fields) {
    const body = JSON.stringify(fields);
    const path = `/admin/v1/${words.replaceAll(' ', '/')}`;
    return JSON.parse(await this.#ask(path, { method: 'POST', body }));
  }
}

/**
 * The figures without labels, and the sums of those that have some.
 * @param {string} text As Prometheus reads it. @returns {Map<string, number>}
 */
export function figuresOf(text) {
  const figures = new Map();
  for (const line of text.split('\n')) {
    const [, name, value] = /^([a-z_]+)(?:\{[^}]*\})? (\S+)$/.exec(line) ?? [];
    if (name) figures.set(name, (figures.get(name) ?? 0) + Number(value));
  }
  return figures;
}

/**
 * Does something every so often while somebody can see the page, one at a time.
 * @param {() => Promise<void>} work
 */
export function whileVisible(work) {
  let isBusy = false;
  const turn = async () => {
    if (isBusy || document.visibilityState !== 'visible') return;
    isBusy = true;
    await work();
    isBusy = false;
  };
  document.addEventListener('visibilitychange', turn);
  setInterval(turn, everyMilliseconds);
  turn();
}
