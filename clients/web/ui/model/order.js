// The order of a message's reactions: by any comparator, and never one that moves under a finger.
// @ts-check
import { reactionOrders } from '../../core/reactions.js';
import { ofPage } from './given.js';

/** @typedef {import('../../core/types.js').Reaction} Reaction */
/** @typedef {(left: Reaction, right: Reaction) => number} Compare */
/** @typedef {Compare|readonly string[]|string|null|undefined} Order */

/** What a reaction is among those of its message. */
export const keyOf = (/** @type {{type: string, value: string}} */ { type, value }) =>
  `${type}\0${value}`;

/**
 * A comparator of what a page says: one of its own, the name of one of `reactionOrders`, or values
 * in their order. It is total, so that equal ones have an order, too.
 * @param {Order} order
 * @returns {Compare}
 */
export function compareBy(order) {
  const { first } = reactionOrders;
  if (typeof order === 'function') {
    return (left, right) =>
      // Who compares timetokens may come to a BigInt, which sorting does not take.
      ofPage('order', order, () => Number(order(left, right)), () => 0) || first(left, right);
  }
  const compare = Array.isArray(order) ? reactionOrders.fixed(order)
    : typeof order === 'string' ? named(order) : first;
  return (left, right) => compare(left, right) || first(left, right);
}

/** @param {string} name @returns {Compare} */
function named(name) {
  if (/[^\w-]/.test(name)) return reactionOrders.fixed(name.split(/[\s,]+/).filter(Boolean));
  const orders = /** @type {Record<string, any>} */ (reactionOrders);
  return name !== 'fixed' && Object.hasOwn(orders, name) ? orders[name] : reactionOrders.first;
}

/**
 * Reactions in their order. Where `held` names some, these stay where they are, and others come
 * behind them: so long as a finger or the focus is on one.
 * @param {readonly Reaction[]} reactions @param {Compare} compare
 * @param {readonly string[]|null} held Keys, as they show.
 */
export function arranged(reactions, compare, held) {
  const sorted = [...reactions].sort(compare);
  if (!held) return sorted;
  const places = new Map(held.map((key, index) => [key, index]));
  const place = (/** @type {Reaction} */ it) => places.get(keyOf(it)) ?? held.length;
  // Sorting is stable: the others keep the comparator's order.
  return sorted.sort((left, right) => place(left) - place(right));
}

/**
 * The first of many reactions. One's own show as well, up to as many again: who adds one sees it.
 * @param {readonly Reaction[]} reactions In their order. @param {number} most
 * @returns {readonly Reaction[]}
 */
export function firstOf(reactions, most) {
  if (reactions.length <= most) return reactions;
  const own = reactions.slice(most).filter(({ isMine }) => isMine).slice(0, most);
  return [...reactions.slice(0, most), ...own];
}
