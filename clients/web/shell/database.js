// The database of a cache in IndexedDB: its layout, its owner, and that it may close at any time.
// @ts-check
import { stored } from '../core/checksum.js';
import { CacheOwnerError } from '../core/errors.js';
import { isObject, isText } from '../core/shapes.js';
import { randomDigits } from './random.js';

/**
 * What a request comes to.
 * @template Result @param {IDBRequest<Result>} request @returns {Promise<Result>}
 */
export const answerTo = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/**
 * Resolves when a transaction is stored.
 * @param {IDBTransaction} transaction @returns {Promise<void>}
 */
export const endOf = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  // A failed request aborts it; so does a disk that is full, when all requests were good.
  transaction.onabort = () => reject(transaction.error ?? new Error(
    'The browser aborted a transaction of the cache: is the database being deleted?'));
});

/** Milliseconds that a database may take to open, its upgrade included. */
const openingMax = 10_000;

/**
 * What a request to open comes to; rejects when it is not answered, and closes what comes later.
 * @param {IDBOpenDBRequest} request @returns {Promise<IDBDatabase>}
 */
const openedBy = (request) => new Promise((resolve, reject) => {
  const timer = setTimeout(() => {
    request.addEventListener('success', () => request.result.close());
    reject(new Error('The browser does not open the cache: is another tab frozen that has it, or ' +
      'is it being deleted?'));
  }, openingMax);
  const answered = () => clearTimeout(timer);
  // That takes as long as there is to bring up to date.
  request.addEventListener('upgradeneeded', answered);
  request.addEventListener('success', answered);
  request.addEventListener('error', answered);
  answerTo(request).then(resolve, reject);
});

/** What a database of this layout has that one before had not: 2 has checksums of messages. */
const layout = 2;

/**
 * Takes what an earlier release stored for what it is.
 * @param {IDBObjectStore} messages
 */
function addChecksums(messages) {
  const request = messages.openCursor();
  request.onsuccess = () => {
    const cursor = request.result;
    if (!cursor) return;
    if (isObject(cursor.value)) cursor.update(stored(cursor.value));
    cursor.continue();
  };
}

/** Opened when it is needed, and anew when the browser closed it. */
export class Database {
  /** @type {string|null} The device's id, where it is kept. */ deviceId = null;
  #name;
  #owner;
  /** @type {IDBDatabase|null} */ #database = null;
  /** @type {Promise<IDBDatabase>|null} */ #opening = null;
  #isClosed = false;

  /** @param {string} name @param {{userId: string, keyset: string|null}} owner */
  constructor(name, owner) {
    this.#name = name;
    this.#owner = owner;
  }

  /** Rejects with a CacheOwnerError when it is somebody else's. */
  async open() {
    this.#use(await this.#openDatabase());
  }

  /** @param {IDBDatabase} database */
  #use(database) {
    this.#database = database;
    // Somebody deletes it, or a newer version of this module wants it.
    database.onversionchange = () => {
      database.close();
      if (this.#database === database) this.#database = null;
    };
    // Its disk is gone, or the person cleared the site's data.
    database.onclose = () => {
      if (this.#database === database) this.#database = null;
    };
  }

  /**
   * Opens it, as its owner or as the first who comes.
   * @returns {Promise<IDBDatabase>}
   */
  async #openDatabase() {
    const request = indexedDB.open(this.#name, layout);
    request.onupgradeneeded = ({ oldVersion }) => {
      const database = request.result;
      if (oldVersion > 0) {
        const { transaction } = /** @type {{transaction: IDBTransaction}} */ (request);
        addChecksums(transaction.objectStore('messages'));
        return;
      }
      const meta = database.createObjectStore('meta');
      meta.put(this.#owner, 'owner');
      // The one in use, if the browser lost the database meanwhile: writes are under it.
      meta.put(this.deviceId ?? randomDigits(32), 'deviceId');
      database.createObjectStore('channels');
      database.createObjectStore('rows');
      database.createObjectStore('messages');
      database.createObjectStore('outbox', { keyPath: 'order', autoIncrement: true });
    };
    const database = await openedBy(request);
    try {
      const meta = database.transaction('meta').objectStore('meta');
      const [known, id] = await Promise.all([
        answerTo(meta.get('owner')), answerTo(meta.get('deviceId'))]);
      const owner = isObject(known) ? known : await this.#own(database);
      const { userId, keyset } = this.#owner;
      if (owner.userId !== userId || owner.keyset !== keyset) {
        throw new CacheOwnerError(this.#name, owner);
      }
      this.deviceId = isText(id) ? id : null;
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }

  /**
   * Takes a database that says of nobody that it is theirs, unless somebody else just did.
   * @param {IDBDatabase} database
   * @returns {Promise<{userId: string, keyset: string|null}>} Whose it is.
   */
  async #own(database) {
    const transaction = database.transaction('meta', 'readwrite');
    const meta = transaction.objectStore('meta');
    const known = await answerTo(meta.get('owner'));
    if (!isObject(known)) meta.put(this.#owner, 'owner');
    await endOf(transaction);
    return isObject(known) ? known : this.#owner;
  }

  /**
   * Begins a transaction; opens the database anew when the browser closed it. One that lost its
   * rows meanwhile is found out by the digest when it is read again.
   * @param {string|string[]} names @param {'readonly'|'readwrite'} [mode] @param {any} [options]
   * @returns {Promise<IDBTransaction>}
   */
  async begin(names, mode = 'readonly', options) {
    if (this.#isClosed) throw new Error('The cache is closed.');
    try {
      // @ts-ignore Older descriptions of the DOM have no third parameter.
      if (this.#database) return this.#database.transaction(names, mode, options);
    } catch (error) {
      if (/** @type {any} */ (error).name !== 'InvalidStateError') throw error;
    }
    const database = await (this.#opening ??= this.#openAgain());
    // @ts-ignore
    return database.transaction(names, mode, options);
  }

  async #openAgain() {
    try {
      const database = await this.#openDatabase();
      this.#use(database);
      if (this.#isClosed) database.close();
      return database;
    } finally {
      this.#opening = null;
    }
  }

  close() {
    this.#isClosed = true;
    this.#database?.close();
  }
}
