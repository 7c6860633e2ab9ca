// What a page may write: checks what it hands over, and makes the fields of a write of it.
// @ts-check
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
  if (!channel.endsWith('-pnpres')) return;
  throw new TypeError("Channels that end in -pnpres are the daemon's own: write to others.");
}

/**
 * The fields of a message; throws unless the daemon takes it.
 * @param {string} channel @param {any} payload @param {{meta?: any, messageType?: string}} fields
 */
export function messageFields(channel, payload, fields) {
  checkWritable(channel);
  // Nobody should believe that a message is not stored, or only for a while.
  checkMembers('The fields of a message', fields, ['meta', 'messageType']);
  const { meta, messageType } = fields;
  if ((messageType ?? null) !== null) checkText('A messageType', messageType, typeMax);
  const written = frameable({ payload, meta, messageType }, channel);
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
  if (!isTimetoken(messageTimetoken)) {
    const is = isText(messageTimetoken) ? `"${messageTimetoken}"` : typeof messageTimetoken;
    throw new TypeError(messageTimetoken === null ? 'The message has no timetoken yet.'
      : `A timetoken is a text of 1 to 19 digits, up to ${timetokenMax}, not ${is}.`);
  }
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
