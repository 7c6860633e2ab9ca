// A reaction that stands: which group it is in, and whether something is one.
// @ts-check
import { isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';

/** What the reactions of a message have in common that people see as one: each user has one. */
export const groupKey = (/** @type {string} */ type, /** @type {string} */ value) =>
  `${type.length}:${type}${value.length}:${value}`;

export const isRow = (/** @type {any} */ row) => row && isTimetoken(row.messageTimetoken) &&
  isTimetoken(row.actionTimetoken) &&
  [row.type, row.value, row.uuid].every(isText);
