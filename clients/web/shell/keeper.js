// Reads caches from the store and writes patches to it, and tries again what fails.
// @ts-check
import { sealOf } from '../core/seal.js';
import { afterFrame } from './after-frame.js';
import { MemoryStore } from './memory-store.js';

/** @typedef {import('../core/types.js').Patch} Patch */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./device.js').Verified} Verified */
/** @typedef {import('./followed.js').Followed} Followed */
/** @typedef {import('./open-store.js').Store} Store */

/** Rows and messages that are stored at once; more wait until the page shows them. */
const smallMax = 50;
/** Messages that show before the others are read. */
const newestCount = 50;
/** Milliseconds after which a cache is stored again that could not be stored. */
const keepAgain = 60_000;

/**
 * How a channel is kept: the newest version that another tab spoke of; whether the store has what
 * this page has; patches that wait for the store; the last one that had all of the channel; the
 * entries that can go once the store has what they did; and a reading under way.
 * @typedef {{heard: number, isStored: boolean, waiting: number, whole: number,
 *   unsettled: number[], loading: Promise<void>|null}} Keeping
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
    const begun =
      { heard: 0, isStored: true, waiting: 0, whole: 0, unsettled: [], loading: null };
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

  /** @returns {Verified[]} */
  get verified() {
    return [...this.#followed].filter((it) => it.isVerified).map((channel) => {
      const { name, sync: { cache: { head } } } = channel;
      const { isStored, waiting } = this.#of(channel);
      return [name, head.version, sealOf(head), isStored && waiting === 0];
    });
  }

  /**
   * Whether what the store has of a channel is still to come.
   * @param {Channel} channel
   */
  isLoading(channel) {
    return !channel.isLoaded || this.#of(channel).loading !== null;
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
      if (!channel.isLoaded) await this.#show(channel, first);
      let heard;
      do {
        ({ heard } = keeping);
        // Behind what is being stored: else a channel that is followed anew would be an older one.
        await this.#stored;
        const kept = await this.#store.load(channel.name);
        await first;
        channel.sync.load(kept);
        channel.sync.isVerified = false;
        // What was told before it was read is in it, or the store has lost it.
      } while (channel.sync.cache.version < keeping.heard && heard < keeping.heard &&
        !this.#device.isLeader);
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
   * Shows the newest messages, if there are many: a browser takes its time to read all.
   * @param {Channel} channel @param {Promise<any>} [first]
   */
  async #show(channel, first) {
    await this.#stored;
    const newest = await this.#store.newest(channel.name, newestCount);
    if (!newest) return;
    await first;
    channel.sync.load(newest);
    channel.refresh('all');
    await afterFrame();
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
    keeping.waiting++;
    this.#stored = this.#stored.then(async () => {
      if (isWhole) keeping.isStored = true;
      await this.#write(channel, patch, isVerified);
      keeping.waiting--;
    });
  }

  /** @param {Channel} channel @param {Patch} patch @param {boolean} isVerified */
  async #write(channel, patch, isVerified) {
    const keeping = this.#of(channel);
    if (!keeping.isStored) {
      // On what could not be stored nothing can be put.
      keeping.unsettled.push(...patch.settled);
      return;
    }
    if (patch.rows.length + patch.messages.length > smallMax) await afterFrame();
    const settled = [...keeping.unsettled.splice(0), ...patch.settled];
    try {
      const isBase = await this.#store.write({ ...patch, settled });
      if (isBase === false) {
        // On something else no patch can be put, either.
        keeping.isStored = false;
        keeping.unsettled.push(...settled);
        this.#restore(channel);
        return;
      }
      this.#device.tell({ kind: 'patch', patch: { ...patch, settled }, isVerified });
    } catch (error) {
      // What is stored stays as it was: older, and true.
      keeping.isStored = false;
      keeping.unsettled.push(...settled);
      this.#device.problem(error);
      this.#keepLater();
    }
  }

  /**
   * Another tab's copy of a channel is not what this one told of it: what is right is stored anew,
   * and told all tabs.
   * @param {Channel} channel @param {number} version The one that was told.
   */
  differs(channel, version) {
    const { isStored, whole } = this.#of(channel);
    // What is not confirmed may be the worse one; what all of it follows may be mended by that.
    if (channel.isVerified && isStored && version >= whole) this.#restore(channel);
  }

  /**
   * The store has lost what this tab put there, or has something else: the browser deleted it, and
   * another tab began a new one.
   * @param {Channel} channel
   */
  #restore(channel) {
    if (!this.#followed.has(channel)) return;
    this.#stored = this.#stored.then(() => this.#store.keepDeviceId(this.#device.deviceId))
      .catch((error) => this.#device.problem(error));
    this.#keepWhole(channel);
  }

  /** @param {Channel} channel */
  #keepWhole(channel) {
    const { cache } = channel.sync;
    cache.replaceAll();
    const patch = cache.takePatch(channel.name);
    this.#of(channel).whole = patch.head.version;
    this.keep(channel, patch, true);
  }

  /** Stores channels whole that could not be stored: the disk may have room by then. */
  #keepLater() {
    clearTimeout(this.#again);
    if (this.#device.isClosed) return;
    this.#again = setTimeout(() => {
      for (const channel of this.#followed) {
        const keeping = this.#of(channel);
        const { isLoaded, isVerified, sync: { cache } } = channel;
        if (keeping.isStored || !isLoaded || !this.#device.isLeader) continue;
        // What is there may be better than a cache that could not be read and has only begun: its
        // digest tells, where there is one.
        if (cache.cursor === '0' || (cache.tally.hasher && !isVerified)) {
          this.#keepLater();
          continue;
        }
        this.#keepWhole(channel);
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
