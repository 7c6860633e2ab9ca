// The read marks of this device as they are stored and shown: by all tabs with the same cache.
// @ts-check
import {
  heard, isPending, readThrough, restored, unknownMark, wished,
} from '../core/read-marks.js';
import { isLater } from '../core/timetoken.js';

/** @typedef {import('../core/read-marks.js').ReadMark} ReadMark */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./open-store.js').Opened} Opened */

/**
 * A change that is being stored; somebody's wish where there is anybody to tell.
 * @typedef {{name: string, change: (mark: ReadMark) => ReadMark, resolve?: () => void,
 *   reject?: (error: any) => void}} Change
 */

/**
 * What they tell: that a mark may be another one, and that there may be wishes for the daemon.
 * @typedef {{shown: (name: string, mark: ReadMark) => void, rested: () => void}} Events
 */

/**
 * Each has a version from the store, and changes that say the same twice do nothing: so tabs may
 * hear of them in any order.
 */
export class StoredMarks {
  #device;
  #opened;
  #events;
  /** @type {Map<string, ReadMark>} As they are stored. */ #kept = new Map();
  /** @type {Change[]} What is not stored yet; it shows. */ #changes = [];
  /** @type {Set<string>} Those of which the store does not have all. */ #unstored = new Set();
  /** @type {Promise<void>|null} */ #loading = null;
  /** @type {Promise<void>|null} */ #storing = null;

  /** @param {Device} device @param {Promise<Opened>} opened @param {Events} events */
  constructor(device, opened, events) {
    this.#device = device;
    this.#opened = opened;
    this.#events = events;
  }

  /** @param {string} name @returns {ReadMark} With what is being stored. */
  of(name) {
    return this.#changes.reduce((mark, it) => it.name === name ? it.change(mark) : mark,
      this.#kept.get(name) ?? unknownMark);
  }

  /** @param {string} name */
  #show(name) {
    this.#events.shown(name, this.of(name));
  }

  /** Reads what is stored, as soon as anybody wants it. */
  load() {
    return this.#loading ??= this.#read();
  }

  async #read() {
    try {
      const { store } = await this.#opened;
      for (const [name, mark] of await store.readMarks()) this.#take(name, mark);
    } catch (error) {
      this.#loading = null;
      this.#device.problem(error);
    }
    this.#events.rested();
  }

  /** @param {string} name @param {ReadMark} mark */
  #take(name, mark) {
    if (mark.version <= (this.#kept.get(name)?.version ?? 0)) return;
    this.#kept.set(name, mark);
    this.#show(name);
  }

  /**
   * Another tab has stored marks.
   * @param {[string, ReadMark][]} marks
   */
  hear(marks) {
    // Who does not want any has none.
    if (!this.#loading) return;
    for (const [name, mark] of marks) this.#take(name, mark);
    this.#events.rested();
  }

  /** This tab is to connect: what the one before has stored may be more than it told. */
  async lead() {
    if (!this.#loading) return;
    await this.#read();
    this.#device.tell({ kind: 'read', marks: [...this.#kept] });
  }

  /**
   * Another tab counts channels: the store may have lost what this one knows of them.
   * @param {string[]} names
   */
  tell(names) {
    const marks = [...this.#kept].filter(([name]) => names.includes(name));
    if (marks.length > 0) this.#device.tell({ kind: 'read', marks });
  }

  /**
   * The person has read a channel up to there. Resolves when that is stored.
   * @param {string} name @param {string} through @returns {Promise<void>}
   */
  async wish(name, through) {
    await this.load();
    if (!isLater(through, readThrough(this.of(name)))) return this.rest();
    return new Promise((resolve, reject) =>
      this.change({ name, change: (mark) => wished(mark, through), resolve, reject }));
  }

  /** @param {Change} change */
  change(change) {
    const { name } = change;
    const before = this.of(name);
    if (change.change(before) === before) return;
    this.#changes.push(change);
    this.#show(name);
    this.#storing ??= this.#storeAll();
  }

  async #storeAll() {
    const { store, refusal } = await this.#opened;
    while (this.#changes.length > 0) {
      // They show until the store has them.
      const batch = [...this.#changes];
      try {
        if (refusal) throw refusal;
        const again = [...this.#unstored].map((name) => this.#knownAgain(name));
        const left = await store.changeMarks([...again, ...batch].map(({ name, change }) =>
          [name, (mark) => change(restored(this.#kept.get(name) ?? unknownMark, mark))]));
        this.#unstored.clear();
        this.#stored(batch, left);
      } catch (error) {
        this.#failed(batch, error);
      }
    }
    this.#storing = null;
    this.#events.rested();
  }

  /** @param {string} name What could not be stored, for the next time. @returns {Change} */
  #knownAgain(name) {
    const { through } = this.#kept.get(name) ?? unknownMark;
    return { name, change: (mark) => through === null ? mark : heard(mark, through) };
  }

  /** @param {Change[]} batch @param {Map<string, ReadMark>} left */
  #stored(batch, left) {
    this.#changes.splice(0, batch.length);
    const versionOf = (/** @type {string} */ name) => this.#kept.get(name)?.version ?? 0;
    const news = [...left].filter(([name, { version }]) => version > versionOf(name));
    for (const [name, mark] of left) {
      // Another tab's, on top of this one, may have come first.
      if (mark.version >= versionOf(name)) this.#kept.set(name, mark);
    }
    for (const name of left.keys()) this.#show(name);
    if (news.length > 0) this.#device.tell({ kind: 'read', marks: news });
    for (const { resolve } of batch) resolve?.();
  }

  /**
   * What the daemon said holds in this tab; a wish that is not stored is none.
   * @param {Change[]} batch @param {any} error
   */
  #failed(batch, error) {
    this.#changes.splice(0, batch.length);
    for (const { name, change, reject } of batch) {
      if (reject) reject(error);
      else {
        this.#kept.set(name, change(this.#kept.get(name) ?? unknownMark));
        this.#unstored.add(name);
      }
      this.#show(name);
    }
    if (batch.some(({ reject }) => !reject)) this.#device.problem(error);
  }

  /** Resolves when all changes are stored. */
  async rest() {
    while (this.#storing) await this.#storing;
  }

  /** What the daemon is to be told, by channels; not before it is stored. */
  get wishes() {
    const kept = this.#storing ? [] : [...this.#kept];
    return kept.filter(([, mark]) => isPending(mark))
      .map(([name, { wish }]) => /** @type {[string, string]} */ ([name, wish]));
  }
}
