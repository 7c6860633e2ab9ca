// Every emoji that Unicode recommends, found by its name, in the skin tone that a person prefers.
// @ts-check

/**
 * An emoji, its name, what else it is found by, and whether there are skin tones of it.
 * @typedef {{emoji: string, name: string, words: string, isToned: boolean}} Emoji
 */
/** @typedef {{name: string, emoji: Emoji[]}} EmojiGroup */

/** From none to the darkest, as Unicode has them. */
export const tones = Object.freeze(['', '🏻', '🏼', '🏽', '🏾', '🏿']);

/**
 * Reads a table: for each group its name and its emoji, each a `*` where it has tones, the emoji,
 * its name, and behind a `~` what else it is found by.
 * @param {readonly (readonly [string, string])[]} table
 * @returns {EmojiGroup[]}
 */
export function readTable(table) {
  return table.map(([name, text]) => ({ name, emoji: text.split('|').map(readEmoji) }));
}

/** @param {string} text @returns {Emoji} */
function readEmoji(text) {
  const [said, words = ''] = text.replace(/\s+/g, ' ').trim().split('~');
  const isToned = said.startsWith('*') && said[1] !== '\uFE0F';
  const space = said.indexOf(' ');
  return { emoji: said.slice(isToned ? 1 : 0, space), name: said.slice(space + 1), words, isToned };
}

/**
 * An emoji in a tone: one behind each person of it.
 * @param {string} emoji Without one. @param {number} tone From 0, none, to 5.
 */
export function withTone(emoji, tone) {
  if (!tones[tone]) return emoji;
  // Of two who hold hands the hands are no third.
  const isSequence = emoji.includes('\u200D');
  return emoji.replace(/(\p{Emoji_Modifier_Base})\uFE0F?/gu, (all, base) =>
    isSequence && base === '🤝' ? all : base + tones[tone]);
}

/**
 * Without marks and capitals.
 * @param {string} text
 */
const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * The emoji that somebody looks for: each word begins one of the name. Those whose name begins with
 * it come first.
 * @param {readonly EmojiGroup[]} groups @param {string} query @param {number} [most]
 * @returns {Emoji[]}
 */
export function search(groups, query, most = 120) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  /** @type {Emoji[][]} By how well they fit. */
  const found = [[], [], []];
  for (const { emoji } of groups) {
    for (const it of emoji) {
      if (it.emoji === query.trim()) {
        found[0].unshift(it);
        continue;
      }
      const name = plain(it.name);
      const parts = `${name} ${it.words}`.split(/[^\p{L}\p{N}+]+/u);
      if (!words.every((word) => parts.some((part) => part.startsWith(word)))) continue;
      const rank = name === words.join(' ') ? 0 : name.startsWith(words[0]) ? 1 : 2;
      found[rank].push(it);
    }
  }
  return found.flat().slice(0, most);
}
