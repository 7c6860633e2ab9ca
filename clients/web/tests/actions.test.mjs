// Asking the daemon who said what.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

test('a page of actions is asked for as it is said, and comes as the daemon has it', async () => {
  const { world, timetoken } = await followed(new Server());
  const query = { messageTimetoken: timetoken, value: ['👍', '❤️'], sort: 'value', after: 'v.x' };
  const asked = world.channel.actions(query);
  await world.settle();
  assert.deepEqual(await asked, { actions: [], next: 'v.y' });
  const { id, ...sent } = world.sent.find(({ op }) => op === 'actions');
  assert.deepEqual(sent, { ...query, op: 'actions', channel: world.channel.name });
  await assert.rejects(world.channel.actions({ offset: 25 }), /sort.*not offset/);
  world.cut();
  await assert.rejects(world.channel.actions(), { code: 'offline' });
});

test('an emoji is asked for as it is said and as react spells it', async () => {
  const { world } = await followed(new Server());
  const { channel } = world;
  const { cache } = channel.sync;
  cache.rules = { ...cache.rules, types: ['likes'] };
  const askedFor = async (query) => {
    const asked = channel.actions(query);
    await world.settle();
    await asked;
    return world.sent.filter(({ op }) => op === 'actions').pop().value;
  };
  const both = ['❤', '❤️'];
  assert.deepEqual(await askedFor({ value: '❤' }), both);
  for (const type of ['reaction', 'likes', ['receipt', 'reaction']]) {
    assert.deepEqual(await askedFor({ type, value: '❤' }), both);
  }
  assert.deepEqual(await askedFor({ value: ['❤', '👍', '❤'] }), [...both, '👍']);
  // As it is: what has both already, what is no reaction, what has one spelling, and what the daemon will refuse.
  assert.deepEqual(await askedFor({ value: ['❤', '👍', '❤️'] }), ['❤', '👍', '❤️']);
  assert.equal(await askedFor({ type: 'receipt', value: '❤' }), '❤');
  assert.equal(await askedFor({ value: 'love' }), 'love');
  for (const value of [5, ['❤', 5], []]) assert.deepEqual(await askedFor({ value }), value);
  assert.equal(await askedFor({ type: 7, value: '❤' }), '❤');
  assert.equal(await askedFor({}), undefined);
});

test('summaries are asked for by messages or their hashes, and come in words', async () => {
  const [m, h] = ['17952187953729999', 'c24f6edc72bbc9e5b6cfde1ca418ac06'];
  const group = { t: 'reaction', v: '👍', n: 2, f: '17952187953730012', l: '17952187953730099',
    u: ['ada'] };
  const { world } = await followed(new Server());
  world.options.summaries = [{ m, t: '17952187953730099', h, g: [group, { ...group, s: 6 }], x: 1 }];
  const asked = world.channel.summaries([m, { messageTimetoken: m, hash: h }]);
  await world.settle();
  const said = { type: 'reaction', value: '👍', count: 2, first: group.f, last: group.l,
    authors: ['ada'], clipped: true };
  assert.deepEqual(await asked, [{ messageTimetoken: m, position: '17952187953730099', hash: h,
    omitted: 1, reactions: [{ ...said, score: 2 }, { ...said, score: 6 }] }]);
  const { messages } = world.sent.find(({ op }) => op === 'summaries');
  assert.deepEqual(messages, [m, { m, h }]);
  for (const bad of [[], 'x', Array(101).fill(m)]) {
    await assert.rejects(world.channel.summaries(bad), RangeError);
  }
  for (const bad of [['x'], [{ messageTimetoken: m }], [null]]) {
    await assert.rejects(world.channel.summaries(bad), TypeError);
  }
  const [t, others] = ['17952187953730099', ['1', '2', '3', '4', '5']];
  world.options.summaries = others.map((it) => ({ m: it, t, h, g: [] }));
  world.options.summariesMax = 2;
  const paged = world.channel.summaries(others);
  for (let turn = 0; turn < 3; turn += 1) await world.settle();
  assert.deepEqual((await paged).map(({ messageTimetoken }) => messageTimetoken), others);
  world.options.summaries = [{ m, t: 'x', h, g: [] }];
  const unreadable = world.channel.summaries([m]);
  await Promise.all([assert.rejects(unreadable, { code: 'unreadable' }), world.settle()]);
});
