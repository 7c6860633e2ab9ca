// Reads caches from the store and writes patches to it, and tries again what fails.
// @ts-check
import { afterFrame } from './after-frame.js';
import { MemoryStore } from './memory-store.js';

/** @typedef {import('../core/types.js').Patch} Patch */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./followed.js').Followed} Followed */
/** @typedef {import('./open-store.js').Store} Store */

/** Rows and messages that are stored at once; more wait until the page shows them. */
const smallMax = 50;
/** Milliseconds after which a cache is stored again that could not be stored. */
const keepAgain = 60_000;

/**
 * How a channel is kept: the newest version that another tab spoke of; whether the store has what
 * this page has; the entries that can go once it has; and a reading under way.
 * @typedef {{heard: number, isStored: boolean, unsettled: number[],
 *   loading: Promise<void>|null}} Keeping
 */

/** Keeps the channels that are followed. */
export class Keeper {
  #device;
  #followed;
  /** @type {Store} */ #store = new MemoryStore();
  /** @type {WeakMap<Channel, Keeping>} */ #keeping = new WeakMap();
  /** @type {any} */ #again;
  /** @type {Promise<void>} The patches so far. */ #stored = Promise.resolve();

  /** @param {Device} device @param {Followed} followed */
  constructor(device, followed) {
    this.#device = device;
    this.#followed = followed;
  }

  /** @param {Store} store From now on. */
  use(store) {
    this.#store = store;
  }

  /** @param {Channel} channel @returns {Keeping} */
  #of(channel) {
    const known = this.#keeping.get(channel);
    if (known) return known;
    const begun = { heard: 0, isStored: true, unsettled: [], loading: null };
    this.#keeping.set(channel, begun);
    return begun;
  }

  /**
   * Another tab has stored a version of a channel.
   * @param {Channel} channel @param {number} version
   */
  heard(channel, version) {
    const keeping = this.#of(channel);
    keeping.heard = Math.max(keeping.heard, version);
  }

  /**
   * Takes what the store has; never while the channel is subscribed.
   * @param {Channel} channel
   * @param {Promise<any>} [first] What is to be known before any of it shows.
   * @returns {Promise<void>}
   */
  load(channel, first) {
    const keeping = this.#of(channel);
    return keeping.loading ??=
      this.#load(channel, keeping, first).finally(() => keeping.loading = null);
  }

  /** @param {Channel} channel @param {Keeping} keeping @param {Promise<any>} [first] */
  async #load(channel, keeping, first) {
    try {
      do {
        // Behind what is being stored: else a channel that is followed anew would be an older one.
        await this.#stored;
        const kept = await this.#store.load(channel.name);
        await first;
        channel.sync.load(kept);
      } while (channel.sync.cache.version < keeping.heard && !this.#device.isLeader);
      keeping.isStored = true;
    } catch (error) {
      keeping.isStored = false;
      this.#device.problem(error);
      this.#keepLater();
    }
    channel.isLoaded = true;
    channel.refresh('all');
  }

  /**
   * Stores a patch after those before it, and tells the other tabs. One at a time: whatever else
   * the store is asked for meanwhile, such as a tap, waits for one of them and not for all.
   * @param {Channel} channel @param {Patch} patch
   * @param {boolean} [isWhole] All of the channel, whatever became of the patches before.
   */
  keep(channel, patch, isWhole = false) {
    const { isVerified } = channel;
    const keeping = this.#of(channel);
    this.#stored = this.#stored.then(() => {
      if (isWhole) keeping.isStored = true;
      return this.#write(keeping, patch, isVerified);
    });
  }

  /** @param {Keeping} keeping @param {Patch} patch @param {boolean} isVerified */
  async #write(keeping, patch, isVerified) {
    if (!keeping.isStored) {
      // On what could not be stored nothing can be put.
      keeping.unsettled.push(...patch.settled);
      return;
    }
    if (patch.rows.length + patch.messages.length > smallMax) await afterFrame();
    const settled = [...keeping.unsettled.splice(0), ...patch.settled];
    try {
      await this.#store.write({ ...patch, settled });
      this.#device.tell({ kind: 'patch', patch: { ...patch, settled }, isVerified });
    } catch (error) {
      // What is stored stays as it was: older, and true.
      keeping.isStored = false;
      keeping.unsettled.push(...settled);
      this.#device.problem(error);
      this.#keepLater();
    }
  }

  /** Stores channels whole that could not be stored: the disk may have room by then. */
  #keepLater() {
    clearTimeout(this.#again);
    if (this.#device.isClosed) return;
    this.#again = setTimeout(() => {
      for (const channel of this.#followed) {
        const keeping = this.#of(channel);
        const { isLoaded, isVerified, sync: { cache }, name } = channel;
        if (keeping.isStored || !isLoaded || !this.#device.isLeader) continue;
        // What is there may be better than a cache that could not be read and has only begun: its
        // digest tells, where there is one.
        if (cache.cursor === '0' || (cache.tally.hasher && !isVerified)) {
          this.#keepLater();
          continue;
        }
        cache.replaceAll();
        this.keep(channel, cache.takePatch(name), true);
      }
    }, keepAgain);
  }

  /** Ends what waits for its time. */
  close() {
    clearTimeout(this.#again);
  }

  /** Resolves when the patches so far are stored, or could not be. */
  get kept() {
    return this.#stored;
  }

  /** Resolves when the last patch is stored. */
  async rest() {
    for (let last; last !== this.#stored;) await (last = this.#stored);
  }
}
