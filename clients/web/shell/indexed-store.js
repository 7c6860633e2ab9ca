// Keeps caches and outbox in IndexedDB: a patch is one transaction, a large channel a new copy.
// @ts-check
import { isWhole, stored } from '../core/checksum.js';
import { entryFrom } from '../core/entry.js';
import { changed, readMarkFrom } from '../core/read-marks.js';
import { isText } from '../core/shapes.js';
import { Database, answerTo, endOf } from './database.js';
import { randomDigits } from './random.js';

/** @typedef {import('../core/types.js').Entry} Entry */
/** @typedef {import('../core/types.js').Patch} Patch */
/** @typedef {import('../core/types.js').Row} Row */
/** @typedef {import('../core/read-marks.js').ReadMark} ReadMark */

/**
 * Rows or messages that one transaction stores of a large channel. In some browsers no two write at
 * a time, whatever their stores are; so this is what a tap may have to wait for.
 */
const partMax = 500;
/** How many the page asks for in one turn: beside them it has frames to show. */
const turnMax = 64;

/** Which of the two copies of its channel a head is of: 0 has the channel's own name. */
const copyOf = (/** @type {any} */ head) => head?.copy === 1 ? 1 : 0;

/**
 * What the keys of a copy begin with: no channel has a control character in its name.
 * @param {string} channel @param {number} copy
 */
const nameOf = (channel, copy) => copy === 0 ? channel : `${channel}\x01`;

/** Everything whose key starts with the name of a copy. */
const rangeOf = (/** @type {string} */ name) => IDBKeyRange.bound([name], [name, []]);

/** @param {string} name Of a copy. @param {Row} it */
const keyOf = (name, it) => [name, it.messageTimetoken, it.type, it.value, it.uuid];

/** Beside what the cache says of itself: so a database of before has room for them. */
const readMarkKey = (/** @type {string} */ channel) => ['read', channel];
const readMarkKeys = () => IDBKeyRange.bound(['read'], ['read', []]);

/** The writes among what the outbox has. */
const entriesFrom = (/** @type {any[]} */ kept) => kept.flatMap((it) => entryFrom(it) ?? []);

/**
 * Puts values in turns, within the store's transaction.
 * @template Value
 * @param {IDBObjectStore} store @param {Value[]} values @param {(it: Value) => IDBValidKey} key
 */
