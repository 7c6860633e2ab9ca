// What a reaction looks like: an emoji, a picture of the page's, or the word that it is.
// @ts-check

/** @typedef {import('../../core/types.js').Rules} Rules */

/**
 * Pictures by values: an emoji, the address of a picture, or a node that is copied.
 * @typedef {Record<string, string|Node>|((value: string) => string|Node|null|undefined)|null}
 *   Icons
 */

/** Words that stand for a picture where nobody says otherwise; the modes of one value are two. */
const usualIcons = Object.freeze(/** @type {Record<string, string>} */ ({
  like: '👍', love: '❤️', haha: '😂', wow: '😲', sad: '😢', fire: '🔥', flag: '👍', total: '👏',
}));

const isEmoji = (/** @type {string} */ text) => /\p{Extended_Pictographic}|\p{Regional_Indicator}/u
  .test(text);

/**
 * What shows of a value.
 * @param {string} value @param {Icons} [icons] @param {Rules} [rules] Whose aliases may be emoji.
 * @returns {string|Node}
 */
export function iconOf(value, icons, rules) {
  const own = typeof icons === 'function' ? icons(value)
    : icons && Object.hasOwn(icons, value) ? icons[value] : null;
  if (own) return own;
  if (isEmoji(value)) return value;
  const alias = rules?.aliases.find((it) => it.value === value && isEmoji(it.name));
  return alias?.name ?? (Object.hasOwn(usualIcons, value) ? usualIcons[value] : value);
}

/**
 * Whether a text is the address of a picture.
 * @param {string} text
 */
export const isAddress = (text) =>
  /^(https?:|data:image\/|blob:|\.{0,2}\/)|\.(svg|png|gif|webp|avif|jpe?g)$/i.test(text);
