// What replies have to look like, and what their errors mean.
// @ts-check
import { isKey, isObject, isState, isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */

/** Refusals that are about the token that was shown, or was not: another one may be good. */
export const tokenCodes = ['token_missing', 'token_invalid', 'token_expired', 'token_revoked'];

/** Whether an error says: not applied, as far as the daemon knows; try again later. */
export const isForNow = (/** @type {any} */ error) => error.status === 429 || error.status >= 500;

/**
 * Whether a command that was refused is to be sent again: later, or once the daemon has another
 * token. It closes a session whose token is over, and answers some commands before.
 */
export const isWorthRetrying = (/** @type {any} */ error) =>
  isForNow(error) || tokenCodes.includes(error.code);

/**
 * Whether the reply to a subscribe is one.
 * @param {any} ok @param {string[]} names Those asked.
 */
export function isSubscribed(ok, names) {
  const isGood = Array.isArray(ok.channels) && ok.channels.every(
    (/** @type {any} */ it) => isObject(it) && isText(it.name) && isText(it.mode) &&
      isTimetoken(it.cursor) && (it.key === undefined || isKey(it.key)) &&
      ((it.s ?? null) === null || isState(it.s)));
  const told = new Set(isGood ? ok.channels.map((/** @type {any} */ it) => it.name) : []);
  return names.every((name) => told.has(name));
}

/**
 * Whether the reply to a write is one.
 * @param {Entry} entry @param {any} ok
 */
export const isWritten = ({ kind, present }, ok) => kind === 'publish' ? isTimetoken(ok.timetoken)
  : present || kind === 'edit' ? isTimetoken(ok.action?.actionTimetoken) : isText(ok.applied);

/** What stands for a reply that cannot be read: the command is tried again, later each time. */
export const unreadableReply = {
  status: 500, code: 'unreadable', message: 'The reply cannot be read.',
};
