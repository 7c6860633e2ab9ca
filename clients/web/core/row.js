// A reaction that stands: which group it is in, and whether something is one.
// @ts-check
import { isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';

/** What the reactions of a message have in common that people see as one: each user has one. */
export const groupKey = (/** @type {string} */ type, /** @type {string} */ value) =>
  `${type.length}:${type}${value.length}:${value}`;

/** The types of what PubNub's chat SDKs, and `editMessage`, say of a message. */
export const editedType = 'edited';
export const deletedType = 'deleted';

/** What authors make of their own messages: it is no reaction. */
export const isVersion = (/** @type {string} */ type) =>
  type === editedType || type === deletedType;

/** What a reaction may count for. */
export const scoreMax = 1_000_000_000;

/** What a reaction counts for. */
export const scoreOf = (/** @type {{score?: number}} */ row) => row.score ?? 1;

export const isScore = (/** @type {any} */ it) =>
  Number.isSafeInteger(it) && it >= 1 && it <= scoreMax;

/** A row's score as a member, which only one that is not 1 has: on the wire, and in stores. */
export const scored = (/** @type {number|null|undefined} */ score) =>
  (score ?? 1) === 1 ? {} : { score: /** @type {number} */ (score) };

export const isRow = (/** @type {any} */ row) => row && isTimetoken(row.messageTimetoken) &&
  isTimetoken(row.actionTimetoken) &&
  [row.type, row.value, row.uuid].every(isText) && isScore(row.score ?? 1);

/**
 * The row that an event names.
 * @param {any} event @returns {import('./types.js').Row}
 */
export function rowOf({ i, d }) {
  const { messageTimetoken, type, value, actionTimetoken, score } = d.data;
  // Stores have actions that nobody signed: they count in the digest like all others.
  return { messageTimetoken, type, value, uuid: i ?? '', actionTimetoken, ...scored(score) };
}
