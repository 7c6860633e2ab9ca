// A tap while much is being stored: it waits for one patch at most, and means what shows.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { endWorlds, followed, turn } from './world.mjs';

afterEach(endWorlds);

const thumb = (messageTimetoken) => ({ messageTimetoken, type: 'reaction', value: '👍' });

/** A device whose disk is slow, with patches that wait for it. */
async function busy() {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  world.disk.latency = () => 40;
  for (let i = 0; i < 10; i++) server.publish('zoe', { payload: i });
  world.deliver();
  return { server, world, timetoken };
}

test('a tap waits for one patch and not for all that are on their way', async () => {
  const { world, timetoken } = await busy();
  const { writes } = world.disk;
  await world.channel.react(timetoken, '👍');
  const before = world.disk.writes - writes;
  assert.ok(before <= 1, `${before} patches came before it`);
  await world.settle();
  world.check();
});

test('who leaves before the copy is stored has the wish all the same', async () => {
  const { server, world, timetoken } = await busy();
  await world.channel.react(timetoken, '👍');
  world.disk.latency = () => 0;
  await world.crash();
  await world.settle();
  assert.deepEqual(server.rows.map(({ uuid, value }) => [uuid, value]), [['ada', '👍']]);
  world.check();
});

test('what has settled and still waits to be stored is no wish any more', async () => {
  const { server, world, timetoken } = await busy();
  await world.channel.react(timetoken, '👍');
  while (server.rows.length === 0) await turn();
  while (world.client.waiting > 0) {
    world.deliver();
    await turn();
  }
  // Another device of the user takes it back; the disk has heard of neither.
  server.act('ada', false, thumb(timetoken));
  world.deliver();
  assert.equal(world.shown[0].actions.length, 0);
  const { cursor } = world.disk.channels.get('room').head;
  assert.notEqual(cursor, world.channel.sync.cache.cursor);
  const tap = world.channel.react(timetoken, '👍');
  assert.equal(world.shown[0].actions.length, 1);
  await tap;
  await world.settle();
  assert.deepEqual(server.rows.map(({ uuid }) => uuid), ['ada']);
  world.check();
});

test('nothing is put on a patch that could not be stored', async () => {
  const { world } = await busy();
  world.disk.latency = () => 0;
  world.disk.failures.write = new Error('The disk is full.');
  await world.settle();
  assert.equal(world.problems.splice(0).length, 1, 'The others were not tried.');
  delete world.disk.failures.write;
  await world.reload();
  await world.settle();
  world.check();
});

test('a channel that is followed anew has what was on its way to the store', async () => {
  const { world } = await busy();
  world.channel.leave();
  const again = world.client.channel('room');
  await again.ready;
  assert.equal(again.items.length, 11);
});
