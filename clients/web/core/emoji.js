// One spelling for each emoji.
// @ts-check

/**
 * A text without white space around it and, when it is one emoji, in the spelling of Unicode's list
 * (fully qualified, UTS 51): ❤ becomes ❤️, and two people who mean the same are one group.
 * @param {string} text
 */
export function canonicalEmoji(text) {
  const trimmed = text.trim();
  if (/^[0-9#*]\uFE0F?\u20E3$/u.test(trimmed)) return `${trimmed[0]}\uFE0F\u20E3`;
  if (!oneEmoji.test(trimmed) || /^[0-9#*]/.test(trimmed)) return trimmed;
  return trimmed.replace(/(\p{Emoji})\uFE0F?(\p{Emoji_Modifier})?/gu,
    (_, base, modifier) => modifier ? base + modifier
      : /\p{Emoji_Presentation}/u.test(base) ? base : `${base}\uFE0F`);
}

/** Pictures joined to one; not those that a person asked to be shown as text. */
const oneEmoji =
  /^\p{Emoji}\uFE0F?\p{Emoji_Modifier}?(?:\u200D\p{Emoji}\uFE0F?\p{Emoji_Modifier}?)*$/u;
