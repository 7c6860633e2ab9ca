// Who leads where the browser forgets to say so.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Tabs } from '../shell/tabs.js';

/** A lock that is given to nobody, once it is let go of, until a request for it ends. */
function forgetfulLocks() {
  const waiting = [];
  let holder = null;
  const give = () => {
    if (holder || waiting.length === 0) return;
    const { callback, name } = waiting.shift();
    holder = { name };
    callback(holder).then(() => { holder = null; });
  };
  return {
    waiting,
    let() { holder = null; },
    async query() {
      return { held: holder ? [holder] : [], pending: waiting.map(({ name }) => ({ name })) };
    },
    request(name, { ifAvailable, signal }, callback) {
      if (ifAvailable) {
        if (holder) return Promise.resolve(callback(null));
        holder = { name };
        return Promise.resolve(callback(holder));
      }
      const wish = { name, callback };
      if (!signal.aborted) waiting.push(wish);
      return new Promise((_, reject) => signal.addEventListener('abort', () => {
        if (waiting.includes(wish)) waiting.splice(waiting.indexOf(wish), 1);
        reject(signal.reason);
        give();
      }));
    },
  };
}

test('a tab leads in the end, also where the browser gives the lock to nobody', async (t) => {
  const locks = forgetfulLocks();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', {
    value: { locks }, configurable: true, writable: true });
  t.after(() => before
    ? Object.defineProperty(globalThis, 'navigator', before) : delete globalThis.navigator);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const led = [];
  const tabs = [0, 1].map((it) => new Tabs('lock', () => {}));
  for (const [it, tab] of tabs.entries()) {
    await tab.join(async () => { led.push(it); }, () => {}, assert.fail);
  }
  assert.deepEqual(led, [0]);

  locks.let();
  assert.deepEqual((await locks.query()).held, []);
  for (let i = 0; i < 3; i++) {
    t.mock.timers.tick(3000);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }

  assert.deepEqual(led, [0, 1]);
  for (const tab of tabs) {
    tab.stopWaiting();
    tab.close();
  }
});

test('a page that is kept for the way back waits for no lock', async (t) => {
  const locks = forgetfulLocks();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', {
    value: { locks }, configurable: true, writable: true });
  const listeners = {};
  globalThis.addEventListener = (kind, callback) => { listeners[kind] = callback; };
  globalThis.removeEventListener = (kind) => { delete listeners[kind]; };
  t.after(() => {
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else delete globalThis.navigator;
    delete globalThis.addEventListener;
    delete globalThis.removeEventListener;
  });
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const tabs = [0, 1].map(() => new Tabs('lock', () => {}));
  for (const tab of tabs) await tab.join(async () => {}, () => {}, assert.fail);
  assert.equal(locks.waiting.length, 1);
  listeners.pagehide();
  assert.equal(locks.waiting.length, 0);
  listeners.pageshow({ persisted: false });
  assert.equal(locks.waiting.length, 0);
  listeners.pageshow({ persisted: true });
  assert.equal(locks.waiting.length, 1);
  for (const tab of tabs) {
    tab.stopWaiting();
    tab.close();
  }
  assert.deepEqual(listeners, {});
});

// Found by an attack: a tab that leads and was frozen had all others say "online" and "verified".
test('a tab that leads and does not run is noticed, and so is one that runs again', async (t) => {
  const locks = forgetfulLocks();
  const before = ['navigator', 'BroadcastChannel'].map((name) =>
    [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  t.after(() => before.forEach(([name, it]) =>
    it ? Object.defineProperty(globalThis, name, it) : delete globalThis[name]));
  const channels = [];
  const values = { navigator: { locks }, BroadcastChannel: class {
    isFrozen = false;
    constructor() { channels.push(this); }
    postMessage(data) {
      for (const it of channels) if (it !== this && !it.isFrozen) it.onmessage({ data });
    }
    close() {}
  } };
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const said = [];
  const tabs = [0, 1, 2].map((it) => new Tabs('lock', assert.fail, (isThere) =>
    said.push([it, isThere])));
  const pass = async (looks) => {
    for (let i = 0; i < looks; i++) {
      t.mock.timers.tick(3000);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  };
  for (const tab of tabs) await tab.join(async () => {}, () => {}, assert.fail);
  await pass(9);
  assert.deepEqual(said, []);
  channels[0].isFrozen = true;
  await pass(2);
  assert.deepEqual(said, [], 'it may be this tab that did not run');
  await pass(5);
  assert.deepEqual(said, [[1, false], [2, false]]);
  channels[0].isFrozen = false;
  await pass(5);
  assert.deepEqual(said.slice(2).sort(), [[1, true], [2, true]]);
  for (const tab of tabs) {
    tab.stopWaiting();
    tab.close();
  }
});

test('a tab of an earlier release, which answers nothing, is no reason to say so', async (t) => {
  const locks = forgetfulLocks();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', {
    value: { locks }, configurable: true, writable: true });
  t.after(() => before
    ? Object.defineProperty(globalThis, 'navigator', before) : delete globalThis.navigator);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  locks.request('lock', { ifAvailable: true }, () => new Promise(() => {}));
  const tab = new Tabs('lock', () => {}, assert.fail);
  await tab.join(async () => {}, () => {}, assert.fail);
  for (let i = 0; i < 9; i++) {
    t.mock.timers.tick(3000);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
  tab.stopWaiting();
  tab.close();
});
