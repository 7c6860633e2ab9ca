// What somebody said, in one line: neither the name nor the text turns the other one round.
// @ts-check
import { make, setText } from '../base/dom.js';
import { textOf } from '../model/days.js';

/** @typedef {import('../../core/types.js').Item} Item */

/**
 * Shows in a place who said what, as it is now.
 * @param {HTMLElement} place @param {Item|null} item Null: it is not here.
 * @param {import('../base/element.js').SyncElement} element What has the names and the words.
 */
export function showQuote(place, item, element) {
  const { words } = element;
  if (!item) return setText(place, words.earlier);
  if (place.children.length !== 2) place.replaceChildren(make('bdi'), ': ', make('bdi'));
  setText(place.children[0], element.nameOf(item.uuid));
  setText(place.children[1], item.isDeleted ? words.deleted : textOf(item.payload));
}
