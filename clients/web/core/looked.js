// Messages outside of what a device holds, as its list would show them.
// @ts-check
import { ChannelCache } from './cache.js';
import { ItemList } from './list.js';
import { messageFrom } from './messages.js';
import { deletedType, editedType } from './row.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Rules} Rules */

/**
 * Messages of a page of the history, with their reactions and what is wished about them.
 * @param {any[]} messages As the daemon has them. @param {Entry[]} entries Those of the channel.
 * @param {string} user @param {Rules} rules @returns {Item[]}
 */
export function lookedAt(messages, entries, user, rules) {
  const cache = new ChannelCache();
  cache.rules = rules;
  for (const message of messages) {
    cache.messages.set(message.timetoken, messageFrom(message));
    for (const row of [...message.actions ?? [], ...saidLast(message)]) {
      cache.rows.put({ ...row, uuid: row.uuid ?? '' });
    }
  }
  const list = new ItemList();
  list.refresh(cache, entries.filter(({ kind }) => kind !== 'publish'), user, 'all');
  const threads = new Map(messages.map((it) => [it.timetoken, it.threadCount ?? 0]));
  for (const item of list.items) item.threadCount = threads.get(item.timetoken ?? '');
  return list.items;
}

/**
 * What its author said last, which may be behind the oldest actions that a message lists.
 * @param {any} message @returns {Row[]}
 */
function saidLast({ timetoken: messageTimetoken, uuid = '', actions = [], edited, deleted }) {
  const rows = [];
  if (edited) {
    const value = JSON.stringify(edited.payload);
    rows.push({ type: editedType, value, actionTimetoken: edited.timetoken });
  }
  if (deleted) rows.push({ type: deletedType, value: '', actionTimetoken: deleted });
  const known = new Set(actions.map((/** @type {Row} */ it) => it.actionTimetoken));
  return rows.filter((it) => !known.has(it.actionTimetoken))
    .map((it) => ({ ...it, messageTimetoken, uuid }));
}
