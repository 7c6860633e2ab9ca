// Reactions of a message summed up as Ably does it, from what the web client shows.
// @ts-check
import { reactionsOf } from '../../clients/web/syncclient.js';

/** @typedef {import('../../clients/web/syncclient.js').Item} Item */
/** @typedef {import('../../clients/web/syncclient.js').Reaction} Reaction */
/** @typedef {import('../../clients/web/syncclient.js').Rules['mode']} Mode */

/**
 * A message's reactions, summed up in one of Ably's ways, under its name.
 * @param {Item} item @param {string} clientId The client's. @param {Mode} mode
 * @returns {Record<string, any>}
 */
export function summaryOf(item, clientId, mode) {
  const groups = reactionsOf(item, clientId).filter(({ type }) => type === 'reaction');
  const [only] = groups;
  if (mode === 'total') return only ? { total: { total: only.score } } : {};
  if (mode === 'flag') return only ? { flag: clientsOf(only) } : {};
  const scores = mode === 'multiple' ? scoresOf(item) : new Map();
  const each = groups.map((it) => [it.value,
    mode === 'multiple' ? { total: it.score, clientIds: scores.get(it.value),
      totalUnidentified: 0, totalClientIds: it.count, clipped: false } : clientsOf(it)]);
  return { [mode]: Object.fromEntries(each) };
}

/**
 * One client's reactions to a message, summed up likewise.
 * @param {{value: string, score?: number}[]} actions @param {string} clientId @param {Mode} mode
 * @returns {Record<string, any>}
 */
export function clientSummaryOf(actions, clientId, mode) {
  const score = actions.reduce((sum, it) => sum + (it.score ?? 1), 0);
  if (mode === 'total') return score > 0 ? { total: { total: score } } : {};
  const one = { total: 1, clientIds: [clientId], clipped: false };
  if (mode === 'flag') return score > 0 ? { flag: one } : {};
  const each = actions.map(({ value, score: own = 1 }) => [value, mode === 'multiple'
    ? { total: own, clientIds: { [clientId]: own }, clipped: false } : one]);
  return { [mode]: Object.fromEntries(each) };
}

/** @param {Reaction} it The newest ten clients are named. */
const clientsOf = (it) => ({ total: it.count, clientIds: [...it.authors], clipped: it.clipped });

/**
 * What each client's reactions count for, by their values, the newest first.
 * @param {Item} item
 */
function scoresOf(item) {
  /** @type {Map<string, Record<string, number>>} */
  const found = new Map();
  for (const { type, value, uuid, score } of [...item.actions].reverse()) {
    if (type !== 'reaction') continue;
    const scores = found.get(value) ?? {};
    found.set(value, scores);
    scores[uuid] = score;
  }
  return found;
}
