// Ids that nobody else makes.
// @ts-check

/** @param {number} count Hexadecimal digits; an even number. */
export function randomDigits(count) {
  const bytes = crypto.getRandomValues(new Uint8Array(count / 2));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
