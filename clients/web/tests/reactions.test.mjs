// Reactions as people see them: groups, orders, counts and dates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    it.first, it.last]), [
    ['reaction', '👍', 2, true, false, '9', '11'], ['reaction', '❤️', 1, false, false, '10', '10'],
    ['receipt', '👍', 1, false, false, '12', '12'], ['reaction', '🔥', 1, true, true, null, null]]);
  const values = (order) => found.toSorted(order).map(({ value }) => value).join('');
  assert.equal(values(reactionOrders.latest), '🔥👍👍❤️');
  assert.equal(values(reactionOrders.count), '👍❤️🔥👍');
  assert.equal(values(reactionOrders.fixed(['🔥', '❤️'])), '🔥❤️👍👍');
  assert.deepEqual(reactionsOf({ actions: [] }, 'ada'), []);
});

test('every order is total: whatever comes in, the same comes out', () => {
  const random = generator(3);
  const pick = (list) => list[Math.floor(random() * list.length)];
  for (let round = 0; round < 200; round++) {
    const names = [...usualReactions, 'x', 'é', 'e\u0301'].flatMap((value) =>
      ['reaction', 'receipt'].map((type) => ({ type, value })));
    const all = names.map((name) => ({ ...name, count: pick([1, 2, 3]), isMine: false,
      isPending: false, first: pick([null, '9', '10']), last: pick([null, '9', '10']) }));
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
});
