// A user's own reactions to a message once wishes are fulfilled, and the wishes that it takes.
// @ts-check
import { groupKey, scoreMax, scoreOf } from './row.js';
import { countsTaps, takesPlace } from './rules.js';
import { isLater, never } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Rules} Rules */
/** @typedef {import('./group.js').GroupItem} GroupItem */
/** @typedef {Map<string, GroupItem>} Own By their groups. */

const sinceOf = (/** @type {GroupItem} */ it) => it.actionTimetoken ?? never;

/** @param {Iterable<GroupItem>} rows @returns {Own} */
export const ownOf = (rows) =>
  new Map([...rows].map((row) => [groupKey(row.type, row.value), row]));

/**
 * Whether the cache shows already what a wish about a reaction that counts was sent for: another
 * one stands than when it was sent, or than the daemon named.
 * @param {GroupItem|undefined} before @param {Entry} wish
 */
function isReflected(before, { sent, acknowledged, observed, present }) {
  if (before && before.actionTimetoken === null) return false;
  if (present && acknowledged !== null) {
    return !!before && !isLater(acknowledged, sinceOf(before));
  }
  if (!sent) return false;
  return before ? isLater(sinceOf(before), observed ?? '0') : !present;
}

/**
 * One reaction after a wish about it: the same object where nothing changes.
 * @param {GroupItem|undefined} before @param {Entry} wish @param {string} user
 * @param {Rules} rules @returns {GroupItem|undefined}
 */
function after(before, wish, user, rules) {
  const { type = '', value = '', present, score, acknowledged, observed, became } = wish;
  const make = (/** @type {number} */ count) =>
    ({ type, value, uuid: user, actionTimetoken: acknowledged, score: Math.min(count, scoreMax) });
  if (countsTaps(rules, type) && (present || rules.mode === 'total')) {
    if (isReflected(before, wish)) return before;
    const standing = before ? scoreOf(before) : 0;
    if (present) return make(acknowledged === null ? standing + (score ?? 1) : became ?? 1);
    return standing > 1
      ? { ...make(standing - 1), actionTimetoken: null } : undefined;
  }
  if (!present) {
    const isOther = before && before.actionTimetoken !== null &&
      isLater(before.actionTimetoken, observed ?? never);
    return isOther ? before : undefined;
  }
  if (!before) return make(became ?? score ?? 1);
  const isSame = scoreOf(before) === (score ?? scoreOf(before));
  if (acknowledged === null) return isSame ? before : make(score ?? 1);
  return isLater(acknowledged, sinceOf(before)) ? make(became ?? score ?? 1) : before;
}

/**
 * Does to a user's reactions what a wish does.
 * @param {Own} own @param {Entry} wish @param {string} user @param {Rules} rules
 */
export function fulfil(own, wish, user, rules) {
  const { type = '', value = '', present, acknowledged } = wish;
  const key = groupKey(type, value);
  const before = own.get(key);
  const left = after(before, wish, user, rules);
  if (left !== before) own.delete(key);
  // Behind the others: what is on its way is in the order of the wishes.
  if (left !== undefined && left !== before) own.set(key, left);
  if (!present || !takesPlace(rules, wish)) return;
  for (const [other, it] of own) {
    if (other === key || it.type !== 'reaction') continue;
    // One that came after the wish was answered stays.
    const isLate = acknowledged && it.actionTimetoken !== null &&
      isLater(it.actionTimetoken, acknowledged);
    if (!isLate) own.delete(other);
  }
}

/**
 * What a user's reactions are to be after one more wish; the same where it changes nothing.
 * @param {Own} own As they are to be so far. @param {Entry} wish @param {string} user
 * @param {Rules} rules @returns {Own}
 */
export function wanted(own, wish, user, rules) {
  const { type = '', value = '', present, score } = wish;
  const standing = own.get(groupKey(type, value));
  if (!standing && !present) return own;
  const isSame = !countsTaps(rules, type) && standing !== undefined &&
    scoreOf(standing) === (score ?? scoreOf(standing));
  if (present && isSame) return own;
  const next = new Map(own);
  // As if it had not been sent: whatever stands, it is about that.
  fulfil(next, { ...wish, sent: false, acknowledged: null, observed: null }, user, rules);
  return next;
}

/**
 * A wish as it has to be sent, still without a name.
 * @typedef {{type: string, value: string, present: boolean, score?: number,
 *   observed: string|null}} Step
 */

/**
 * The fewest wishes that make a user's reactions what they are to be.
 * @param {Own} from @param {Own} to @param {Rules} rules @returns {Step[]}
 */
export function stepsBetween(from, to, rules) {
  /** @type {Step[]} */
  const steps = [];
  const removal = (/** @type {GroupItem} */ { type, value, actionTimetoken }) =>
    ({ type, value, present: false, observed: actionTimetoken });
  const add = (/** @type {GroupItem} */ { type, value }, /** @type {number} */ score,
    isSaid = score !== 1) =>
    ({ type, value, present: true, observed: null, ...isSaid ? { score } : {} });
  const isAdded = [...to].some(([key, it]) =>
    takesPlace(rules, it) && scoreOf(it) !== scoreOf(from.get(key) ?? { score: 0 }));
  for (const [key, it] of from) {
    const isTaken = isAdded && takesPlace(rules, it);
    if (!to.has(key) && !isTaken && !isCountedOff(it, rules)) steps.push(removal(it));
  }
  for (const key of new Set([...from.keys(), ...to.keys()])) {
    const [before, next] = [from.get(key), to.get(key)];
    const [old, count] = [before ? scoreOf(before) : 0, next ? scoreOf(next) : 0];
    const it = /** @type {GroupItem} */ (next ?? before);
    if (old === count) continue;
    if (!countsTaps(rules, it.type)) {
      if (next) steps.push(add(next, count, old > 0 || count !== 1));
    } else if (count > old) {
      steps.push(add(it, count - old));
    } else if (isCountedOff(it, rules)) {
      for (let left = old; left > count; left--) steps.push(removal(it));
    } else if (next && before) {
      steps.push(removal(before), add(it, count));
    }
  }
  return steps;
}

/**
 * Whether a removal takes one off.
 * @param {{type: string}} it @param {Rules} rules
 */
const isCountedOff = ({ type }, rules) => rules.mode === 'total' && countsTaps(rules, type);
