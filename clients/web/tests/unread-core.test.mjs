// Read marks and what they leave unread, without anything around them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  answered, asked, changed, checkChannels, heard, isPending, isReadFrame, isUnread, readMarkFrom,
  readPlaces, readThrough, unknownMark, unreadOf, wished,
} from '../core/read-marks.js';
import { UnreadCount } from '../core/unread-count.js';
import { generator } from './model.mjs';

const of = (through, wish = '0') => ({ through, wish, version: 0 });

test('a mark goes forward, whoever says it and however often', () => {
  assert.equal(readThrough(unknownMark), '0');
  const wish = wished(of('5'), '7');
  assert.deepEqual([wish, readThrough(wish), isPending(wish)], [of('5', '7'), '7', true]);
  for (const it of ['7', '6', '5', '0']) assert.equal(wished(wish, it), wish);
  // As integers: it is longer.
  assert.equal(readThrough(wished(wish, '10')), '10');
  assert.deepEqual(heard(wish, '6'), of('6', '7'));
  assert.deepEqual(heard(wish, '7'), of('7'));
  assert.equal(heard(of('7'), '6').through, '7');
  assert.deepEqual(heard(unknownMark, '0'), of('0'));
});

test('an answer ends a wish, but not a later one', () => {
  assert.deepEqual(answered(of('5', '7'), '7', '7'), of('7'));
  assert.deepEqual(answered(of('5', '7'), '7', '9'), of('9'));
  assert.deepEqual(answered(of('5', '8'), '7', '7'), of('7', '8'));
  // It was beyond all events.
  assert.deepEqual(answered(of('5', '99'), '99', '7'), of('7'));
  assert.deepEqual(answered(of('5', '7'), '7', null), of('5'));
  assert.deepEqual(answered(of('5', '8'), '7', null), of('5', '8'));
  const mark = of('5');
  assert.equal(answered(mark, '7', null), mark);
});

test('a daemon that has forgotten a mark is told it again', () => {
  const mark = asked(of('9'), '5');
  assert.deepEqual([mark, readThrough(mark), isPending(mark)], [of('5', '9'), '9', true]);
  assert.deepEqual(asked(of('9', '12'), '5'), of('5', '12'));
  assert.deepEqual(asked(of('5'), '9'), of('9'));
  assert.deepEqual(asked(unknownMark, '0'), of('0'));
});

test('what tabs do to a mark in any order, and twice, is what was done', () => {
  const random = generator(1);
  for (let story = 0; story < 300; story++) {
    let mark = unknownMark;
    let latest = 0;
    for (let step = 0; step < 12; step++) {
      const place = Math.floor(random() * 20);
      const dice = random();
      const change = (it) => dice < 0.4 ? wished(it, String(place))
        : dice < 0.7 ? heard(it, String(place)) : dice < 0.8 ? asked(it, String(place))
          : answered(it, it.wish, String(Math.max(place, Number(it.wish))));
      mark = change(mark);
      assert.equal(change(mark), mark, 'again');
      assert.ok(Number(readThrough(mark)) >= latest, 'back');
      latest = Number(readThrough(mark));
    }
  }
});

test('what a store makes of a mark, and what it cannot read', () => {
  const mark = of('5');
  assert.equal(changed(mark, (it) => heard(it, '5')), mark);
  assert.deepEqual(changed(mark, (it) => heard(it, '6')), { ...of('6'), version: 1 });
  assert.deepEqual(readMarkFrom({ ...of(null, '4'), version: 3, more: 1 }),
    { through: null, wish: '4', version: 3 });
  for (const it of [undefined, null, 5, {}, of(5), of('5', null), of('x'),
    { through: '5', wish: '0', version: '1' }]) {
    assert.deepEqual(readMarkFrom(it), unknownMark);
  }
});

test('frames and replies about marks', () => {
  assert.ok(isReadFrame({ read: [] }) && isReadFrame({ read: 'x', id: null, t: null }));
  for (const it of [{ read: null }, { id: 1, read: [] }, { t: {}, read: [] }]) {
    assert.ok(!isReadFrame(it));
  }
  const good = { name: 'room', through: '5' };
  const { places, faults } = readPlaces({ read: [good, { name: 'room' }, null, { ...good, name: 1 },
    { ...good, through: 5 }, { ...good, more: 1 }] });
  assert.deepEqual([places.length, faults.length], [2, 4]);
  assert.equal(readPlaces({ read: {} }).faults.length, 1);
  const reply = { channels: [{ name: 'a', count: 1, through: '5' },
    { name: 'b', count: 1000, more: true, through: null }] };
  assert.ok(isUnread(reply));
  assert.deepEqual(unreadOf(reply), [{ name: 'a', through: '5', count: 1, more: false },
    { name: 'b', through: null, count: 1000, more: true }]);
  for (const it of [undefined, [null], [{ name: 'a' }], [{ name: 1, count: 1 }],
    [{ name: 'a', count: -1 }], [{ name: 'a', count: 1, through: 5 }]]) {
    assert.ok(!isUnread({ channels: it }));
  }
  checkChannels(['a', 'b']);
  assert.throws(() => checkChannels('a'), TypeError);
  assert.throws(() => checkChannels(['a', 5]), TypeError);
  assert.throws(() => checkChannels(['a,b']), TypeError);
  assert.throws(() => checkChannels([]), RangeError);
  assert.throws(() => checkChannels(Array(101).fill('a')), RangeError);
});

