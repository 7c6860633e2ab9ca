// The outbox as functions of its entries: what wishes, replies and lost replies make of it.
// @ts-check
import { isAnswered, laneOf, messageOf, named, orderOf } from './entry.js';
import { fulfil, ownOf, stepsBetween, wanted } from './own.js';
import { groupKey, scoreOf } from './row.js';
import { countsTaps, unknownRules, usualRules } from './rules.js';
import { isLater } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Edits} Edits */
/** @typedef {import('./group.js').GroupItem} GroupItem */
/** @typedef {import('./own.js').Own} Own */
/** @typedef {import('./types.js').Rules} Rules */

// An action key has at most one entry that the daemon may have and that is not acknowledged; those
// behind it, which it does not have, are the fewest that say what is wished: opposite wishes cancel
// there, and adds that count are one. While the rules are not known each may count, and all stay as
// they were wished. A view is the cache, overlaid with the entries.

/** @param {Entry[]} entries @param {Entry} wish @param {Rules} rules */
const aboutTheSame = (entries, wish, rules) => entries.filter((it) =>
  it.kind === 'action' && orderOf(named(it, rules), rules) === orderOf(wish, rules));

/** @param {{type?: string, value?: string}} it */
const keyOf = ({ type = '', value = '' }) => groupKey(type, value);

/**
 * A user's reactions to a message once wishes are fulfilled.
 * @param {Entry[]} entries @param {GroupItem[]} rows What the cache has of them.
 * @param {Rules} rules
 */
function ownAfter(entries, rows, rules) {
  const own = ownOf(rows);
  const user = rows[0]?.uuid ?? '';
  for (const it of entries) fulfil(own, named(it, rules), user, rules);
  return own;
}

/**
 * What a reaction of this user counts for once all wishes are fulfilled; 0: it is not there.
 * @param {Entry[]} entries @param {Entry} wish
 * @param {GroupItem[]} rows What the cache has of the user's on the message.
 * @param {Rules} [rules] Of the channel.
 */
export function wishedScore(entries, wish, rows, rules = usualRules) {
  const own = ownAfter(aboutTheSame(entries, wish, rules), rows, rules);
  const found = own.get(groupKey(wish.type ?? '', wish.value ?? ''));
  return found ? scoreOf(found) : 0;
}

/**
 * Makes a reaction stand or not, or count for more, whatever was wished before: what was not sent
 * becomes the fewest wishes that come to the same.
 * @param {Entry[]} entries @param {Entry} wish
 * @param {GroupItem[]} rows What the cache has of the user's on the message.
 * @param {Rules} [rules] Of the channel.
 * @param {boolean} [isOutside] The message is before the cache's window: nobody here knows what
 *   stands on it.
 * @returns {Edits}
 */
export function wishAction(entries, wish, rows, rules = usualRules, isOutside = false) {
  if (rules === unknownRules || isOutside) return wishOnItsOwn(entries, wish, rows, isOutside);
  const about = aboutTheSame(entries, wish, rules);
  const sent = about.map((it) => it.sent).lastIndexOf(true) + 1;
  const [kept, unsent] = [about.slice(0, sent), about.slice(sent)];
  const user = rows[0]?.uuid ?? '';
  const now = ownAfter(about, rows, rules);
  const to = wanted(now, wish, user, rules);
  if (to === now) return { put: [], remove: [] };
  // Only what orders with the wish may change: other reactions have lanes of their own.
  const isAbout = (/** @type {{type: string, value: string}} */ it) =>
    orderOf({ ...wish, type: it.type, value: it.value }, rules) === orderOf(wish, rules);
  const from = ownAfter(kept, rows, rules);
  const part = (/** @type {Own} */ own) => new Map([...own].filter(([, it]) => isAbout(it)));
  const steps = stepsBetween(part(from), part(to), rules);
  // What is wished already stays the entry that it is.
  const known = steps.findIndex((step, i) => !unsent[i] || unsent[i].present !== step.present ||
    laneOf(named(unsent[i], rules)) !== laneOf({ ...wish, ...step }));
  const same = known < 0 ? steps.length : known;
  /** @type {Entry[]} */
  const put = [];
  steps.forEach((step, i) => {
    const isKnown = i < same;
    if (isKnown && unsent[i].score === step.score && unsent[i].observed === step.observed) return;
    const { score, ...bare } = isKnown ? unsent[i] : wish;
    const mutation = isKnown ? bare.mutation
      : i === same ? wish.mutation : `${wish.mutation}.${i - same}`;
    put.push({ ...bare, ...step, mutation });
  });
  return { put, remove: unsent.slice(same).map(({ mutation }) => mutation) };
}

