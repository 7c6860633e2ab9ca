// Values as each language writes them, with nothing in them that a reader would not see.
// @ts-check

/**
 * What a page or a terminal does not show as it is: controls, what turns the direction of the text
 * around it, and other line ends. Joiners are part of many an emoji, and stay.
 */
const unseen = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const hex = (/** @type {string} */ it) => it.charCodeAt(0).toString(16);

/** As JSON, whose escapes are those of texts in JavaScript and Python, too. */
export const json = (/** @type {any} */ it) =>
  (JSON.stringify(it) ?? 'null').replace(unseen, (one) => `\\u${hex(one).padStart(4, '0')}`);

/** For JavaScript, where a member of this name would set a prototype. */
export const javaScript = (/** @type {any} */ it) =>
  json(it).replace(/(?<=[{,])"__proto__":/g, '["__proto__"]:');

/** A text for Swift. */
export const swift = (/** @type {any} */ it) => {
  const text = String(it).replace(/["\\]/g, '\\$&')
    .replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')
    .replace(/[\0-\x1f]/g, (one) => `\\u{${hex(one)}}`)
    .replace(unseen, (one) => `\\u{${hex(one)}}`);
  return `"${text}"`;
};

/**
 * A value as Python writes it.
 * @param {any} it @returns {string}
 */
export function python(it) {
  if (it === null || it === undefined) return 'None';
  if (typeof it === 'boolean') return it ? 'True' : 'False';
  if (Array.isArray(it)) return `[${it.map(python).join(', ')}]`;
  if (typeof it !== 'object') return json(it);
  const members = Object.entries(it).map(([key, value]) => `${json(key)}: ${python(value)}`);
  return `{${members.join(', ')}}`;
}

const encoder = new TextEncoder();

/** A text for a shell, which has no escapes: what is unseen, printf writes there. */
export const shell = (/** @type {any} */ it) => {
  const text = String(it).replaceAll("'", `'\\''`);
  const printed = (/** @type {string} */ one) => {
    const bytes = [...encoder.encode(one)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
    return `'"$(printf '${bytes.join('')}')"'`;
  };
  return `'${text.replace(/[\x01-\x09\x0b-\x1f]/g, printed).replace(unseen, printed)}'`;
};
