// How keys go through a list of messages.
// @ts-check
import { focused } from '../base/float.js';
import { rows } from './message-row.js';

/** @typedef {any} SyncMessages The list that it is of. */

/**
 * Arrows go from message to message, Enter says what can be done with one.
 * @param {KeyboardEvent} event @param {SyncMessages} list @param {HTMLElement} log
 * @param {import('./viewport.js').Viewport} viewport
 */
export function goByKey(event, list, log, viewport) {
  const at = focused();
  const row = at && rows.get(at);
  if (event.key === 'Enter' && row?.item) {
    event.preventDefault();
    list.openPicker(row.item, row.element.querySelector('.said'));
    return;
  }
  const isUp = event.key === 'ArrowUp';
  if ((!isUp && event.key !== 'ArrowDown') || (at !== log && !row)) return;
  event.preventDefault();
  const { items } = list;
  const current = row?.item ? items.indexOf(row.item) : viewport.edges[1] + 1;
  const next = Math.max(0, Math.min(items.length - 1, current + (isUp ? -1 : 1)));
  if (!items[next]) return;
  viewport.reveal(next);
  viewport.row(items[next].key)?.element.focus({ preventScroll: true });
}
