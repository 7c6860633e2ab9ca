// A checksum of what a store keeps: for accidents, not against anybody.
// @ts-check

/** The prime of FNV is 2^40 + 0x1b3. */
const prime = 0x1b3;

/**
 * FNV-1a of 64 bits over a text's UTF-8, in hexadecimal. The number is in two halves, and the
 * lower one is multiplied in parts: what is over 32 bits belongs to the upper one.
 * @source Fowler, Noll and Vo.
 * @param {string} text
 */
export function checksumOf(text) {
  let [lower, upper] = [0x84222325, 0xcbf29ce4];
  for (const byte of new TextEncoder().encode(text)) {
    lower = (lower ^ byte) >>> 0;
    const product = lower * prime;
    // 2^40 times the number is its lowest 24 bits in the upper half.
    upper = Math.imul(upper, prime) + Math.floor(product / 2 ** 32) + (lower << 8) >>> 0;
    lower = product >>> 0;
  }
  return [upper, lower].map((it) => it.toString(16).padStart(8, '0')).join('');
}

/** What a value says, as a text: without what a store adds to it. */
const said = (/** @type {any} */ { checksum, order, ...value }) => JSON.stringify(value);

/**
 * A value as it is stored: with a checksum of all that it says.
 * @template {object} Value @param {Value} value @returns {Value & {checksum: string}}
 */
export const stored = (value) => ({ ...value, checksum: checksumOf(said(value)) });

/**
 * Whether it is what was stored.
 * @param {any} kept
 */
export const isWhole = (kept) => kept?.checksum === checksumOf(said(kept ?? {}));
