// A cache that holds a part of its channel: its arithmetic, step by step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelCache } from '../core/cache.js';
import { Digest } from '../core/digest.js';
import { Rest } from '../core/rest.js';
import { settledOf } from '../core/settled.js';
import { cut, grow, settle, shrink, unopened } from '../core/window.js';
import { WindowSync } from '../core/window-sync.js';
import { Server } from './model.mjs';

/** A channel of so many messages, each with a reaction. */
function serverOf(count) {
  const server = new Server();
  const messages = Array.from({ length: count }, (_, i) => {
    const { timetoken } = server.publish('zoe', { payload: i });
    server.act('zoe', true, { messageTimetoken: timetoken, type: 'reaction', value: '👍' });
    return timetoken;
  });
  return { server, messages };
}

/** A cache with the newest messages of a server. */
function opened(server, last) {
  const cache = unopened();
  cache.setKey(server.key);
  cache.seen = [];
  assert.ok(grow(cache, server.older(undefined, last)));
  return cache;
}

/** What the server did since, as one push. */
const pushOf = (server, cache) => ({ t: { t: server.last }, s: server.state,
  m: server.log.filter((it) => BigInt(it.p.t) > BigInt(cache.cursor)) });

test('digests are added and taken away as sums', () => {
  const [left, right] = [{ n: 3, d: 'ffffffffffffffff00000000ffffffff' },
    { n: 2, d: '0000000000000001ffffffff00000001' }];
  const sum = Digest.of(left).merge(Digest.of(right), 1);
  assert.deepEqual(sum.state, { n: 5, d: '00000000000000000000000000000000' });
  assert.deepEqual(sum.merge(Digest.of(right), -1).state, left);
});

test('the rest and the window are the channel', () => {
  const { server, messages } = serverOf(5);
  const cache = opened(server, 2);
  assert.equal(cache.messages.size, 2);
  assert.deepEqual(cache.state, server.state);
  const key = { type: 'reaction', value: '🔥' };
  server.act('bob', true, { ...key, messageTimetoken: messages[0] });
  server.act('bob', true, { ...key, messageTimetoken: messages[4] });
  server.act('bob', false, { ...key, messageTimetoken: messages[0] });
  server.delete(messages[1], messages[3]);
  server.clear({ value: '👍' });
  cache.apply(pushOf(server, cache));
  assert.deepEqual(cache.state, server.state);
  assert.deepEqual([...cache.messages.keys()], messages.slice(4));
});

test('a page is put before what happened since it was read', () => {
  const { server, messages } = serverOf(6);
  const cache = opened(server, 2);
  cache.seen = [];
  const page = server.older(cache.rest.after, 2);
  server.act('bob', true, { messageTimetoken: messages[2], type: 'reaction', value: '🔥' });
  server.delete(messages[0], messages[3]);
  cache.apply(pushOf(server, cache));
  assert.ok(grow(cache, page));
  assert.deepEqual(cache.state, server.state);
  assert.deepEqual([...cache.messages.keys()], messages.slice(4));
});

test('a page that was read later waits for its moment', () => {
  const { server, messages } = serverOf(6);
  const cache = opened(server, 2);
  cache.seen = [];
  const { state, last } = server;
  server.act('bob', true, { messageTimetoken: messages[5], type: 'reaction', value: '🔥' });
  const page = server.older(cache.rest.after, 2);
  assert.ok(grow(cache, page));
  assert.equal(cache.state, null);
  // Rows and rest are of different moments: nothing is given up yet.
  shrink(cache, messages[4]);
  assert.equal(cache.messages.size, 4);
  assert.equal(settle(cache, state, last), false);
  cache.apply(pushOf(server, cache));
  assert.deepEqual(cache.state, server.state);
  shrink(cache, messages[4]);
  assert.deepEqual([...cache.messages.keys()], messages.slice(5));
  assert.deepEqual(cache.state, server.state);
});

test('where nothing happened the cursor is the page\'s', () => {
  const { server } = serverOf(4);
  const cache = opened(server, 2);
  const at = cache.cursor;
  server.commitElsewhere();
  cache.seen = [];
  assert.ok(grow(cache, server.older(cache.rest.after, 1)));
  assert.equal(cache.state, null);
  assert.equal(settle(cache, { n: 1, d: server.state.d }, at), false);
  assert.equal(settle(cache, server.state, at), true);
  assert.equal(cache.cursor, server.end);
  assert.deepEqual(cache.state, server.state);
});

