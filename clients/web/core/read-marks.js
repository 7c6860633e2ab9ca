// Read marks: up to where a user has read a channel, as the daemon says and as this device wishes.
// @ts-check
import { isWhole } from './checksum.js';
import { UnreadableError } from './errors.js';
import { checkChannel } from './names.js';
import { isCount, isObject, isText } from './shapes.js';
import { isLater, isTimetoken } from './timetoken.js';

/**
 * `through` is the daemon's mark, '0' where it has none and null where it was not asked yet; `wish`
 * what this device has read and the daemon does not know, '0': nothing. What is shown is the later
 * one of the two, so it never goes back while wishes and answers pass each other. `version` counts
 * what was stored. Stores keep it as it is here.
 * @typedef {{through: string|null, wish: string, version: number}} ReadMark
 */

/**
 * What the daemon says is unread in a channel.
 * @typedef {{name: string, through: string|null, count: number, more: boolean}} Unread
 */

/** Channels of one `unread`. */
export const unreadChannelsMax = 100;

/** @type {Readonly<ReadMark>} Of a channel that nobody asked about. */
export const unknownMark = Object.freeze({ through: null, wish: '0', version: 0 });

const later = (/** @type {string} */ left, /** @type {string} */ right) =>
  isLater(left, right) ? left : right;

/** Up to where it is read; '0': nothing is. */
export const readThrough = (/** @type {ReadMark} */ { through, wish }) =>
  later(wish, through ?? '0');

/** Whether the daemon is to be told. */
export const isPending = (/** @type {ReadMark} */ { through, wish }) =>
  isLater(wish, through ?? '0');

/**
 * The person has read up to there.
 * @param {ReadMark} mark @param {string} wish @returns {ReadMark} The same when that was known.
 */
export const wished = (mark, wish) =>
  isLater(wish, readThrough(mark)) ? { ...mark, wish } : mark;

/**
 * The daemon has a mark there: what it says may be older than what it said before.
 * @param {ReadMark} mark @param {string} through @returns {ReadMark}
 */
export function heard(mark, through) {
  const latest = later(through, mark.through ?? '0');
  const wish = isLater(mark.wish, latest) ? mark.wish : '0';
  const isSame = latest === mark.through && wish === mark.wish;
  return isSame ? mark : { ...mark, through: latest, wish };
}

/**
 * The daemon was asked where the mark is. An earlier one than was known: it was put back from a
 * backup, and is to be told what it has forgotten.
 * @param {ReadMark} mark @param {string} through @returns {ReadMark}
 */
export function asked(mark, through) {
  const known = mark.through ?? '0';
  return isLater(known, through) ? { ...mark, through, wish: later(known, mark.wish) }
    : heard(mark, through);
}

/**
 * The daemon has answered a wish: with its mark, which is the later one where another device was
 * further, and an earlier one where the wish was beyond all events; null: it was refused for good.
 * @param {ReadMark} mark @param {string} wish @param {string|null} through @returns {ReadMark}
 */
export function answered(mark, wish, through) {
  const isOver = mark.wish !== '0' && !isLater(mark.wish, wish);
  const left = isOver ? { ...mark, wish: '0' } : mark;
  return through === null ? left : heard(left, through);
}

/**
 * What is known of a mark that a store has not all of: the browser deleted the database, and the
 * versions of the one that was begun for it are lower.
 * @param {ReadMark} known @param {ReadMark} kept What the store has now. @returns {ReadMark}
 */
export function restored(known, kept) {
  if (known.version <= kept.version) return kept;
  return wished(kept.through === null ? known : heard(known, kept.through), kept.wish);
}

/**
 * What a store makes of a change.
 * @param {ReadMark} mark @param {(mark: ReadMark) => ReadMark} change @returns {ReadMark}
 */
export function changed(mark, change) {
  const next = change(mark);
  return next === mark ? mark : { ...next, version: Math.max(mark.version, next.version) + 1 };
}

/**
 * What a store kept; nothing where that is none: one that was damaged would say of all devices what
 * nobody read. Earlier releases kept no checksum.
 */
export function readMarkFrom(/** @type {any} */ kept) {
  const isMark = isObject(kept) && (kept.through === null || isTimetoken(kept.through)) &&
    isTimetoken(kept.wish) && isCount(kept.version) &&
    (kept.checksum === undefined || isWhole(kept));
  const { through, wish, version } = isMark ? kept : unknownMark;
  return { through, wish, version };
}

const isPlace = (/** @type {any} */ it) => isObject(it) && isText(it.name) &&
  isTimetoken(it.through);

/** Whether a frame says where marks are. */
export const isReadFrame = (/** @type {any} */ { id, t, read }) =>
  (id ?? null) === null && (t ?? null) === null && (read ?? null) !== null;

/**
 * Where marks are; what cannot be read of that costs itself.
 * @param {any} frame
 * @returns {{places: {name: string, through: string}[], faults: UnreadableError[]}}
 */
export function readPlaces(frame) {
  const { read } = frame;
  if (!Array.isArray(read)) {
    return { places: [], faults: [new UnreadableError('read is no list.', null, frame)] };
  }
  const faults = read.filter((it) => !isPlace(it)).map((it) =>
    new UnreadableError('a read mark has no name or no through.', null, it));
  return { places: read.filter(isPlace), faults };
}

/** Whether it is the reply to `unread`. */
export const isUnread = (/** @type {any} */ { channels }) => Array.isArray(channels) &&
  channels.every((it) => isObject(it) && isText(it.name) && isCount(it.count) &&
    ((it.through ?? null) === null || isTimetoken(it.through)));

/** The reply to `unread`, for a page. @returns {Unread[]} */
export const unreadOf = (/** @type {any} */ { channels }) =>
  channels.map((/** @type {any} */ { name, through, count, more }) =>
    ({ name, through: through ?? null, count, more: more === true }));

/** Throws unless the daemon can be asked about these channels at once. */
export function checkChannels(/** @type {any} */ names) {
  if (!Array.isArray(names)) throw new TypeError('The channels are a list of names.');
  if (names.length < 1 || names.length > unreadChannelsMax) {
    throw new RangeError(`1 to ${unreadChannelsMax} channels are asked about at once.`);
  }
  for (const name of names) checkChannel(name);
}
