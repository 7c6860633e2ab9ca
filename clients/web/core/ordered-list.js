// A sorted list in chunks: however long it is, a change costs no more than a few chunks.
// @ts-check
//
// A B+ tree that never changes: with an item more or less it is another one, which shares all
// chunks but those on the way to the item. So whoever was given a list keeps what was true then.

/** Items of a chunk, of which a change copies one in each level; a million has four levels. */
const chunkMax = 64;
/** Neighbours become one when both fit into half a chunk, so that it is not full at once. */
const mergedMax = chunkMax / 2;

/**
 * What has chunks: `keys[i]` is not after what is in `chunks[i + 1]`, and after what is before it.
 * @template Item
 * @typedef {{keys: Item[], chunks: Chunk<Item>[]}} Branch
 */

/**
 * Some items in their order, or more of them in chunks.
 * @template Item
 * @typedef {Item[]|Branch<Item>} Chunk
 */

/** @type {any} */
const none = Object.freeze([]);

/**
 * Items in their order, each of them once.
 * @template Item
 */
export class OrderedList {
  #compare;
  /** @type {Chunk<Item>} */ #root = none;
  size = 0;

  /** @param {(left: Item, right: Item) => number} compare As for `Array.prototype.sort`. */
  constructor(compare) {
    this.#compare = compare;
  }

  /** @param {Chunk<Item>} root @param {number} size */
  #other(root, size) {
    const other = new OrderedList(this.#compare);
    other.#root = root;
    other.size = size;
    return other;
  }

  /** @returns {Item|undefined} */
  get first() {
    let chunk = this.#root;
    while (!Array.isArray(chunk)) [chunk] = chunk.chunks;
    return chunk[0];
  }

  /** The items from the last one to the first. @returns {Generator<Item, void>} */
  reversed() {
    return backwards(this.#root);
  }

  /**
   * The list with an item that it does not have.
   * @param {Item} item @returns {OrderedList<Item>}
   */
  with(item) {
    const { left, key, right } = this.#insert(this.#root, item);
    const root = right ? { keys: [/** @type {Item} */ (key)], chunks: [left, right] } : left;
    return this.#other(root, this.size + 1);
  }

  /**
   * The list without what is equal to an item; itself when nothing is.
   * @param {Item} item @returns {OrderedList<Item>}
   */
  without(item) {
    let root = this.#remove(this.#root, item);
    if (root === this.#root) return this;
    while (!Array.isArray(root) && root.chunks.length === 1) [root] = root.chunks;
    return this.#other(root, this.size - 1);
  }

  /**
   * Whether another list has the same items; what both share is not looked at.
   * @param {OrderedList<Item>} other @param {(left: Item, right: Item) => boolean} isSame
   */
  isSame(other, isSame) {
    if (this.size !== other.size) return false;
    const known = isSameChunk(this.#root, other.#root, isSame);
    if (known !== null) return known;
    // What came last is most often what differs.
    const theirs = other.reversed();
    for (const item of this.reversed()) {
      if (!isSame(item, /** @type {Item} */ (theirs.next().value))) return false;
    }
    return true;
  }

  /**
   * How many of some are before an item, or not after it.
   * @param {Item[]} sorted @param {Item} item @param {boolean} [orEqual]
   */
  #before(sorted, item, orEqual = false) {
    let [start, end] = [0, sorted.length];
    // Most often all of them are.
    let middle = end - 1;
    while (start < end) {
      const order = this.#compare(sorted[middle], item);
      if (order < 0 || (orEqual && order === 0)) start = middle + 1;
      else end = middle;
      middle = (start + end) >> 1;
    }
    return start;
  }

  /**
   * @param {Chunk<Item>} chunk @param {Item} item
   * @returns {{left: Chunk<Item>, key?: Item, right?: Chunk<Item>}} Two where one is too long.
   */
  #insert(chunk, item) {
    if (Array.isArray(chunk)) {
      const at = this.#before(chunk, item);
      const items = spliced(chunk, at, 0, [item]);
      if (items.length <= chunkMax) return { left: items };
      const middle = middleOf(items, at);
      const right = items.slice(middle);
      return { left: items.slice(0, middle), key: right[0], right };
    }
    const at = this.#before(chunk.keys, item, true);
    const { left, key, right } = this.#insert(chunk.chunks[at], item);
    if (!right) return { left: { keys: chunk.keys, chunks: replaced(chunk.chunks, at, left) } };
    const keys = spliced(chunk.keys, at, 0, [/** @type {Item} */ (key)]);
    const chunks = spliced(chunk.chunks, at, 1, [left, right]);
    if (chunks.length <= chunkMax) return { left: { keys, chunks } };
    const middle = middleOf(chunks, at + 1);
    return {
      left: { keys: keys.slice(0, middle - 1), chunks: chunks.slice(0, middle) },
      key: keys[middle - 1],
      right: { keys: keys.slice(middle), chunks: chunks.slice(middle) },
    };
  }

  /** @param {Chunk<Item>} chunk @param {Item} item @returns {Chunk<Item>} */
  #remove(chunk, item) {
    if (Array.isArray(chunk)) {
      const at = this.#before(chunk, item);
      const isThere = at < chunk.length && this.#compare(chunk[at], item) === 0;
      return isThere ? without(chunk, at) : chunk;
    }
    const { keys, chunks } = chunk;
    const at = this.#before(keys, item, true);
    const left = this.#remove(chunks[at], item);
    if (left === chunks[at]) return chunk;
    // No chunk stays empty, and no two neighbours nearly so.
    if (lengthOf(left) === 0) {
      const key = Math.max(at - 1, 0);
      return { keys: spliced(keys, key, 1, []), chunks: spliced(chunks, at, 1, []) };
    }
    const rest = replaced(chunks, at, left);
    const one = Math.max(at - 1, 0);
    const merged = one + 1 < rest.length ? mergedOf(rest[one], keys[one], rest[one + 1]) : null;
    return merged ? { keys: spliced(keys, one, 1, []), chunks: spliced(rest, one, 2, [merged]) }
      : { keys, chunks: rest };
  }
}

