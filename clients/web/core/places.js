// Items in the order of their places, and the steps in which they change.
// @ts-check
import { isSameItem } from './item.js';

/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./types.js').ListChange} ListChange */

/** A place is a text that sorts: each item has its own. */
export class Places {
  /** @type {Item[]} */ items = [];
  /** @type {Map<string, string>} By the items' keys. */ #places = new Map();

  /** @param {string} key */
  has(key) {
    return this.#places.has(key);
  }

  /** @param {string} key */
  of(key) {
    return this.#places.get(key);
  }

  /** @param {string} key @returns {Item|undefined} */
  item(key) {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.items[this.#find(place)];
  }

  /**
   * The index at which a place is or would be.
   * @param {string} place
   */
  #find(place) {
    let [start, end] = [0, this.items.length];
    while (start < end) {
      const middle = (start + end) >> 1;
      if (/** @type {string} */ (this.#places.get(this.items[middle].key)) < place) {
        start = middle + 1;
      } else {
        end = middle;
      }
    }
    return start;
  }

  /**
   * Puts an item at a place, wherever it was.
   * @param {string} key @param {string} place @param {Item} item @param {ListChange[]} changes
   */
  set(key, place, item, changes) {
    const old = this.#places.get(key);
    if (old === place) {
      const index = this.#find(place);
      if (isSameItem(this.items[index], item)) return;
      this.items[index] = item;
      changes.push({ kind: 'update', index, item });
      return;
    }
    const from = old === undefined ? -1 : this.#find(old);
    if (from >= 0) this.items.splice(from, 1);
    const index = this.#find(place);
    this.#places.set(key, place);
    this.items.splice(index, 0, item);
    if (from < 0) changes.push({ kind: 'insert', index, item });
    else if (from === index) changes.push({ kind: 'update', index, item });
    else changes.push({ kind: 'move', from, index, item });
  }

  /** @param {string} key @param {ListChange[]} changes */
  remove(key, changes) {
    const place = this.#places.get(key);
    if (place === undefined) return;
    const index = this.#find(place);
    const [item] = this.items.splice(index, 1);
    this.#places.delete(key);
    changes.push({ kind: 'remove', index, item });
  }
}