/** A cache as far as it matters here. */
const cacheAfter = (after, cursor = '50') => ({ cursor,
  rest: { after, isPart: after !== '0', isAll: after === null } });
const itemOf = (timetoken, uuid = 'zoe', isDeleted = false) =>
  ({ key: timetoken ?? 'm', timetoken, uuid, isDeleted });

test('messages of others behind the mark count', () => {
  const count = new UnreadCount('ada');
  const items = [itemOf('3'), itemOf('9'), itemOf('10'), itemOf('11', 'ada'), itemOf('12', ''),
    itemOf('13', 'bob', true), itemOf(null, 'ada')];
  count.take(items.map((item, index) => ({ kind: 'insert', index, item })));
  const cache = cacheAfter('0');
  assert.equal(count.of(cache, true), null, 'before the mark is known');
  count.use(of('9'), items);
  assert.deepEqual(count.of(cache, true), { count: 2, atLeast: false, through: '9' });
  count.use(of('0'), items);
  assert.deepEqual(count.of(cache, true), { count: 4, atLeast: false, through: null });
  count.use(of('9', '10'), items);
  assert.deepEqual(count.of(cache, true), { count: 1, atLeast: false, through: '10' });
  const change = (kind, item) => count.take([{ kind, index: 0, item }]);
  change('insert', itemOf('14'));
  change('insert', itemOf('2'));
  change('update', itemOf('12', '', true));
  change('update', itemOf('13', 'bob'));
  change('move', itemOf('14'));
  assert.equal(count.of(cache, true).count, 2);
  change('remove', itemOf('14'));
  change('remove', itemOf('2'));
  assert.equal(count.of(cache, true).count, 1);
});

test('a list that does not reach back to the mark has at least so many', () => {
  const count = new UnreadCount('ada');
  const known = (mark) => {
    count.use(mark, []);
    return (after) => count.of(cacheAfter(after), true).atLeast;
  };
  assert.deepEqual(['0', '4', '5', '6'].map(known(of('5'))), [false, false, false, true]);
  assert.deepEqual(['0', '4', '5', '6'].map(known(of('5', '6'))), [false, false, false, false]);
  assert.deepEqual(['0', '4'].map(known(of('0'))), [false, true], 'no mark');
});

test('nothing is said before there are messages, and what was said stays', () => {
  const count = new UnreadCount('ada');
  count.use(of('5'), []);
  assert.equal(count.of(cacheAfter(null), false), null, 'a window waits for its page');
  assert.equal(count.of(cacheAfter('0', '0'), false), null, 'a cache that is new');
  assert.notEqual(count.of(cacheAfter('0', '0'), true), null, 'an empty channel');
  assert.notEqual(count.of(cacheAfter('0', '0'), false), null, 'the connection is gone');
});

/** What a text has a client do with the event `unread`, as a function of what is unread. */
function shownBy(path, names, result) {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const [listening] = /^ *client\.on\('unread',[^]*?\);$/m.exec(text) ?? assert.fail(path);
  return (unread) => {
    let heard;
    const given = { client: { on: (_, callback) => { heard = callback; } }, ...names() };
    new Function(...Object.keys(given), listening)(...Object.values(given));
    heard({ unread });
    return result(given);
  };
}

test('what the README and the examples show of it says no number where there is none', () => {
  const badge = shownBy('../README.md', () => {
    const shown = [];
    return { shown, badge: (it) => shown.push(it) };
  }, ({ shown }) => shown.at(-1));
  const page = shownBy('../../../examples/web/index.html', () => ({ document: {} }),
    ({ document }) => document.title);
  const example = shownBy('../example.js', () => ({ title: {}, userId: 'ada' }),
    ({ title }) => title.textContent);
  for (const [unread, text] of [
    [null, ''], [{ count: 0, atLeast: false }, ''], [{ count: 0, atLeast: true }, ''],
    [{ count: 3, atLeast: false }, '3'], [{ count: 50, atLeast: true }, '50+'],
  ]) {
    assert.equal(badge(unread), text);
    assert.equal(page(unread), text === '' ? 'A room' : `(${text}) A room`);
    assert.equal(example(unread), text === '' ? 'ada' : `ada (${text})`);
  }
});
