// A person's picture, or the first letter of the name where there is none.
// @ts-check
import { make, setAttribute, setText } from '../base/dom.js';

/**
 * A colour of one's own for whoever has no picture: a hue from what one is called.
 * @param {string} id
 */
export function hueOf(id) {
  let hash = 5381;
  for (const letter of id) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x9e3779b1);
  return ((hash ^ hash >>> 15) >>> 0) % 24 * 15;
}

/**
 * The first letter, whole, of what somebody is called.
 * @param {string} name
 */
export const initialOf = (name) => (Array.from(name.trim())[0] ?? '?').toLocaleUpperCase();

/**
 * Shows somebody's face in a place.
 * @param {HTMLElement} place @param {string} id @param {string} name @param {string} [picture]
 */
export function showFace(place, id, name, picture) {
  const image = place.querySelector('img');
  place.style.setProperty('--_hue', String(hueOf(id)));
  setAttribute(place, 'aria-hidden', 'true');
  if (!picture) {
    setText(place, initialOf(name));
    return;
  }
  if (image?.getAttribute('src') === picture) return;
  // What cannot be shown is as if there were none.
  place.replaceChildren(make('img', { src: picture, alt: '', loading: 'lazy', decoding: 'async',
    referrerpolicy: 'no-referrer', on: { error: () => setText(place, initialOf(name)) } }));
}

export const faceStyle = `
.face {
  inline-size: 28px; block-size: 28px; border-radius: 50%; display: grid; place-items: center;
  overflow: hidden; font-size: var(--_small); font-weight: 600; flex: none; user-select: none;
  background: light-dark(oklch(.93 .04 var(--_hue, 260)), oklch(.32 .05 var(--_hue, 260)));
  color: light-dark(oklch(.42 .12 var(--_hue, 260)), oklch(.88 .08 var(--_hue, 260)));
}
.face img { inline-size: 100%; block-size: 100%; object-fit: cover; }
`;
