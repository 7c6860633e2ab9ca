// A large cache: its newest messages show before the others are read, and mean what they say.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { World, endWorlds, turn } from './world.mjs';

afterEach(endWorlds);

/** A device that was here before, and whose disk is slow from now on. */
async function returning(options) {
  const server = new Server();
  const timetokens = [];
  for (let i = 0; i < 6; i++) timetokens.push(server.publish('zoe', { payload: i }).timetoken);
  for (const it of timetokens) {
    server.act('zoe', true, { messageTimetoken: it, type: 'reaction', value: '👍' });
  }
  const world = new World(server, 'ada', options);
  await world.settle();
  await world.client.close();
  world.disk.latency = () => 20;
  world.open();
  const { shown } = world;
  while (shown.length === 0) await turn();
  return { server, world, timetokens };
}

test('the newest show first, with what is said of them, and then all', async () => {
  const { world } = await returning();
  assert.equal(world.channel.isLoaded, false);
  assert.equal(world.channel.isVerified, false);
  assert.deepEqual(world.shown.map(({ payload }) => payload), [4, 5]);
  assert.deepEqual(world.shown.map(({ actions }) => actions.length), [1, 1]);
  await world.channel.ready;
  assert.deepEqual(world.shown.map(({ payload }) => payload), [0, 1, 2, 3, 4, 5]);
  await world.settle();
  world.check();
  assert.deepEqual(world.problems, []);
  // Nothing comes anew: what is stored was compared as a whole.
  assert.equal(world.channel.sync.snapshots + world.channel.sync.repairs, 0);
});

test('a tap on what shows first waits until it is known what it means', async () => {
  const { server, world, timetokens } = await returning();
  const tapped = world.channel.toggle(timetokens[5], '👍');
  assert.equal(world.channel.isLoaded, false);
  assert.equal(await tapped, true);
  await world.settle();
  assert.equal(server.rows.filter(({ uuid }) => uuid === 'ada').length, 1);
  world.check();
});

test('nothing is called unread before all is read', async () => {
  const { world } = await returning({ channel: { unread: true } });
  const counts = [];
  world.client.on('unread', ({ unread }) => counts.push(unread?.count));
  assert.equal(world.channel.unread, null);
  await world.settle();
  assert.deepEqual([...new Set(counts)], [6]);
});

test('a cache that cannot be read any further is asked for', async () => {
  const { world } = await returning();
  world.disk.failures.load = new Error('The disk is broken.');
  await world.channel.ready;
  world.disk.failures = {};
  await world.settle();
  assert.deepEqual(world.problems.splice(0).map(({ message }) => message), ['The disk is broken.']);
  world.check();
});
