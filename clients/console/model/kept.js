// What a device has kept in IndexedDB, read and damaged by somebody who is not its client.
// @ts-check
import { ChannelCache } from '../../web/core/cache.js';
import { IndexedStore } from '../../web/shell/indexed-store.js';

/** @typedef {{userId: string, keyset: string|null}} Owner */

/** @template Result @param {IDBRequest<Result>} request @returns {Promise<Result>} */
const answerTo = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/**
 * Opens a database that is there; null without one. It is left without a layout of ours.
 * @param {string} name @returns {Promise<IDBDatabase|null>}
 */
async function openKept(name) {
  const known = await indexedDB.databases();
  return known.some((it) => it.name === name) ? answerTo(indexedDB.open(name)) : null;
}

/**
 * What a cache holds of a channel, while no client has it in memory.
 * @param {string} name @param {Owner} owner @param {string} channel
 * @returns {Promise<ChannelCache|null>}
 */
export async function keptCache(name, owner, channel) {
  const database = await openKept(name);
  if (!database) return null;
  database.close();
  const store = new IndexedStore(name, owner);
  await store.open();
  try {
    const { head, rows, messages } = await store.load(channel);
    return head ? ChannelCache.load(head, rows, messages).cache : null;
  } finally {
    store.close();
  }
}

/**
 * Changes one row behind its client's back: of a reaction who made it, of a message who said it.
 * @param {string} name @param {string} channel @param {() => number} random From 0 up to 1.
 * @returns {Promise<{what: string, on: string}|null>} What it was; null: there is no row.
 */
export async function damageRow(name, channel, random) {
  const database = await openKept(name);
  if (!database) return null;
  try {
    const transaction = database.transaction(['rows', 'messages'], 'readwrite');
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => reject(transaction.error);
    });
    const range = IDBKeyRange.bound([channel], [`${channel}\x01`, []]);
    const [rows, messages] = ['rows', 'messages'].map((it) => transaction.objectStore(it));
    const keys = await Promise.all([
      answerTo(rows.getAllKeys(range)), answerTo(messages.getAllKeys(range))]);
    const all = [...keys[0].map((key) => ({ store: rows, key })),
      ...keys[1].map((key) => ({ store: messages, key }))];
    if (all.length === 0) return null;
    const { store, key } = all[Math.floor(random() * all.length)];
    const row = await answerTo(store.get(key));
    store.put({ ...row, uuid: `${row.uuid}?` }, key);
    await done;
    const isReaction = store === rows;
    return { what: isReaction ? `${row.value} of ${row.uuid}` : `a message of ${row.uuid}`,
      on: isReaction ? row.messageTimetoken : row.timetoken };
  } finally {
    database.close();
  }
}

/**
 * Removes a cache, with what waits in its outbox.
 * @param {string} name @returns {Promise<void>}
 */
export const wipe = (name) => new Promise((resolve, reject) => {
  const request = indexedDB.deleteDatabase(name);
  request.onsuccess = () => resolve();
  request.onerror = () => reject(request.error);
});
