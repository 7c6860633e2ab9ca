// Attempts to connect that fail, as WebSockets of several kinds say it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SyncClient } from '../syncclient.js';
import { Server } from './model.mjs';
import { clock, endWorlds, followed, turn } from './world.mjs';

const [connecting, closed] = [0, 3];

/** Those that the client made, the first one first. */
const made = [];

/** A WebSocket that says in these events, and with this readyState, that it could not connect. */
const failing = (readyState, ...events) => class {
  readyState = connecting;

  constructor() {
    made.push(this);
    queueMicrotask(() => {
      this.readyState = readyState;
      for (const event of events) this[event]({ code: 1006, reason: '' });
    });
  }

  close() {}
};

/** A client whose first attempt was made, and what its status was. */
async function attempt(WebSocket) {
  made.length = 0;
  const statuses = [];
  const client = new SyncClient({
    url: 'ws://model/v1/sync', userId: 'ada', cache: null, WebSocket, random: () => 0.5 });
  client.on('status', (status) => statuses.push(status));
  client.channel('room');
  for (let i = 0; i < 20; i++) await turn();
  return { client, statuses };
}

for (const [readyState, ...events] of [
  [closed, 'onerror'], [closed, 'onclose'], [closed, 'onerror', 'onclose'],
  // Node.js 20: what failed goes on to say that it connects, and never closes; or closes late.
  [connecting, 'onerror'], [connecting, 'onerror', 'onclose'], [connecting, 'onerror', 'onerror'],
]) {
  const how = `${events.join(' and ')} in state ${readyState}`;
  test(`an attempt that ends with ${how} is over at once, and once`, async () => {
    const { client, statuses } = await attempt(failing(readyState, ...events));
    assert.deepEqual(statuses, ['connecting', 'waiting']);
    assert.equal(client.stats.connections, 1);
    await client.close();
  });
}

test('what an attempt that is over says does no harm to the next one', async () => {
  clock.install();
  const { client, statuses } = await attempt(failing(connecting, 'onerror'));
  await clock.advance(400);
  const [first, second] = made;
  assert.deepEqual([made.length, statuses], [2, ['connecting', 'waiting', 'connecting', 'waiting']]);
  first.onclose({ code: 1008, reason: '' });
  second.onopen();
  second.onclose({ code: 1008, reason: '' });
  await turn();
  assert.equal(client.status, 'waiting', 'Nobody was refused.');
  await client.close();
  clock.uninstall();
});

test('an address that leads nowhere is a problem after three attempts, once', async () => {
  clock.install();
  const { client } = await attempt(failing(closed, 'onclose'));
  const problems = [];
  client.on('problem', ({ message }) => problems.push(message));
  while (made.length < 2) await clock.advance(100);
  assert.deepEqual(problems, []);
  while (made.length < 6) await clock.advance(100);
  assert.equal(problems.length, 1);
  assert.match(problems[0], /^ws:\/\/model\/v1\/sync could not be reached as a WebSocket 3 times/);
  assert.equal(client.status, 'waiting', 'It goes on.');
  await client.close();
  clock.uninstall();
});

test('an address that led somewhere once is not doubted', async () => {
  clock.install();
  const { client } = await attempt(class extends failing(connecting) {
    send() {}
  });
  client.on('problem', assert.fail);
  made[0].onopen();
  made[0].onclose({ code: 1006, reason: '' });
  for (let lost = 1; lost < 6; lost++) {
    while (made.length === lost) await clock.advance(100);
    made[lost].onclose({ code: 1006, reason: '' });
  }
  assert.equal(client.status, 'waiting');
  await client.close();
  clock.uninstall();
});

test('no token is no attempt at the address', async () => {
  clock.install();
  const client = new SyncClient({ url: 'ws://model/v1/sync', userId: 'ada', WebSocket: class {},
    token: () => Promise.reject(new Error('No backend.')), random: () => 0.5 });
  const problems = [];
  client.on('problem', ({ message }) => problems.push(message));
  while (problems.length < 6) await clock.advance(100);
  assert.deepEqual(problems.filter((it) => /WebSocket/.test(it)), []);
  await client.close();
  clock.uninstall();
});

test('an error of a socket that is open is no end: its close is', async () => {
  const { client, statuses } = await attempt(class extends failing(connecting) {
    send() {}
  });
  const [socket] = made;
  socket.onopen();
  socket.readyState = closed;
  socket.onerror();
  assert.deepEqual(statuses, ['connecting']);
  socket.onclose({ code: 1006, reason: '' });
  assert.deepEqual(statuses, ['connecting', 'waiting']);
  await client.close();
});

test('the back-off starts anew after a session of ten seconds, and not before', async () => {
  const { world } = await followed(new Server());
  world.random = () => 1;
  /** Milliseconds until the next attempt, after a session that lasted so long. */
  const waitedAfter = async (session) => {
    await clock.advance(session);
    const [{ length }, since] = [world.sockets, clock.now];
    world.cut();
    while (world.sockets.length === length) await clock.advance(100);
    const waited = clock.now - since;
    while (world.client.status !== 'online') {
      world.deliver();
      await turn();
    }
    return waited;
  };
  const waits = [];
  for (const session of [10_000, 0, 0, 9_900, 0, 0, 0, 0, 10_000, 0]) {
    waits.push(await waitedAfter(session));
  }
  // Who comes and goes with a daemon that dies again and again waits longer each time.
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 500, 1000]);
  endWorlds();
});
