// One message as a list shows it: the cache, overlaid with the outbox.
// @ts-check
import { laneOf, standingAfter, standingOf } from './entry.js';
import { rowKey } from './row.js';
import { takesPlace } from './rules.js';
import { never, sortable } from './timetoken.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').ItemAction} ItemAction */
/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./types.js').Rules} Rules */
/** @typedef {import('./cache.js').ChannelCache} ChannelCache */

/** @param {Item} left @param {Item} right */
export function isSameItem(left, right) {
  // Not by ===: an own message is told once, also when the cache's copy takes its place.
  return isEqual(left.payload, right.payload) && left.pending === right.pending &&
    left.timetoken === right.timetoken && left.actions.length === right.actions.length &&
    left.actions.every((action, i) => {
      const other = right.actions[i];
      return action.uuid === other.uuid && action.value === other.value &&
        action.type === other.type && action.pending === other.pending &&
        action.actionTimetoken === other.actionTimetoken;
    });
}

/**
 * Whether two JSON values are the same, in whatever order their members are.
 * @param {any} left @param {any} right @returns {boolean}
 */
function isEqual(left, right) {
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object' ||
    Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  const isSame = (/** @type {string} */ name) =>
    Object.hasOwn(right, name) && isEqual(left[name], right[name]);
  return names.length === Object.keys(right).length && names.every(isSame);
}

/**
 * Whether two messages say the same.
 * @param {any} left @param {any} right
 */
export const isSameContent = (left, right) => isEqual(left.payload, right.payload) &&
  isEqual(left.meta ?? null, right.meta ?? null) &&
  (left.messageType ?? null) === (right.messageType ?? null);

/**
 * A message of the cache as it shows, overlaid with the outbox.
 * @param {ChannelCache} cache @param {Message} message
 * @param {Entry[]} wishes About its reactions. @param {string} user Whose wishes they are.
 * @returns {Item}
 */
export function itemOf(cache, message, wishes, user) {
  /** @type {Map<string, ItemAction>} */
  const actions = new Map();
  for (const group of cache.rows.groups(message.timetoken).values()) {
    for (const { type, value, uuid, actionTimetoken } of group) {
      const key = rowKey(type, value, uuid);
      actions.set(key, { type, value, uuid, actionTimetoken, pending: false });
    }
  }
  for (const wish of wishes) {
    const { type = '', value = '', acknowledged } = wish;
    const key = rowKey(type, value, user);
    const shown = actions.get(key);
    const before = shown ? shown.actionTimetoken ?? never : null;
    const standing = standingAfter(before, wish);
    if (standing === null) {
      actions.delete(key);
    } else if (standing !== before) {
      const actionTimetoken = acknowledged;
      actions.set(key, { type, value, uuid: user, actionTimetoken, pending: !acknowledged });
    }
    if (wish.present && takesPlace(cache.rules, wish)) dropOthers(actions, wish, user, cache.rules);
  }
  // Those without a timetoken last, as they were wished.
  const place = (/** @type {ItemAction} */ it) => sortable(it.actionTimetoken ?? never);
  const sorted = [...actions.values()].sort((left, right) =>
    Number(place(left) > place(right)) - Number(place(left) < place(right)));
  return { ...message, key: message.timetoken, pending: false, actions: sorted };
}

/**
 * Takes out the user's reactions that one takes the place of.
 * @param {Map<string, ItemAction>} actions @param {Entry} wish @param {string} user
 * @param {Rules} rules
 */
function dropOthers(actions, wish, user, rules) {
  for (const [key, { type, value, uuid, actionTimetoken }] of actions) {
    if (uuid !== user || type !== 'reaction' || value === wish.value) continue;
    const lane = laneOf({ ...wish, type, value });
    if (standingOf(actionTimetoken ?? never, wish, lane, rules) === null) actions.delete(key);
  }
}
