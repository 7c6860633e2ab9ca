// The name of this tab's devices: two consoles in one browser have devices of their own.
// @ts-check
import { wipe } from './kept.js';

const keptName = 'syncdaemon-console-tab';

/** Milliseconds that a tab waits for its own name after a reload: the page before has it. */
const patience = 1000;

const lockOf = (/** @type {string} */ name) => `console tab ${name}`;

/**
 * The name of a cache of a tab's.
 * @param {string} tab @param {string} rest
 */
export const cacheNameOf = (tab, rest) => `console-tab-${tab}-${rest}`;

/**
 * Whose a cache is; undefined: none of the console's.
 * @param {string} [name]
 */
export const tabOf = (name) => /^console-tab-([0-9a-f]+)-/.exec(name ?? '')?.[1];

/**
 * Has a lock until the page is gone, if it can be had.
 * @param {string} name @param {any} options @returns {Promise<boolean>}
 */
const holdLock = (name, options) => new Promise((resolve) => {
  navigator.locks.request(lockOf(name), options, (lock) => {
    resolve(lock !== null);
    return lock ? new Promise(() => {}) : undefined;
  }).catch(() => resolve(false));
});

/** Removes the caches of tabs that are gone. */
async function sweep() {
  const all = (await indexedDB.databases()).flatMap((it) => it.name ?? []);
  for (const tab of new Set(all.flatMap((it) => tabOf(it) ?? []))) {
    await navigator.locks.request(lockOf(tab), { ifAvailable: true }, async (lock) => {
      if (lock) await Promise.all(all.filter((it) => tabOf(it) === tab).map(wipe));
    });
  }
}

/**
 * This tab's name: the same after a reload, and another one in a copy of the tab, which has its
 * memory, too.
 * @returns {Promise<string>}
 */
export async function findTab() {
  const known = sessionStorage.getItem(keptName);
  // Where there are no locks there are no caches: clients/web/README.md.
  if (!navigator.locks) return known ?? '0';
  let name = known ?? '';
  const enough = new AbortController();
  setTimeout(() => enough.abort(), patience);
  if (!name || !await holdLock(name, { signal: enough.signal })) {
    name = [...crypto.getRandomValues(new Uint8Array(8))]
      .map((it) => it.toString(16).padStart(2, '0')).join('');
    sessionStorage.setItem(keptName, name);
    await holdLock(name, {});
  }
  sweep().catch(() => {});
  return name;
}
