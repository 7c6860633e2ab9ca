// Messages that a cache lost, made up or changed: its digest tells, and a repair brings them.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, digestOf } from './model.mjs';
import { endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

/** A world with some messages of all sorts, a reply and a reaction. */
async function filled() {
  const server = new Server();
  const { world, timetoken: first } = await followed(server);
  const { timetoken } = server.publish('bob', { payload: { n: 1 }, messageType: 'text', meta: [2] });
  server.publish('zoe', { payload: null, parent: first });
  server.act('bob', true, { messageTimetoken: first, type: 'reaction', value: '👍' });
  await world.settle();
  world.check();
  return { server, world, timetoken };
}

const made = '17952187953729262';
const damages = {
  'was lost': (messages, timetoken) => messages.delete(timetoken),
  'was made up': (messages, timetoken) =>
    messages.set(made, { ...messages.get(timetoken), timetoken: made }),
  'has another author': (messages, timetoken) =>
    messages.set(timetoken, { ...messages.get(timetoken), uuid: 'zoe' }),
  'has another type': (messages, timetoken) =>
    messages.set(timetoken, { ...messages.get(timetoken), messageType: 'txt' }),
  'has the timetoken of another': (messages, timetoken) => {
    messages.set(made, { ...messages.get(timetoken), timetoken: made });
    messages.delete(timetoken);
  },
};

for (const [name, damage] of Object.entries(damages)) {
  test(`a message that ${name} on the disk is found out and repaired`, async () => {
    const { world, timetoken } = await filled();
    damage(world.disk.channels.get('room').messages, timetoken);
    await world.reload();
    assert.equal(world.channel.isVerified, false);
    await world.settle();
    world.check();
    const { repairs, snapshots } = world.channel.sync;
    assert.deepEqual([repairs, snapshots], [1, 0]);
    // And so is what the next page finds.
    await world.reload();
    await world.settle();
    world.check();
    assert.equal(world.channel.sync.repairs, 0);
  });

  test(`a message that ${name} on the page is found out by the next push`, async () => {
    const { server, world, timetoken } = await filled();
    const { sync } = world.channel;
    const { snapshots } = sync;
    damage(sync.cache.messages, timetoken);
    server.act('bob', true, { messageTimetoken: timetoken, type: 'reaction', value: '🔥' });
    world.deliver(1);
    assert.equal(world.channel.isVerified, false);
    await world.settle();
    world.check();
    assert.deepEqual([sync.repairs, sync.snapshots], [1, snapshots]);
  });
}

test('a cache of an earlier version, without its messages in the digest, is repaired', async () => {
  const { server, world } = await filled();
  const kept = world.disk.channels.get('room');
  const { n, d } = digestOf(server.rows, server.key);
  const { cursor } = kept.head;
  Object.assign(kept.head, { count: n, digest: d, actionsCursor: cursor, deletion: '0',
    isPartial: false, messageCount: kept.messages.size });
  await world.reload();
  assert.equal(world.channel.isVerified, false);
  assert.equal(world.shown.length, kept.messages.size, 'It shows at once.');
  await world.settle();
  world.check();
  assert.deepEqual([world.channel.sync.repairs, world.channel.sync.snapshots], [1, 0]);
  assert.equal(world.disk.channels.get('room').head.messageCount, undefined);
});

test('a store that was put back takes what came after, and gives what went', async () => {
  const { server, world, timetoken } = await filled();
  const { sync } = world.channel;
  const { snapshots } = sync;
  const backup = server.copy();
  server.delete('0', timetoken);
  server.publish('bob', { payload: 'lost with the store' });
  await world.settle();
  assert.equal(world.shown.length, 2);
  world.cut();
  server.restore(backup);
  await world.settle();
  world.check();
  assert.deepEqual([sync.repairs, sync.snapshots], [1, snapshots]);
  assert.equal(sync.cache.cursor, server.last, 'Before the one that it had.');
});

test('a message that can never be read costs the digest, and nothing else', async () => {
  const { server, world } = await filled();
  const { timetoken } = server.publish('zoe', { payload: 'bad' });
  server.messages.get(timetoken).parent = 'nobody';
  for (let i = 0; i < 5; i++) {
    server.publish('zoe', { payload: `good ${i}` });
    for (let turns = 0; turns < 20; turns++) {
      world.deliver();
      await Promise.resolve();
    }
  }
  assert.deepEqual(world.shown.slice(-5).map(({ payload }) => payload),
    [0, 1, 2, 3, 4].map((i) => `good ${i}`));
  assert.deepEqual([world.channel.isVerified, world.shown.length], [false, 8]);
  assert.equal(world.channel.sync.failures, 3, 'It is asked seldom.');
  server.delete(String(BigInt(timetoken) - 1n), timetoken);
  world.deliver();
  assert.ok(world.channel.isVerified, 'As soon as the digest is right.');
  await world.settle();
  world.problems.splice(0);
  world.check();
});
