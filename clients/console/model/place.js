// Where the daemon is: as it says itself where it serves this page, or as the address says.
// @ts-check
import { checkChannel, checkText, identifierMax, tokenMax } from '../../web/core/names.js';

/** @typedef {import('./device.js').Place & {key: string, fault: string,
 *   use: (values: Record<string, string>) => void}} Found */

/** What of an address is kept, besides the operators' key. */
const names = ['url', 'channel', 'keyset', 'publishKey', 'token'];
/** What does not stay in the address: it is in the history, and in each picture of the page. */
const secrets = ['key', 'token'];
const keptName = 'syncdaemon-console-place';

/**
 * Whether it is a whole address of one of these schemes.
 * @param {string} text @param {string[]} schemes
 */
function isAddress(text, schemes) {
  try {
    const { protocol, hash } = new URL(text);
    return schemes.includes(protocol) && hash === '';
  } catch {
    return false;
  }
}

/**
 * Throws unless a WebSocket can go there.
 * @param {string} url
 */
function checkUrl(url) {
  if (isAddress(url, ['ws:', 'wss:'])) return;
  throw new TypeError(`The address of the daemon is such as ws://HOST:PORT/v1/sync, not ${url}.`);
}

/**
 * Throws unless a header of HTTP can have it, as far as daemons take it for a key.
 * @param {string} key
 */
function checkKey(key) {
  if (/^[!-~]+$/.test(key)) return;
  throw new TypeError('The operators\' key has visible ASCII characters only, without blanks.');
}

/**
 * Each throws what no daemon takes.
 * @type {Record<string, (value: string) => void>}
 */
const checks = {
  url: checkUrl, channel: checkChannel,
  keyset: (it) => checkText('A keyset', it, identifierMax),
  publishKey: (it) => checkText('A publish key', it, identifierMax),
  token: (it) => checkText('A token', it, tokenMax),
  key: checkKey,
};

/**
 * What is wrong with one of the values, in words; '' when it can be used.
 * @param {string} name @param {string} value
 */
export function faultOf(name, value) {
  try {
    checks[name]?.(value);
    return '';
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * The values that can be used, of those that are there, and what is wrong with the others.
 * @param {Record<string, string|null|undefined>} values
 */
export function usable(values) {
  /** @type {Record<string, string>} */ const good = {};
  const faults = [];
  for (const name of names) {
    const value = values[name];
    if (value === null || value === undefined) continue;
    const fault = faultOf(name, value);
    if (fault === '') good[name] = value;
    else faults.push(fault);
  }
  return { good, fault: faults.join(' ') };
}

/** Where the daemon listens for clients: it serves this beside the page. */
async function asServed() {
  const response = await fetch(new URL('../daemon.json', import.meta.url)).catch(() => null);
  if (!response?.ok) return 'ws://127.0.0.1:8080/v1/sync';
  const { port, securePort } = await response.json();
  const isSecure = location.protocol === 'https:';
  const [scheme, chosen] = isSecure || !port ? ['wss', securePort] : ['ws', port];
  // No policy can name an IPv6 address.
  const host = location.hostname === '[::1]' ? 'localhost' : location.hostname;
  // Behind a proxy, or where one listener has both, this page's own address leads there.
  return chosen ? `${scheme}://${host}:${chosen}/v1/sync`
    : `${isSecure ? 'wss' : 'ws'}://${location.host}/v1/sync`;
}

/** @typedef {{at?: string} & Record<string, string>} Kept */

/**
 * What this tab used last; `at` is the address of the daemon that it was given for.
 * @returns {Kept}
 */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(keptName) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

/**
 * What may be told to the daemon at an address of what was kept: a link names any address, and
 * one that got another daemon's token, or publish key, could use it there.
 * @param {Kept} before @param {string} url @param {boolean} [isOver] Another token was given now.
 */
export function givenFor({ at, ...values }, url, isOver = false) {
  const { good, fault } = usable(values);
  if (at === url) return { good, fault };
  const left = isOver || good.token === undefined ? ''
    : `the token, which was given for ${at ?? 'another address'}.`;
  return { good: {}, fault: [fault, left].filter(Boolean).join(' ') };
}

/**
 * The fragment of an address without its secrets, which are read once; '' or with its #.
 * @param {string} hash
 */
export function withoutSecrets(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  if (!secrets.some((it) => asked.has(it))) return hash;
  for (const it of secrets) asked.delete(it);
  return String(asked) === '' ? '' : `#${asked}`;
}

/**
 * Keeps what was given for the daemon at an address, until this tab is closed.
 * @param {Record<string, string|undefined>} values @param {string} at
 */
const keep = (values, at) => sessionStorage.setItem(keptName, JSON.stringify({ ...values, at }));

/**
 * Uses what was chosen on the page; what was left out is as the daemon says.
 * @param {Record<string, string>} values @param {string} served
 */
function use(values, served) {
  const { url = served, ...given } =
    Object.fromEntries(names.flatMap((it) => values[it] ? [[it, values[it]]] : []));
  keep(url === served ? given : { url, ...given }, url);
  // What was chosen here counts, not what the address says.
  history.replaceState(null, '', location.pathname);
  location.reload();
}

/**
 * The address of this page may say more: `#key=…&channel=…`, and where no daemon serves it
 * `?daemon=HOST:PORT`. A key or a token does not stay in it. What cannot be used has its default,
 * and `fault` says so: an address that ended the page would end each visit of the tab.
 * @returns {Promise<Found>}
 */
export async function findPlace() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const hash = withoutSecrets(location.hash);
  if (hash !== location.hash) {
    history.replaceState(null, '', location.pathname + location.search + hash);
  }
  const daemon = new URLSearchParams(location.search).get('daemon');
  const now = usable({ url: daemon === null ? null : `ws://${daemon}/v1/sync` });
  const more = usable(Object.fromEntries(names.map((it) => [it, asked.get(it)])));
  const before = kept();
  const served = await asServed();
  const chosen = faultOf('url', before.url ?? '') === '' ? before.url : undefined;
  const url = more.good.url ?? now.good.url ?? chosen ?? served;
  const { token } = more.good;
  const own = givenFor(before, url, token !== undefined);
  const { channel = 'room', ...optional } = { ...own.good, ...more.good };
  if (token !== undefined) keep({ ...own.good, token }, url);
  return {
    ...optional, url, key: asked.get('key') ?? '', channel,
    fault: [own.fault, now.fault, more.fault].filter(Boolean).join(' '),
    use: (values) => use(values, served),
  };
}
