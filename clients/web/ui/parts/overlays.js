// What floats above a list of messages: one picker and one list of authors for all of them.
// @ts-check
import { make } from '../base/dom.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {any} SyncMessages The list that it is of. */

/** The picker and the list of authors of a list of messages. */
export class Overlays {
  /** @type {any} */
  picker = make(/** @type {any} */ ('sync-reaction-picker'), { exportparts:
    'picker, row: picker-row, choice: picker-choice, plus: picker-plus, action: picker-action' });
  /** @type {any} */
  authors = make(/** @type {any} */ ('sync-reaction-authors'), { exportparts:
    'sheet, tabs: sheet-tabs, tab: sheet-tab, people: sheet-people, person: sheet-person' });
  #list;

  /** @param {SyncMessages} list */
  constructor(list) {
    this.#list = list;
    list.root.append(this.picker, this.authors);
  }

  /** What both are given. */
  get #given() {
    const { client, channel, directory, icons, words, userId } = this.#list;
    return { client, channel, directory, icons, words, userId };
  }

  /** @param {Item} item @param {Element} about */
  openPicker(item, about) {
    const list = this.#list;
    const isReadOnly = list.hasAttribute('readonly') || list.hasAttribute('no-reactions') ||
      item.timetoken === null || item.isDeleted;
    this.picker.toggleAttribute('readonly', isReadOnly);
    Object.assign(this.picker, this.#given,
      { item, values: list.values, actions: list.actions(item, list) });
    this.picker.show(about);
    return this.picker.isOpen;
  }

  /** @param {Item} item @param {string|null} value */
  openAuthors(item, value) {
    Object.assign(this.authors, this.#given, { item, value });
    this.authors.show(this.#list);
  }
}
