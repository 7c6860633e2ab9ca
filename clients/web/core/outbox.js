// The outbox as functions of its entries: what wishes, replies and lost replies make of it.
// @ts-check
import { isAnswered, laneOf, orderOf, standingOf } from './entry.js';
import { takesPlace, usualRules } from './rules.js';
import { isLater, never } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Edits} Edits */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Rules} Rules */

// An action key has at most one entry that the daemon may have and that is not acknowledged, and
// one behind it that it does not have: opposite wishes cancel there. A view is the cache, overlaid
// with the last entry of each key.

/**
 * How a reaction of this user stands once all wishes are fulfilled: since when, or null.
 * @param {Entry[]} own Those that are about it, or take its place.
 * @param {string} lane @param {Row|undefined} row @param {Rules} rules
 */
const standingAfterAll = (own, lane, row, rules) => own.reduce(
  (/** @type {string|null} */ before, entry) => standingOf(before, entry, lane, rules),
  row ? row.actionTimetoken : null);

/** @param {Entry[]} entries @param {Entry} wish @param {Rules} rules */
const aboutTheSame = (entries, wish, rules) => entries.filter(
  (it) => it.kind === 'action' && orderOf(it, rules) === orderOf(wish, rules));

/**
 * Whether a reaction of this user is there once all wishes are fulfilled.
 * @param {Entry[]} entries @param {Entry} wish @param {Row|undefined} row What the cache has.
 * @param {Rules} [rules] Of the channel.
 */
export function isWished(entries, wish, row, rules = usualRules) {
  const own = aboutTheSame(entries, wish, rules);
  return standingAfterAll(own, laneOf(wish), row, rules) !== null;
}

/**
 * Makes a reaction stand or not, whatever was wished before.
 * @param {Entry[]} entries @param {Entry} wish @param {Row|undefined} row What the cache has.
 * @param {Rules} [rules] Of the channel.
 * @returns {Edits}
 */
export function wishAction(entries, wish, row, rules = usualRules) {
  const lane = laneOf(wish);
  const own = aboutTheSame(entries, wish, rules);
  const standing = () => standingAfterAll(own, lane, row, rules);
  if ((standing() !== null) === wish.present) return { put: [], remove: [] };
  const remove = [];
  // What took another one's place would give it back.
  if (own.length > 0 && !own[own.length - 1].sent && !takesPlace(rules, wish)) {
    remove.push(/** @type {Entry} */ (own.pop()).mutation);
  }
  const left = standing();
  if ((left !== null) === wish.present) return { put: [], remove };
  // What is on its way may replace what stands: the reply to it tells what a removal is about.
  const observed = wish.present || left === never ? null : left;
  return { put: [{ ...wish, observed }], remove };
}

/**
 * The entries that may be sent now: the first of each lane that is not answered, so that
 * writes to one thing keep their order while others overtake them.
 * @param {Entry[]} entries @param {(channel: string) => Rules} [rulesOf]
 */
export function sendable(entries, rulesOf = () => usualRules) {
  const lanes = new Set();
  return entries.filter((entry) => {
    const lane = orderOf(entry, rulesOf(entry.channel));
    if (isAnswered(entry) || lanes.has(lane)) return false;
    lanes.add(lane);
    return true;
  });
}

/**
 * Notes a reply, and tells the removal behind an add what it is about.
 * @param {Entry[]} entries @param {string} mutation @param {any} ok @returns {Edits}
 */
export function acknowledge(entries, mutation, ok) {
  const entry = entries.find((it) => it.mutation === mutation);
  if (!entry) return { put: [], remove: [] };
  // Another action stands than the one that was seen: the wish is about nothing. Timetokens do not
  // tell which came first when the server was put back in between.
  if (ok.applied === 'stale') return { put: [], remove: [mutation] };
  const timetoken = ok.timetoken ?? ok.action?.actionTimetoken ?? entry.observed ?? '0';
  /** @type {Entry[]} */
  const put = [{ ...entry, acknowledged: timetoken, again: false }];
  const lane = laneOf(entry);
  const behind = entries.find((it) => it !== entry && it.kind === 'action' &&
    laneOf(it) === lane && !it.present && (!it.sent || !it.observed));
  if (entry.present && behind && isLater(timetoken, behind.observed ?? '0')) {
    put.push({ ...behind, observed: timetoken });
  }
  return { put, remove: [] };
}

/**
 * Forgets a write that the daemon will never take, and a removal of what it did not add.
 * @param {Entry[]} entries @param {string} mutation @returns {Edits}
 */
export function refuse(entries, mutation) {
  const entry = entries.find((it) => it.mutation === mutation);
  const remove = [mutation];
  if (entry?.kind === 'action' && entry.present) {
    const lane = laneOf(entry);
    for (const it of entries) {
      if (it.kind === 'action' && laneOf(it) === lane && !it.present && !it.observed) {
        remove.push(it.mutation);
      }
    }
  }
  return { put: [], remove };
}

/**
 * The entries when the daemon may have lost what it acknowledged in a channel: it is asked again,
 * under the same ids, which keep this from doing harm.
 * @param {Entry[]} entries @param {string} channel @returns {Entry[]}
 */
export function reopened(entries, channel) {
  const added = new Set();
  return entries.map((entry) => {
    if (entry.channel !== channel) return entry;
    const lane = laneOf(entry);
    if (entry.kind === 'action' && !entry.present && entry.observed && added.has(lane)) {
      // The add before it may get another timetoken: whatever becomes of this removal is about the
      // lost action. It is another wish now, about whatever that add adds.
      return { ...entry, mutation: successorOf(entry.mutation), observed: null, sent: true,
        acknowledged: null, again: false };
    }
    if (!entry.acknowledged) return entry;
    if (entry.kind === 'action' && entry.present) added.add(lane);
    return { ...entry, again: true };
  });
}

/** The id of the wish that takes the place of another one: "m7~1" after "m7", then "m7~2". */
function successorOf(/** @type {string} */ mutation) {
  const found = /^(.*)~(\d+)$/.exec(mutation);
  return found ? `${found[1]}~${Number(found[2]) + 1}` : `${mutation}~1`;
}

/**
 * The entries after edits, in their order; new ones last.
 * @param {Entry[]} entries @param {Edits} edits @returns {Entry[]}
 */
export function edited(entries, edits) {
  const put = new Map(edits.put.map((entry) => [entry.mutation, entry]));
  const kept = [];
  for (const entry of entries) {
    if (!edits.remove.includes(entry.mutation)) kept.push(put.get(entry.mutation) ?? entry);
    put.delete(entry.mutation);
  }
  return [...kept, ...put.values()];
}
