// What names and texts the daemon takes, checked where a page hands them over.
// @ts-check
import { bytesOf } from './bytes.js';
import { isObject } from './shapes.js';

/** Bytes of a channel's name, a user's, a device's, a keyset's. */
export const identifierMax = 255;
/** Bytes of a message's or a reaction's type. */
export const typeMax = 64;
/** Bytes of a token. */
export const tokenMax = 8192;

/**
 * Throws unless it is a text that the daemon takes.
 * @param {string} what @param {any} text @param {number} max Bytes.
 */
export function checkText(what, text, max) {
  if (typeof text !== 'string') {
    throw new TypeError(`${what} is a text, not ${text === null ? 'null' : typeof text}.`);
  }
  const size = bytesOf(text);
  if (size < 1 || size > max) throw new RangeError(`${what} has 1 to ${max} bytes, not ${size}.`);
  if (/[\0\p{Cs}]/u.test(text)) {
    throw new TypeError(`${what} has no U+0000 and no half of a surrogate pair: ${text}`);
  }
}

/**
 * Throws when something has a member that would do nothing.
 * @param {string} what Several. @param {any} given @param {string[]} known
 */
export function checkMembers(what, given, known) {
  if (!isObject(given)) throw new TypeError(`${what} are an object: ${known.join(', ')}.`);
  const unknown = Object.keys(given).filter((it) => !known.includes(it) && given[it] !== undefined);
  if (unknown.length === 0) return;
  throw new TypeError(`${what} are ${known.join(', ')}, not ${unknown.join(', ')}.`);
}

/**
 * Throws unless it is the name of a channel.
 * @param {any} name
 */
export function checkChannel(name) {
  // That of a directory is as long as what it is about may be, and the word in front of it.
  const prefix = /^\$(members|memberships):(?=.)/s.exec(name)?.[0] ?? '';
  checkText('A channel name', name, identifierMax + prefix.length);
  if (/[\x01-\x1f\x7f-\x9f,]/.test(name)) {
    throw new TypeError(`A channel name has no comma and no control character: ${name}`);
  }
  if (/^\*$|\.\*(-pnpres)?$/.test(name)) {
    throw new TypeError(
      `A channel name is not *, and has no .* or .*-pnpres at its end: that is many. ${name}`);
  }
}

/** Whether it is the name of a channel. */
export const isChannelName = (/** @type {any} */ name) => {
  try {
    checkChannel(name);
    return true;
  } catch {
    return false;
  }
};
