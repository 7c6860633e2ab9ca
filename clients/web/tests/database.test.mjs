// A database that the browser does not open: a frozen tab has it, or it is being deleted.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Database } from '../shell/database.js';

test('one that nobody opens is given up, and closed should it come later', async () => {
  let isClosed = false;
  const request = Object.assign(new EventTarget(), { result: { close() { isClosed = true; } } });
  globalThis.indexedDB = /** @type {any} */ ({ open: () => request });
  mock.timers.enable({ apis: ['setTimeout'] });
  const opening = new Database('ada', { userId: 'ada', keyset: null }).open();
  mock.timers.tick(10_000);
  await assert.rejects(opening, /does not open the cache/);
  request.dispatchEvent(new Event('success'));
  assert.ok(isClosed);
  mock.timers.reset();
});

test('one that is brought up to date may take as long as it needs', async () => {
  const request = new EventTarget();
  globalThis.indexedDB = /** @type {any} */ ({ open: () => request });
  mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  new Database('ada', { userId: 'ada', keyset: null }).open().catch(() => { isOver = true; });
  request.dispatchEvent(new Event('upgradeneeded'));
  mock.timers.tick(60_000);
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  mock.timers.reset();
});
