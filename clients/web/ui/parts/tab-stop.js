// The one button of a row where Tab stops; arrows go on from there.
// @ts-check
import { setAttribute } from '../base/dom.js';
import { focused } from '../base/float.js';

export class TabStop {
  #row;
  /** @type {Element|null} Where it was. */ #last = null;
  #isOpen = true;

  /** @param {HTMLElement} row */
  constructor(row) {
    this.#row = row;
    row.addEventListener('focusin', () => this.put());
  }

  /**
   * Whether Tab stops in the row at all.
   * @param {boolean} isOpen
   */
  set isOpen(isOpen) {
    this.#isOpen = isOpen;
    this.put();
  }

  /** Finds its place among the buttons that are there now. */
  put() {
    const buttons = [...this.#row.querySelectorAll('button')].filter((it) => !it.disabled);
    const held = focused();
    this.#last = buttons.find((it) => it === held) ?? buttons.find((it) => it === this.#last) ??
      buttons[0] ?? null;
    for (const it of buttons) {
      setAttribute(it, 'tabindex', this.#isOpen && it === this.#last ? '0' : '-1');
    }
  }
}
