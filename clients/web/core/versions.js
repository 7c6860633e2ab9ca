// What authors made of their messages: the version that shows, and what is wished of them.
// @ts-check
import { isEqual } from './shapes.js';
import { deletedType, editedType, isVersion } from './row.js';
import { isLater, never } from './timetoken.js';

/** @typedef {import('./types.js').Edits} Edits */
/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./cache.js').ChannelCache} ChannelCache */
/** @typedef {import('./group.js').Group} Group */
/** @typedef {import('./group.js').GroupItem} GroupItem */

/**
 * How many versions there are, the payload that shows, and whether the author said that it is as
 * good as deleted.
 * @typedef {{count: number, payload: any, isDeleted: boolean}} Versions
 */

/**
 * What an author says of a message, of all that is said of it. Costs as much as there are groups.
 * @param {ReadonlyMap<string, Group>} groups @param {string} author
 * @returns {readonly GroupItem[]}
 */
export function saidBy(groups, author) {
  /** @type {GroupItem[]|null} */
  let said = null;
  for (const group of groups.values()) {
    if (!isVersion(group.shown.type)) continue;
    const row = group.of(author);
    if (row) (said ??= []).push(row);
  }
  return said ?? nothing;
}

/** @type {readonly any[]} */
const nothing = [];

/** Levels of nesting that any payload may have. */
const depthMax = 32;

/**
 * Whether a JSON text is nested too deep for whoever walks through it.
 * @param {string} text
 */
function isTooDeep(text) {
  // Each level is a bracket at either end.
  if (text.length <= 2 * depthMax) return false;
  let [depth, isQuoted] = [0, false];
  for (let i = 0; i < text.length; i++) {
    const it = text[i];
    if (isQuoted) {
      if (it === '\\') i++;
      else if (it === '"') isQuoted = false;
    } else if (it === '"') {
      isQuoted = true;
    } else if (it === '[' || it === '{') {
      if (++depth > depthMax) return true;
    } else if (it === ']' || it === '}') {
      depth--;
    }
  }
  return false;
}

/**
 * A version says a JSON value; what is none is the text itself, as chat SDKs send it. So is what is
 * deeper than a payload may be: the daemon does not look into values.
 * @param {string} value
 */
function payloadOf(value) {
  if (isTooDeep(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/**
 * A message as its author's newest version has it. What is on its way is the newest, and of several
 * the one that was wished last.
 * @param {Message} message
 * @param {Iterable<GroupItem>} said What its author says of it, wishes included, in their order.
 * @param {readonly Entry[]} [edits] Its author's, on their way.
 * @returns {Versions}
 */
export function versionsOf({ payload }, said, edits = nothing) {
  /** @type {Set<any>|null} */
  let values = null;
  let [newest, isDeleted] = ['0', false];
  const take = (/** @type {any} */ value, /** @type {string|null} */ at) => {
    (values ??= new Set()).add(value);
    if (isLater(newest, at ?? never)) return;
    newest = at ?? never;
    payload = payloadOf(value);
  };
  for (const { type, value, actionTimetoken } of said) {
    if (type === deletedType) isDeleted = true;
    if (type === editedType) take(value, actionTimetoken);
  }
  for (const { value, acknowledged } of edits) take(value, acknowledged);
  return { count: values === null ? 0 : /** @type {Set<any>} */ (values).size, payload, isDeleted };
}

const isAbout = (/** @type {Entry} */ it, /** @type {Entry} */ wish) =>
  it.channel === wish.channel && it.messageTimetoken === wish.messageTimetoken;

/**
 * Has a message of the user's own say something else, or go. Of edits that were not sent only the
 * last one is left: nobody has seen the others.
 * @param {Entry[]} entries @param {Entry} wish @param {ChannelCache} cache @param {string} user
 * @returns {Edits}
 */
export function wishMessage(entries, wish, cache, user) {
  const about = entries.filter((it) => it.kind === wish.kind && isAbout(it, wish));
  if (wish.kind === 'delete') return { put: about.length > 0 ? [] : [wish], remove: [] };
  const { messageTimetoken = '' } = wish;
  const message = cache.messages.get(messageTimetoken);
  const remove = about.filter(({ sent }) => !sent).map(({ mutation }) => mutation);
  const sent = about.filter((it) => it.sent);
  const now = message &&
    versionsOf(message, cache.rows.own(messageTimetoken, user), sent).payload;
  const isSame = message !== undefined && isEqual(now, wish.payload);
  return { put: isSame ? [] : [wish], remove };
}

/**
 * Why a message is not the user's to change, as far as is known here; null when it may be.
 * @param {ChannelCache} cache @param {Entry[]} entries @param {Entry} wish @param {string} user
 */
export function ownFault(cache, entries, wish, user) {
  const { kind, messageTimetoken = '' } = wish;
  const author = cache.messages.get(messageTimetoken)?.uuid;
  if (author !== undefined && author !== user) {
    const message = "The message is another user's: only its author changes it.";
    return { status: 403, code: 'not_owner', message };
  }
  const isGone = kind === 'edit' && entries.some((it) => it.kind === 'delete' && isAbout(it, wish));
  return isGone
    ? { status: 404, code: 'no_such_message', message: 'The message is being deleted.' } : null;
}
