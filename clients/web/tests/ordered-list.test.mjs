// The sorted list of chunks: against a sorted array, what it keeps, and what it looks at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderedList } from '../core/ordered-list.js';
import { generator } from './model.mjs';

const byNumber = (left, right) => left - right;
const isSame = (left, right) => left === right;
const itemsOf = (list) => [...list.reversed()].reverse();

/** A list of the even numbers below twice a size, put in as they ascend. */
function evens(size, compare = byNumber) {
  let list = new OrderedList(compare);
  for (let i = 0; i < size; i++) list = list.with(2 * i);
  return list;
}

test('it is a sorted array, and what was handed out stays as it was', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const random = generator(seed);
    const below = (end) => Math.floor(random() * end);
    let list = new OrderedList(byNumber);
    let array = [];
    const kept = [];
    let next = 0;
    for (let step = 0; step < 26_000; step++) {
      // It grows to some thousands and goes down to nothing, twice.
      const isGrowing = step % 13_000 < 7000;
      if (random() < (isGrowing ? 0.95 : 0.02)) {
        // Mostly at the end; sometimes into a gap.
        const item = random() < 0.9 ? next += 1 + below(3) : below(next + 1);
        const before = array.findLastIndex((it) => it <= item);
        if (array[before] === item) continue;
        array.splice(before + 1, 0, item);
        list = list.with(item);
      } else if (array.length > 0) {
        // One end, the other, or anywhere.
        const at = [0, array.length - 1, below(array.length)][below(3)];
        list = list.without(array.splice(at, 1)[0]);
      }
      assert.equal(list.size, array.length);
      assert.equal(list.first, array[0]);
      assert.equal(list.reversed().next().value, array.at(-1));
      if (step % 397 === 0) {
        assert.deepEqual(itemsOf(list), array, `seed ${seed}, step ${step}`);
        assert.equal(list.without(-1), list, 'It is not there.');
        kept.push([list, array.slice()]);
      }
    }
    for (const [list, array] of kept) assert.deepEqual(itemsOf(list), array);
    assert.ok(Math.max(...kept.map(([{ size }]) => size)) > 5000);
  }
});

test('two lists are the same by their items, however they came to them', () => {
  for (const size of [0, 1, 64, 65, 5000]) {
    let [left, right] = [evens(size), new OrderedList(byNumber)];
    for (let i = size; i-- > 0;) right = right.with(2 * i);
    assert.ok(left.isSame(right, isSame), `${size}`);
    assert.ok(!left.isSame(left.with(1), isSame));
    assert.ok(!left.with(3).isSame(right.with(1), isSame));
    for (let i = size; i-- > 0;) right = right.without(2 * i);
    assert.equal(right.size, 0);
    assert.ok(right.isSame(new OrderedList(byNumber), isSame));
  }
});

test('a change and a comparison look at a few of 300,000', () => {
  let looks = 0;
  const counting = (left, right) => {
    looks++;
    return left - right;
  };
  const looksOf = (work) => {
    looks = 0;
    const result = work();
    return [looks, result];
  };
  const list = evens(300_000, counting);
  for (const at of [0, 1, 149_999, 222_222, 299_998, 299_999]) {
    const [removing, less] = looksOf(() => list.without(2 * at));
    const [adding, more] = looksOf(() => list.with(2 * at + 1));
    assert.ok(removing <= 40 && adding <= 40, `${removing} to remove, ${adding} to add`);
    // Whoever does the same to the same has the same, without looking at the rest.
    const [comparing, found] = looksOf(() => more.isSame(list.with(2 * at + 1),
      (left, right) => counting(left, right) === 0));
    assert.ok(found);
    assert.ok(comparing <= 150, `${comparing} to compare`);
    const [differing, none] = looksOf(() => less.with(600_001).isSame(list,
      (left, right) => counting(left, right) === 0));
    assert.ok(!none);
    assert.ok(differing <= 150, `${differing} to find a difference`);
  }
});

test('a list that was long is none any more', () => {
  let looks = 0;
  let list = evens(10_000, (left, right) => {
    looks++;
    return left - right;
  });
  for (let i = 0; i < 9996; i++) list = list.without(2 * (i < 5000 ? i : 14_999 - i));
  assert.deepEqual(itemsOf(list), [10_000, 10_002, 10_004, 10_006]);
  looks = 0;
  list.with(3);
  assert.ok(looks <= 3, `${looks} looks`);
});
