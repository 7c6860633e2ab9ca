// Reactions that the daemon has summed up: what is asked for, and what comes.
// @ts-check
import { isCount, isKey, isObject, isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';
import { checkTimetoken } from './writes.js';

/** @typedef {import('./types.js').Summary} Summary */

/** Messages of one question. */
const messagesMax = 100;

/**
 * What a question names, as the daemon reads it; throws unless it is of messages.
 * @param {any} messages
 */
export function summariesOf(messages) {
  if (!Array.isArray(messages) || messages.length < 1 || messages.length > messagesMax) {
    throw new RangeError(`Summaries are asked for of 1 to ${messagesMax} messages, in a list.`);
  }
  return messages.map((it) => {
    if (!isObject(it)) {
      checkTimetoken(it);
      return it;
    }
    checkTimetoken(it.messageTimetoken);
    if (!isKey(it.hash)) throw new TypeError('A hash is that of a summary.');
    return { m: it.messageTimetoken, h: it.hash };
  });
}

const isGroup = (/** @type {any} */ it) => isObject(it) && isText(it.t) && isText(it.v) &&
  isCount(it.n) && isCount(it.s ?? it.n) && isTimetoken(it.f) && isTimetoken(it.l) &&
  Array.isArray(it.u) && it.u.every(isText);

/** Whether the daemon's summary of a message can be read. */
export const isSummary = (/** @type {any} */ it) => isObject(it) && isTimetoken(it.m) &&
  isTimetoken(it.t) && isKey(it.h) && isCount(it.x ?? 0) &&
  Array.isArray(it.g) && it.g.every(isGroup);

/**
 * A summary in words.
 * @param {any} said @returns {Summary}
 */
export const readSummary = ({ m, t, h, x = 0, g }) => ({
  messageTimetoken: m, position: t, hash: h, omitted: x,
  reactions: g.map((/** @type {any} */ it) => ({
    type: it.t, value: it.v, count: it.n, score: it.s ?? it.n, first: it.f, last: it.l,
    authors: it.u, clipped: it.n > it.u.length })),
});
