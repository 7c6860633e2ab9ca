// The reactions of a message as people see them: groups, their order, and how a count is written.
// @ts-check
import { viewOf } from './item.js';
import { groupKey, isVersion } from './row.js';
import { sortable } from './timetoken.js';
import { authorsMax } from './view.js';

/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./types.js').ItemAction} ItemAction */
/** @typedef {import('./types.js').Reaction} Reaction */

/** What people are offered where nobody decided otherwise. */
export const usualReactions = Object.freeze(['👍', '❤️', '😂', '😲', '😢', '🔥']);

/**
 * The reactions of a message, one for each type and value, in the order of `first`; what its author
 * made of it (`edited`, `deleted`) is none. Of an item of a list it costs as much as there are
 * values, when `userId` is the client's; else the actions are counted.
 * @param {Item} item @param {string} userId Whose are `isMine`.
 * @returns {Reaction[]}
 */
export function reactionsOf(item, userId) {
  const view = viewOf(item);
  const groups = view && view.user === userId ? view.reactions() : counted(item.actions, userId);
  return groups.sort(reactionOrders.first);
}

/**
 * @param {readonly ItemAction[]} actions In their order, those on their way last.
 * @param {string} userId @returns {Reaction[]}
 */
function counted(actions, userId) {
  /** @type {Map<string, Reaction>} */
  const groups = new Map();
  for (const { type, value, uuid, actionTimetoken, score = 1, pending } of actions) {
    if (isVersion(type)) continue;
    const key = groupKey(type, value);
    const group = groups.get(key) ?? { type, value, count: 0, score: 0, isMine: false, ownScore: 0,
      isPending: false, first: null, last: null, authors: [], clipped: false };
    groups.set(key, group);
    group.count++;
    group.score += score;
    if (uuid === userId) [group.isMine, group.ownScore] = [true, score];
    if (pending) group.isPending = true;
    group.first ??= actionTimetoken;
    group.last = actionTimetoken ?? group.last;
    group.authors.unshift(uuid);
    if (group.authors.length > authorsMax) group.authors.pop();
    group.clipped = group.count > authorsMax;
  }
  return [...groups.values()];
}

const less = (/** @type {any} */ left, /** @type {any} */ right) =>
  Number(left > right) - Number(left < right);
const byName = (/** @type {Reaction} */ left, /** @type {Reaction} */ right) =>
  less(left.type, right.type) || less(left.value, right.value);
const place = (/** @type {string|null} */ it) => it === null ? '~' : sortable(it);

/** Orders for `Array.prototype.sort`; each is total, so that nothing changes places by itself. */
export const reactionOrders = Object.freeze({
  /** As they first appeared; those on their way last. */
  first: (/** @type {Reaction} */ left, /** @type {Reaction} */ right) =>
    less(place(left.first), place(right.first)) || byName(left, right),
  /** The one that somebody added most recently first; those on their way before all. */
  latest: (/** @type {Reaction} */ left, /** @type {Reaction} */ right) =>
    less(place(right.last), place(left.last)) || byName(left, right),
  /** The one that most people added first. */
  count: (/** @type {Reaction} */ left, /** @type {Reaction} */ right) =>
    right.count - left.count || byName(left, right),
  /** The one that counts for most first. */
  score: (/** @type {Reaction} */ left, /** @type {Reaction} */ right) =>
    right.score - left.score || less(place(left.first), place(right.first)) || byName(left, right),
  /** By the value alone. */
  value: byName,
  /** Those of a list in its order, then the others. */
  fixed: (/** @type {readonly string[]} */ values) => {
    const at = (/** @type {Reaction} */ { value }) =>
      values.includes(value) ? values.indexOf(value) : values.length;
    return (/** @type {Reaction} */ left, /** @type {Reaction} */ right) =>
      at(left) - at(right) || byName(left, right);
  },
});

/**
 * A count as it is shown: 99+ for more than `most`.
 * @param {number} count
 */
export function countText(count, most = 99) {
  return count > most ? `${most}+` : String(count);
}
