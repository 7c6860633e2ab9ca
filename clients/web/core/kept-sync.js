// What a device knows of one channel before it asks: what a store has kept of it.
// @ts-check
import { ChannelCache } from './cache.js';

/** What is known, and whether it may be built on. */
export class KeptSync {
  cache = new ChannelCache();
  /** @type {ChannelCache|null} A snapshot on its way; the old cache shows until it is complete. */
  staging = null;
  /**
   * `asked`: pushes still belong to the subscription before. `doubted`: live, but the server has
   * contradicted itself, and is asked anew later.
   * @type {'idle'|'asked'|'live'|'doubted'|'repairing'}
   */
  phase = 'idle';
  /** @type {{cache: ChannelCache, isSound: boolean}|null} What was read last. */
  #unjudged = null;

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  /**
   * Takes what a store kept; it shows before `judge` hashes it.
   * @param {any} stored
   */
  load(stored) {
    this.#unjudged = ChannelCache.load(stored?.head, stored?.rows ?? [], stored?.messages ?? []);
    this.cache = this.#unjudged.cache;
    this.staging = null;
    this.phase = 'idle';
    if (this.cache.isEmpty) this.judge();
  }

  /** Finds out, before anything is asked, whether the cache is what was stored. */
  judge() {
    const unjudged = this.#unjudged;
    this.#unjudged = null;
    if (unjudged?.cache !== this.cache) return;
    const { isSound } = unjudged;
    this.loaded(isSound);
    if (!isSound) this.cache.replaceAll();
  }

  /**
   * Says what is to be asked, now that it is known.
   * @param {boolean} _isSound Whether the cache is what was stored.
   */
  loaded(_isSound) {}
}
