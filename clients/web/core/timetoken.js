// Timetokens: compared, checked and split as texts of decimal digits, since no number holds them.
// @ts-check

/** The last one: 2^63 - 1. */
export const timetokenMax = '9223372036854775807';

/** A timetoken after every other one: the place of what has none yet. */
export const never = '9'.repeat(19);

/**
 * Whether one timetoken is after another.
 * @param {string} left @param {string} right
 */
export function isLater(left, right) {
  return left.length === right.length ? left > right : left.length > right.length;
}

export const isTimetoken = (/** @type {any} */ text) => typeof text === 'string' &&
  /^(0|[1-9][0-9]{0,18})$/.test(text) && (text.length < 19 || text <= timetokenMax);

/** As texts of one length they sort like numbers. */
export const sortable = (/** @type {string} */ timetoken) => timetoken.padStart(19, '0');

/**
 * Reads a timetoken's 64 bits.
 * @param {string} text
 * @param {Int32Array} halves Gets them, the lower half first: no garbage for each row.
 */
export function split(text, halves) {
  // upper * 10^8 + lower; of upper the high and the low 16 bits, so that all stays below 2^53.
  const middle = text.length - 8;
  let upper = 0;
  let lower = 0;
  for (let i = 0; i < middle; i++) upper = upper * 10 + text.charCodeAt(i) - 48;
  for (let i = Math.max(0, middle); i < text.length; i++) {
    lower = lower * 10 + text.charCodeAt(i) - 48 | 0;
  }
  const head = Math.floor(upper / 65536);
  const part = (upper - head * 65536) * 1e8 + lower;
  const over = Math.floor(part / 65536);
  const sum = head * 1e8 + over;
  const top = Math.floor(sum / 65536);
  halves[0] = sum - top * 65536 << 16 | part - over * 65536;
  halves[1] = top | 0;
}
