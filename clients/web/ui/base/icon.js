// What a reaction looks like, as a node: an emoji, a picture or a word.
// @ts-check
import { iconOf, isAddress } from '../model/icons.js';
import { make, setText } from './dom.js';

/** @typedef {import('../model/icons.js').Icons} Icons */
/** @typedef {import('../../core/types.js').Rules} Rules */

/** What each place shows, so that nothing is made anew that is there. */
const shown = new WeakMap();

/**
 * Shows the icon of a value in a place.
 * @param {HTMLElement} place @param {string} value @param {Icons} [icons] @param {Rules} [rules]
 */
export function showIcon(place, value, icons, rules) {
  const icon = iconOf(value, icons, rules);
  if (shown.get(place) === icon) return;
  shown.set(place, icon);
  if (typeof icon !== 'string') place.replaceChildren(icon.cloneNode(true));
  else if (isAddress(icon)) place.replaceChildren(make('img', { src: icon, alt: value }));
  else setText(place, icon);
}

/**
 * A word for a value: itself, or what its emoji is.
 * @param {string} value @param {Icons} [icons] @param {Rules} [rules]
 */
export function spoken(value, icons, rules) {
  const icon = iconOf(value, icons, rules);
  return typeof icon === 'string' && !isAddress(icon) ? icon : value;
}
