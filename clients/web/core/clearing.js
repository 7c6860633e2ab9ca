// What a moderator removed at once: the reactions that share a message, a value or a user.
// @ts-check
import { isVersion } from './row.js';
import { isText } from './shapes.js';
import { isLater, isTimetoken } from './timetoken.js';

/** @typedef {import('./rows.js').Rows} Rows */
/** @typedef {import('./types.js').Row} Row */

/** What it leaves out may be anything; but not all of it, which would be a whole channel. */
export function isClearing(/** @type {any} */ data) {
  const [message, type, value, uuid] = [
    data.messageTimetoken, data.type, data.value, data.uuid].map((it) => it ?? null);
  return (message !== null || value !== null || uuid !== null) &&
    (message === null || isTimetoken(message)) &&
    [type, value, uuid].every((it) => it === null || isText(it));
}

/**
 * Drops the rows that it covers and that stood at its time: one that was added since stands.
 * @param {Rows} rows @param {any} data Of the event. @param {string} at The event's timetoken.
 */
export function clear(rows, data, at) {
  const { messageTimetoken, type, value, uuid } = data;
  const messages = (messageTimetoken ?? null) === null ? [...rows.messages()] : [messageTimetoken];
  for (const group of messages.flatMap((it) => [...rows.groups(it).values()])) {
    const { type: itsType, value: itsValue } = group.shown;
    // What authors make of their own messages goes only by its name.
    const isOfType = (type ?? null) === null ? !isVersion(itsType) : itsType === type;
    if (!isOfType || (value ?? itsValue) !== itsValue) continue;
    const covered = (uuid ?? null) === null ? [...group] : [group.of(uuid)];
    for (const row of covered) if (row && !isLater(row.actionTimetoken, at)) rows.drop(row);
  }
}
