// Values as each language writes them, with nothing in them that a reader would not see.
// @ts-check

/**
 * What a page or a terminal does not show as it is: controls, what has no width or turns the
 * direction of the text around it, and other line ends. Joiners and the selectors of emoji are part
 * of many a text, and stay.
 */
const unseen =
  /[\x7f-\x9f\u2028\u2029]|(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

const hex = (/** @type {string} */ it) => Number(it.codePointAt(0)).toString(16);

const unit = (/** @type {string} */ it) => `\\u${hex(it).padStart(4, '0')}`;

/** @param {any} it @param {(one: string) => string} write What a reader would not see. */
const escaped = (it, write) => (JSON.stringify(it) ?? 'null').replace(unseen, write);

/** As JSON, whose escapes are those of texts in JavaScript, too. */
export const json = (/** @type {any} */ it) =>
  escaped(it, (one) => one.split('').map(unit).join(''));

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
  if (typeof it !== 'object') {
    // Two halves of a pair are two characters there.
    return escaped(it, (one) => one.length > 1 ? `\\U${hex(one).padStart(8, '0')}` : unit(one));
  }
  const members = Object.entries(it).map(([key, value]) => `${python(key)}: ${python(value)}`);
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
