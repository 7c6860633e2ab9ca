// Bytes as text and text as bytes: hexadecimal, base64, UTF-8.
// @ts-check

/** A word of 32 bits as eight digits. */
export const hexadecimal = (/** @type {number} */ word) =>
  (word >>> 0).toString(16).padStart(8, '0');

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return btoa(text);
}

/** @param {string} text */
export const fromBase64 = (text) => Uint8Array.from(atob(text), (digit) => digit.charCodeAt(0));

/** How many bytes a text has in UTF-8. */
export const bytesOf = (/** @type {string} */ text) => new TextEncoder().encode(text).length;
