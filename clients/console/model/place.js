// Where the daemon is: as it says itself where it serves this page, or as the address says.
// @ts-check

/** @typedef {import('./device.js').Place & {adminOrigin: string, key: string,
 *   use: (values: Record<string, string>) => void}} Found */

/** What of an address is kept, besides the operators' key. */
const names = ['url', 'channel', 'keyset', 'publishKey', 'token'];
const keptName = 'syncdaemon-console-place';

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
 * The address of this page may say more: `#key=…&channel=…`, and where no daemon serves it
 * `?daemon=HOST:PORT&admin=http://HOST:PORT`. A key does not stay in it.
 * @returns {Promise<Found>}
 */
export async function findPlace() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const query = new URLSearchParams(location.search);
  const kept = JSON.parse(sessionStorage.getItem(keptName) ?? '{}');
  const daemon = query.get('daemon');
  const url = asked.get('url') ?? kept.url ??
    (daemon ? `ws://${daemon}/v1/sync` : await asServed());
  const key = asked.get('key') ?? '';
  if (key) history.replaceState(null, '', location.pathname + location.search);
  const optional = Object.fromEntries(names.slice(2).map((it) =>
    [it, asked.get(it) ?? kept[it] ?? undefined]));
  return {
    ...optional, url, key, channel: asked.get('channel') ?? kept.channel ?? 'room',
    adminOrigin: query.get('admin') ?? '',
    use: (values) => {
      const given = Object.fromEntries(names.flatMap((it) => values[it] ? [[it, values[it]]] : []));
      sessionStorage.setItem(keptName, JSON.stringify(given));
      location.reload();
    },
  };
}
