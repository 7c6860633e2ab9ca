// Opens the store that a client's options name, or memory where that fails.
// @ts-check
import { CacheOwnerError } from '../core/errors.js';
import { IndexedStore } from './indexed-store.js';
import { MemoryStore } from './memory-store.js';

/** @typedef {import('./options.js').Options} Options */
/** @typedef {MemoryStore|IndexedStore} Store */

/**
 * A store that can be used. `refusal` is why nothing may be done with the cache, `problem` why it
 * is not the one that was named; `isShared` tells whether other tabs may have it, too.
 * @typedef {{store: Store, deviceId: string, isShared: boolean, refusal: CacheOwnerError|null,
 *   problem: any}} Opened
 */

/** @param {Options} options @returns {Promise<Opened>} */
export async function openStore({ cache, deviceId, store: given, keyset, userId }) {
  /** @type {Store} */
  let store = given || new MemoryStore();
  try {
    // Without locks two tabs could not share a cache, so there is none.
    if (!given && cache && typeof indexedDB !== 'undefined' && globalThis.navigator?.locks) {
      const indexed = new IndexedStore(cache, { userId, keyset: keyset ?? null });
      await indexed.open();
      store = indexed;
    }
    const id = deviceId ?? await store.deviceId();
    return { store, deviceId: id, isShared: store.isShared, refusal: null, problem: null };
  } catch (problem) {
    store.close();
    store = new MemoryStore();
    const id = deviceId ?? await store.deviceId();
    const refusal = problem instanceof CacheOwnerError ? problem : null;
    return { store, deviceId: id, isShared: false, refusal, problem };
  }
}