test('what was taken back of rows that a page brought between is waited for', () => {
  const { server, messages } = serverOf(6);
  const cache = opened(server, 2);
  const { state } = server;
  const at = cache.cursor;
  const isTaken = () => {
    cache.seen = [];
    return grow(cache, server.older(cache.rest.after, 1));
  };
  const flag = { messageTimetoken: messages[3], type: 'reaction', value: '🔥' };
  server.act('bob', true, flag);
  assert.ok(isTaken());
  assert.equal(settle(cache, state, at), false);
  server.act('bob', false, flag);
  // The page after it, too, is of a commit that is none of the channel's.
  server.commitElsewhere();
  assert.ok(isTaken());
  assert.deepEqual(server.state, state);
  assert.equal(settle(cache, state, at), false, 'the flag still stands here');
  assert.equal(cache.state, null);
  cache.apply(pushOf(server, cache));
  assert.equal(settle(cache, state, cache.cursor), true);
  assert.equal(cache.cursor, server.end);
  assert.deepEqual(cache.state, state);
});

test('pages that were not asked for from here are refused', () => {
  const { server, messages } = serverOf(6);
  const cache = opened(server, 2);
  const page = server.older(cache.rest.after, 2);
  assert.equal(grow(cache, page), false, 'nobody asked');
  const isTaken = (it) => {
    cache.seen = [];
    return grow(cache, it);
  };
  assert.equal(isTaken({ ...page, after: messages[5] }), false);
  assert.equal(isTaken({ ...page, cursor: '1' }), false);
  assert.equal(isTaken({ ...page, rows: 'AAAA' }), false);
  assert.equal(isTaken(server.older(undefined, 3)), false, 'rows of the window');
  assert.equal(cache.messages.size, 2);
  const first = unopened();
  first.setKey(server.key);
  first.seen = [];
  const lie = { ...server.older(undefined, 2), s: { n: 1, d: '0'.repeat(32) } };
  assert.equal(grow(first, lie), false, 'it does not come to its own state');
});

test('many more than are to be kept are cut', () => {
  const { server } = serverOf(40);
  const cache = opened(server, 26);
  assert.equal(cut(cache, 10), false);
  cache.seen = [];
  grow(cache, server.older(cache.rest.after, 1));
  assert.equal(cut(cache, 10), true);
  assert.equal(cache.messages.size, 10);
  assert.deepEqual(cache.state, server.state);
});

test('what is summed up says nothing of the rest, but for the last push', () => {
  const { server } = serverOf(5);
  const cache = opened(server, 2);
  const { after } = cache.rest;
  const push = { t: { t: server.end }, m: [] };
  cache.apply({ ...push, window: { after } });
  assert.equal(cache.state, null);
  const rest = server.stateOf((it) => BigInt(it) <= BigInt(after));
  cache.apply({ ...push, window: { after: '5', rest } });
  assert.equal(cache.state, null);
  cache.apply({ ...push, window: { after, rest } });
  assert.deepEqual(cache.state, server.state);
});

test('a store has what is before, and rows of before are found out', () => {
  const { server, messages } = serverOf(5);
  const { rest, head, rows, messages: held } = opened(server, 2);
  const kept = JSON.parse(JSON.stringify(head));
  const again = ChannelCache.load(kept, [...rows], [...held.values()]);
  assert.ok(again.isSound);
  assert.deepEqual(again.cache.rest, rest);
  assert.deepEqual(again.cache.state, server.state);
  const more = server.said.filter((it) => it.timetoken === messages[0]);
  assert.equal(
    ChannelCache.load(kept, [...rows], [...held.values(), ...more]).isSound, false);
  assert.equal(ChannelCache.load({ ...kept, rest: { after: 'x' } }, [], []).isSound, false);
});

test('under another key the rest is not known', () => {
  const { server } = serverOf(5);
  const cache = opened(server, 2);
  cache.setKey('f'.repeat(32));
  assert.equal(cache.rest.digest, null);
});

/** A device that has opened its window. */
function following(server, size) {
  const sync = new WindowSync('room', size);
  assert.deepEqual(sync.request(), { name: 'room', window: {} });
  const { number, command } = sync.nextPage();
  assert.deepEqual(command, { op: 'older', channel: 'room', last: size.last });
  const reply = { mode: 'current', cursor: server.last, key: server.key };
  sync.subscribed(reply, server.epoch);
  sync.paged(server.older(undefined, size.last), number);
  assert.ok(sync.isVerified);
  return sync;
}

test('an event on the wrong side is found by a look at the rest', () => {
  const { server, messages } = serverOf(6);
  const sync = following(server, { last: 2, keeping: 10 });
  const { rest, rows } = sync.cache;
  // The sum is the same, wherever a row is counted.
  const row = server.rows.find((it) => it.messageTimetoken === messages[0]);
  rest.digest.merge(Digest.of(sync.cache.tally.digest.state), 1);
  rows.put(row);
  rest.digest.merge(Digest.of(sync.cache.tally.digest.state), -1);
  assert.deepEqual(sync.cache.state, server.state);
  sync.verify();
  const { number, command } = sync.nextPage();
  assert.deepEqual(command, { op: 'older', channel: 'room', through: rest.after, last: 0 });
  const outcome = sync.paged(server.older(rest.after, 0), number);
  assert.equal(outcome.next, 'subscribe');
  assert.deepEqual(sync.request(), { name: 'room', window: {} });
});

