// One message as a list shows it: the cache, overlaid with the outbox.
// @ts-check
import { View, nothing } from './view.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').ItemAction} ItemAction */
/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./cache.js').ChannelCache} ChannelCache */

/** @param {Item} left @param {Item} right */
export function isSameItem(left, right) {
  // Not by ===: an own message is told once, also when the cache's copy takes its place.
  return isEqual(left.payload, right.payload) && left.pending === right.pending &&
    left.timetoken === right.timetoken &&
    (viewOf(left) ?? nothing).isSame(viewOf(right) ?? nothing);
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
 * Where an item has what its reactions were made of. Not enumerable: a copy may get other actions.
 * A function: what it returns is out of the reach of the proxies of page frameworks.
 */
const viewKey = Symbol('view');

/** @param {any} item @returns {View|null} Null when it is no item of a list, or a copy of one. */
export const viewOf = (item) => item[viewKey]?.() ?? null;

/**
 * A message of the cache as it shows, overlaid with the outbox.
 * @param {ChannelCache} cache @param {Message} message @param {string} key The item's.
 * @param {Entry[]} wishes About its reactions. @param {string} user Whose wishes they are.
 * @returns {Item}
 */
export function itemOf(cache, message, key, wishes, user) {
  const view = View.of(cache.rows.groups(message.timetoken), wishes, user, cache.rules);
  if (view === nothing) return { ...message, key, pending: false, actions: [] };
  /** @type {ItemAction[]|null} */
  let actions = null;
  const item = {
    ...message, key, pending: false,
    // Only when somebody asks: a message may have any number of them.
    get actions() {
      return actions ??= view.actions();
    },
  };
  return Object.defineProperty(item, viewKey, { value: () => view });
}
