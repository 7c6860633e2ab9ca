// Unpacks the rows and the timetokens of a repair's reply.
// @ts-check
import { Reader } from './reader.js';
import { isScore, scored } from './row.js';

/** @typedef {import('./types.js').Row} Row */

/**
 * Rows of a repair's reply.
 * @param {Uint8Array} bytes @returns {Row[]}
 */
export function unpackRows(bytes) {
  const reader = new Reader(bytes);
  const texts = Array.from({ length: reader.number() }, () => reader.text());
  const text = () => {
    const index = reader.number();
    if (index >= texts.length) throw new Error(`A repair cannot be read: no text ${index}.`);
    return texts[index];
  };
  const rows = [];
  let added = 0n;
  while (!reader.isAtEnd) {
    let ticks = reader.long();
    let score = 1;
    if (ticks === 0n) {
      // No two rows have one timetoken: a difference of 0 says that a score comes.
      score = reader.number();
      if (!isScore(score) || score === 1) throw new Error('A repair cannot be read: no score.');
      ticks = reader.long();
    }
    added += ticks;
    const age = reader.long();
    const message = added - ((age >> 1n) ^ -(age & 1n));
    rows.push({
      messageTimetoken: String(message), type: text(), value: text(), uuid: text(),
      actionTimetoken: String(added), ...scored(score),
    });
  }
  return rows;
}

/**
 * Timetokens to drop.
 * @param {Uint8Array} bytes @returns {string[]}
 */
export function unpackTimetokens(bytes) {
  const reader = new Reader(bytes);
  const timetokens = [];
  for (let last = 0n; !reader.isAtEnd;) timetokens.push(String(last += reader.long()));
  return timetokens;
}