/**
 * A copy with some items in the place of others; unlike `splice` it takes no room for more.
 * @template Item
 * @param {readonly Item[]} items @param {number} at @param {number} count @param {Item[]} added
 */
const spliced = (items, at, count, added) =>
  items.slice(0, at).concat(added, items.slice(at + count));

/**
 * A copy with another item at a place.
 * @template Item
 * @param {readonly Item[]} items @param {number} at @param {Item} item
 */
function replaced(items, at, item) {
  const copy = items.slice();
  copy[at] = item;
  return copy;
}

/**
 * A copy without the item at a place.
 * @template Item
 * @param {readonly Item[]} items @param {number} at
 */
function without(items, at) {
  const copy = items.slice(0, -1);
  for (let i = at; i < copy.length; i++) copy[i] = items[i + 1];
  return copy;
}

/**
 * Where to part what is too long: where items come in their order, chunks stay full.
 * @param {readonly any[]} items @param {number} changed Where it grew.
 */
const middleOf = (items, changed) => changed === items.length - 1 ? changed : items.length >> 1;

/** @param {Chunk<any>} chunk */
const lengthOf = (chunk) => Array.isArray(chunk) ? chunk.length : chunk.chunks.length;

/**
 * Two neighbours in one; null when they are too long.
 * @template Item
 * @param {Chunk<Item>} left @param {Item} key Between them. @param {Chunk<Item>} right
 * @returns {Chunk<Item>|null}
 */
function mergedOf(left, key, right) {
  if (lengthOf(left) + lengthOf(right) > mergedMax) return null;
  if (Array.isArray(left) || Array.isArray(right)) {
    return /** @type {Item[]} */ (left).concat(/** @type {Item[]} */ (right));
  }
  return {
    keys: left.keys.concat([key], right.keys), chunks: left.chunks.concat(right.chunks),
  };
}

/**
 * @template Item
 * @param {Chunk<Item>} chunk @returns {Generator<Item, void>}
 */
function* backwards(chunk) {
  if (Array.isArray(chunk)) {
    for (let i = chunk.length - 1; i >= 0; i--) yield chunk[i];
  } else {
    for (let i = chunk.chunks.length - 1; i >= 0; i--) yield* backwards(chunk.chunks[i]);
  }
}

/**
 * Whether two chunks have the same items; null when they have them in other parts.
 * @template Item
 * @param {Chunk<Item>} left @param {Chunk<Item>} right
 * @param {(left: Item, right: Item) => boolean} isSame
 * @returns {boolean|null}
 */
function isSameChunk(left, right, isSame) {
  if (left === right) return true;
  if (lengthOf(left) !== lengthOf(right)) return null;
  if (Array.isArray(left)) {
    return Array.isArray(right) ? left.every((item, i) => isSame(item, right[i])) : null;
  }
  if (Array.isArray(right)) return null;
  for (const [i, chunk] of left.chunks.entries()) {
    const known = isSameChunk(chunk, right.chunks[i], isSame);
    if (known !== true) return known;
  }
  return true;
}
