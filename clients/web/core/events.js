// Reads pushes: whatever cannot be read costs itself and nothing else.
// @ts-check
import { isClearing } from './clearing.js';
import { UnreadableError } from './errors.js';
import { isRow } from './row.js';
import { isCount, isObject, isState, isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';

const presenceActions = ['join', 'leave', 'timeout', 'state-change', 'interval'];

/**
 * What is wrong with a presence event's content; null when nothing is.
 * @param {any} d
 */
function presenceFault(d) {
  if (!isObject(d) || !presenceActions.includes(d.action)) return 'd.action is unknown.';
  if (!isCount(d.occupancy) || !isCount(d.timestamp)) {
    return 'd.occupancy or d.timestamp is no number.';
  }
  const isNobody = d.action === 'interval' && (d.uuid ?? null) === null;
  if (!isNobody && !isText(d.uuid)) return 'd.uuid is no text.';
  if (d.data !== undefined && !isObject(d.data)) return 'd.data is no object.';
  const isUsers = (/** @type {any} */ it) => it === undefined ||
    (Array.isArray(it) && it.every(isText));
  return [d.join, d.leave, d.timeout].every(isUsers) ? null : 'A list of users is none.';
}

/**
 * What is wrong with an event of a push, in words; null when nothing is.
 * @param {any} event @param {string} channel The push's. @returns {string|null}
 */
export function faultOf(event, channel) {
  if (!isObject(event)) return 'it is no object.';
  const { f, d, e: kind } = event;
  const user = event.i ?? '';
  if (!isTimetoken(event.p?.t)) return 'p.t is no timetoken.';
  if (event.c !== channel) return 'c is another channel.';
  if (f !== 0 && f !== 1) return 'f is neither 0 nor 1.';
  if (!isText(user)) return 'i is no text.';
  if (kind === undefined || kind === null || kind === 0) {
    if (channel.endsWith('-pnpres')) return f === 1 ? presenceFault(d) : 'presence with f 0.';
    if (d === undefined) return 'a message without d.';
    if ((event.cmt ?? null) !== null && !isText(event.cmt)) return 'cmt is no text.';
    return (event.parent ?? null) === null || isTimetoken(event.parent)
      ? null : 'parent is no timetoken.';
  }
  if (kind === 1) return f === 0 ? 'a signal with f 0.' : d === undefined ? 'no d.' : null;
  if (kind !== 3 && kind !== 5) return 'e is unknown: is the daemon newer than this client?';
  if (f === 1) return `e ${kind} with f 1.`;
  if (!isObject(d) || !isObject(d.data)) return 'd does not say what happened.';
  if (kind === 5) {
    return d.event === 'deleted' && isTimetoken(d.data.after) && isTimetoken(d.data.through)
      ? null : 'a deletion without its range.';
  }
  if (d.event === 'cleared') return isClearing(d.data) ? null : 'd.data is no clearing.';
  if (d.event !== 'added' && d.event !== 'removed') return 'd.event is unknown.';
  return isRow({ ...d.data, uuid: user }) ? null : 'd.data is no action.';
}

/**
 * A push without what cannot be read of it, and what that was. Without its cursor, its channel or
 * its list there is no push.
 * @param {any} frame @returns {{push: any, faults: UnreadableError[]}}
 */
export function readPush(frame) {
  const { t, c, m, s, window: summedUp } = frame;
  const reason = !isTimetoken(t?.t) ? 't.t is no timetoken.' : !isText(c) ? 'c is no text.'
    : !Array.isArray(m) ? 'm is no list.' : null;
  if (reason !== null) return { push: null, faults: [new UnreadableError(reason, null, frame)] };
  /** @type {UnreadableError[]} */
  const faults = [];
  const events = m.filter((/** @type {any} */ event) => {
    const fault = faultOf(event, c);
    if (fault !== null) faults.push(new UnreadableError(fault, c, event));
    return fault === null;
  });
  const isReadable = (s ?? null) === null || isState(s);
  if (!isReadable) faults.push(new UnreadableError('s is no state.', null, frame));
  const push = { t, c, m: events, s: isReadable ? s ?? undefined : undefined };
  return { push: isObject(summedUp) ? { ...push, window: windowOf(summedUp) } : push, faults };
}

/**
 * What a push that sums up says of the part that a device holds: what is before it, if it can be
 * read. Else that is asked.
 * @param {any} said
 */
function windowOf({ after, rest }) {
  if (!isTimetoken(after)) return {};
  return isState(rest) ? { after, rest } : { after };
}

/**
 * Whether more is to come before anybody says what the channel comes to: not where nothing of a
 * push is stored. A page lacks what a later one undoes: it takes the last one to say what there is.
 * @param {any} push
 */
export const isPart = ({ s, m }) =>
  !s && (m.length === 0 || m.some((/** @type {any} */ event) => event.f !== 1));
