// Names within sentences: whatever is in one, it does not turn the text around it.
// @ts-check

/** What turns text from there on, or ends what keeps it from doing so. */
const controls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** What no direction of a sentence changes, whatever stands beside it. */
const plain = /^\p{Script=Latin}[\p{Script=Latin}\p{N} ._'’-]*$/u;

/**
 * A name for a text without markup, such as a tooltip: isolated by Unicode's means, where it has
 * something that could take part in the direction of what is around.
 * @param {string} name
 */
export function isolated(name) {
  return plain.test(name) ? name : `\u2068${name.replace(controls, '')}\u2069`;
}
