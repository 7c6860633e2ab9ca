// What a page may write: checks what it hands over, and makes the fields of a write of it.
// @ts-check
import { isDirectory } from './directories.js';
import { frameable } from './frames.js';
import { checkMembers, checkText, typeMax } from './names.js';
import { isScore, scoreMax } from './row.js';
import { isText } from './shapes.js';
import { isTimetoken, timetokenMax } from './timetoken.js';

/**
 * Throws unless this client may write to a channel.
 * @param {string} channel
 */
function checkWritable(channel) {
  if (isDirectory(channel)) {
    throw new TypeError(`${channel} is a directory, which Directory changes with set and remove.`);
  }
  if (!channel.endsWith('-pnpres')) return;
  throw new TypeError("Channels that end in -pnpres are the daemon's own: write to others.");
}

/**
 * Throws unless it names a message.
 * @param {any} timetoken
 */
export function checkTimetoken(timetoken) {
  if (isTimetoken(timetoken)) return;
  const is = isText(timetoken) ? `"${timetoken}"` : typeof timetoken;
  throw new TypeError(timetoken === null ? 'The message has no timetoken yet.'
    : `A timetoken is a text of 1 to 19 digits, up to ${timetokenMax}, not ${is}.`);
}

/**
 * The fields of an edit; throws unless the daemon takes it.
 * @param {string} channel @param {any} messageTimetoken @param {any} payload
 */
export function editFields(channel, messageTimetoken, payload) {
  checkTimetoken(messageTimetoken);
  const { payload: kept, ...rest } = messageFields(channel, payload, {});
  // The version is an action, whose value is the payload's text.
  return { ...rest, messageTimetoken, payload: kept, value: JSON.stringify(kept) };
}

/**
 * The fields of a deletion; throws unless the daemon takes it.
 * @param {string} channel @param {any} messageTimetoken
 */
export function deletionFields(channel, messageTimetoken) {
  checkWritable(channel);
  checkTimetoken(messageTimetoken);
  return { messageTimetoken };
}

/**
 * The fields of a message; throws unless the daemon takes it.
 * @param {string} channel @param {any} payload
 * @param {{meta?: any, messageType?: string, parent?: string}} fields
 */
export function messageFields(channel, payload, fields) {
  checkWritable(channel);
  // Nobody should believe that a message is not stored, or only for a while.
  checkMembers('The fields of a message', fields, ['meta', 'messageType', 'parent']);
  const { meta, messageType, parent } = fields;
  if ((parent ?? null) !== null) checkTimetoken(parent);
  if ((messageType ?? null) !== null) checkText('A messageType', messageType, typeMax);
  const written = frameable({ payload, meta, messageType, parent: parent ?? undefined }, channel);
  if (!('payload' in written)) throw new TypeError('A payload is a JSON value.');
  return written;
}

/**
 * The fields of a reaction; throws unless the daemon takes it.
 * @param {string} channel
 * @param {{messageTimetoken: any, type: any, value: any, present: any, score?: any}} wish
 */
export function reactionFields(channel, wish) {
  checkWritable(channel);
  checkMembers('The fields of a reaction', wish,
    ['messageTimetoken', 'value', 'type', 'score', 'present']);
  const { messageTimetoken, type, value, present, score } = wish;
  if ((score ?? null) !== null && !isScore(score)) {
    throw new RangeError(`A score is a whole number from 1 to ${scoreMax}.`);
  }
  if (score !== undefined && !present) throw new TypeError('A removal has no score.');
  checkTimetoken(messageTimetoken);
  if (!isText(value) || !isText(type) || typeof present !== 'boolean') {
    throw new TypeError('A reaction has texts for value and type, and is present or not.');
  }
  checkText('The type of a reaction', type, typeMax);
  // Payload and meta may have one: nobody looks into them.
  if (value.includes('\0')) throw new TypeError('The value of a reaction has no U+0000.');
  if ((type === 'reaction' ? value.trim() : value) === '') {
    throw new RangeError('The value of a reaction is empty.');
  }
  const written = frameable({ messageTimetoken, type, value }, channel);
  return { ...written, present, ...score ? { score } : {} };
}
