// What events do to the messages and reactions of a cache.
// @ts-check
import { clear } from './clearing.js';
import { rowOf } from './row.js';
import { isLater } from './timetoken.js';

/** @typedef {import('./messages.js').Messages} Messages */
/** @typedef {import('./rows.js').Rows} Rows */

/**
 * Somebody reacted, or took it back; or a moderator took many back.
 * @param {{rows: Rows}} cache @param {any} event
 */
export function act({ rows }, event) {
  if (event.d.event === 'cleared') return clear(rows, event.d.data, event.p.t);
  const row = rowOf(event);
  if (event.d.event === 'added') return rows.put(row);
  const standing = rows.find(row.messageTimetoken, row.type, row.value, row.uuid);
  if (standing && !isLater(standing.actionTimetoken, row.actionTimetoken)) rows.drop(standing);
}

/**
 * Messages were deleted, and what stood on them.
 * @param {{rows: Rows, messages: Messages, dropMessage: (timetoken: string) => void}} cache
 * @param {any} event
 */
export function remove(cache, event) {
  const { after, through } = event.d.data;
  const isIn = (/** @type {string} */ at) => isLater(at, after) && !isLater(at, through);
  for (const timetoken of cache.messages.keys()) if (isIn(timetoken)) cache.dropMessage(timetoken);
  for (const timetoken of cache.rows.messages()) {
    if (!isIn(timetoken)) continue;
    // What was added after the deletion stands.
    for (const row of [...cache.rows.groups(timetoken).values()].flatMap((it) => [...it])) {
      if (!isLater(row.actionTimetoken, event.p.t)) cache.rows.drop(row);
    }
  }
}
