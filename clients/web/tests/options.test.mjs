// What a page hands over beside names and texts: options and fields, refused where they do nothing.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { SyncClient } from '../syncclient.js';
import { Server } from './model.mjs';
import { endWorlds, followed } from './world.mjs';

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

test('a field of a message that would do nothing is refused', async () => {
  const { world } = await followed(new Server());
  const { length } = world.sent;
  for (const fields of [{ store: false }, { ttl: 1 }, { meta: 1, message_type: 'a' }]) {
    const said = { name: 'TypeError', message: new RegExp(Object.keys(fields).at(-1)) };
    await assert.rejects(world.channel.publish('x', fields), said);
  }
  for (const fields of [null, 'text', []]) {
    await assert.rejects(world.channel.publish('x', fields), /fields of a message are an object/);
  }
  assert.deepEqual([world.client.waiting, world.sent.length], [0, length]);
  await world.channel.publish('x', { meta: 1, messageType: 'a', store: undefined });
  await world.settle();
  world.check();
});
