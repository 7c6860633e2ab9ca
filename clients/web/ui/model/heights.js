// How high each row of a long list is, known or guessed, and which row is where.
// @ts-check

/** Heights of rows in their order; sums are made when they are asked for. */
export class Heights {
  #guess;
  /** @type {(number|null)[]} Null: nobody has seen it yet. */ #heights = [];
  /** @type {number[]} Where each row begins, as far as `#summed`. */ #tops = [0];
  #summed = 0;

  /** @param {number} guess Of a row that nobody has seen. */
  constructor(guess) {
    this.#guess = guess;
  }

  get count() {
    return this.#heights.length;
  }

  /** Of all rows together. */
  get total() {
    return this.top(this.count);
  }

  /** @param {number} index @param {number|null} [height] */
  insert(index, height = null) {
    this.#heights.splice(index, 0, height);
    this.#forget(index);
  }

  /**
   * As many rows at the end.
   * @param {number} count
   */
  append(count) {
    for (let i = 0; i < count; i++) this.#heights.push(null);
  }

  /** @param {number} index @returns {number|null} What was known of it. */
  remove(index) {
    const [height] = this.#heights.splice(index, 1);
    this.#forget(index);
    return height;
  }

  /** @param {number} index @param {number} height @returns {boolean} Whether it is another. */
  set(index, height) {
    if (this.#heights[index] === height) return false;
    this.#heights[index] = height;
    this.#forget(index);
    return true;
  }

  /** All rows may have other heights now, as when the list is wider; they are kept as guesses. */
  clear() {
    this.#heights = [];
    this.#forget(0);
  }

  /** @param {number} index */
  #forget(index) {
    this.#summed = Math.min(this.#summed, index);
  }

  /**
   * Where a row begins; of their count, where all end.
   * @param {number} index
   */
  top(index) {
    for (; this.#summed < index; this.#summed++) {
      this.#tops[this.#summed + 1] =
        this.#tops[this.#summed] + (this.#heights[this.#summed] ?? this.#guess);
    }
    return this.#tops[index];
  }

  /**
   * Which row is at a height; the first or the last one beyond them.
   * @param {number} y
   */
  at(y) {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = low + high + 1 >> 1;
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * The rows that a part of the list shows.
   * @param {number} from @param {number} to Heights.
   * @returns {[number, number]} The first one, and the one behind the last.
   */
  range(from, to) {
    if (this.count === 0) return [0, 0];
    return [this.at(from), this.at(to) + 1];
  }
}
