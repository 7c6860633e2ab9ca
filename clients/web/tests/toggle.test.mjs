// A tap on a reaction: there or not there, as the page shows it when it is tapped.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

const values = (server) =>
  [...server.actions.values()].filter(({ live }) => live).map(({ row }) => row.value);

test('taps alternate, however fast they come, and another spelling is the same', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  const taps = ['👍', '👍', '👍', '❤', '❤️', '❤'].map((it) => world.channel.toggle(timetoken, it));
  await world.settle();
  assert.deepEqual(await Promise.all(taps), [true, false, true, true, false, true]);
  assert.deepEqual(values(server), ['👍', '❤️']);
  world.check();
});

test('a tap takes back what another device of the user added', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  server.act('ada', true, { messageTimetoken: timetoken, type: 'reaction', value: '👍' });
  await world.settle();
  const tap = world.channel.toggle(timetoken, '👍');
  await world.settle();
  assert.equal(await tap, false);
  assert.deepEqual(values(server), []);
  world.check();
});

test('what is no reaction is refused as ever', async () => {
  const { world, timetoken } = await followed(new Server());
  await assert.rejects(world.channel.toggle(timetoken, ' '), RangeError);
  await assert.rejects(world.channel.toggle('x', '👍'), TypeError);
  world.client.close();
  await assert.rejects(world.channel.toggle(timetoken, '👍'), /closed/);
});