async function putAll(store, values, key) {
  for (const [at, value] of values.entries()) {
    const request = store.put(value, key(value));
    if (at % turnMax === turnMax - 1) await answerTo(request);
  }
}

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
    if (this.#database.deviceId !== null) return this.#database.deviceId;
    const transaction = await this.#database.begin('meta', 'readwrite');
    const meta = transaction.objectStore('meta');
    const known = await answerTo(meta.get('deviceId'));
    const id = isText(known) ? known : randomDigits(32);
    if (id !== known) meta.put(id, 'deviceId');
    await endOf(transaction);
    return id;
  }

  /**
   * Has whoever opens the store next be this device: mutations are under its id.
   * @param {string} id
   */
  async keepDeviceId(id) {
    const transaction = await this.#database.begin('meta', 'readwrite');
    transaction.objectStore('meta').put(id, 'deviceId');
    await endOf(transaction);
  }

  /** @param {string} channel */
  async load(channel) {
    const transaction = await this.#database.begin(['channels', 'rows', 'messages']);
    const head = await answerTo(transaction.objectStore('channels').get(channel));
    const range = rangeOf(nameOf(channel, copyOf(head)));
    const [rows, messages] = await Promise.all([
      answerTo(transaction.objectStore('rows').getAll(range)),
      answerTo(transaction.objectStore('messages').getAll(range)),
    ]);
    // One that was damaged counts as missing: digests do not cover what a message says.
    return { head, rows, messages: messages.filter(isWhole) };
  }

  /**
   * The newest messages and what is said of them; null where there are no more than these.
   * @param {string} channel @param {number} count
   */
  async newest(channel, count) {
    const transaction = await this.#database.begin(['channels', 'rows', 'messages']);
    const head = await answerTo(transaction.objectStore('channels').get(channel));
    const name = nameOf(channel, copyOf(head));
    const store = transaction.objectStore('messages');
    const walk = store.openKeyCursor(rangeOf(name), 'prev');
    const first = await answerTo(walk);
    if (!first) return null;
    first.advance(count);
    const last = await answerTo(walk);
    if (!last) return null;
    const range = IDBKeyRange.bound(last.key, [name, []], true);
    const [rows, messages] = await Promise.all([
      answerTo(transaction.objectStore('rows').getAll(range)), answerTo(store.getAll(range))]);
    return { head, rows, messages: messages.filter(isWhole) };
  }

  /**
   * Stores a patch: in one transaction, or as a copy of its own beside what is there. One at a
   * time: the caller waits. False when the channel is not what the patch is about: then nothing is
   * stored. So is one that was deleted under this tab, and that another one may have begun anew.
   * @param {Patch} patch
   */
  async write(patch) {
    const size = patch.rows.length + patch.messages.length;
    if (!patch.clear || size <= partMax) return this.#apply(patch);
    await this.#copy(patch);
    return true;
  }

  /** @param {Patch} patch */
  async #apply(patch) {
    const { channel } = patch;
    const names = ['channels', 'rows', 'messages', 'outbox'];
    const transaction = await this.#database.begin(names, 'readwrite');
    const [heads, rows, messages, outbox] = names.map((name) => transaction.objectStore(name));
    const known = await answerTo(heads.get(channel));
    if (!patch.clear && (known?.version ?? 0) !== patch.head.version - 1) return false;
    const copy = copyOf(known);
    const name = nameOf(channel, copy);
    if (patch.clear) {
      rows.delete(rangeOf(name));
      messages.delete(rangeOf(name));
    }
    for (const row of patch.gone) rows.delete(keyOf(name, row));
    await putAll(rows, patch.rows, (row) => keyOf(name, row));
    for (const timetoken of patch.dropped) messages.delete([name, timetoken]);
    await putAll(messages, patch.messages.map(stored), ({ timetoken }) => [name, timetoken]);
    for (const order of patch.settled) outbox.delete(order);
    heads.put({ ...patch.head, copy }, channel);
    await endOf(transaction);
    return true;
  }

  /**
   * Stores a large channel in parts, beside what is there: in between others have their turn. It is
   * the channel from when its head says so, in a transaction of its own. A page that goes before
   * leaves the old one as it was, and of the new one what the next copy clears.
   * @param {Patch} patch
   */
  async #copy({ channel, rows, messages, head, settled }) {
    const reading = await this.#database.begin('channels');
    const old = copyOf(await answerTo(reading.objectStore('channels').get(channel)));
    const copy = 1 - old;
    const name = nameOf(channel, copy);
    await this.#clear(name);
    await this.#put('rows', rows, (row) => keyOf(name, row));
    await this.#put('messages', messages.map(stored), ({ timetoken }) => [name, timetoken]);
    const last = await this.#database.begin(['channels', 'outbox'], 'readwrite');
    last.objectStore('channels').put({ ...head, copy }, channel);
    for (const order of settled) last.objectStore('outbox').delete(order);
    await endOf(last);
    await this.#clear(nameOf(channel, old));
  }

  /**
   * @template Value
   * @param {string} store @param {Value[]} values @param {(it: Value) => IDBValidKey} key
   */
  async #put(store, values, key) {
    for (let at = 0; at < values.length; at += partMax) {
      const transaction = await this.#database.begin(store, 'readwrite');
      await putAll(transaction.objectStore(store), values.slice(at, at + partMax), key);
      await endOf(transaction);
    }
  }

  /** @param {string} name A copy of a channel. */
  async #clear(name) {
    for (const store of ['rows', 'messages']) {
      for (let isMore = true; isMore;) {
        const transaction = await this.#database.begin(store, 'readwrite');
        const part = transaction.objectStore(store);
        const keys = await answerTo(part.getAllKeys(rangeOf(name), partMax));
        isMore = keys.length === partMax;
        if (keys.length > 0) part.delete(IDBKeyRange.bound(keys[0], keys[keys.length - 1]));
        await endOf(transaction);
      }
    }
  }

  /**
   * Changes the outbox in one transaction over all tabs. What was damaged there counts as missing,
   * and goes: it is what nobody wished, or what nobody could send.
   * @param {(entries: Entry[]) => Entry[]} transform
   * @param {string[]} [channels] Those whose versions are wanted: what is kept of them meanwhile.
   * @param {'readonly'|'readwrite'} [mode] Whether there is anything to change.
   */
  async change(transform, channels = [], mode = 'readwrite') {
    const names = channels.length > 0 ? ['outbox', 'channels'] : 'outbox';
    const transaction = await this.#database.begin(names, mode, { durability: 'strict' });
    const outbox = transaction.objectStore('outbox');
    /** @type {Map<string, number>} */
    const versions = new Map();
    for (const name of channels) {
      const head = await answerTo(transaction.objectStore('channels').get(name));
      if (head) versions.set(name, head.version);
    }
    const all = await answerTo(outbox.getAll());
    const before = entriesFrom(all);
    const unreadable = all.length - before.length;
    if (mode === 'readonly') return { entries: before, isChanged: false, versions, unreadable };
    const after = transform(before);
    const kept = new Set(after.map(({ order }) => order));
    for (const { order } of all) if (!kept.has(order)) outbox.delete(order);
    const known = new Set(before);
    const changed = after.filter((entry) => !known.has(entry));
    for (const entry of changed) outbox.put(stored(entry));
    const entries = entriesFrom(await answerTo(outbox.getAll()));
    await endOf(transaction);
    const isChanged = changed.length > 0 || entries.length !== before.length;
    return { entries, isChanged, versions, unreadable };
  }

  /** Those of all channels, also of those that nobody follows any longer. */
  async readMarks() {
    const transaction = await this.#database.begin('meta');
    const meta = transaction.objectStore('meta');
    const [keys, values] = await Promise.all([
      answerTo(meta.getAllKeys(readMarkKeys())), answerTo(meta.getAll(readMarkKeys()))]);
    return new Map(keys.map((key, i) =>
      [String(/** @type {any} */ (key)[1]), readMarkFrom(values[i])]));
  }

  /**
   * Changes read marks in one transaction over all tabs.
   * @param {[string, (mark: ReadMark) => ReadMark][]} changes Each of a channel's.
   */
  async changeMarks(changes) {
    const transaction = await this.#database.begin('meta', 'readwrite', { durability: 'strict' });
    const meta = transaction.objectStore('meta');
    /** @type {Map<string, ReadMark>} */
    const left = new Map();
    for (const [channel, change] of changes) {
      const key = readMarkKey(channel);
      const before = readMarkFrom(await answerTo(meta.get(key)));
      const mark = changed(before, change);
      if (mark !== before) meta.put(stored(mark), key);
      left.set(channel, mark);
    }
    await endOf(transaction);
    return left;
  }

  close() {
    this.#database.close();
  }
}
