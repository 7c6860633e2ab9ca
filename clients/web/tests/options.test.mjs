// What a page hands over beside names and texts: options and fields, refused where they do nothing.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { SyncClient } from '../syncclient.js';
import { endWorlds } from './world.mjs';

const own = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');

afterEach(() => {
  endWorlds();
  if (own) Object.defineProperty(globalThis, 'WebSocket', own);
  else delete globalThis.WebSocket;
});

test('where there is no WebSocket, as in Node.js 20, the problem says what to do', async () => {
  const value = undefined;
  Object.defineProperty(globalThis, 'WebSocket', { value, configurable: true, writable: true });
  const client = new SyncClient({ url: 'ws://model', userId: 'ada' });
  const problem = await new Promise((resolve) => client.on('problem', resolve));
  assert.equal(client.status, 'refused');
  assert.match(problem.message, /Node\.js before 22: give SyncClient one as its option WebSocket/);
  await client.close();
});
