// Reactions as people see them: groups, orders, counts and dates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelCache } from '../core/cache.js';
import { ItemList } from '../core/list.js';
import { countText, reactionOrders, reactionsOf, usualReactions } from '../core/reactions.js';
import { dateOf } from '../shell/dates.js';
import { generator } from './model.mjs';

const action = (value, uuid, actionTimetoken, type = 'reaction') =>
  ({ type, value, uuid, actionTimetoken, pending: actionTimetoken === null });

test('each value is one, with when it came first and last, and whether it is mine', () => {
  const actions = [
    action('👍', 'bob', '9'), action('❤️', 'eve', '10'), action('👍', 'ada', '11'),
    action('👍', 'eve', '12', 'receipt'), action('🔥', 'ada', null)];
  const found = reactionsOf({ actions }, 'ada');
  assert.deepEqual(found.map((it) => [it.type, it.value, it.count, it.isMine, it.isPending,
    it.first, it.last, it.authors, it.clipped]), [
    ['reaction', '👍', 2, true, false, '9', '11', ['ada', 'bob'], false],
    ['reaction', '❤️', 1, false, false, '10', '10', ['eve'], false],
    ['receipt', '👍', 1, false, false, '12', '12', ['eve'], false],
    ['reaction', '🔥', 1, true, true, null, null, ['ada'], false]]);
  const values = (order) => found.toSorted(order).map(({ value }) => value).join('');
  assert.equal(values(reactionOrders.latest), '🔥👍👍❤️');
  assert.equal(values(reactionOrders.count), '👍❤️🔥👍');
  assert.equal(values(reactionOrders.fixed(['🔥', '❤️'])), '🔥❤️👍👍');
  assert.deepEqual(reactionsOf({ actions: [] }, 'ada'), []);
});

const wish = (value, mutation, acknowledged = null) => ({ kind: 'action', channel: 'room', mutation,
  messageTimetoken: '5', type: 'reaction', value, present: true, observed: null, sent: true,
  acknowledged });

/** A list of one message, to which the users of a count have reacted. */
function listOf(count) {
  const cache = new ChannelCache();
  cache.messages.set('5', { timetoken: '5', uuid: 'zoe', payload: 'five' });
  const row = { messageTimetoken: '5', type: 'reaction', value: '👍' };
  const put = (uuid, actionTimetoken) => cache.rows.put({ ...row, uuid, actionTimetoken });
  for (let i = 0; i < count; i++) put(`user-${i}`, String(10 + i));
  const list = new ItemList();
  const show = (entries) => list.refresh(cache, entries, 'ada', 'all');
  show([]);
  return { list, put, show, group: () => reactionsOf(list.items[0], 'ada')[0] };
}

test('the newest ten are named, and whether there are more; an own wish is the newest', () => {
  const { put, show, group } = listOf(10);
  const ten = Array.from({ length: 10 }, (_, i) => `user-${9 - i}`);
  assert.deepEqual([group().authors, group().clipped], [ten, false]);
  show([wish('👍', 'a')]);
  assert.deepEqual([group().authors, group().clipped], [['ada', ...ten.slice(0, 9)], true]);
  assert.deepEqual([group().count, group().isMine, group().isPending, group().last],
    [11, true, true, '19']);
  put('bob', '30');
  show([wish('👍', 'a')]);
  assert.deepEqual(group().authors.slice(0, 2), ['ada', 'bob']);
  // Answered, it is as old as the daemon says.
  show([wish('👍', 'a', '29')]);
  assert.deepEqual(group().authors.slice(0, 2), ['bob', 'ada']);
  assert.deepEqual([group().isPending, group().last], [false, '30']);
});

test('copies of an item, and what frameworks make of it, have the same reactions', () => {
  const { list } = listOf(3);
  const [item] = list.items;
  assert.equal(item.actions, item.actions, 'It is one list: nothing seems to change.');
  const proxied = (it) => typeof it !== 'object' || it === null ? it
    : new Proxy(it, { get: (target, name) => proxied(Reflect.get(target, name)) });
  for (const other of [{ ...item }, structuredClone(item), JSON.parse(JSON.stringify(item)),
    proxied({ item }).item]) {
    for (const user of ['ada', 'user-1']) {
      assert.deepEqual(reactionsOf(other, user), reactionsOf(item, user));
    }
    assert.deepEqual(Object.keys(other), Object.keys(item));
  }
  assert.equal(reactionsOf({ ...item, actions: item.actions.slice(1) }, 'ada')[0].count, 2);
  assert.equal(reactionsOf(item, 'user-1')[0].isMine, true);
});

test('wishes in another order are told', () => {
  const { list, show } = listOf(1);
  const values = () => list.items[0].actions.map(({ value }) => value).join('');
  show([wish('🔥', 'a'), wish('x', 'b')]);
  assert.equal(values(), '👍🔥x');
  assert.deepEqual(show([wish('x', 'b'), wish('🔥', 'c')]).map(({ kind }) => kind), ['update']);
  assert.equal(values(), '👍x🔥');
  assert.deepEqual(show([wish('x', 'b'), wish('🔥', 'c')]), []);
});

test('every order is total: whatever comes in, the same comes out', () => {
  const random = generator(3);
  const pick = (list) => list[Math.floor(random() * list.length)];
  for (let round = 0; round < 200; round++) {
    const names = [...usualReactions, 'x', 'é', 'e\u0301'].flatMap((value) =>
      ['reaction', 'receipt'].map((type) => ({ type, value })));
    const all = names.map((name) => ({ ...name, count: pick([1, 2, 3]), isMine: false,
      isPending: false, first: pick([null, '9', '10']), last: pick([null, '9', '10']),
      authors: [], clipped: false }));
    const { fixed, ...orders } = reactionOrders;
    for (const order of [...Object.values(orders), fixed(usualReactions)]) {
      const sorted = all.toSorted(order);
      const shuffled = all.map((it) => [random(), it]).sort((a, b) => a[0] - b[0]);
      assert.deepEqual(shuffled.map(([, it]) => it).sort(order), sorted);
    }
  }
});

test('counts and dates', () => {
  assert.deepEqual([0, 99, 100, 1e6].map((it) => countText(it)), ['0', '99', '99+', '99+']);
  assert.deepEqual([9, 10].map((it) => countText(it, 9)), ['9', '9+']);
  assert.equal(dateOf('17952187953729999').toISOString(), '2026-11-20T23:53:15.372Z');
  assert.equal(dateOf('0').getTime(), 0);
  // What is on its way has none.
  for (const none of [null, undefined, '']) assert.equal(dateOf(none), null);
  assert.throws(() => dateOf('x'), SyntaxError);
});
