// Keeps caches and outbox in IndexedDB; each patch is one transaction.
// @ts-check
import { isText } from '../core/shapes.js';
import { Database, answerTo, endOf } from './database.js';
import { randomDigits } from './random.js';

/** @typedef {import('../core/types.js').Entry} Entry */
/** @typedef {import('../core/types.js').Patch} Patch */
/** @typedef {import('../core/types.js').Row} Row */

/** Keeps everything in IndexedDB, for all tabs with the same cache. */
export class IndexedStore {
  /** Whether other tabs have it, too. */ isShared = true;
  #database;

  /** @param {string} name @param {{userId: string, keyset: string|null}} owner */
  constructor(name, owner) {
    this.#database = new Database(name, owner);
  }

  /** Rejects with a CacheOwnerError when it is somebody else's. */
  open() {
    return this.#database.open();
  }

  /** The device's id: the one that is kept, or a new one. */
  async deviceId() {
    const transaction = await this.#database.begin('meta', 'readwrite');
    const meta = transaction.objectStore('meta');
    const known = await answerTo(meta.get('deviceId'));
    const id = isText(known) ? known : randomDigits(32);
    if (id !== known) meta.put(id, 'deviceId');
    await endOf(transaction);
    return id;
  }

  /**
   * Everything whose key starts with the channel.
   * @param {string} channel
   */
  #range(channel) {
    return IDBKeyRange.bound([channel], [channel, []]);
  }

  /** @param {string} channel */
  async load(channel) {
    const transaction = await this.#database.begin(['channels', 'rows', 'messages']);
    const [head, rows, messages] = await Promise.all([
      answerTo(transaction.objectStore('channels').get(channel)),
      answerTo(transaction.objectStore('rows').getAll(this.#range(channel))),
      answerTo(transaction.objectStore('messages').getAll(this.#range(channel))),
    ]);
    return { head, rows, messages };
  }

  /** @param {Patch} patch */
  async write(patch) {
    const { channel } = patch;
    const names = ['channels', 'rows', 'messages', 'outbox'];
    const transaction = await this.#database.begin(names, 'readwrite');
    const [heads, rows, messages, outbox] = names.map((name) => transaction.objectStore(name));
    const keyOf = (/** @type {Row} */ it) =>
      [channel, it.messageTimetoken, it.type, it.value, it.uuid];
    if (patch.clear) {
      rows.delete(this.#range(channel));
      messages.delete(this.#range(channel));
    }
    for (const row of patch.gone) rows.delete(keyOf(row));
    for (const row of patch.rows) rows.put(row, keyOf(row));
    for (const timetoken of patch.dropped) messages.delete([channel, timetoken]);
    for (const message of patch.messages) messages.put(message, [channel, message.timetoken]);
    for (const order of patch.settled) outbox.delete(order);
    heads.put(patch.head, channel);
    await endOf(transaction);
  }

  /**
   * Changes the outbox in one transaction over all tabs.
   * @param {(entries: Entry[]) => Entry[]} transform
   * @param {string[]} [channels] Those whose versions are wanted: what is kept of them meanwhile.
   */
  async change(transform, channels = []) {
    const names = channels.length > 0 ? ['outbox', 'channels'] : 'outbox';
    const transaction = await this.#database.begin(names, 'readwrite', { durability: 'strict' });
    const outbox = transaction.objectStore('outbox');
    /** @type {Map<string, number>} */
    const versions = new Map();
    for (const name of channels) {
      const head = await answerTo(transaction.objectStore('channels').get(name));
      if (head) versions.set(name, head.version);
    }
    const before = await answerTo(outbox.getAll());
    const after = transform(before);
    const kept = new Set(after.map(({ order }) => order));
    for (const { order } of before) if (!kept.has(order)) outbox.delete(order);
    const known = new Set(before);
    const changed = after.filter((entry) => !known.has(entry));
    for (const entry of changed) outbox.put(entry);
    const entries = await answerTo(outbox.getAll());
    await endOf(transaction);
    const isChanged = changed.length > 0 || entries.length !== before.length;
    return { entries, isChanged, versions };
  }

  close() {
    this.#database.close();
  }
}
