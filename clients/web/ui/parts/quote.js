// What somebody said, in one line: neither the name nor the text turns the other one round.
// @ts-check
import { make, setText } from '../base/dom.js';

/**
 * Shows a name and what was said in a place.
 * @param {HTMLElement} place @param {string} name @param {string} text
 */
export function showQuote(place, name, text) {
  if (place.children.length !== 2) place.replaceChildren(make('bdi'), ': ', make('bdi'));
  setText(place.children[0], name);
  setText(place.children[1], text);
}
