// A channel's rows cut into segments as the daemon cuts them, each with its state.
// @ts-check
import { Digest } from '../../web/core/digest.js';
import { Hasher } from '../../web/core/hasher.js';
import { isLater } from '../../web/core/timetoken.js';

/** @typedef {import('../../web/core/cache.js').ChannelCache} ChannelCache */
/** @typedef {{after: string, state: {n: number, d: string}}} Segment */

/** Messages of a segment on average: docs/RECONCILIATION.md. */
const mean = 32;

/** @param {number} word */
function mixed(word) {
  let it = Math.imul(word ^ word >>> 16, 0x85ebca6b);
  it = Math.imul(it ^ it >>> 13, 0xc2b2ae35);
  return (it ^ it >>> 16) >>> 0;
}

/**
 * Whether a segment begins with a message.
 * @param {string} timetoken
 */
export function beginsSegment(timetoken) {
  const value = BigInt(timetoken);
  const [low, high] = [Number(value & 0xffffffffn), Number(value >> 32n)];
  return mixed((low ^ mixed(high)) >>> 0) % mean === 0;
}

/** @param {string} left @param {string} right */
const ascending = (left, right) => isLater(left, right) ? 1 : left === right ? 0 : -1;

/**
 * Where segments begin, exclusive, ascending from '0'.
 * @param {Iterable<string>} messages
 */
export function cutsOf(messages) {
  const cuts = new Set(['0']);
  for (const it of messages) if (beginsSegment(it)) cuts.add(String(BigInt(it) - 1n));
  return [...cuts].sort(ascending);
}

/**
 * The states of the segments of what a cache holds; of a part of a channel those that it is in.
 * @param {ChannelCache} cache @param {string[]} cuts
 * @returns {Segment[]|null} null: without a key nothing can be hashed.
 */
export function segmentsOf(cache, cuts) {
  const key = cache.tally.hasher?.text;
  if (!key) return null;
  const hasher = new Hasher(key);
  const digests = cuts.map(() => new Digest());
  const place = (/** @type {string} */ message) => {
    let [low, high] = [1, cuts.length];
    while (low < high) {
      const middle = low + high >> 1;
      if (isLater(message, cuts[middle])) low = middle + 1;
      else high = middle;
    }
    return digests[low - 1];
  };
  for (const row of cache.rows) {
    hasher.row(row);
    place(row.messageTimetoken).add(hasher.hash, 1);
  }
  for (const message of cache.messages.values()) {
    hasher.message(message);
    place(message.timetoken).add(hasher.hash, 1);
  }
  return cuts.map((after, n) => ({ after, state: digests[n].state }));
}

/**
 * How each segment of a device compares with the daemon's. `held` where the device has all of it.
 * @param {Segment[]} daemon @param {Segment[]} device @param {string} restAfter
 * @returns {{after: string, n: number, kind: 'equal'|'differs'|'not held'}[]}
 */
export function compared(daemon, device, restAfter) {
  return daemon.map(({ after, state }, n) => {
    const own = device[n].state;
    const isHeld = restAfter === '0' || !isLater(restAfter, after);
    const isEqual = own.n === state.n && own.d === state.d;
    return { after, n: state.n, kind: !isHeld ? 'not held' : isEqual ? 'equal' : 'differs' };
  });
}
