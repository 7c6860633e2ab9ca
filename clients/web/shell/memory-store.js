// Keeps the outbox in memory: where there is no IndexedDB, and in tests.
// @ts-check
import { changed, unknownMark } from '../core/read-marks.js';
import { randomDigits } from './random.js';

/** @typedef {import('../core/types.js').Entry} Entry */
/** @typedef {import('../core/types.js').Patch} Patch */
/** @typedef {import('../core/read-marks.js').ReadMark} ReadMark */

/** Keeps the outbox as long as the page lives: where there is no IndexedDB, and in tests. */
export class MemoryStore {
  /** Whether other tabs have it, too. */ isShared = false;
  /** @type {Entry[]} */ #entries = [];
  #order = 0;
  /** @type {Map<string, ReadMark>} */ #marks = new Map();

  async deviceId() {
    return randomDigits(32);
  }

  /** @param {string} _channel @returns {Promise<any>} */
  async load(_channel) {
    return null;
  }

  /** @param {string} _channel @param {number} _count @returns {Promise<any>} */
  async newest(_channel, _count) {
    return null;
  }

  /** @param {string} _id Nobody else has it. */
  async keepDeviceId(_id) {}

  /** @param {Patch} patch */
  async write(patch) {
    this.#entries = this.#entries.filter(({ order = 0 }) => !patch.settled.includes(order));
    return true;
  }

  /**
   * @param {(entries: Entry[]) => Entry[]} transform
   * @param {string[]} [_channels] No other tab changes them.
   */
  async change(transform, _channels) {
    /** @type {Map<string, number>} */
    const versions = new Map();
    const before = this.#entries;
    this.#entries = transform(before).map((it) => it.order ? it : { ...it, order: ++this.#order });
    return { entries: this.#entries, isChanged: before.some((it) => !this.#entries.includes(it)) ||
      before.length !== this.#entries.length, versions, unreadable: 0 };
  }

  async readMarks() {
    return new Map(this.#marks);
  }

  /** @param {[string, (mark: ReadMark) => ReadMark][]} changes Each of a channel's. */
  async changeMarks(changes) {
    /** @type {Map<string, ReadMark>} */
    const left = new Map();
    for (const [channel, change] of changes) {
      const mark = changed(this.#marks.get(channel) ?? unknownMark, change);
      this.#marks.set(channel, mark);
      left.set(channel, mark);
    }
    return left;
  }

  close() {}
}
