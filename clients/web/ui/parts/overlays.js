// What floats above a list of messages: one picker and one list of authors for all of them.
// @ts-check
import { make } from '../base/dom.js';
import { onAsked } from '../base/gestures.js';
import { ofPage } from '../model/given.js';
import { usualActions } from './message-actions.js';
import { rowAt } from './message-row.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {any} SyncMessages The list that it is of. */

/**
 * What a page's `actions` gave, if that is what it is to be.
 * @param {any} actions @returns {import('./message-actions.js').Action[]}
 */
function checked(actions) {
  const isWhole = Array.isArray(actions) && actions.every((it) =>
    typeof it?.label === 'string' && typeof it.run === 'function');
  if (!isWhole) throw new TypeError('It has to return a list of { id, label, run }.');
  return actions;
}

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

  /**
   * Opens when somebody asks for it in the list's log.
   * @param {HTMLElement} log
   */
  listenTo(log) {
    onAsked(log, ({ target, how }) => this.#asked(target, how),
      (target) => rowAt(target)?.item?.key);
    for (const name of ['sync-pick', 'sync-authors']) {
      log.addEventListener(name, (event) => this.#fromRow(/** @type {any} */ (event)));
    }
  }

  /** @param {HTMLElement} target @param {string} how */
  #asked(target, how) {
    const row = rowAt(target);
    // Links and selected text have a menu of the browser's.
    const isTheirs = how === 'menu' &&
      (!!target.closest('a[href], input') || !getSelection()?.isCollapsed);
    if (!row?.item || isTheirs) return false;
    return this.#list.openPicker(row.item, row.element.querySelector('.said'));
  }

  /** @param {CustomEvent} event From a bar of reactions. */
  #fromRow(event) {
    event.preventDefault();
    event.stopPropagation();
    const { item, about, value } = event.detail;
    if (event.type === 'sync-pick') this.#list.openPicker(item, about);
    else this.#list.openAuthors(item, value);
  }

  /** What both are given. */
  get #given() {
    const { client, channel, directory, icons, words, userId } = this.#list;
    return { client, channel, directory, icons, words, userId };
  }

  /** @param {Item} item @param {Element} about */
  openPicker(item, about) {
    const list = this.#list;
    const isReadOnly = list.isReadOnly || list.hasAttribute('no-reactions') ||
      item.timetoken === null || item.isDeleted;
    this.picker.toggleAttribute('readonly', isReadOnly);
    const usual = () => usualActions(item, list);
    const actions = list.actions
      ? ofPage('actions', list.actions, () => checked(list.actions(item, list)), usual) : usual();
    Object.assign(this.picker, this.#given, { item, values: list.values, actions });
    this.picker.show(about);
    return this.picker.isOpen;
  }

  /** What they are about does not show any more. */
  close() {
    this.picker.hide();
    this.authors.hide();
  }

  /** @param {Item} item @param {string|null} value */
  openAuthors(item, value) {
    Object.assign(this.authors, this.#given, { item, value });
    this.authors.show(this.#list);
  }
}
