// What a page hands over beside names and texts: options and fields, refused where they do nothing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
  const client = new SyncClient({ url: 'ws://model/v1/sync', userId: 'ada' });
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

test('an address that is none throws at the call', () => {
  const open = (url) => new SyncClient({ url, userId: 'ada', WebSocket: class {} });
  for (const url of ['nonsense', '', '/v1/sync', 'ftp://h/v1/sync', 'ws://', 'localhost:8080',
    'file:///v1/sync', undefined, null, 5, {}]) {
    assert.throws(() => open(url), { name: 'TypeError', message: /url is an address.*ws:/ });
  }
  for (const url of ['ws://h/v1/sync', 'wss://h:1/v1/sync', 'http://h/v1/sync',
    'https://[::1]:8/v1/sync', 'wss://h/chat/v1/sync', new URL('ws://h/v1/sync')]) open(url).close();
});

/** What is said of an address, in a page or without one. */
function adviceOn(url, baseURI) {
  const document = { baseURI, addEventListener() {}, removeEventListener() {} };
  if (baseURI) Object.defineProperty(globalThis, 'document', { value: document, configurable: true });
  try {
    new SyncClient({ url, userId: 'ada', WebSocket: class {} }).close();
    return null;
  } catch (error) {
    assert.equal(error.name, 'TypeError');
    return error.message.replace(/^url is an address such as ws:\S+, not \S*\.( |$)/, '');
  } finally {
    delete globalThis.document;
  }
}

test('an address that would lead nowhere is refused with what to write', () => {
  const orOwn = ", or /v1/sync for the page's own host.";
  for (const [url, advice] of [
    ['127.0.0.1:21001', `It has no scheme: write ws://127.0.0.1:21001/v1/sync${orOwn}`],
    ['localhost:8080', `It has no scheme: write ws://localhost:8080/v1/sync${orOwn}`],
    ['h/v1/sync', `It has no scheme: write ws://h/v1/sync${orOwn}`],
    ['ws://h', 'It has no path: write ws://h/v1/sync.'],
    ['https://h:1/', 'It has no path: write https://h:1/v1/sync.'],
    ['ws://h/?token=x', 'It has no path: write ws://h/v1/sync.'],
    ['wss://h/chat/v1/sync?token=x', 'It has a query or a fragment: write wss://h/chat/v1/sync.'],
    ['ws://h/v1/sync#', 'It has a query or a fragment: write ws://h/v1/sync.'],
  ]) {
    // In a page what has no scheme would be a file beside it.
    for (const page of [null, 'https://h/app/']) assert.equal(adviceOn(url, page), advice, url);
  }
  for (const url of ['/v1/sync', '//h/v1/sync']) assert.equal(adviceOn(url, 'https://h/app/'), null);
  assert.equal(adviceOn('/', 'https://h/app/'), 'It has no path: write https://h/v1/sync.');
});

test('in a page an address may lack what the page has', async () => {
  Object.defineProperty(globalThis, 'document', {
    value: { baseURI: 'https://h/app/', addEventListener() {}, removeEventListener() {} },
    configurable: true });
  try {
    const client = new SyncClient({ url: '/v1/sync', userId: 'ada', WebSocket: class {} });
    await client.close();
  } finally {
    delete globalThis.document;
  }
});

test('an option that would do nothing throws at the call', () => {
  const options = { url: 'ws://model/v1/sync', userId: 'ada', WebSocket: class {} };
  for (const name of ['publishkey', 'user', 'outboxmax']) {
    assert.throws(() => new SyncClient({ ...options, [name]: 'x' }),
      { name: 'TypeError', message: new RegExp(`options of SyncClient are .*, not ${name}`) });
  }
  for (const none of [undefined, null, 'ws://model']) {
    assert.throws(() => new SyncClient(none), /options of SyncClient are an object/);
  }
  new SyncClient({ ...options, extra: undefined, cache: null }).close();
});

test('what the declarations call options is taken, and nothing else is', () => {
  const text = readFileSync(new URL('../syncclient.d.ts', import.meta.url), 'utf8');
  const [, body] = /export interface SyncClientOptions \{(.*?)^\}/ms.exec(text);
  const declared = [...body.matchAll(/^  (\w+)\??:/gm)].map(([, name]) => name);
  assert.throws(() => new SyncClient({ none: 1 }),
    { message: `The options of SyncClient are ${declared.join(', ')}, not none.` });
});
