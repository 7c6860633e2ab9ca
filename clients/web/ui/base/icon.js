// What a reaction looks like, as a node: an emoji, a picture or a word.
// @ts-check
import { isAllEmoji, lookOf } from '../model/icons.js';
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
  const look = lookOf(value, icons, rules);
  const [kind, what] = Object.entries(look)[0];
  const before = shown.get(place);
  if (before?.kind === kind && before.what === what) return;
  shown.set(place, { kind, what });
  place.classList.toggle('text', kind === 'text' && !isAllEmoji(what));
  if (kind === 'node') place.replaceChildren(what.cloneNode(true));
  else if (kind === 'text') setText(place, what);
  else place.replaceChildren(make('img', { src: what, alt: value, referrerpolicy: 'no-referrer' }));
}

/**
 * A word for a value: itself, or what its emoji is.
 * @param {string} value @param {Icons} [icons] @param {Rules} [rules]
 */
export function spoken(value, icons, rules) {
  const look = lookOf(value, icons, rules);
  return 'text' in look ? look.text : value;
}
