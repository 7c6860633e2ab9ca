// Where the daemon is: as it says itself where it serves this page, or as the address says.
// @ts-check
import { checkChannel, checkText, identifierMax, tokenMax } from '../../web/core/names.js';

/** @typedef {import('./device.js').Place & {adminOrigin: string, key: string, fault: string,
 *   use: (values: Record<string, string>) => void}} Found */

/** What of an address is kept, besides the operators' key. */
const names = ['url', 'channel', 'keyset', 'publishKey', 'token'];
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
 * Each throws what no daemon takes.
 * @type {Record<string, (value: string) => void>}
 */
const checks = {
  url: checkUrl, channel: checkChannel,
  keyset: (it) => checkText('A keyset', it, identifierMax),
  publishKey: (it) => checkText('A publish key', it, identifierMax),
  token: (it) => checkText('A token', it, tokenMax),
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
  // Behind a proxy, or where one listener has both, this page's own address leads there.
  return chosen ? `${scheme}://${location.hostname}:${chosen}/v1/sync`
    : `${isSecure ? 'wss' : 'ws'}://${location.host}/v1/sync`;
}

/**
 * What this tab used last.
 * @returns {Record<string, string>}
 */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(keptName) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

/**
 * Where operators ask, and what is wrong with it.
 * @param {string} origin
 */
const adminAt = (origin) => origin === '' || isAddress(origin, ['http:', 'https:'])
  ? { adminOrigin: origin, fault: '' }
  : { adminOrigin: '', fault: `admin is such as http://HOST:PORT, not ${origin}.` };

/**
 * The address of this page may say more: `#key=…&channel=…`, and where no daemon serves it
 * `?daemon=HOST:PORT&admin=http://HOST:PORT`. A key does not stay in it. What cannot be used has
 * its default, and `fault` says so: an address that ended the page would end each visit of the tab.
 * @returns {Promise<Found>}
 */
export async function findPlace() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const query = new URLSearchParams(location.search);
  const daemon = query.get('daemon');
  const before = usable(kept());
  const now = usable({ url: daemon === null ? null : `ws://${daemon}/v1/sync` });
  const more = usable(Object.fromEntries(names.map((it) => [it, asked.get(it)])));
  /** @type {Record<string, string|undefined>} */
  const good = { ...now.good, ...before.good, ...more.good };
  const { url, channel = 'room', ...optional } = good;
  const key = asked.get('key') ?? '';
  if (key) history.replaceState(null, '', location.pathname + location.search);
  const { adminOrigin, fault } = adminAt(query.get('admin') ?? '');
  return {
    ...optional, url: url ?? await asServed(), key, channel, adminOrigin,
    fault: [before.fault, now.fault, more.fault, fault].filter(Boolean).join(' '),
    use: (values) => {
      const given = Object.fromEntries(names.flatMap((it) => values[it] ? [[it, values[it]]] : []));
      sessionStorage.setItem(keptName, JSON.stringify(given));
      // What was chosen here counts, not what the address says.
      if (location.hash) history.replaceState(null, '', location.pathname + location.search);
      location.reload();
    },
  };
}