/**
 * A wish while nobody knows what one more of the same means: neither combined with another one nor
 * cancelled by it. Where they do not count, the daemon says that it is so already.
 * @param {Entry[]} entries @param {Entry} wish @param {GroupItem[]} rows
 * @param {boolean} isOutside @returns {Edits}
 */
function wishOnItsOwn(entries, wish, rows, isOutside) {
  if (wish.present) return { put: [wish], remove: [] };
  const about = aboutTheSame(entries, wish, usualRules);
  const row = rows.find((it) => keyOf(it) === keyOf(wish));
  const added = about.filter(({ present }) => present).pop();
  // Then there is nothing by whatever rules.
  if (!row && !added && !isOutside) return { put: [], remove: [] };
  const now = ownAfter(about, rows, usualRules).get(keyOf(wish));
  // Where taps count there may be more of it.
  const observed = now ? now.actionTimetoken : added ? added.acknowledged : row?.actionTimetoken;
  return { put: [{ ...wish, observed: observed ?? null }], remove: [] };
}

/**
 * The entries that may be sent now: the first of each lane that is not answered, so that
 * writes to one thing keep their order while others overtake them. A message is deleted when
 * nothing else is on its way to it.
 * @param {Entry[]} entries @param {(channel: string) => Rules} [rulesOf]
 * @param {(entry: Entry) => boolean} [isAside] Whether it lets others of its lane pass.
 */
export function sendable(entries, rulesOf = () => usualRules, isAside = () => false) {
  const lanes = new Set();
  const open = new Set();
  return entries.filter((entry) => {
    const message = messageOf(entry);
    if (entry.kind === 'delete' && open.has(message)) return false;
    if (!isAnswered(entry)) open.add(message);
    const rules = rulesOf(entry.channel);
    const lane = orderOf(named(entry, rules), rules);
    // Behind one that counts the cache has to show it first: what is sent then is told from it.
    const isOver = isAnswered(entry) && !(entry.kind === 'action' && countsTaps(rules, entry.type));
    if (isOver || lanes.has(lane)) return false;
    if (!isAside(entry)) lanes.add(lane);
    return !isAnswered(entry);
  });
}

/**
 * Notes a reply, and tells the removal behind an add what it is about.
 * @param {Entry[]} entries @param {string} mutation @param {any} ok @returns {Edits}
 */
export function acknowledge(entries, mutation, ok) {
  const at = entries.findIndex((it) => it.mutation === mutation);
  if (at < 0) return { put: [], remove: [] };
  const entry = entries[at];
  // Another action stands than the one that was seen: the wish is about nothing. Timetokens do not
  // tell which came first when the server was put back in between.
  if (ok.applied === 'stale') return { put: [], remove: [mutation] };
  const timetoken = ok.timetoken ?? ok.action?.actionTimetoken ?? entry.observed ?? '0';
  const became = ok.action && entry.kind === 'action' ? { became: ok.action.score ?? 1 } : {};
  /** @type {Entry[]} */
  const put = [{ ...entry, acknowledged: timetoken, again: false, ...became }];
  const lane = laneOf(entry);
  // One before it, which waits for its own add to be asked again, is not about this one.
  const behind = entries.slice(at + 1).find((it) => it.kind === 'action' &&
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