test('two attempts that fail show what the server sends, unverified', () => {
  const { server } = serverOf(6);
  const sync = following(server, { last: 2, keeping: 10 });
  const wrong = { t: { t: server.last }, m: [], s: { n: 1, d: '0'.repeat(32) } };
  assert.equal(sync.push(wrong).next, 'subscribe');
  for (const isLast of [false, true]) {
    sync.request();
    const { number } = sync.nextPage();
    sync.subscribed({ mode: 'current', cursor: server.last, key: server.key }, server.epoch);
    const lie = { ...server.older(undefined, 2), s: wrong.s };
    const outcome = sync.paged(lie, number);
    assert.equal(outcome.next, 'subscribe');
    assert.equal(sync.phase, isLast ? 'doubted' : 'idle');
  }
  assert.equal(sync.isVerified, false);
  assert.equal(sync.cache.messages.size, 2);
});

test('refusals of pages', () => {
  const { server } = serverOf(6);
  const later = { status: 503, code: 'overloaded' };
  const never = { status: 409, code: 'too_many_rows' };
  const sync = following(server, { last: 2, keeping: 10 });
  sync.wantOlder(2);
  sync.pageRefused(later, sync.nextPage().number);
  assert.equal(sync.nextPage(), null);
  sync.retryPages();
  sync.pageRefused(never, sync.nextPage().number);
  assert.equal(sync.nextPage(), null);
  assert.deepEqual(sync.pages.takeAnswer(), { error: never });
  sync.size = { last: 5, keeping: 10 };
  sync.pageRefused(never, sync.nextPage().number);
  assert.equal(sync.nextPage(), null, 'the window is not filled again');
  sync.verify();
  const { phase, isVerified } = sync;
  sync.pageRefused(later, sync.nextPage().number);
  assert.equal(sync.pages.takeRefusal(), null);
  sync.retryPages();
  assert.equal(sync.pageRefused(never, sync.nextPage().number).next, null);
  assert.deepEqual([sync.pages.takeRefusal(), sync.pages.takeRefusal()], [never, null]);
  assert.deepEqual([sync.phase, sync.isVerified, sync.isComparing], [phase, isVerified, false]);
  assert.equal(sync.nextPage(), null, 'nothing is compared again');
});

test('a first page that is refused is given up, until it is asked for again', () => {
  const { server } = serverOf(6);
  const never = { status: 409, code: 'too_many_rows' };
  const sync = new WindowSync('room', { last: 2, keeping: 10 });
  sync.request();
  sync.wantOlder(2);
  const { number } = sync.nextPage();
  sync.subscribed({ mode: 'current', cursor: server.last, key: server.key }, server.epoch);
  assert.equal(sync.pageRefused(never, number).refused, never);
  assert.deepEqual([sync.phase, sync.pages.older, sync.nextPage()], ['idle', null, null]);
  assert.deepEqual(sync.request(), { name: 'room', window: {} });
  assert.deepEqual(sync.nextPage().command, { op: 'older', channel: 'room', last: 2 });
});

test('where the rest is not known and not told, everything comes anew', () => {
  const { server } = serverOf(6);
  const sync = following(server, { last: 2, keeping: 10 });
  sync.cache.rest = sync.cache.rest.unknown();
  const { number } = sync.nextPage();
  const never = { status: 409, code: 'too_many_rows' };
  assert.equal(sync.pageRefused(never, number).next, 'subscribe');
  assert.deepEqual(sync.request(), { name: 'room', window: {} });
  const first = sync.nextPage();
  assert.deepEqual(first.command, { op: 'older', channel: 'room', last: 2 });
  assert.equal(sync.cache.messages.size, 2, 'what shows stays meanwhile');
  assert.equal(sync.pageRefused(never, first.number).refused, never);
});

test('what is known so wrongly that less than nothing is left is not said', () => {
  const sync = new WindowSync('room', { last: 1, keeping: 10 });
  sync.cache.setKey('00'.repeat(16));
  [sync.cache.cursor, sync.cache.epoch] = ['9', 'e'];
  const counts = [1, 0, -1].map((n) => {
    sync.cache.rest = new Rest('5', Digest.of({ n, d: '0'.repeat(32) }), '8');
    sync.wanted = null;
    return sync.request().count;
  });
  assert.deepEqual(counts, [1, 0, undefined]);
});

test('a removal outside of a window waits for a page that may be from before it', () => {
  const cache = new ChannelCache();
  cache.cursor = '40';
  cache.rest = new Rest('30', new Digest(), '40', null);
  cache.seen = [];
  const entry = { kind: 'action', order: 1, present: false, acknowledged: '20', again: false,
    messageTimetoken: '10', type: 'reaction', value: '👍' };
  assert.deepEqual(settledOf([entry], cache, 'ada'), []);
  cache.seen = null;
  assert.deepEqual(settledOf([entry], cache, 'ada'), [entry]);
});
