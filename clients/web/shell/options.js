// The options of a client, and what is wrong with them.
// @ts-check
import { checkMembers, checkText, identifierMax, tokenMax } from '../core/names.js';
import { isCount, isText } from '../core/shapes.js';
import { pageMax } from '../core/window.js';

/**
 * `url` as in ws://HOST:PORT/v1/sync. `cache` names the IndexedDB database (one for each user,
 * keyset and server); without it nothing outlives the page. `batch` (milliseconds) and `coalesce`
 * go to subscribe. `replySeconds` (15) is how long the daemon may be silent while it owes a reply,
 * or the connection takes to open; then another one is tried. `outboxMax` (1000) is how many
 * writes may wait. `store`, `WebSocket` and `random` are for other surroundings than a page,
 * such as tests.
 * @typedef {{url: string, userId: string, deviceId?: string, keyset?: string,
 *   publishKey?: string, token?: string|(() => string|Promise<string>), cache?: string|null,
 *   batch?: number, coalesce?: boolean, replySeconds?: number, outboxMax?: number, store?: any,
 *   WebSocket?: any, random?: () => number}} Options
 */

/**
 * How a page follows a channel.
 * @typedef {{presence?: boolean, unread?: boolean,
 *   window?: {last?: number, keeping?: number}}} ChannelOptions
 */

export const replySecondsDefault = 15;
export const outboxMaxDefault = 1000;

const optionNames = [
  'url', 'userId', 'deviceId', 'keyset', 'publishKey', 'token', 'cache', 'batch', 'coalesce',
  'replySeconds', 'outboxMax', 'store', 'WebSocket', 'random',
];

/** Where a daemon listens. */
const usualPath = '/v1/sync';

/**
 * An address as a page takes it; null: it is none.
 * @param {string|URL} url
 */
function addressOf(url) {
  try {
    const address = new URL(url, globalThis.document?.baseURI);
    return /^(ws|http)s?:$/.test(address.protocol) ? address : null;
  } catch {
    return null;
  }
}

/**
 * Throws unless it is where a daemon may be. Of what a page would take all the same, and never
 * reach anybody with, it says what to write.
 * @param {any} url
 */
function checkUrl(url) {
  const text = isText(url) || url instanceof URL ? String(url).trim() : '';
  // What has no scheme is a path of the page: "127.0.0.1:8080" would be a file beside it.
  const isWhole = /^([a-z][a-z\d+.-]*:)?\//i.test(text);
  const address = text === '' ? null : addressOf(isWhole ? text : `ws://${text}`);
  let fault = '';
  if (address && !isWhole) fault = 'It has no scheme';
  else if (address?.pathname === '/') fault = 'It has no path';
  else if (address && /[?#]/.test(address.href)) fault = 'It has a query or a fragment';
  if (address && fault === '') return;
  const path = address?.pathname === '/' ? usualPath : address?.pathname;
  const orOwn = isWhole ? '' : `, or ${usualPath} for the page's own host`;
  const advice = fault && ` ${fault}: write ${address?.protocol}//${address?.host}${path}${orOwn}.`;
  throw new TypeError(
    `url is an address such as ws://HOST:PORT${usualPath}, not ${String(url)}.${advice}`);
}

/**
 * Throws (TypeError, RangeError) unless they can be used.
 * @param {Options} options
 */
export function checkOptions(options) {
  checkMembers('The options of SyncClient', options, optionNames);
  checkUrl(options.url);
  const { userId, deviceId, keyset, batch, coalesce } = options;
  const { replySeconds = replySecondsDefault, outboxMax = outboxMaxDefault } = options;
  checkText('A userId', userId, identifierMax);
  if ((deviceId ?? null) !== null) checkText('A deviceId', deviceId, identifierMax);
  if ((keyset ?? null) !== null) checkText('A keyset', keyset, identifierMax);
  const { publishKey, token } = options;
  if ((publishKey ?? null) !== null) checkText('A publishKey', publishKey, identifierMax);
  if ((token ?? null) !== null && typeof token !== 'function') {
    checkText('A token', token, tokenMax);
  }
  if (!(isCount(batch ?? 0) && (batch ?? 0) <= 1000)) {
    throw new RangeError('batch is a whole number of milliseconds, up to 1000.');
  }
  if (typeof (coalesce ?? false) !== 'boolean') throw new TypeError('coalesce is true or false.');
  if (!(replySeconds > 0)) throw new RangeError('replySeconds is a number above 0.');
  if (!(outboxMax >= 1)) throw new RangeError('outboxMax is a number from 1 on.');
}

/** Messages of a window, at least and at most, unless the page says otherwise. */
const lastDefault = 50;
const keepingDefault = 1000;

/**
 * How a channel is followed; throws (TypeError, RangeError) what cannot be.
 * @param {string} name @param {ChannelOptions} given
 */
export function channelOptions(name, given) {
  checkMembers('The options of a channel', given, ['presence', 'unread', 'window']);
  const presence = given.presence ?? false;
  const unread = given.unread ?? false;
  if (typeof presence !== 'boolean') throw new TypeError('presence is true or false.');
  if (typeof unread !== 'boolean') throw new TypeError('unread is true or false.');
  if (presence && name.endsWith('-pnpres')) {
    throw new TypeError('Nobody is in a channel that ends in -pnpres: name the other one.');
  }
  return { presence, unread, size: windowOf(given.window) };
}

/**
 * How much of a channel is held; throws (TypeError, RangeError) what cannot be.
 * @param {{last?: number, keeping?: number}|null|undefined} given
 */
export function windowOf(given) {
  if ((given ?? null) === null) return null;
  checkMembers('The options of a window', given, ['last', 'keeping']);
  const { last = lastDefault, keeping = Math.max(last, keepingDefault) } = given ?? {};
  if (!isCount(last) || last < 1 || last > pageMax || !isCount(keeping) || keeping < last) {
    throw new RangeError(`last is a whole number from 1 to ${pageMax}, keeping no smaller one.`);
  }
  return { last, keeping };
}
