// What reactions there are: what the daemon says of them, and what a page shows under them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelCache } from '../core/cache.js';
import { ChannelSync } from '../core/channel-sync.js';
import { isRulesFrame } from '../core/frames.js';
import { ItemList } from '../core/list.js';
import { acknowledge, edited, sendable, wishAction } from '../core/outbox.js';
import { canonicalKey, isSameRules, readRules, rulesOf, unknownRules, usualRules } from '../core/rules.js';
import { Server } from './model.mjs';
import { endWorlds, followed } from './world.mjs';

const rules = (said) => readRules(said);
const unique = rules({ mode: 'unique' });

test('what is left out, or is none, is as ever', () => {
  assert.deepEqual(readRules({}), usualRules);
  for (const said of [null, 'x', [], 7]) assert.equal(readRules(said), usualRules);
  const odd = { reactions: 1, mode: 'claps', values: 5, aliases: [{ name: 1 }, 'x'], types: [2, 'like'],
    valuesMax: -1, ownMax: '3', actionsMax: 1.5 };
  assert.deepEqual(readRules(odd), { ...usualRules, types: ['like'] });
  assert.deepEqual(rulesOf({ rules: 1 }, [{}, { mode: 'flag' }]).mode, 'flag');
  for (const channel of [{}, { rules: 2 }, { rules: -1 }, { rules: 'x' }]) {
    assert.ok(isSameRules(rulesOf(channel, [{}, {}]), usualRules));
  }
  assert.ok(isRulesFrame({ channels: [], rules: [] }));
  assert.ok(!isRulesFrame({ id: 1, ok: {}, channels: [], rules: [] }));
});

test('a name and its value are one, for reactions only', () => {
  const said = rules({ aliases: [{ name: 'love', value: '❤️' }], types: ['like'], values: 'emoji' });
  for (const [type, value] of [['reaction', 'love'], ['like', '❤'], ['reaction', ' ❤️']]) {
    assert.deepEqual(canonicalKey(said, type, value), { type: 'reaction', value: '❤️' });
  }
  assert.deepEqual(canonicalKey(said, 'receipt', 'love'), { type: 'receipt', value: 'love' });
  assert.deepEqual(canonicalKey(usualRules, 'reaction', ' x'), { type: 'reaction', value: ' x' });
  assert.equal(canonicalKey(rules({ mode: 'flag' }), 'reaction', '👎').value, 'flag');
});

test('a page asks what a reaction is called where it stands', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  const { channel } = world;
  const named = (...said) => {
    const { type, value } = channel.named(timetoken, ...said);
    return `${type} ${value}`;
  };
  assert.equal(named('❤'), 'reaction ❤️');
  channel.sync.cache.rules = rules({ aliases: [{ name: 'love', value: '❤️' }], types: ['like'] });
  assert.deepEqual([named('love'), named(' ❤', 'like'), named('❤', 'receipt')],
    ['reaction ❤️', 'reaction ❤️', 'receipt ❤']);
  // What stands in just this spelling, or by just this name of one's own, is that.
  const act = (user, value) =>
    server.act(user, true, { messageTimetoken: timetoken, type: 'reaction', value });
  act('bob', '❤');
  act('ada', 'love');
  await world.settle();
  assert.deepEqual([named('❤'), named('love')], ['reaction ❤', 'reaction love']);
  channel.sync.cache.rules = rules({ mode: 'total' });
  assert.deepEqual([named('like'), named('like', 'receipt')], ['reaction total', 'receipt like']);
  for (const bad of [['x', '👍'], [null, '👍'], [timetoken, 5], [timetoken, '👍', 7]]) {
    assert.throws(() => channel.named(...bad), TypeError);
  }
  for (const bad of [[timetoken, ' '], [timetoken, '👍', '']]) {
    assert.throws(() => channel.named(...bad), RangeError);
  }
  endWorlds();
});

const entry = (value, present, mutation, more = {}) => ({ kind: 'action', channel: 'room', mutation,
  messageTimetoken: '5', type: 'reaction', value, present, observed: null, sent: false,
  acknowledged: null, ...more });

/** A cache in which ada's 👍 stands, under these rules. */
function cacheUnder(said) {
  const cache = new ChannelCache();
  cache.rules = said;
  cache.messages.set('5', { timetoken: '5', uuid: 'bob', payload: 'five' });
  const row = { messageTimetoken: '5', type: 'reaction', uuid: 'ada', actionTimetoken: '9' };
  cache.rows.put({ ...row, value: '👍' });
  cache.rows.put({ ...row, value: '👍', uuid: 'bob', actionTimetoken: '8' });
  return cache;
}

const shown = (cache, entries) => {
  const list = new ItemList();
  list.refresh(cache, entries, 'ada', 'all');
  return list.items[0].actions.filter(({ uuid }) => uuid === 'ada').map(({ value }) => value);
};

