// A write on its way: its lane, its name under the rules, and its command.
// @ts-check
import { isWhole } from './checksum.js';
import { isScore } from './row.js';
import { canonicalKey, takesPlace, unknownRules } from './rules.js';
import { isObject, isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Rules} Rules */

const isTimetokenOrNull = (/** @type {any} */ it) => (it ?? null) === null || isTimetoken(it);

/** @param {any} it */
function isEntry(it) {
  if (!isObject(it) || !isText(it.channel) || it.channel === '' || !isText(it.mutation) ||
    typeof it.sent !== 'boolean' || it.acknowledged === undefined ||
    !isTimetokenOrNull(it.acknowledged)) return false;
  if (it.kind === 'publish') return it.payload !== undefined;
  if (!isTimetoken(it.messageTimetoken)) return false;
  if (it.kind === 'edit') return it.payload !== undefined;
  return it.kind === 'delete' || it.kind === 'action' && isText(it.type) && isText(it.value) &&
    typeof it.present === 'boolean' && isScore(it.score ?? 1) && isTimetokenOrNull(it.observed);
}

/**
 * What a store kept; null where that is no write, or another one than was put there: nobody wished
 * it. Earlier releases kept no checksum.
 * @param {any} kept @returns {Entry|null}
 */
export function entryFrom(kept) {
  if (!isEntry(kept)) return null;
  const { checksum, ...entry } = kept;
  return checksum === undefined || isWhole(kept) ? entry : null;
}

/**
 * What a write is about, as a text: writes of one lane keep their order.
 * @param {Entry} entry
 */
export function laneOf({ kind, channel, messageTimetoken, type, value }) {
  if (kind === 'publish') return channel;
  return JSON.stringify(
    [channel, messageTimetoken, ...kind === 'action' ? [type, value] : [kind]]);
}

/**
 * The message that a write is about; null when it makes one.
 * @param {Entry} entry
 */
export const messageOf = ({ kind, channel, messageTimetoken }) =>
  kind === 'publish' ? null : `${messageTimetoken} ${channel}`;

/**
 * The same where reactions take each other's place: they keep their order, too. So do all about one
 * message while nobody knows whether they do.
 * @param {Entry} entry @param {Rules} rules
 */
export function orderOf(entry, rules) {
  if (entry.kind !== 'action') return laneOf(entry);
  const { channel, messageTimetoken, type } = entry;
  if (rules === unknownRules) return JSON.stringify([channel, messageTimetoken]);
  return takesPlace(rules, entry) ? JSON.stringify([channel, messageTimetoken, type])
    : laneOf(entry);
}

/**
 * Whether the daemon has answered, and still stands by it.
 * @param {Entry} entry
 */
export const isAnswered = (entry) => entry.acknowledged !== null && !entry.again;

/**
 * A wish by the name that the daemon stores it under: it may have been made before the rules were
 * known here. A removal keeps the name of what it is about.
 * @param {Entry} entry @param {Rules} rules @returns {Entry}
 */
export function named(entry, rules) {
  const { kind, type = '', value = '', present } = entry;
  if (kind !== 'action' || !present || entry.acknowledged !== null) return entry;
  const key = canonicalKey(rules, type, value);
  return key.type === type && key.value === value ? entry : { ...entry, ...key };
}

/**
 * The command of an entry.
 * @param {Entry} entry @returns {Record<string, any>}
 */
export function commandOf(entry) {
  const { channel, mutation } = entry;
  if (entry.kind === 'publish') {
    const { payload, meta, messageType, parent } = entry;
    return { op: 'publish', channel, mutation, payload, meta, messageType, parent };
  }
  if (entry.kind === 'edit' || entry.kind === 'delete') {
    const { kind, messageTimetoken, payload } = entry;
    return kind === 'delete' ? { op: 'deleteMessage', channel, mutation, messageTimetoken }
      : { op: 'editMessage', channel, mutation, messageTimetoken, payload };
  }
  const { messageTimetoken, type, value, present, score, observed, takesOne } = entry;
  const key = { channel, mutation, messageTimetoken, type, value };
  if (present) return { op: 'addAction', ...key, score };
  const actionTimetoken = takesOne ? undefined : observed ?? undefined;
  return { op: 'removeAction', ...key, actionTimetoken };
}
