// A write on its way: its lane, its command, and how a reaction stands after it.
// @ts-check
import { takesPlace } from './rules.js';
import { isLater, never } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Rules} Rules */

/**
 * What a write is about, as a text: writes of one lane keep their order.
 * @param {Entry} entry
 */
export const laneOf = (entry) => entry.kind === 'publish' ? entry.channel : JSON.stringify(
  [entry.channel, entry.messageTimetoken, entry.type, entry.value]);

/**
 * The same where reactions take each other's place: they keep their order, too.
 * @param {Entry} entry @param {Rules} rules
 */
export const orderOf = (entry, rules) => entry.kind === 'action' && takesPlace(rules, entry)
  ? JSON.stringify([entry.channel, entry.messageTimetoken, entry.type]) : laneOf(entry);

/**
 * Whether the daemon has answered, and still stands by it.
 * @param {Entry} entry
 */
export const isAnswered = (entry) => entry.acknowledged !== null && !entry.again;

/**
 * How a reaction stands after a wish: since an action, since `never` (its timetoken is to come),
 * or not at all.
 * @param {string|null} standing Before it. @param {Entry} entry @returns {string|null}
 */
export function standingAfter(standing, { present, observed, acknowledged }) {
  if (present) {
    const since = acknowledged ?? never;
    return standing && (isLater(standing, since) || !acknowledged) ? standing : since;
  }
  const isOther = standing && standing !== never && isLater(standing, observed ?? never);
  return isOther ? standing : null;
}

/**
 * How one reaction stands after a wish about it, or about one that takes its place.
 * @param {string|null} standing @param {Entry} entry @param {string} lane Of the reaction.
 * @param {Rules} rules @returns {string|null}
 */
export function standingOf(standing, entry, lane, rules) {
  if (laneOf(entry) === lane) return standingAfter(standing, entry);
  if (!entry.present || !takesPlace(rules, entry) || standing === null) return standing;
  // One that came after that stays.
  const isLate = entry.acknowledged && standing !== never && isLater(standing, entry.acknowledged);
  return isLate ? standing : null;
}

/**
 * The command of an entry.
 * @param {Entry} entry @returns {Record<string, any>}
 */
export function commandOf(entry) {
  const { channel, mutation } = entry;
  if (entry.kind === 'publish') {
    const { payload, meta, messageType } = entry;
    return { op: 'publish', channel, mutation, payload, meta, messageType };
  }
  const { messageTimetoken, type, value, present, observed } = entry;
  const key = { channel, mutation, messageTimetoken, type, value };
  if (present) return { op: 'addAction', ...key };
  return { op: 'removeAction', ...key, actionTimetoken: observed ?? undefined };
}
