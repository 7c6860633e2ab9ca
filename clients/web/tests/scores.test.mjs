// Scores and modes that count, from a tap to the server and back.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { reactionOrders, reactionsOf } from '../syncclient.js';
import { Server } from './model.mjs';
import { World, endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

const rows = (server) => server.rows.map(({ uuid, value, score = 1 }) => [uuid, value, score]);
const groups = ({ shown }, user = 'ada') => reactionsOf(shown[0], user).map((it) =>
  [it.value, it.count, it.score, it.ownScore, it.isPending]);
const commands = ({ sent }) => sent.filter(({ op }) => /Action/.test(op))
  .map(({ op, value, score }) => [op, value, score]);

/** A world with one message, in a mode, that is offline. */
async function offline(mode) {
  const server = new Server();
  server.mode = mode;
  const { world, timetoken } = await followed(server);
  world.isDown = true;
  world.cut();
  const back = async () => {
    world.isDown = false;
    await world.settle();
    world.check();
  };
  return { server, world, timetoken, back };
}

test('claps that were not sent are one, and are added to what others saw', async () => {
  const { server, world, timetoken, back } = await offline('multiple');
  for (const score of [undefined, 3, undefined]) {
    await world.channel.react(timetoken, { value: '👏', score });
  }
  assert.deepEqual(groups(world), [['👏', 1, 5, 5, true]]);
  // Another device of the user's claps, too.
  server.act('ada', true, { messageTimetoken: timetoken, type: 'reaction', value: '👏', score: 10 });
  server.act('bob', true, { messageTimetoken: timetoken, type: 'reaction', value: '👏' });
  await back();
  assert.deepEqual(commands(world), [['addAction', '👏', 5]]);
  assert.deepEqual(groups(world), [['👏', 2, 16, 15, false]]);
  await world.channel.toggle(timetoken, '👏');
  await world.settle();
  assert.deepEqual(rows(server), [['bob', '👏', 1]]);
});

test('a total goes up and down by taps; taps that come to nothing are not sent', async () => {
  const { server, world, timetoken, back } = await offline('total');
  const { channel } = world;
  await channel.react(timetoken, { value: '🔥', score: 3 });
  await channel.react(timetoken, '👍', false);
  assert.equal(await channel.toggle(timetoken, '👍'), true, 'One is left.');
  assert.equal(await channel.toggle(timetoken, '👍'), false);
  assert.equal(channel.items[0].actions.length, 0);
  await channel.react(timetoken, { value: '🔥', score: 3 });
  await back();
  assert.deepEqual(commands(world), [['addAction', 'total', 3]]);
  for (let i = 0; i < 2; i++) world.wish(channel.react(timetoken, 'x', false));
  assert.deepEqual(groups(world), [['total', 1, 1, 1, true]]);
  await world.settle();
  world.check();
  assert.deepEqual(rows(server), [['ada', 'total', 1]]);
});

test('an add that counts shows once, whether its event or its reply comes first', async () => {
  const server = new Server();
  server.mode = 'multiple';
  const { world, timetoken } = await followed(server);
  const seen = new Set();
  world.onChange = () => seen.add(reactionsOf(world.shown[0], 'ada')[0]?.score);
  for (let i = 0; i < 3; i++) {
    world.wish(world.channel.react(timetoken, '👏'));
    await world.settle();
  }
  assert.deepEqual([...seen], [1, 2, 3]);
  assert.deepEqual(rows(server), [['ada', '👏', 3]]);
});

test('where adds do not count a score is what it was last', async () => {
  const { server, world, timetoken, back } = await offline('distinct');
  const { channel } = world;
  for (const score of [2, 7, 7]) await channel.react(timetoken, { value: '👍', score });
  await channel.react(timetoken, '👍');
  await channel.react(timetoken, '🔥');
  assert.deepEqual(groups(world).sort(), [['👍', 1, 7, 7, true], ['🔥', 1, 1, 1, true]].sort());
  await back();
  assert.deepEqual(commands(world), [['addAction', '👍', 7], ['addAction', '🔥', undefined]]);
  const order = reactionsOf(world.shown[0], 'ada').sort(reactionOrders.score);
  assert.deepEqual(order.map(({ value }) => value), ['👍', '🔥']);
  await channel.react(timetoken, { value: '🔥', score: 8 });
  assert.deepEqual(groups(world).map(([, , score]) => score).sort(), [7, 8]);
  await world.settle();
  world.check();
  assert.deepEqual(rows(server).map(([, , score]) => score).sort(), [7, 8]);
});

test('taps among reactions that take each other\'s place: only the last one is sent', async () => {
  const { server, world, timetoken, back } = await offline('unique');
  for (const value of ['A', 'B', 'A']) await world.channel.toggle(timetoken, value);
  await back();
  assert.deepEqual(commands(world), [['addAction', 'A', undefined]]);
  world.isDown = true;
  world.cut();
  for (const value of ['B', 'B', 'C', 'A']) await world.channel.toggle(timetoken, value);
  assert.deepEqual(groups(world), [['A', 1, 1, 1, false]]);
  assert.equal(world.client.waiting, 0);
  await back();
  assert.deepEqual(rows(server), [['ada', 'A', 1]]);
});

test('what is known to be refused is rejected, and what was wished before does not show', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  world.isDown = true;
  world.cut();
  await world.channel.react(timetoken, '🔥');
  await world.channel.react(timetoken, '👍');
  const rules = { ...world.channel.rules, values: ['👍'], aliases: [{ name: 'like', value: '👍' }] };
  world.channel.sync.cache.rules = rules;
  world.channel.refresh('all');
  assert.deepEqual(groups(world).map(([value]) => value), ['👍']);
  await assert.rejects(world.channel.react(timetoken, '🔥'), { status: 400, code: 'value_not_allowed' });
  await assert.rejects(world.channel.toggle(timetoken, '❤️'), { code: 'value_not_allowed' });
  await world.channel.react(timetoken, 'like', false);
  assert.deepEqual(groups(world), []);
  world.channel.sync.cache.rules = { ...rules, reactions: false };
  await assert.rejects(world.channel.react(timetoken, '👍'), { status: 403, code: 'reactions_off' });
  world.channel.sync.cache.rules = { ...rules, mode: 'total' };
  const most = 1_000_000_000;
  await world.channel.react(timetoken, { value: 'x', score: most - 1 });
  await assert.rejects(world.channel.react(timetoken, 'x'), { status: 409, code: 'score_too_large' });
  for (const score of [0, 1.5, -1, most + 1, '2']) {
    await assert.rejects(world.channel.react(timetoken, { value: 'x', score }), RangeError);
  }
  await assert.rejects(world.channel.react(timetoken, { value: 'x', score: 2, present: false }), TypeError);
  await assert.rejects(world.channel.react(timetoken, { value: 'x', points: 2 }), TypeError);
});

test('a name that was tapped before the rules were known shows as what it means', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  world.isDown = true;
  world.cut();
  await world.channel.react(timetoken, 'love');
  world.channel.sync.cache.rules =
    { ...world.channel.rules, aliases: [{ name: 'love', value: '❤️' }] };
  world.channel.refresh('all');
  assert.deepEqual(groups(world).map(([value]) => value), ['❤️']);
  assert.equal(await world.channel.toggle(timetoken, 'love'), false, 'It is the same one.');
  assert.equal(world.client.waiting, 0);
});
