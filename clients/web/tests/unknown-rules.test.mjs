// Wishes of a page that the daemon has not told yet what reactions there are.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { ChannelCache } from '../core/cache.js';
import { acknowledge, edited, sendable, wishAction } from '../core/outbox.js';
import { readRules, unknownRules } from '../core/rules.js';
import { reactionsOf } from '../syncclient.js';
import { Server } from './model.mjs';
import { World, endWorlds, turn } from './world.mjs';

afterEach(endWorlds);

const rows = (server) => server.rows.map(({ uuid, value, score = 1 }) => [uuid, value, score]);
const scores = ({ shown }) => reactionsOf(shown[0], 'ada').map((it) => [it.value, it.ownScore]);

/** A page that opens without a connection, of a device that never had one. */
async function offline(mode) {
  const server = new Server();
  server.mode = mode;
  const { timetoken } = server.publish('zoe', { payload: 'start' });
  const world = new World(server, 'ada');
  world.isDown = true;
  await world.channel.ready;
  const back = async () => {
    world.isDown = false;
    await world.settle();
    world.check();
    assert.equal(world.client.waiting, 0);
  };
  return { server, world, timetoken, back };
}

for (const [mode, left] of [
  ['multiple', [['ada', '👏', 8]]], ['total', [['ada', 'total', 8]]],
  ['distinct', [['ada', '👏', 3]]], ['flag', [['ada', 'flag', 3]]],
]) {
  test(`each tap is sent, and counts where taps do: ${mode}`, async () => {
    const { server, world, timetoken, back } = await offline(mode);
    for (const score of [undefined, undefined, undefined, 2]) {
      await world.channel.react(timetoken, { value: '👏', score });
    }
    assert.equal(world.client.waiting, 4);
    // A page after this one.
    await world.reload();
    await world.channel.react(timetoken, { value: '👏', score: 3 });
    assert.equal(world.client.waiting, 5);
    const seen = [];
    world.onChange = () => seen.push(scores(world)[0][1]);
    await back();
    assert.deepEqual(rows(server), left);
    assert.deepEqual([seen[0], seen.at(-1)], [left[0][2], left[0][2]], 'It shows before it is sent.');
  });
}

test('what goes up and down is not cancelled, and comes to what was wished', async () => {
  for (const [mode, left] of [
    ['multiple', [['ada', '👏', 1]]], ['total', [['ada', 'total', 2]]],
    ['distinct', [['ada', '👏', 1]]], ['unique', [['ada', '👏', 1]]],
  ]) {
    const { server, world, timetoken, back } = await offline(mode);
    await world.channel.react(timetoken, '👏', false);
    assert.equal(world.client.waiting, 0, 'Nothing is there by whatever rules.');
    for (const present of [true, true, true, false, false, true]) {
      await world.channel.react(timetoken, mode === 'total' ? 'total' : '👏', present);
    }
    assert.equal(world.client.waiting, 6);
    await back();
    assert.deepEqual(rows(server), left, mode);
  }
});

test('of those that take each other\'s place the last one stands', async () => {
  const { server, world, timetoken, back } = await offline('unique');
  for (const value of ['A', 'B', 'A', 'C', 'B']) await world.channel.react(timetoken, value);
  assert.equal(world.client.waiting, 5);
  await back();
  assert.deepEqual(rows(server), [['ada', 'B', 1]]);
});

test('once the rules are known they are kept, also the usual ones: a wish is one again', async () => {
  for (const mode of ['multiple', 'distinct']) {
    const { server, world, timetoken, back } = await offline(mode);
    await back();
    world.isDown = true;
    world.cut();
    await world.reload();
    for (let i = 0; i < 3; i++) await world.channel.react(timetoken, '👏');
    assert.equal(world.client.waiting, 1, mode);
    assert.deepEqual(scores(world), [['👏', mode === 'multiple' ? 3 : 1]]);
    await back();
    assert.deepEqual(rows(server), [['ada', '👏', mode === 'multiple' ? 3 : 1]]);
  }
});

const entry = (value, present, mutation, more = {}) => ({ kind: 'action', channel: 'room', mutation,
  messageTimetoken: '5', type: 'reaction', value, present, observed: null, sent: false,
  acknowledged: null, ...more });

test('a removal is about what the page saw, and all about one message keep their order', () => {
  const cache = new ChannelCache();
  assert.equal(cache.rules, unknownRules);
  const row = { messageTimetoken: '5', type: 'reaction', uuid: 'ada', actionTimetoken: '9' };
  cache.rows.put({ ...row, value: '👍', score: 6 });
  let list = [];
  const wish = (value, present, mutation) => {
    list = edited(list, wishAction(list, entry(value, present, mutation), [...cache.rows.own('5', 'ada')],
      unknownRules));
  };
  wish('👍', false, 'a');
  wish('👍', false, 'b');
  wish('🔥', true, 'c');
  wish('🔥', false, 'd');
  assert.deepEqual(list.map((it) => [it.mutation, it.observed]),
    [['a', '9'], ['b', '9'], ['c', null], ['d', null]]);
  assert.deepEqual(sendable(list, () => unknownRules).map(({ mutation }) => mutation), ['a']);
  assert.deepEqual(sendable(list, () => readRules({ mode: 'multiple' })).map((it) => it.mutation), ['a', 'c']);
  list = edited(list, acknowledge(list, 'c', { action: { actionTimetoken: '12' } }));
  assert.equal(list[3].observed, '12');
});

test('who waits hears when all is as the daemon has it, or why it never will be', async () => {
  const { world } = await offline('multiple');
  const heard = [];
  const verified = world.channel.whenVerified().then(() => heard.push(world.channel.rules.mode));
  const other = world.client.channel('other');
  const left = assert.rejects(other.whenVerified(), /left/);
  other.leave();
  await left;
  await assert.rejects(other.whenVerified(), /left/);
  await turn();
  assert.deepEqual(heard, []);
  world.isDown = false;
  await world.settle();
  await verified;
  assert.deepEqual(heard, ['multiple']);
  await world.channel.whenVerified();
  world.isDown = true;
  world.cut();
  const closed = assert.rejects(world.channel.whenVerified(), /closed/);
  await world.client.close();
  await closed;
});
