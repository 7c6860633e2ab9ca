// A person's picture, or the first letter of the name where there is none.
// @ts-check
import { make, setAttribute, setText } from '../base/dom.js';

/** Addresses that are remembered for having failed: then the oldest is tried once more. */
const failedMax = 1000;

/**
 * Pictures that could not be shown: rows that are made anew do not fetch them again.
 * @type {Set<string>}
 */
const failed = new Set();
// Without a network nothing can be fetched: that says nothing of the pictures.
globalThis.addEventListener?.('online', () => failed.clear());

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
 * The first letter, whole, of what somebody is called: the first that shows.
 * @param {string} name
 */
export const initialOf = (name) =>
  (name.match(/[^\p{Cc}\p{Cf}\p{M}\p{Z}]/u)?.[0] ?? '?').toLocaleUpperCase();

/**
 * The address of a picture that people gave: of another one, nothing is fetched. A relative one
 * would be of this page's own server, which knows who looks.
 * @param {unknown} address @returns {string|null}
 */
export const pictureOf = (address) =>
  typeof address === 'string' && /^https?:\/\/[^\s/]/i.test(address) ? address : null;

/**
 * Shows somebody's face in a place.
 * @param {HTMLElement} place @param {string} id @param {string} name @param {unknown} [address]
 */
export function showFace(place, id, name, address) {
  const picture = pictureOf(address);
  place.style.setProperty('--_hue', String(hueOf(id)));
  setAttribute(place, 'aria-hidden', 'true');
  if (picture === null || failed.has(picture)) {
    setText(place, initialOf(name));
    return;
  }
  if (place.querySelector('img')?.getAttribute('src') === picture) return;
  const image = make('img', { src: picture, alt: '', loading: 'lazy', decoding: 'async',
    referrerpolicy: 'no-referrer', on: { error: () => {
      fail(picture);
      // By then it may be somebody else's place.
      if (image.parentNode === place) setText(place, initialOf(name));
    } } });
  place.replaceChildren(image);
}

/** @param {string} picture It cannot be shown: it is as if there were none. */
function fail(picture) {
  failed.add(picture);
  for (const oldest of failed) {
    if (failed.size <= failedMax) return;
    failed.delete(oldest);
  }
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
