// What a reaction looks like: an emoji, a picture of the page's, or the word that it is.
// @ts-check
import { ofPage } from './given.js';

/** @typedef {import('../../core/types.js').Rules} Rules */

/**
 * Pictures by values: an emoji, the address of a picture, or a node that is copied.
 * @typedef {Record<string, string|Node>|((value: string) => string|Node|null|undefined)|null}
 *   Icons
 */

/** What shows of a value: a text, or the address of a picture, or a node that is copied. */
/** @typedef {{text: string}|{address: string}|{node: Node}} Look */

/** Words that stand for a picture where nobody says otherwise; the modes of one value are two. */
const usualIcons = Object.freeze(/** @type {Record<string, string>} */ ({
  like: '👍', love: '❤️', haha: '😂', wow: '😲', sad: '😢', fire: '🔥', flag: '👍', total: '👏',
}));

const isEmoji = (/** @type {string} */ text) => /\p{Extended_Pictographic}|\p{Regional_Indicator}/u
  .test(text);

/**
 * Whether a text is nothing but emoji: pictures with all that joins and tones them, and keycaps.
 * A font of emoji has digits, too, as wide as pictures.
 * @param {string} text
 */
export const isAllEmoji = (text) => allEmoji.test(text);

const allEmoji = new RegExp(String.raw`^(?:[0-9#*]\uFE0F?\u20E3|[\p{Extended_Pictographic}` +
  String.raw`\p{Regional_Indicator}\p{Emoji_Modifier}\uFE0F\u200D\u{E0020}-\u{E007F}])+$`, 'u');

/**
 * What shows of a value. An address is only what the page's `icons` say: a value is what anybody
 * may send, and the browser of whoever looks at it would ask for what it names.
 * @param {string} value @param {Icons} [icons] @param {Rules} [rules] Whose aliases may be emoji.
 * @returns {Look}
 */
export function lookOf(value, icons, rules) {
  const own = icons ? ofPage('icons', icons, () => ownOf(value, icons), () => null) : null;
  // A function that hands the value back gives no address of the page's.
  if (!own || own === value) return { text: visible(usualOf(value, rules)) };
  if (typeof own !== 'string') return { node: own };
  return isAddress(own) ? { address: own } : { text: own };
}

/** @param {string} value @param {NonNullable<Icons>} icons */
function ownOf(value, icons) {
  const own = typeof icons === 'function' ? icons(value)
    : Object.hasOwn(icons, value) ? icons[value] : null;
  if (own && typeof own !== 'string' && typeof own.cloneNode !== 'function') {
    throw new TypeError(`The icon of ${value} is neither a text nor a node.`);
  }
  return own;
}

/** @param {string} value @param {Rules} [rules] */
function usualOf(value, rules) {
  if (isEmoji(value)) return value;
  const alias = rules?.aliases.find((it) => it.value === value && isEmoji(it.name));
  return alias?.name ?? (Object.hasOwn(usualIcons, value) ? usualIcons[value] : value);
}

/** Anything but spaces, controls, and what Unicode says shows nothing by itself. */
const ink = /[^\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text shows anything. */
export const isSeen = (/** @type {string} */ text) => ink.test(text);

/**
 * A text that shows something: of one that does not, what its first character is called.
 * @param {string} text
 */
export function visible(text) {
  if (isSeen(text)) return text;
  const code = text.codePointAt(0);
  return code === undefined ? '?' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Whether a text is the address of a picture.
 * @param {string} text
 */
export const isAddress = (text) =>
  /^(https?:|data:image\/|blob:|\.{0,2}\/)|\.(svg|png|gif|webp|avif|jpe?g)$/i.test(text);
