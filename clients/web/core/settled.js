// Which entries of the outbox can go, because the cache shows what they did.
// @ts-check
import { laneOf } from './entry.js';
import { isLater } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./cache.js').ChannelCache} ChannelCache */
/** @typedef {import('./unstored.js').Unstored} Unstored */

/**
 * Whether the cache shows what an acknowledged entry did or what became of it, or never will.
 * @param {Entry} entry @param {ChannelCache} cache @param {string} user
 * @param {Unstored} [unstored] What is known of messages that nobody stores.
 */
export function isSettled(entry, cache, user, unstored) {
  if (entry.acknowledged === null || entry.again) return false;
  if (isLater(entry.acknowledged, cache.cursor)) return !!unstored?.has(entry);
  if (entry.kind === 'delete' && entry.acknowledged === '0') {
    // Without a place of its own it found nothing: the message went earlier.
    return !cache.messages.has(entry.messageTimetoken ?? '');
  }
  if (entry.kind !== 'action' || entry.present) return true;
  const { messageTimetoken = '', type = '', value = '' } = entry;
  const row = cache.rows.find(messageTimetoken, type, value, user);
  // A page on its way may be of before the removal, and bring the action.
  if (!row) return !cache.seen || !cache.rest.contains(messageTimetoken);
  return isLater(row.actionTimetoken, entry.acknowledged);
}

/**
 * The entries that can go: settled ones, but none about a reaction before those that were wished
 * earlier. A cache that does not show an add yet would take its removal for done.
 * @param {Entry[]} entries Those of one channel. @param {ChannelCache} cache @param {string} user
 * @param {Unstored} [unstored] What is known of messages that nobody stores.
 */
export function settledOf(entries, cache, user, unstored) {
  const open = new Set();
  return entries.filter((entry) => {
    const lane = entry.kind === 'action' ? laneOf(entry) : null;
    const isGone = entry.order !== undefined && !open.has(lane) &&
      isSettled(entry, cache, user, unstored);
    if (!isGone && lane !== null) open.add(lane);
    return isGone;
  });
}
