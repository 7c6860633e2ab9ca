// A table of the console: a head, and rows that are made anew when there are others.
// @ts-check
import { make, setChildren } from '../../web/ui/base/dom.js';

/** @typedef {{title: string, isNumber?: boolean}} Column */

/** A table whose rows are given whole. */
export class Table {
  element;
  #columns;
  #body = make('tbody');
  #empty = make('p', { class: 'empty' });

  /**
   * @param {string} name @param {Column[]} columns
   * @param {string} nothing Said when it is empty.
   */
  constructor(name, columns, nothing) {
    this.#columns = columns;
    this.#empty.textContent = nothing;
    const head = columns.map(({ title, isNumber }) =>
      make('th', { scope: 'col', class: isNumber ? 'n' : null }, title));
    this.element = make('div', { class: 'scroll', tabindex: '0', role: 'group',
      'aria-label': name },
    make('table', { class: 'mono' }, make('thead', {}, make('tr', {}, ...head)), this.#body),
    this.#empty);
  }

  /** @param {(string|number|Node|null)[][]} rows @param {string} [nothing] */
  show(rows, nothing) {
    if (nothing !== undefined) this.#empty.textContent = nothing;
    this.#empty.hidden = rows.length > 0;
    setChildren(this.#body, rows.map((cells) => make('tr', {}, ...cells.map((cell, n) => {
      const text = typeof cell === 'number' ? cell.toLocaleString('en') : cell;
      return make('td', { class: this.#columns[n].isNumber ? 'n' : null }, text ?? '');
    }))));
  }
}

/**
 * A card with a heading, and what stands beside it.
 * @param {string} title @param {...Node} rest
 */
export const headOf = (title, ...rest) => make('div', { class: 'head' },
  make('h2', {}, title), make('span', { class: 'spacer' }), ...rest);

/** @param {string} text @param {() => void} click @param {Record<string, any>} [attributes] */
export const button = (text, click, attributes = {}) =>
  make('button', { type: 'button', class: 'button', ...attributes, on: { click } }, text);

/** A moment as a clock shows it. */
export const clock = (/** @type {number} */ at) => new Date(at).toISOString().slice(11, 23);
