// A long list of which only the part in sight is there: what is read stays where it is meanwhile.
// @ts-check
import { setChildren } from '../base/dom.js';
import { focusIsIn } from '../base/float.js';
import { inNextFrame } from '../base/frames.js';
import { Heights } from '../model/heights.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {import('../../core/types.js').ListChange} ListChange */
/** @typedef {{element: HTMLElement, show: (index: number) => void}} Row */

/** CSS pixels: a row that nobody saw yet, what is ready beyond the edges, what is still the end. */
const [guess, beyond, nearEnd] = [64, 600, 40];

/** Rows of a scroller, made as they come into sight and used again. */
export class Viewport {
  /** Whether the newest message is in sight; then the next one will be, too. */
  isAtEnd = true;
  /** Whether the end is where the newest message is: else nobody stays there. */ hasEnd = true;
  #scroller;
  #body = document.createElement('div');
  #made;
  #seen;
  #heights = new Heights(guess);
  /** @type {readonly Item[]} */ #items = [];
  /** @type {Map<string, Row>} Those that are there, by keys. */ #rows = new Map();
  /** @type {Row[]} */ #spare = [];
  /** @type {Map<string, number>} Where each item is; null: to be found out. */ #places = new Map();
  #isMoved = true;
  /** Whether rows came or went that are not rendered: where others are is not as it shows. */
  #isStale = false;
  /** The first row in sight, and how much of it is above. */
  #anchor = { key: '', offset: 0 };
  #top = 0;
  #height = 0;
  #range = [0, 0];
  #width = 0;
  #before;
  #sizes;

