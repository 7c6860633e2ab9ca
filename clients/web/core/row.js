// A reaction that stands: its key, and whether something is one.
// @ts-check
import { isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';

/** What the reactions of a message have in common that people see as one: each user has one. */
export const groupKey = (/** @type {string} */ type, /** @type {string} */ value) =>
  `${type.length}:${type}${value.length}:${value}`;

/** What a message has only one of. */
export const rowKey = (/** @type {string} */ type, /** @type {string} */ value,
  /** @type {string} */ uuid) => groupKey(type, value) + uuid;

export const isRow = (/** @type {any} */ row) => row && isTimetoken(row.messageTimetoken) &&
  isTimetoken(row.actionTimetoken) &&
  [row.type, row.value, row.uuid].every(isText);
