// A part of a channel's history that a list shows in the place of what the device holds.
// @ts-check

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {import('../../core/types.js').ListChange} ListChange */
/** @typedef {import('../../shell/channel.js').Channel} Channel */

/** Messages that one page has at most. */
const pageMax = 100;

/**
 * Messages as they were when they were read, as far as somebody scrolled. It has the `state` and
 * the `load` of what brings older ones.
 */
export class Past {
  /** @type {readonly Item[]} */ items = [];
  hasNewer = false;
  #hasOlder = false;
  #changed;
  /** @type {Channel|null} */ #channel = null;
  /** Where somebody wants to be; where they wanted to be before shows no more. */ #wish = 0;
  /** Which part it is: what was read of another one is no page of it. */ #turn = 0;
  /** @type {'older'|'newer'|null} */ #loading = null;
  /** Whether the last page did not come: then no other is asked for until something changes. */
  #isStuck = false;

  /** @param {(changes: ListChange[]) => void} changed Of its items, or of its state. */
  constructor(changed) {
    this.#changed = changed;
  }

  get isOpen() {
    return this.#channel !== null;
  }

  /**
   * Reads what is around a message; of one that is gone nothing.
   * @param {Channel} channel @param {string} timetoken
   * @returns {Promise<'there'|'gone'|'late'>} Late: somebody went elsewhere meanwhile.
   */
  async open(channel, timetoken) {
    const wish = ++this.#wish;
    const page = await channel.jump(timetoken);
    if (wish !== this.#wish) return 'late';
    if (!page.items.some((it) => it.timetoken === timetoken)) return 'gone';
    this.#turn++;
    [this.#channel, this.#loading, this.#isStuck] = [channel, null, false];
    [this.items, this.#hasOlder, this.hasNewer] = [page.items, page.hasOlder, page.hasNewer];
    return 'there';
  }

  /** There is a connection again: what did not come may. */
  retry() {
    this.#isStuck = false;
  }

  /** What shows is where somebody wants to be. */
  stay() {
    this.#wish++;
  }

  close() {
    this.stay();
    this.#turn++;
    [this.#channel, this.items, this.#loading] = [null, [], null];
  }

  /** @returns {'more'|'loading'|'beginning'} */
  get state() {
    return this.#loading === 'older' ? 'loading' : this.#hasOlder ? 'more' : 'beginning';
  }

  /** @param {number} count @returns {Promise<boolean>} Whether there are still more. */
  async load(count) {
    await this.#read('older', count);
    return this.#hasOlder;
  }

  /** @param {number} count @returns {Promise<boolean>} Whether there are still more. */
  async loadNewer(count) {
    if (this.hasNewer) await this.#read('newer', count);
    return this.hasNewer;
  }

  /** @param {'older'|'newer'} which @param {number} wanted */
  async #read(which, wanted) {
    const edge = this.items.at(which === 'older' ? 0 : -1)?.timetoken;
    if (this.#loading || this.#isStuck || !edge || !this.#channel) return;
    const turn = this.#turn;
    this.#loading = which;
    this.#changed([]);
    const count = Math.min(wanted, pageMax);
    /** @type {ListChange[]} */
    let changes = [];
    try {
      const page = await this.#channel.page(
        which === 'older' ? { before: edge, count } : { after: edge, count });
      if (turn === this.#turn) changes = this.#join(which, page);
    } catch (error) {
      if (turn === this.#turn) this.#isStuck = true;
      throw error;
    } finally {
      if (turn === this.#turn) {
        this.#loading = null;
        this.#changed(changes);
      }
    }
  }

  /**
   * @param {'older'|'newer'} which
   * @param {{items: readonly Item[], hasOlder: boolean, hasNewer: boolean}} page
   * @returns {ListChange[]}
   */
  #join(which, { items, hasOlder, hasNewer }) {
    const from = which === 'older' ? 0 : this.items.length;
    if (which === 'older') this.#hasOlder = hasOlder;
    else this.hasNewer = hasNewer;
    this.items = which === 'older' ? [...items, ...this.items] : [...this.items, ...items];
    return items.map((item, index) => ({ kind: 'insert', index: from + index, item }));
  }
}
