// What is verified is stored: a page that goes right after the word fetches nothing again.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { World, endWorlds, turn } from './world.mjs';

afterEach(endWorlds);

for (const [name, channel] of [
  ['all of a channel', {}], ['a window', { window: { last: 20, keeping: 40 } }],
]) {
  test(`a page that goes right after whenVerified() has ${name}`, async () => {
    const server = new Server();
    for (let i = 0; i < 30; i++) server.publish('zoe', { payload: i });
    const world = new World(server, 'ada', { page: 3, channel });
    // Each patch takes its time, and pushes do not wait for it.
    world.disk.latency = () => 20;
    let isTold = false;
    const told = world.channel.whenVerified().then(() => {
      isTold = true;
    });
    for (let i = 0; i < 2000 && !isTold; i++) {
      world.deliver();
      await turn();
    }
    await told;
    const shown = world.channel.items.map(({ timetoken }) => timetoken);
    const before = world.sent.length;
    await world.crash();
    assert.deepEqual(world.channel.items.map(({ timetoken }) => timetoken), shown);
    await world.settle();
    assert.ok(world.channel.isVerified);
    const [{ channels: [{ cursor, digest }] }, ...more] =
      world.sent.slice(before).filter(({ op }) => op === 'subscribe' || op === 'older');
    assert.deepEqual([cursor, digest, more], [server.last, server.state.d, []]);
  });
}

test('whenVerified() does not wait for a disk that is full', async () => {
  const server = new Server();
  server.publish('zoe', { payload: 'start' });
  const world = new World(server, 'ada');
  world.disk.failures.write = new Error('The disk is full.');
  const verified = world.channel.whenVerified();
  await world.settle();
  await verified;
  assert.equal(world.problems.length, 1);
});