  /**
   * @param {HTMLElement} scroller @param {HTMLElement} before What is above all rows.
   * @param {() => Row} made @param {() => void} seen Something else is in sight.
   */
  constructor(scroller, before, made, seen) {
    this.#scroller = scroller;
    this.#before = before;
    this.#made = made;
    this.#seen = seen;
    this.#body.className = 'body';
    scroller.append(before, this.#body);
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.#sizes = new ResizeObserver((entries) => this.#resized(entries));
  }

  begin() {
    this.#sizes.observe(this.#scroller);
    for (const { element } of this.#rows.values()) this.#sizes.observe(element);
  }

  end() {
    this.#sizes.disconnect();
  }

  /** The items whose rows are there. */
  get shown() {
    return [...this.#rows.keys()];
  }

  /** @param {string} key @returns {Row|undefined} */
  row(key) {
    return this.#rows.get(key);
  }

  /**
   * Other items; the first one at the end.
   * @param {readonly Item[]} items
   */
  reset(items) {
    this.#items = items;
    this.#heights.clear();
    this.#heights.append(items.length);
    this.#isMoved = this.#isStale = this.isAtEnd = true;
    for (const key of [...this.#rows.keys()]) this.#release(key);
    inNextFrame(this);
  }

  /** @param {readonly ListChange[]} changes @param {readonly Item[]} items What they come to. */
  apply(changes, items) {
    const heights = this.#heights;
    this.#items = items;
    for (const { kind, index, ...change } of changes) {
      const from = kind === 'move' ? /** @type {any} */ (change).from : index;
      if (kind === 'update') continue;
      this.#isMoved = this.#isStale = true;
      if (kind === 'insert') heights.insert(index);
      else if (kind === 'remove') heights.remove(index);
      else heights.insert(index, heights.remove(from));
    }
    inNextFrame(this);
  }

  /** @param {string} key */
  #placeOf(key) {
    if (this.#isMoved) {
      this.#places = new Map(this.#items.map((it, index) => [it.key, index]));
      this.#isMoved = false;
    }
    return this.#places.get(key) ?? -1;
  }

  /** How high what is above all rows is. */
  get #offset() {
    return this.#before.hidden ? 0 : this.#before.offsetHeight;
  }

  /** Where the list is to be: at the end, or so that the row on top stays there. */
  get #wanted() {
    const end = Math.max(0, this.#offset + this.#heights.total - this.#height);
    if (this.isAtEnd) return end;
    const at = this.#placeOf(this.#anchor.key);
    return at < 0 ? Math.min(this.#top, end)
      : this.#offset + this.#heights.top(at) + this.#anchor.offset;
  }

  render() {
    const offset = this.#offset;
    const top = this.#wanted;
    const [from, to] = this.#heights.range(
      top - offset - beyond, top - offset + this.#height + beyond);
    this.#fill(from, to);
    this.#range = [from, to];
    this.#isStale = false;
    this.#put(top);
  }

  /**
   * What is not there has its place all the same.
   * @param {number} top
   */
  #put(top) {
    const { style } = this.#body;
    const [from, to] = this.#range.map((index) => this.#heights.top(index));
    style.paddingBlockStart = `${from}px`;
    style.paddingBlockEnd = `${this.#heights.total - to}px`;
    // Beyond the end is the end, whatever rows turn out to be high.
    if (this.isAtEnd) this.#scroller.scrollTop = 1e9;
    else if (Math.abs(top - this.#top) > 0.5) this.#scroller.scrollTop = top;
    this.#top = this.#scroller.scrollTop;
  }

  /** @param {number} from @param {number} to */
  #fill(from, to) {
    const items = this.#items.slice(from, to);
    const wanted = new Set(items.map(({ key }) => key));
    for (const key of [...this.#rows.keys()]) if (!wanted.has(key)) this.#release(key);
    /** @type {Map<string, Row>} */
    const rows = new Map();
    for (const [index, { key }] of items.entries()) {
      let row = this.#rows.get(key);
      if (!row) {
        row = this.#spare.pop() ?? this.#made();
        this.#sizes.observe(row.element);
      }
      rows.set(key, row);
      row.show(from + index);
    }
    this.#rows = rows;
    setChildren(this.#body, [...rows.values()].map(({ element }) => element));
  }

  /** @param {string} key */
  #release(key) {
    const row = this.#rows.get(key);
    if (!row) return;
    this.#rows.delete(key);
    const isFocused = focusIsIn(row.element);
    this.#sizes.unobserve(row.element);
    row.element.remove();
    if (isFocused) this.#scroller.focus({ preventScroll: true });
    if (this.#spare.length < 50) this.#spare.push(row);
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const moved = scrollTop - this.#top;
    this.#top = scrollTop;
    this.#height = clientHeight;
    this.isAtEnd = this.hasEnd && scrollHeight - scrollTop - clientHeight < nearEnd;
    if (this.#isStale) this.#anchor.offset += moved;
    else this.#setAnchor();
    inNextFrame(this);
    this.#seen();
  }

  #setAnchor() {
    const within = this.#top - this.#offset;
    const index = this.#heights.at(within);
    const item = this.#items[index];
    if (item) this.#anchor = { key: item.key, offset: within - this.#heights.top(index) };
  }

  /** @param {ResizeObserverEntry[]} entries */
  #resized(entries) {
    let isChanged = false;
    const keys = new Map([...this.#rows].map(([key, { element }]) => [element, key]));
    for (const { target, borderBoxSize, contentRect } of entries) {
      const size = borderBoxSize[0];
      if (target === this.#scroller) {
        isChanged ||= this.#height !== contentRect.height;
        this.#height = contentRect.height;
        if (this.#width !== contentRect.width) this.#rewrap(contentRect.width);
        continue;
      }
      const key = keys.get(/** @type {HTMLElement} */ (target));
      const index = key === undefined ? -1 : this.#placeOf(key);
      if (index >= 0 && this.#heights.set(index, size.blockSize)) isChanged = true;
    }
    // What fills after it was put may be as high as was known, and end elsewhere all the same.
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isOff = this.isAtEnd && scrollHeight - scrollTop - clientHeight > 1;
    if (!isChanged && !isOff) return;
    // Before this frame is painted, so that nothing jumps; other rows come with the next one.
    if (this.#isStale) this.render();
    else this.#put(this.#wanted);
    inNextFrame(this);
    this.#seen();
  }

  /**
   * The list has another width: only rows that are there are known.
   * @param {number} width
   */
  #rewrap(width) {
    this.#width = width;
    this.#heights.clear();
    this.#heights.append(this.#items.length);
    for (const [key, { element }] of this.#rows) {
      this.#heights.set(this.#placeOf(key), element.offsetHeight);
    }
  }

  /**
   * Brings an item into sight.
   * @param {number} index
   */
  reveal(index) {
    // What is in sight is known of what is rendered.
    if (this.#isStale) this.render();
    const offset = this.#offset;
    const [start, end] = [this.#heights.top(index) + offset, this.#heights.top(index + 1) + offset];
    if (start >= this.#top && end <= this.#top + this.#height) return;
    const top = start < this.#top ? start : end - this.#height;
    this.#scroller.scrollTop = top;
    this.#scrolled();
    this.render();
  }

  /** Shows an item in the middle, and stays there. */
  toMiddle(/** @type {number} */ index) {
    this.isAtEnd = false;
    if (this.#isStale) this.render();
    const height = this.#heights.top(index + 1) - this.#heights.top(index);
    this.#anchor = { key: this.#items[index].key, offset: (height - this.#height) / 2 };
    this.render();
  }

  toEnd() {
    this.isAtEnd = true;
    this.render();
    this.#seen();
  }

  /** Whether what is above all rows is about to be seen. */
  get isNearStart() {
    // Rows that have come and are not rendered have not moved what is in sight.
    return !this.#isStale && this.#top < 2 * beyond;
  }

  /** Whether what is below all rows is. */
  get isNearEnd() {
    return this.#offset + this.#heights.total - this.#top - this.#height < 2 * beyond;
  }

  /** The item at the upper edge, and at the lower one. */
  get edges() {
    const within = this.#top - this.#offset;
    return [this.#heights.at(within), this.#heights.at(within + this.#height)];
  }
}
