// What a cache that holds a part of its channel gains and gives up: pages before it, old messages.
// @ts-check
import { fromBase64 } from './bytes.js';
import { ChannelCache } from './cache.js';
import { Digest } from './digest.js';
import { isMessage, messageFrom } from './messages.js';
import { unpackRows } from './packed.js';
import { Rest, isSweep } from './rest.js';
import { isRow } from './row.js';
import { isState, isText } from './shapes.js';
import { isLater, isTimetoken } from './timetoken.js';

/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').State} State */

/** Messages that a page may be asked for. */
export const pageMax = 1000;

/** Whether the reply to `older` is one. */
export const isPage = (/** @type {any} */ it) => isTimetoken(it.cursor) &&
  isTimetoken(it.after) && isState(it.rest) && isState(it.s) && isText(it.rows) &&
  Array.isArray(it.messages) && it.messages.every(isMessage);

/** Whether a channel came to the same at two moments, if that is known of the first. */
const isSame = (/** @type {State|null} */ known, /** @type {State} */ state) =>
  known !== null && known.n === state.n && known.d === state.d;

/** A cache that waits for its first page. */
export function unopened() {
  const cache = new ChannelCache();
  cache.rest = Rest.all();
  cache.replaceAll();
  return cache;
}

/**
 * What a page has, as a cache of its own; null when it has what was not asked for.
 * @param {any} page @param {string} through Where it has to end. @param {string} key
 */
function partOf(page, through, key) {
  const { after, cursor } = page;
  /** @type {Row[]} */
  let rows;
  try {
    rows = unpackRows(fromBase64(page.rows));
  } catch {
    return null;
  }
  const isWithin = (/** @type {string} */ message) =>
    (isLater(message, after) || after === '0') && !isLater(message, through);
  const isOfPage = rows.every((it) => isRow(it) && isWithin(it.messageTimetoken)) &&
    page.messages.every((/** @type {any} */ it) => isWithin(it.timetoken));
  if (!isOfPage) return null;
  const part = new ChannelCache();
  part.setKey(key);
  part.cursor = cursor;
  part.rest = new Rest(after, Digest.of(page.rest), cursor, page.s);
  for (const message of page.messages) part.putMessage(messageFrom(message));
  for (const row of rows) part.rows.put(row);
  return part;
}

/**
 * Puts a page in front of the rows, with what happened since it was read. One without messages that
 * begins where the cache does says what is before it. False when the page contradicts itself, or
 * was not asked for from here. Each is read later than the one before: what a deletion took of that
 * one's rows can be told no more when it comes again.
 * @param {ChannelCache} cache @param {any} page
 */
export function grow(cache, page) {
  const { seen, rest, tally: { hasher } } = cache;
  const isNext = seen && hasher && !isLater(page.after, rest.after) &&
    !isLater(rest.cursor, page.cursor);
  const part = isNext ? partOf(page, rest.after, hasher.text) : null;
  // Of what is held already nothing is known as of then; of nothing it can be compared.
  if (!seen || !part || (rest.isAll && !part.matches(page.s))) return false;
  for (const { event, gone } of seen) {
    // What is about messages of the cache alone is in the cache.
    if (isSweep(event) || rest.isAbout(event)) part.take(event, gone);
  }
  cache.seen = null;
  if (rest.isAll && isLater(page.cursor, cache.cursor)) cache.cursor = page.cursor;
  if (!isSame(rest.whole, page.s)) cache.otherwiseAt = rest.cursor;
  cache.gain(part);
  cache.rest = part.rest;
  return true;
}

/**
 * Takes it that nothing happened until the last page was read, where the channel came to the same
 * before: a page is of a commit of the store, and none about this channel need ever come after it.
 * What happened and was taken back makes no difference, but for rows that a page brought between:
 * what was taken back of those is still to be told.
 * @param {ChannelCache} cache @param {State} state Of the channel. @param {string} at
 * @returns {boolean} Whether the cursor moved.
 */
export function settle(cache, state, at) {
  const { cursor, whole } = cache.rest;
  const isThere = at === cache.cursor && isLater(cursor, at) && isSame(whole, state) &&
    !isLater(cache.otherwiseAt, at);
  if (isThere) cache.cursor = cursor;
  return isThere;
}

/**
 * Drops what is on messages up to a timetoken.
 * @param {ChannelCache} cache @param {string} end
 */
function dropThrough(cache, end) {
  const { messages, rows } = cache;
  for (const it of [...messages.keys()]) if (!isLater(it, end)) cache.dropMessage(it);
  for (const it of [...rows.messages()]) {
    if (isLater(it, end)) continue;
    for (const group of [...rows.groups(it).values()]) for (const row of [...group]) rows.drop(row);
  }
}

/**
 * Gives up what a page brought since the subscription, where a summary for the window as it was
 * then goes on after that page: it leaves out what became of those rows.
 * @param {ChannelCache} cache @param {any} push
 * @returns {number} Messages that went.
 */
export function forgetUntold(cache, push) {
  const { rest, messages: { size } } = cache;
  const after = push.window?.after ?? '0';
  const isUntold = isLater(after, rest.after) && isLater(push.t.t, cache.cursor) &&
    isLater(push.t.t, rest.cursor);
  if (!isUntold) return 0;
  dropThrough(cache, after);
  cache.rest = new Rest(after, null);
  return size - cache.messages.size;
}

/**
 * Gives up what is on messages up to a timetoken; nobody has to be told. Not before the cursor has
 * come to where the last page was read: until then rows and rest are of different moments.
 * @param {ChannelCache} cache @param {string} after
 */
export function shrink(cache, after) {
  const { rest, cursor, tally } = cache;
  const isInside = (isLater(after, rest.after) || !rest.isPart) && !rest.isAll;
  if (!isInside || isLater(rest.cursor, cursor)) return;
  const lost = tally.digest.copy();
  dropThrough(cache, after);
  lost.merge(tally.digest, -1);
  const digest = rest.digest?.copy().merge(lost, 1) ?? null;
  cache.rest = new Rest(after, digest, rest.cursor, rest.whole);
  // A page that is on its way ends where the cache began.
  cache.seen = null;
}

/**
 * Gives up the oldest messages when there are many more than are to be kept.
 * @param {ChannelCache} cache @param {number} keeping
 * @returns {boolean} Whether it had so many.
 */
export function cut(cache, keeping) {
  const { size } = cache.messages;
  // Not one by one: each time costs O(n log n).
  if (size <= keeping + Math.max(16, Math.floor(keeping / 8))) return false;
  const sorted = [...cache.messages.keys()].sort(
    (left, right) => isLater(left, right) ? 1 : -1);
  shrink(cache, sorted[size - keeping - 1]);
  return true;
}