test('another reaction takes the place of the former one at once, and only of one\'s own', () => {
  const cache = cacheUnder(unique);
  let list = [];
  const wish = (value, present, mutation) => {
    list = edited(list, wishAction(list, entry(value, present, mutation), cache.rows.own('5', 'ada'), unique));
    return shown(cache, list);
  };
  assert.deepEqual(wish('👎', true, 'a'), ['👎']);
  assert.deepEqual(wish('🔥', true, 'b'), ['🔥']);
  assert.deepEqual(list.map(({ mutation }) => mutation), ['b'], 'Nobody has to hear of the other.');
  assert.deepEqual(wish('👍', true, 'c'), ['👍'], 'It stands: nothing has to be sent.');
  assert.deepEqual(list, []);
  assert.deepEqual(wish('👎', false, 'd'), ['👍'], 'It does not stand: nothing to take back.');
  wish('👎', true, 'e');
  assert.deepEqual(wish('👎', false, 'f'), [], 'What it took the place of does not come back.');
  assert.deepEqual(list.map((it) => [it.mutation, it.value, it.observed]), [['f', '👍', '9']]);
  // What the daemon may have is not cancelled.
  list = [entry('👎', true, 'a', { sent: true })];
  assert.deepEqual(wish('👍', true, 'b'), ['👍'], 'It is wished again, though the row stands.');
  assert.deepEqual(wish('👍', false, 'd'), []);
  assert.deepEqual(list.map((it) => [it.mutation, it.value]), [['a', '👎'], ['d', '👎']]);
  list = [entry('👎', true, 'a', { sent: true }), entry('👍', true, 'b', { sent: true }),
    entry('👍', false, 'd')];
  assert.deepEqual(sendable(list, () => unique).map(({ mutation }) => mutation), ['a']);
  assert.deepEqual(sendable(list).map(({ mutation }) => mutation), ['a', 'b']);
  assert.equal(list[2].observed, null, 'It is about what the add before it adds.');
  list = edited(list, acknowledge(list, 'b', { action: { actionTimetoken: '12' } }));
  assert.equal(list[2].observed, '12');
  const others = new ItemList();
  others.refresh(cache, list, 'ada', 'all');
  assert.deepEqual(others.items[0].actions.map(({ uuid }) => uuid), ['bob']);
  assert.deepEqual(shown(cacheUnder(usualRules), [entry('👎', true, 'a')]), ['👍', '👎']);
});

test('a row that came after the answered wish stays', () => {
  const cache = cacheUnder(unique);
  const answered = entry('👎', true, 'a', { sent: true, acknowledged: '7' });
  assert.deepEqual(shown(cache, [answered]).includes('👍'), true);
  assert.deepEqual(shown(cache, [{ ...answered, acknowledged: '12' }]), ['👎']);
});

test('new rules take nothing from what a subscription changes', () => {
  const key = '0'.repeat(32);
  const sync = new ChannelSync('room');
  sync.cache.epoch = 'e';
  sync.cache.cursor = '9';
  sync.cache.setKey(key);
  sync.cache.messages.set('8', { timetoken: '8', uuid: 'bob', payload: 1 });
  sync.cache.takePatch('room');
  sync.request();
  const reply = { name: 'room', mode: 'repair', cursor: '7', key };
  const { patch, next } = sync.subscribed(reply, 'e', '0', unique);
  assert.deepEqual([patch.head.cursor, patch.head.rules.mode, next], ['7', 'unique', 'repair']);

  for (const state of [undefined, { n: 0, d: key }]) {
    // Everything comes anew, and shows when it is complete.
    const other = new ChannelSync('room');
    other.cache.epoch = 'e';
    other.cache.setKey(key);
    other.cache.messages.set('8', { timetoken: '8', uuid: 'bob', payload: 1 });
    other.cache.cursor = '9';
    other.request();
    const snapshot = { name: 'room', mode: 'snapshot', cursor: '0', key, s: state };
    const outcome = other.subscribed(snapshot, 'f', '0', unique);
    assert.equal(outcome.patch.head.rules.mode, 'unique');
    assert.deepEqual((other.staging ?? other.cache).rules, unique);
  }
});

test('rules are kept with the cache, and other tabs hear of them', () => {
  const sync = new ChannelSync('room');
  sync.request();
  const reply = { name: 'room', mode: 'current', cursor: '7', key: '0'.repeat(32) };
  const { patch } = sync.subscribed(reply, 'e', '0', unique);
  assert.equal(patch.head.rules.mode, 'unique');
  const kept = ChannelCache.load(patch.head, [], []);
  assert.deepEqual(kept.cache.rules, unique);
  const tab = new ChannelCache();
  tab.follow(patch);
  assert.deepEqual(tab.rules, unique);
  assert.equal(sync.ruled(unique).patch, null, 'Nothing new.');
  assert.deepEqual(sync.ruled(usualRules).patch.head.rules, usualRules);
  assert.deepEqual([ChannelCache.load(patch.head, [], []).cache.rules, new ChannelCache().rules]
    .map((it) => it === unknownRules), [false, true]);
});

test('a page hears of rules once, when they are not what it was told', async () => {
  const server = new Server();
  const { world } = await followed(server);
  const told = [];
  world.client.on('rules', ({ channel, rules }) => told.push([channel, rules.mode]));
  const say = (mode) => world.socket.onmessage({
    data: JSON.stringify({ channels: [{ name: 'room', rules: 0 }], rules: [{ mode }] }) });
  for (const mode of ['unique', 'unique', 'flag', 'distinct']) say(mode);
  assert.deepEqual(told, [['room', 'unique'], ['room', 'flag'], ['room', 'distinct']]);
  say('flag');
  await world.settle();
  // What the cache kept is news to a page that has just begun.
  const again = new Promise((resolve) => {
    world.onOpen = () => queueMicrotask(() => world.client.on('rules', resolve));
  });
  await world.reload();
  assert.equal((await again).rules.mode, 'flag');
  endWorlds();
});
