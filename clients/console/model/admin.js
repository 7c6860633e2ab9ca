// What operators ask of the daemon, as the console asks it: figures, lists, and a few changes.
// @ts-check

/** What is asked once a second, and how often a list is: both only while the page is in sight. */
export const everyMilliseconds = 1000;

/** Where the operators' key is kept, until this tab is closed. */
const keyName = 'syncdaemon-console-key';

/** What the daemon says to that is meant for programs. */
const keyWanted = 'The operators\' key is missing or wrong: a click on the address in the head ' +
  'takes it. The daemon has it in its admin_key_file.';

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
    /** @type {Record<string, string>} */
    const headers = this.#key ? { Authorization: `Bearer ${this.#key}` } : {};
    const response = await fetch(path, { cache: 'no-store', ...options, headers });
    if (!response.ok) {
      const said = await response.json().catch(() => null);
      const error = said?.error;
      const text = response.status === 401 ? keyWanted
        : error?.message ?? error ?? `${response.status} ${response.statusText}`;
      throw Object.assign(new Error(text), { status: response.status });
    }
    return response;
  }

  /** The figures as Prometheus reads them. */
  async metrics() {
    return (await this.#ask('/metrics')).text();
  }

  /**
   * What the daemon says of itself, or of what it has: a command that changes nothing.
   * @param {string} words @param {Record<string, string>} [fields] @returns {Promise<any>}
   */
  async query(words, fields = {}) {
    const asked = new URLSearchParams(fields);
    return (await this.#ask(`/admin/v1/${words.replaceAll(' ', '/')}?${asked}`)).json();
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
    return (await this.#ask(path, { method: 'POST', body })).json();
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
