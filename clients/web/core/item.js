// One message as a list shows it: the cache, overlaid with the outbox.
// @ts-check
import { isEqual } from './shapes.js';
import { saidBy, versionsOf } from './versions.js';
import { View, nothing } from './view.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').ItemAction} ItemAction */
/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./cache.js').ChannelCache} ChannelCache */

/** @param {Item} left @param {Item} right */
export function isSameItem(left, right) {
  // Not by ===: an own message is told once, also when the cache's copy takes its place.
  return isSameContent(left, right) && left.uuid === right.uuid &&
    left.pending === right.pending && left.timetoken === right.timetoken &&
    left.versions === right.versions && left.isDeleted === right.isDeleted &&
    left.threadCount === right.threadCount &&
    (viewOf(left) ?? nothing).isSame(viewOf(right) ?? nothing);
}

/**
 * Whether two messages say the same.
 * @param {any} left @param {any} right
 */
export const isSameContent = (left, right) => isEqual(left.payload, right.payload) &&
  isEqual(left.meta ?? null, right.meta ?? null) &&
  (left.messageType ?? null) === (right.messageType ?? null) &&
  (left.parent ?? null) === (right.parent ?? null);

/**
 * Where an item has what its reactions were made of. Not enumerable: a copy may get other actions.
 * A function: what it returns is out of the reach of the proxies of page frameworks.
 */
const viewKey = Symbol('view');

/** @param {any} item @returns {View|null} Null when it is no item of a list, or a copy of one. */
export const viewOf = (item) => item[viewKey]?.() ?? null;

/**
 * What is on its way about a message: wishes about its actions, its author's edits, and what goes.
 * @typedef {{actions: Entry[], edits: Entry[]}} Pending
 */

/** @type {Pending} */
const nothingPending = { actions: [], edits: [] };

/**
 * A message of the cache as it shows, overlaid with the outbox.
 * @param {ChannelCache} cache @param {Message} message @param {string} key The item's.
 * @param {string} user Whose wishes they are. @param {Pending} [pending]
 * @param {number} [more] Replies in its thread that show beside the cache's; negative: that do not.
 * @returns {Item}
 */
export function itemOf(cache, message, key, user, pending = nothingPending, more = 0) {
  const { timetoken, uuid } = message;
  const groups = cache.rows.groups(timetoken);
  const view = View.of(groups, pending.actions, user, cache.rules);
  const { count, payload, isDeleted } = uuid === user
    ? versionsOf(message, view.own, pending.edits)
    : versionsOf(message, saidBy(groups, uuid));
  /** @type {ItemAction[]|null} */
  let actions = null;
  const item = {
    ...message, payload, key, pending: false, versions: count, isEdited: count > 0, isDeleted,
    threadCount: cache.messages.repliesTo(timetoken).size + more,
    // Only when somebody asks: a message may have any number of them.
    get actions() {
      return actions ??= view.actions();
    },
  };
  if (view === nothing) return item;
  return Object.defineProperty(item, viewKey, { value: () => view });
}

/**
 * A message of this device that the cache does not have yet.
 * @param {Entry} entry @param {string} user @returns {Item}
 */
export function ownItemOf(entry, user) {
  const { mutation: key, acknowledged: timetoken, payload, meta, messageType, parent } = entry;
  return {
    key, timetoken, uuid: user, payload, meta, messageType, ...parent ? { parent } : {},
    pending: timetoken === null, versions: 0, isEdited: false, isDeleted: false, threadCount: 0,
    actions: [],
  };
}
