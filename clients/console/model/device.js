// One device of the console: a page in a frame with a cache, a link, and what may happen to both.
// @ts-check
import { Link } from './link.js';
import { damageRow, keptCache, wipe } from './kept.js';
import { cacheNameOf } from './tab.js';

/** @typedef {import('../../web/core/cache.js').ChannelCache} ChannelCache */
/** @typedef {{url: string, channel: string, keyset?: string, publishKey?: string, token?: string,
 *   tab?: string}} Place */

/** Milliseconds and bytes a second of a slow link: a train in the country. */
const slow = { latency: 400, rate: 4000 };

/** Milliseconds until a page that has not begun is loaded again: then twice as many, up to this. */
const loadsAgain = { first: 3000, last: 24_000 };

/** How a device stands besides what its client says. */
export class Device {
  name;
  userId;
  /** Messages that it holds at least; 0: all of the channel. */ held = 0;
  link = new Link();
  /**
   * What the frame is put into.
   * @type {Element}
   */
  stage;
  /**
   * The client, while the device runs.
   * @type {any}
   */
  client = null;
  /** @type {any} */ room = null;
  /**
   * What was damaged, until it is healed.
   * @type {{what: string, on: string}|null}
   */
  damaged = null;
  /** @type {() => void} Something is otherwise: set by who shows it. */ onchange = () => {};
  /** @type {ChannelCache|null} What is on the disk of a device that does not run. */ #kept = null;
  #place;
  /** @type {HTMLIFrameElement|null} */ #frame = null;
  /**
   * Errors of the client.
   * @type {string[]}
   */
  problems = [];
  /** What the daemon did not take, in words, until something else is wished. */ refusal = '';

  /** @param {string} name @param {string} userId @param {Place} place @param {Element} stage */
  constructor(name, userId, place, stage) {
    this.name = name;
    this.userId = userId;
    this.#place = place;
    this.stage = stage;
  }

  /** As people read it: Ada · phone. */
  get title() {
    return `${this.userId.charAt(0).toUpperCase()}${this.userId.slice(1)} · ${this.name}`;
  }

  get cacheName() {
    const { url, channel, keyset = '', tab = '0' } = this.#place;
    // No two places have the same: what stands in a name is not to look like two.
    return cacheNameOf(tab, [this.userId, this.name, url, keyset, channel]
      .map(encodeURIComponent).join('/'));
  }

  get isRunning() {
    return this.#frame !== null;
  }

  get isSlow() {
    return this.link.latency > 0;
  }

  /** What it holds, whether it runs or not. @returns {ChannelCache|null} */
  get cache() {
    return this.isRunning ? this.room?.isLoaded ? this.room.sync.cache : null : this.#kept;
  }

  /** `off`, `offline`, or as the client says; `verified` and `repairing` where it is so. */
  get state() {
    if (!this.isRunning) return 'off';
    if (this.link.isOffline) return 'offline';
    if (!this.client) return 'starting';
    const status = String(this.client.status);
    if (status !== 'online') return status;
    if (this.room.isVerified) return 'verified';
    return this.room.sync.phase === 'repairing' ? 'repairing' : 'comparing';
  }

  /** Whether it has nothing more to do. */
  get isSettled() {
    return this.state === 'verified' && this.client.waiting === 0;
  }

  /** Starts it; resolves when its client is there. */
  async start() {
    if (this.isRunning) return;
    const { url, channel, keyset, publishKey, token } = this.#place;
    const frame = this.#frame = document.createElement('iframe');
    frame.title = this.title;
    const page = new URL('../device.html', import.meta.url).href;
    const { WebSocket } = this.link;
    /** @type {any} */ let timer;
    // The daemon serves the page, too, and may be away just now.
    const load = (/** @type {number} */ delay) => {
      frame.src = page;
      timer = setTimeout(() => load(Math.min(2 * delay, loadsAgain.last)), delay);
    };
    await new Promise((resolve) => {
      /** @type {any} */ (frame).settings = {
        options: { url, userId: this.userId, keyset, publishKey, token, cache: this.cacheName,
          WebSocket },
        channel, window: this.held,
        began: (/** @type {any} */ { client, room }) => {
          if (frame === this.#frame) this.#began(client, room);
          resolve(undefined);
        },
        refused: (/** @type {string} */ why) => {
          if (frame === this.#frame) this.refuse(why);
        },
      };
      this.#ended = () => resolve(undefined);
      load(loadsAgain.first);
      this.stage.replaceChildren(frame);
      this.onchange();
    });
    clearTimeout(timer);
  }

  /** Ends the wait for a start that comes to nothing. */
  #ended = () => {};

  /** @param {any} client @param {any} room */
  #began(client, room) {
    [this.client, this.room] = [client, room];
    client.on('status', () => this.onchange());
    client.on('problem', (/** @type {any} */ problem) => {
      this.problems.push(String(problem?.message ?? problem));
      this.onchange();
    });
    room.observe(() => this.onchange());
    this.onchange();
  }

  /** @param {string} why In words; shown until something else is wished. */
  refuse(why) {
    this.refusal = why;
    this.onchange();
  }

  /** Ends it as a power cut does: nothing is said, and nothing more is stored. */
  async kill() {
    if (!this.isRunning) return;
    this.#frame?.remove();
    this.#frame = this.client = this.room = null;
    this.refusal = '';
    this.#ended();
    this.link.cut();
    await this.#look();
  }

  async #look() {
    const owner = { userId: this.userId, keyset: this.#place.keyset ?? null };
    this.#kept = await keptCache(this.cacheName, owner, this.#place.channel).catch(() => null);
    this.onchange();
  }

  /** Forgets all that it has, and begins as a new one. */
  async wipe() {
    await this.kill();
    await wipe(this.cacheName);
    this.damaged = null;
    await this.start();
  }

  /**
   * Changes a row on its disk while it does not run, and starts it; null: it has no row.
   * @param {() => number} random @param {() => Promise<void>} [seen] Before it is started.
   */
  async damage(random, seen = async () => {}) {
    const { cache } = this;
    if (cache && cache.messages.size === 0 && [...cache.rows].length === 0) return null;
    // What it has in memory only would be lost with the power, and heal nothing.
    await this.room?.kept();
    await this.kill();
    this.damaged = await damageRow(this.cacheName, this.#place.channel, random);
    await this.#look();
    await seen();
    await this.start();
    return this.damaged;
  }

  /** @param {boolean} isOffline */
  setOffline(isOffline) {
    this.link.isOffline = isOffline;
    // What a browser tells its pages.
    if (!isOffline && this.client) {
      this.#frame?.contentWindow?.dispatchEvent(new Event('online'));
    }
    this.onchange();
  }

  /** @param {boolean} isSlow */
  setSlow(isSlow) {
    Object.assign(this.link, isSlow ? slow : { latency: 0, rate: 0 });
    this.onchange();
  }
}
