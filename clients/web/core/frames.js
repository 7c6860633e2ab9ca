// What a frame may hold: of our own before it goes out, of the daemon when it comes.
// @ts-check
import { bytesOf } from './bytes.js';
import { UnreadableError } from './errors.js';
import { isObject } from './shapes.js';

// A frame that is not JSON has no reply: whatever else is in it would wait for ever. So names are
// checked where they come in, and each frame once more before it goes out.

/** Bytes of a frame. */
const frameMax = 32_768;

/** Why the daemon can never read a frame, as it would say it; null when it can. */
export function frameRefusal(/** @type {string} */ text) {
  const status = 400;
  if (/(^|[^\\])(\\\\)*\\ud[89a-f]/.test(text)) {
    return { status, code: 'not_json', message: 'A name or a text in it has half a character.' };
  }
  if (text.length * 3 <= frameMax || bytesOf(text) <= frameMax) return null;
  return { status, code: 'frame_too_large', message: `It has more than ${frameMax} bytes.` };
}

/**
 * The fields of a write as JSON has them. A frame that the daemon cannot read has no reply, or ends
 * the connection, and would so for ever: it must not get into the outbox.
 * @param {any} fields @param {string} channel
 */
export function frameable(fields, channel) {
  const text = JSON.stringify(fields);
  // 150 bytes are enough for all that is beside them: op, ids and names.
  const size = bytesOf(text + JSON.stringify(channel)) + 150;
  if (size > frameMax) throw new RangeError(`A write has ${size} bytes; the daemon takes 32,768.`);
  if (/(^|[^\\])(\\\\)*\\ud[89a-f]/.test(text)) {
    throw new TypeError('A text of a write has half a character.');
  }
  const check = (/** @type {any} */ value, /** @type {number} */ depth) => {
    if (Number.isInteger(value) && Math.abs(value) > 2 ** 63 - 1025 && Math.abs(value) < 1e21) {
      throw new RangeError(`${value} has more than 64 bits: make it a text.`);
    }
    if (value === null || typeof value !== 'object') return;
    if (depth > 31) throw new RangeError('A write may be nested 31 levels deep.');
    for (const it of Object.values(value)) check(it, depth + 1);
  };
  const kept = JSON.parse(text);
  check(kept, 0);
  return kept;
}

/**
 * A frame's JSON; throws unless it is an object.
 * @param {string} text
 */
export function parsed(text) {
  let frame;
  try {
    frame = JSON.parse(text);
  } catch {
    throw new UnreadableError('it is not JSON.', null, text);
  }
  if (!isObject(frame)) throw new UnreadableError('it is no object.', null, text);
  return frame;
}

/**
 * Whether a frame says nothing but what reactions there are.
 * @param {any} frame
 */
export const isRulesFrame = (frame) =>
  (frame.id ?? null) === null && Array.isArray(frame.rules) && Array.isArray(frame.channels);
