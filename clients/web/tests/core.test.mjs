// Bytes, digests, symbols, rows, outbox and list, against docs/RECONCILIATION.md or a model.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fromBase64, toBase64 } from '../core/bytes.js';
import { ChannelCache } from '../core/cache.js';
import { ChannelSync } from '../core/channel-sync.js';
import { retryDelay } from '../core/delays.js';
import { Digest } from '../core/digest.js';
import { canonicalEmoji } from '../core/emoji.js';
import { Hasher } from '../core/hasher.js';
import { ItemList } from '../core/list.js';
import { acknowledge, edited, refuse, reopened, sendable, wishAction } from '../core/outbox.js';
import { unpackRows, unpackTimetokens } from '../core/packed.js';
import { isSettled, settledOf } from '../core/settled.js';
import { SymbolStream } from '../core/symbols.js';
import { isLater } from '../core/timetoken.js';
import {
  decode, digestOf, generator, itemOf, packRows, packTimetokens, readSymbols, rowBytes,
  sipHash, varint,
} from './model.mjs';

const key = '000102030405060708090a0b0c0d0e0f';
const thumb = {
  messageTimetoken: '17952187953729999', type: 'reaction', value: '👍', uuid: 'ada',
  actionTimetoken: '17952187953730012',
};
const bare = { messageTimetoken: '1', type: '', value: '', uuid: '', actionTimetoken: '2' };

function randomRows(count, random, start = 17952187953730000n) {
  const values = ['👍', '❤️', 'é', '日本', 'x'.repeat(40)];
  return Array.from({ length: count }, (_, i) => ({
    messageTimetoken: String(start - BigInt(Math.floor(random() * 1e9))), type: 'reaction',
    value: values[Math.floor(random() * values.length)], uuid: `user-${Math.floor(random() * 1e6)}`,
    actionTimetoken: String(start + BigInt(i * 1000 + Math.floor(random() * 1000))),
  }));
}

test('digests are those of the document', () => {
  const hasher = new Hasher(key);
  const digest = new Digest();
  assert.equal(digest.text, '0'.repeat(32));
  for (const [row, text] of [
    [bare, '573a25b1fb5e60e5568710c54d180341'], [thumb, '8ad32588d2b82554ffbdb17cd8648ce0'],
    [{ ...thumb, score: 5 }, '7f6dd641f9cd395cae822747a3032a24']]) {
    hasher.row(row);
    digest.add(hasher.hash, 1);
    assert.equal(digest.text, text);
    assert.equal(digest.count, 1);
    hasher.row(row);
    digest.add(hasher.hash, -1);
  }
  assert.equal(digest.text, '0'.repeat(32));
});

const said = { timetoken: '17952187953729999', uuid: 'ada', payload: 'hi' };

test('digests of messages are those of the document', () => {
  const hasher = new Hasher(key);
  for (const [message, text] of [
    [said, 'e8aea1dfa442523e840084b824593262'],
    [{ ...said, messageType: 'text' }, '16456ed74a6e3dc8b32c55a7036d6942'],
    [{ timetoken: '1', uuid: '', payload: null }, '3eebfdda9fecd0f4ad9d39cf3e7cb414']]) {
    const digest = new Digest();
    hasher.message(message);
    digest.add(hasher.hash, 1);
    assert.equal(digest.text, text);
    hasher.message({ ...message, payload: { other: 1 }, meta: 5, parent: '4' });
    digest.add(hasher.hash, -1);
    assert.equal(digest.text, '0'.repeat(32), 'What it says is not in it.');
  }
});

test('a hash reads its key byte by byte', () => {
  assert.throws(() => new Hasher('000102030405060708090A0B0C0D0E0F'), /not/);
  const hasher = new Hasher('f00102030405060708090a0b0c0d0eff');
  hasher.row(thumb);
  assert.notEqual(digestOf([thumb], key).d, digestOf([thumb], hasher.text).d);
});

test('rows of any text hash as the definition says', () => {
  const texts = ['', 'a', 'é', '€', '👍', '\u0000', 'a\u07ff\u0800\uffff', '😀'.repeat(700),
    '\ud800', '\udc00x', 'x'.repeat(5000), ...Array.from({ length: 20 }, (_, i) => 'y'.repeat(i))];
  const random = generator(5);
  for (const text of texts) {
    const bytes = Uint8Array.from({ length: 16 }, () => Math.floor(256 * random()));
    const hasher = new Hasher(Buffer.from(bytes).toString('hex'));
    for (const timetoken of ['0', '9', '4294967296', '17952187953729999', '9223372036854775807']) {
      const row = { ...thumb, type: text.slice(0, 3), value: text, messageTimetoken: timetoken };
      if (text.length % 2) row.score = 1 + text.length;
      hasher.row(row);
      const [a, b, c, d] = hasher.hash;
      const words = [[b, a], [d, c]].map(([high, low]) =>
        BigInt(high >>> 0) << 32n | BigInt(low >>> 0));
      assert.deepEqual(words, sipHash(rowBytes(row), bytes), `${text.slice(0, 9)} ${timetoken}`);
      const message = { timetoken, uuid: text, ...text.length % 2 ? { messageType: text } : {} };
      hasher.message(message);
      const halves = [hasher.hash[0], hasher.hash[1]].map((it) => BigInt(it >>> 0));
      const [first] = sipHash(rowBytes(message), bytes);
      assert.deepEqual(halves, [first & 0xffffffffn, first >> 32n], 'As a message.');
    }
  }
});

test('items and their symbols are those of the document', () => {
  const hasher = new Hasher(key);
  hasher.row(thumb);
  assert.equal(hasher.hash[0] >>> 0, 0xd2b82554);
  const tag = hasher.hash[0];
  const item = itemOf(hasher, BigInt(thumb.actionTimetoken), tag, 6000);
  assert.equal(item.checksum, 0x24048f42);
  assert.deepEqual([hasher.hash[1] >>> 0, hasher.hash[0] >>> 0], [0xfd322756, 0xa8e63e7e]);
  const stream = new SymbolStream([thumb], [], hasher);
  const bytes = [stream.take(32), stream.take(1000), stream.take(4968)];
  const symbols = [
    ...readSymbols(bytes[0], 0, 1), ...readSymbols(bytes[1], 32, 1),
    ...readSymbols(bytes[2], 1032, 1)];
  const hit = symbols.flatMap((symbol, index) => symbol.count === 1 ? [index] : []);
  assert.deepEqual(hit, [0, 1, 4, 5, 6, 12, 121, 800, 5677]);
  for (const index of hit) {
    assert.equal(symbols[index].timetokens, BigInt(thumb.actionTimetoken));
    assert.equal(symbols[index].tags, 0xd2b82554);
    assert.equal(symbols[index].checksums, 0x24048f42);
  }
});

test('items of messages and their symbols are those of the document', () => {
  const hasher = new Hasher(key);
  for (const [message, tag, seed, checksum] of [
    [said, 0xa442523e, [0xd1c884c5, 0x025cb8a0], 0x27140a61],
    [{ ...said, messageType: 'text' }, 0x4a6e3dc8, [0x7bedb4ce, 0xffdc1e30], 0xf7f2d386]]) {
    const symbols = readSymbols(new SymbolStream([], [message], hasher).take(10), 0, 1);
    hasher.message(message);
    assert.equal(hasher.hash[0] >>> 0, tag);
    const item = itemOf(hasher, BigInt(said.timetoken), hasher.hash[0], 10);
    assert.deepEqual([hasher.hash[1] >>> 0, hasher.hash[0] >>> 0], seed);
    assert.equal(item.checksum, checksum);
    const hit = symbols.flatMap((symbol, index) => symbol.count === 1 ? [index] : []);
    assert.deepEqual(hit, item.indices);
    if (message === said) assert.deepEqual(hit, [0, 1, 2, 3, 5, 9]);
    assert.deepEqual(symbols[0], { timetokens: BigInt(said.timetoken), tags: tag,
      checksums: checksum, count: 1 });
  }
});

test('symbols of two sets decode to their difference', () => {
  const random = generator(7);
  for (const [shared, mine, theirs] of [[0, 0, 0], [0, 1, 0], [50, 3, 4], [2000, 40, 60]]) {
    // Every third one is a message.
    const rows = randomRows(shared + mine + theirs, random).map((row, i) => i % 3 > 0 ? row
      : { timetoken: row.actionTimetoken, uuid: row.uuid, messageType: row.value });
    const local = rows.slice(0, shared + mine);
    const remote = [...rows.slice(0, shared), ...rows.slice(shared + mine)];
    const [actions, messages] = [true, false].map((isAction) =>
      local.filter((it) => (it.actionTimetoken !== undefined) === isAction));
    const stream = new SymbolStream(actions, messages, new Hasher(key));
    const symbols = readSymbols(stream.take(400), 0, local.length);
    const found = decode(symbols, remote, key);
    assert.ok(found);
    const names = (list) =>
      list.slice(shared).map((it) => it.actionTimetoken ?? it.timetoken).sort();
    assert.deepEqual(found.onlyLocal.sort(), names(local));
    assert.deepEqual(found.onlyRemote.sort(), names(remote));
  }
});

test('packed rows and timetokens are read as they were written', () => {
  const random = generator(11);
  for (const count of [0, 1, 200]) {
    const rows = randomRows(count, random);
    for (const [i, row] of rows.entries()) {
      // A reaction may be older than what its message's timetoken says.
      if (i % 7 === 0) row.messageTimetoken = String(BigInt(row.actionTimetoken) + 5n);
      if (i % 3 === 0) row.score = i === 3 ? 1_000_000_000 : 2 + i;
    }
    assert.deepEqual(unpackRows(fromBase64(toBase64(packRows(rows)))), rows);
    const timetokens = rows.map((row) => row.actionTimetoken);
    assert.deepEqual(unpackTimetokens(packTimetokens(timetokens)), timetokens);
  }
  assert.throws(() => unpackRows(Uint8Array.from([1, 9, 65])), /cannot be read/);
  assert.throws(() => unpackRows(Uint8Array.from([0, 1, 1, 0, 0, 0])), /cannot be read/);
  for (const score of [[0], [1], varint(1_000_000_001)]) {
    const row = Uint8Array.from([1, 0, 0, ...score, 1, 0, 0, 0, 0]);
    assert.throws(() => unpackRows(row), /no score/, String(score));
  }
  assert.throws(() => unpackTimetokens(Uint8Array.from([255])), /cannot be read/);
  assert.deepEqual(varint(300n), [172, 2]);
});

test('timetokens compare as numbers', () => {
  const texts = ['0', '2', '10', '99999999999999999', '100000000000000000'];
  for (const [i, left] of texts.entries()) {
    for (const [j, right] of texts.entries()) assert.equal(isLater(left, right), i > j);
  }
});

test('a cache keeps its digest through every change', () => {
  const random = generator(3);
  const [cache, other] = [new ChannelCache(), new ChannelCache()];
  cache.setKey(key);
  let clock = 100;
  for (let step = 0; step < 3000; step++) {
    const messageTimetoken = String(1 + Math.floor(random() * 20));
    const value = 'abc'[Math.floor(random() * 3)];
    const t = String(++clock);
    const event = { f: 0, p: { t }, i: `u${Math.floor(random() * 3)}` };
    if (random() < 0.04) {
      // Of messages that have reactions, or of those that are here.
      const after = Math.floor(random() * 20) + (random() < 0.5 ? 0 : Math.max(0, clock - 100));
      const through = after + Math.floor(random() * 5);
      Object.assign(event, {
        e: 5, d: { data: { after: String(after), through: String(through) } } });
    } else if (random() < 0.1) {
      event.d = step;
      if (random() < 0.5) event.cmt = value;
    } else {
      const isAdd = random() < 0.6;
      const standing = cache.rows.find(messageTimetoken, 'reaction', value, event.i);
      const actionTimetoken = isAdd ? t : standing?.actionTimetoken ?? '50';
      Object.assign(event, { e: 3, d: { event: isAdd ? 'added' : 'removed',
        data: { messageTimetoken, type: 'reaction', value, actionTimetoken } } });
    }
    cache.apply({ t: { t }, m: [event] });
    if (step % 50 === 0) {
      const { count, text } = cache.tally.digest;
      const expected = digestOf([...cache.rows, ...cache.messages.values()], key);
      assert.deepEqual({ n: count, d: text }, expected);
      const { head, ...patch } = cache.takePatch('room');
      assert.deepEqual([head.count, head.digest], [count, text]);
      other.follow({ head, ...patch });
      assert.deepEqual([other.tally.digest.count, other.tally.digest.text], [count, text]);
      const loaded = ChannelCache.load(head, [...cache.rows], [...cache.messages.values()]);
      assert.ok(loaded.isSound);
    }
  }
  assert.ok([...cache.rows].length > 20 && cache.messages.size > 20);
  const otherKey = 'f'.repeat(32);
  cache.setKey(otherKey);
  const { count: n, text: d } = cache.tally.digest;
  assert.deepEqual({ n, d }, digestOf([...cache.rows, ...cache.messages.values()], otherKey));
});

test('what a store kept is believed only when it is what was stored', () => {
  const cache = new ChannelCache();
  cache.setKey(key);
  cache.cursor = thumb.actionTimetoken;
  cache.epoch = 'e';
  cache.rows.put(thumb);
  const { head, rows } = cache.takePatch('room');
  assert.ok(ChannelCache.load(head, rows, []).isSound);
  assert.ok(ChannelCache.load(undefined, [], []).isSound);
  const other = { ...thumb, actionTimetoken: '17952187953730013' };
  for (const [badHead, badRows] of [
    [head, []], [head, [thumb, other]], [head, [thumb, { ...thumb, uuid: 7 }]], [head, [other]], [head, [{ ...thumb, uuid: 7 }]],
    [head, [{ ...thumb, value: '👎' }]], [{ ...head, digest: 'x' }, rows], [undefined, rows],
    [{ ...head, cursor: 'soon' }, rows], [{ ...head, count: 2 }, rows]]) {
    const { isSound } = ChannelCache.load(badHead, badRows, []);
    assert.equal(isSound, false, JSON.stringify([badHead, badRows]));
  }
});

test('a store that has other messages than it had is not believed, but repaired', () => {
  const cache = new ChannelCache();
  cache.setKey(key);
  const event = (t) => ({ p: { t }, i: 'ada', d: 1, cmt: 'text' });
  cache.apply({ t: { t: '9' }, m: [event('5'), event('6')] });
  cache.epoch = 'e';
  cache.rows.put(row('7'));
  const { head, messages: [first, second], rows } = cache.takePatch('room');
  // As an earlier version stored it: of reactions only.
  const { n, d } = digestOf(rows, key);
  const old = { ...head, count: n, digest: d, actionsCursor: '9', deletion: '0', isPartial: false,
    messageCount: 2 };
  for (const [stored, isSound, of = head] of [
    [[first, second], true], [[second], false], [[], false],
    [[first, second, { ...second, timetoken: '7' }], false],
    [[first, { ...second, uuid: 'bob' }], false], [[first, { ...second, messageType: 'x' }], false],
    [[first, { ...second, timetoken: '8' }], false], [[first, { ...second, uuid: 7 }], false],
    [[first, { ...second, messageType: 7 }], false], [[first, null], false],
    [[first, second, null], false], [[first, { timetoken: '6', uuid: 'ada' }], false],
    [[first, second], false, old], [[first], false, old],
  ]) {
    assert.equal(ChannelCache.load(of, rows, stored).isSound, isSound, JSON.stringify(stored));
    const sync = new ChannelSync('room');
    sync.load({ head: of, rows, messages: stored });
    const { cursor, repair } = sync.request();
    assert.deepEqual([cursor, repair, sync.isVerified], ['9', isSound ? undefined : true, false]);
  }
});

test('what a store kept shows before it is hashed', (t) => {
  const cache = new ChannelCache();
  cache.setKey(key);
  cache.cursor = '9';
  cache.epoch = 'e';
  cache.rows.put(row('7'));
  cache.rows.put({ ...row('8'), value: '👎' });
  cache.putMessage({ timetoken: '5', uuid: 'ada', payload: 1 });
  const { head, rows, messages } = cache.takePatch('room');
  let hashed = 0;
  for (const kind of ['row', 'message']) {
    const original = Hasher.prototype[kind];
    t.mock.method(Hasher.prototype, kind, function (it) {
      hashed++;
      return original.call(this, it);
    });
  }
  const sync = new ChannelSync('room');
  sync.load({ head, rows, messages });
  assert.deepEqual([[...sync.cache.rows].length, sync.cache.messages.size, hashed], [2, 1, 0]);
  const { count, digest, repair } = sync.request();
  assert.deepEqual([count, digest, repair, hashed], [head.count, head.digest, undefined, 3]);
  // Once only: also where something comes and goes before anybody asks.
  sync.request();
  assert.equal(hashed, 3);
  sync.load({ head, rows, messages });
  sync.cache.rows.drop([...sync.cache.rows][0]);
  sync.cache.rows.put({ ...row('8'), value: '🎉' });
  assert.equal(hashed, 3);
  const { count: n, text: d } = sync.cache.tally.digest;
  assert.equal(hashed, 6);
  const all = [...sync.cache.rows, ...sync.cache.messages.values()];
  assert.deepEqual({ n, d }, digestOf(all, key));
});

const wish = (present, mutation) => ({
  kind: 'action', channel: 'room', mutation, sent: false, acknowledged: null,
  messageTimetoken: '5', type: 'reaction', value: '👍', present,
});
const row = (actionTimetoken) => ({
  messageTimetoken: '5', type: 'reaction', value: '👍', uuid: 'ada', actionTimetoken });

test('opposite wishes cancel as long as the daemon cannot have them', () => {
  let list = edited([], wishAction([], wish(true, 'a'), []));
  assert.equal(list.length, 1);
  assert.deepEqual(wishAction(list, wish(true, 'b'), []), { put: [], remove: [] });
  assert.deepEqual(edited(list, wishAction(list, wish(false, 'b'), [])), []);
  // Removing what stands names it; a wish to have it back cancels that.
  list = edited([], wishAction([], wish(false, 'c'), [row('9')]));
  assert.equal(list[0].observed, '9');
  assert.deepEqual(edited(list, wishAction(list, wish(true, 'd'), [row('9')])), []);
  assert.deepEqual(wishAction([], wish(false, 'e'), []), { put: [], remove: [] });
});

test('what the daemon may have is not cancelled but followed', () => {
  let list = [{ ...wish(true, 'a'), order: 1, sent: true }];
  list = edited(list, wishAction(list, wish(false, 'b'), []));
  assert.deepEqual(list.map((it) => [it.mutation, it.present]), [['a', true], ['b', false]]);
  assert.deepEqual(sendable(list).map((it) => it.mutation), ['a'], 'One at a time for each thing.');
  const again = edited(list, wishAction(list, wish(true, 'c'), []));
  assert.deepEqual(again.map((it) => it.mutation), ['a']);
  // The reply tells the removal what it is about.
  const reply = { applied: 'added', action: { actionTimetoken: '11' } };
  list = edited(list, acknowledge(list, 'a', reply));
  assert.equal(list[0].acknowledged, '11');
  assert.equal(list[1].observed, '11');
  assert.deepEqual(sendable(list).map((it) => it.mutation), ['b']);
  // Without the add there is nothing to remove.
  const refused = [{ ...wish(true, 'a'), sent: true }, { ...wish(false, 'b'), observed: null }];
  assert.deepEqual(edited(refused, refuse(refused, 'a')), []);
});

test('a removal behind an add that is on its way is about that add', () => {
  // What stands is being removed, then added again; now it is not wanted after all.
  let list = [
    { ...wish(false, 'a'), sent: true, observed: '9', acknowledged: '9', order: 1 },
    { ...wish(true, 'b'), sent: true, order: 2 }];
  list = edited(list, wishAction(list, wish(false, 'c'), [row('9')]));
  assert.equal(list[2].observed, null, 'Not the action that goes anyway.');
  // The push of the add comes before the reply to it.
  const cache = new ChannelCache();
  cache.messages.set('5', { timetoken: '5', uuid: 'bob', payload: 'five' });
  cache.rows.put(row('11'));
  const items = new ItemList();
  items.refresh(cache, list, 'ada', 'all');
  assert.deepEqual(items.items[0].actions, []);
  list = edited(list, acknowledge(list, 'b', { action: { actionTimetoken: '11' } }));
  assert.equal(list[2].observed, '11');
});

test('a removal is about the add before it, and not about the one behind it', () => {
  // The daemon has another run: the first add is asked again, and the removal is another wish.
  const list = [
    { ...wish(true, 'a'), order: 1, sent: true, acknowledged: '9', again: true },
    { ...wish(false, 'b~1'), order: 2, sent: true, observed: null },
    { ...wish(true, 'c'), order: 3, sent: true }];
  const answered = edited(list, acknowledge(list, 'c', { action: { actionTimetoken: '11' } }));
  assert.deepEqual(answered.map((it) => it.observed ?? null), [null, null, null]);
  const asked = edited(answered, acknowledge(answered, 'a', { action: { actionTimetoken: '9' } }));
  assert.equal(asked[1].observed, '9');
});

test('a removal does not leave before the add that it is about', () => {
  const cache = new ChannelCache();
  cache.cursor = '30';
  const add = { ...wish(true, 'a'), order: 1, sent: true, acknowledged: '20', again: true };
  const removal = {
    ...wish(false, 'b'), order: 2, sent: true, acknowledged: '20', observed: '20' };
  assert.deepEqual(settledOf([add, removal], cache, 'ada'), []);
  const asked = { ...add, again: false };
  assert.deepEqual(settledOf([asked, removal], cache, 'ada'), [asked, removal]);
  assert.deepEqual(settledOf([{ ...removal, order: undefined }], cache, 'ada'), []);
});

test('a write that has to be asked again shows as it did', () => {
  const entry = { ...wish(true, 'a'), order: 1, sent: true, acknowledged: '20', again: true };
  assert.deepEqual(sendable([entry]), [entry]);
  const cache = new ChannelCache();
  cache.messages.set('5', { timetoken: '5', uuid: 'bob', payload: 'five' });
  const items = new ItemList();
  items.refresh(cache, [entry], 'ada', 'all');
  assert.equal(items.items[0].actions[0].pending, false);
  const [answered] = acknowledge([entry], 'a', { action: { actionTimetoken: '21' } }).put;
  assert.deepEqual([answered.acknowledged, answered.again], ['21', false]);
});

test('a reaction that was removed goes, also when its add was lost and made again', () => {
  // The removal may have gone out before the page heard that the daemon was put back, and was
  // answered that there is nothing to remove; or it has no answer yet.
  for (const acknowledged of ['20', null]) {
    for (const later of ['15', '40']) {
      const add = { ...wish(true, 'a'), channel: 'room', order: 1, sent: true, acknowledged: '20' };
      const removal = {
        ...wish(false, 'b'), channel: 'room', order: 2, sent: true, acknowledged, observed: '20' };
      const other = { ...add, channel: 'den', mutation: 'z', order: 3 };
      let list = reopened([add, removal, other], 'room');
      assert.deepEqual(list.map((it) => it.mutation), ['a', 'b~1', 'z']);
      assert.equal(list[2], other);
      assert.deepEqual(reopened(list, 'room'), list, 'It has not gone out yet.');
      // What the daemon may have is not cancelled.
      assert.deepEqual(edited(list, wishAction(list, wish(true, 'c'), [row('20')])).length, 4);
      assert.deepEqual(sendable(list).map((it) => it.mutation), ['a']);
      list = edited(list, acknowledge(list, 'b', { applied: 'absent' }));
      list = edited(list, acknowledge(list, 'a', { action: { actionTimetoken: later } }));
      assert.deepEqual(sendable(list).map((it) => [it.mutation, it.observed]), [['b~1', later]]);
      assert.equal(reopened(list, 'room')[1].mutation, 'b~2');
      assert.deepEqual(edited(list, refuse(list, 'a')).map((it) => it.mutation), ['b~1', 'z']);
    }
  }
});

test('an entry goes when the cache shows what it did, or what became of it', () => {
  const cache = new ChannelCache();
  const isGone = (entry) => isSettled(entry, cache, 'ada');
  cache.cursor = '20';
  assert.equal(isGone({ ...wish(true, 'a'), sent: true }), false);
  assert.equal(isGone({ ...wish(true, 'a'), acknowledged: '21' }), false);
  assert.equal(isGone({ ...wish(true, 'a'), acknowledged: '20' }), true);
  const removal = { ...wish(false, 'b'), observed: '11', acknowledged: '11' };
  cache.rows.put(row('11'));
  assert.equal(isGone(removal), false, 'The removal is still to come.');
  cache.rows.drop(row('11'));
  assert.equal(isGone(removal), true);
  cache.rows.put(row('15'));
  assert.equal(isGone(removal), true, 'A later reaction stands.');
  cache.cursor = '10';
  cache.rows.drop(row('15'));
  assert.equal(isGone(removal), false, 'The add is still to come, and must not show.');
  const publish = { kind: 'publish', channel: 'room', mutation: 'm', acknowledged: '12' };
  assert.equal(isGone(publish), false);
});

test('a message that a backup lost and that was sent again stays where it is now', () => {
  for (const affected of [['10', '20'], ['20', '10']]) {
    const cache = new ChannelCache();
    const list = new ItemList();
    const entry = { kind: 'publish', channel: 'room', mutation: 'm', payload: 'hi', order: 1,
      sent: true, acknowledged: '10', observed: '5' };
    const said = (timetoken) =>
      cache.messages.set(timetoken, { timetoken, uuid: 'ada', payload: 'hi' });
    said('10');
    list.refresh(cache, [entry], 'ada', 'all');
    cache.messages.delete('10');
    said('20');
    list.refresh(cache, [{ ...entry, acknowledged: '20' }], 'ada', new Set(affected));
    list.refresh(cache, [], 'ada', new Set(affected));
    assert.deepEqual(list.items.map((it) => [it.key, it.timetoken]), [['m', '20']]);
    // A later backup has the first one, too.
    said('10');
    list.refresh(cache, [], 'ada', new Set(affected));
    assert.deepEqual(list.items.map((it) => [it.key, it.timetoken]), [['10', '10'], ['m', '20']]);
  }
});

test('a list says in steps how it changes', () => {
  const cache = new ChannelCache();
  const list = new ItemList();
  const mirror = [];
  const refresh = (entries, affected) => {
    for (const { kind, index, from, item } of list.refresh(cache, entries, 'ada', affected)) {
      if (kind === 'insert') mirror.splice(index, 0, item);
      if (kind === 'update') mirror[index] = item;
      if (kind === 'remove') mirror.splice(index, 1);
      if (kind === 'move') mirror.splice(index, 0, mirror.splice(from, 1) && item);
    }
    assert.deepEqual(mirror, list.items);
    return mirror.map((item) =>
      `${item.payload}${item.pending ? '?' : ''}${item.actions.map((it) => it.value).join('')}`);
  };
  const publish = (mutation, payload, acknowledged = null) =>
    ({ kind: 'publish', channel: 'room', mutation, payload, acknowledged, sent: true });
  cache.messages.set('5', { timetoken: '5', uuid: 'bob', payload: 'five' });
  assert.deepEqual(refresh([publish('m', 'mine'), publish('n', 'next')], new Set(['5'])),
    ['five', 'mine?', 'next?']);
  // The second is acknowledged first, and another message came between.
  cache.messages.set('8', { timetoken: '8', uuid: 'bob', payload: 'eight' });
  assert.deepEqual(refresh([publish('m', 'mine'), publish('n', 'next', '7')], new Set(['8'])),
    ['five', 'next', 'eight', 'mine?']);
  cache.messages.set('7', { timetoken: '7', uuid: 'ada', payload: 'next' });
  assert.deepEqual(refresh([publish('m', 'mine')], new Set(['7'])),
    ['five', 'next', 'eight', 'mine?']);
  assert.equal(mirror[1].key, 'n', 'It stays the same item.');
  const wanted = { ...wish(true, 'w'), sent: false };
  assert.deepEqual(refresh([publish('m', 'mine'), wanted], new Set()),
    ['five👍', 'next', 'eight', 'mine?']);
  assert.deepEqual(refresh([], new Set()), ['five', 'next', 'eight']);
  cache.rows.put(row('11'));
  assert.deepEqual(refresh([{ ...wish(false, 'x'), observed: '11' }], new Set(['5'])),
    ['five', 'next', 'eight']);
  cache.rows.put(row('12'));
  assert.deepEqual(refresh([{ ...wish(false, 'x'), observed: '11' }], new Set(['5'])),
    ['five👍', 'next', 'eight'], 'Not the one that the removal is about.');
  cache.messages.delete('5');
  assert.deepEqual(refresh([], new Set(['5'])), ['next', 'eight']);
});

/** A list with an own message on its way. */
function underWay(fields = {}) {
  const cache = new ChannelCache();
  const items = new ItemList();
  const entry = { kind: 'publish', channel: 'room', mutation: 'm', payload: { a: 1, b: [2] },
    sent: true, acknowledged: null, observed: '10', ...fields };
  items.refresh(cache, [entry], 'ada', 'all');
  const come = (timetoken, entries, message = {}) => {
    const payload = { b: [2], a: 1 };
    cache.messages.set(timetoken, { timetoken, uuid: 'ada', payload, ...message });
    const changes = items.refresh(cache, entries, 'ada', new Set([timetoken]));
    return changes.map(({ kind }) => kind);
  };
  return { cache, items, entry, come };
}

test('only what may be the message on its way waits for the reply', () => {
  const { items, entry, come } = underWay();
  // Of the same user, but with something else to say; of somebody else; from before.
  assert.deepEqual(come('11', [entry], { payload: { a: 1, b: [3] } }), ['insert']);
  assert.deepEqual(come('12', [entry], { meta: 'mood' }), ['insert']);
  assert.deepEqual(come('13', [entry], { messageType: 'text' }), ['insert']);
  assert.deepEqual(come('14', [entry], { uuid: 'bob' }), ['insert']);
  assert.deepEqual(come('9', [entry]), ['insert']);
  assert.deepEqual(come('15', [entry]), []);
  assert.deepEqual(come('16', [{ ...entry, acknowledged: '15' }], { uuid: 'bob' }),
    ['insert', 'move']);
  assert.deepEqual(items.items.map(({ key }) => key), ['9', '11', '12', '13', '14', 'm', '16']);
});

test('a message keeps its item when another tab gets the reply', () => {
  const { items, come } = underWay();
  assert.deepEqual(come('11', []), ['update']);
  assert.deepEqual(items.items.map(({ key, timetoken }) => [key, timetoken]), [['m', '11']]);
  // And when the push was taken for another message before the reply came.
  const late = underWay({ observed: '50' });
  assert.deepEqual(late.come('20', [late.entry]), ['insert']);
  assert.deepEqual(late.come('21', [{ ...late.entry, acknowledged: '20' }], { uuid: 'bob' }),
    ['remove', 'insert', 'move']);
  assert.deepEqual(late.items.items.map(({ key }) => key), ['m', '21']);
});

test('a message that shows stays its item when another tab tells of its entry later', () => {
  const { items, entry, come, cache } = underWay({ mutation: 'own', payload: 'other' });
  const late = (fields) => ({ ...entry, mutation: 'late', payload: 'same', ...fields });
  assert.deepEqual(come('20', [entry], { payload: 'same' }), ['insert']);
  const refresh = (...entries) => items.refresh(cache, [entry, ...entries], 'ada', new Set())
    .map(({ kind, item }) => [kind, item.key]);
  assert.deepEqual(refresh(late({})), []);
  assert.deepEqual(refresh(late({ acknowledged: '20' })), []);
  assert.deepEqual(refresh(), []);
  // One message is one entry's, and no entry's that knew of it.
  assert.deepEqual(refresh(late({}), late({ mutation: 'two' })), [['insert', 'two']]);
  assert.deepEqual(refresh(late({ mutation: 'three', observed: '20' })),
    [['insert', 'three'], ['remove', 'two']]);
  // The guess was wrong: it is a message of its own.
  assert.deepEqual(refresh(late({ mutation: 'four' })), [['remove', 'three']]);
  assert.deepEqual(refresh(late({ mutation: 'four', acknowledged: '21' })), [['insert', 'four']]);
});

test('close codes say when to come back', () => {
  for (const code of [1003, 1007, 1008, 1009]) assert.equal(retryDelay(code, 0, 0.5), null);
  assert.equal(retryDelay(1001, 0, 0.5), 500);
  assert.equal(retryDelay(1006, 0, 1), 500);
  assert.equal(retryDelay(1013, 3, 0.5), 2000);
  assert.equal(retryDelay(1006, 50, 1), 30_000);
});

/** A channel that got one reaction from a server, and was compared. */
function compared() {
  const sync = new ChannelSync('room');
  sync.request();
  sync.subscribed({ name: 'room', mode: 'delta', cursor: '0', key }, 'a.1');
  const event = { e: 3, f: 0, i: 'ada', p: { t: '11' }, d: { event: 'added',
    data: { messageTimetoken: '5', type: 'reaction', value: '👍', actionTimetoken: '11' } } };
  const s = digestOf([row('11')], key);
  sync.push({ t: { t: '11' }, c: 'room', m: [event], s });
  assert.ok(sync.isVerified);
  return { sync, s };
}

/** Brings a channel to where it sends symbols. */
function held(sync) {
  sync.wanted = 'repair';
  sync.request();
  sync.subscribed({ name: 'room', mode: 'repair', cursor: '11', key }, 'a.1');
  return sync.symbols().exchange;
}
const nothing = { rows: toBase64(packRows([])), drop: '' };

test('a channel is verified only as long as what it was compared with', () => {
  const { sync } = compared();
  const signal = { e: 1, f: 1, c: 'room', i: 'bob', p: { t: '12' }, d: 'typing' };
  sync.push({ t: { t: '12' }, c: 'room', m: [signal] });
  assert.ok(sync.isVerified, 'What nobody stores is not compared.');
  const paged = compared().sync;
  const removed = { e: 3, f: 0, i: 'bob', p: { t: '13' }, d: { event: 'removed',
    data: { messageTimetoken: '5', type: 'reaction', value: '👍', actionTimetoken: '12' } } };
  for (const m of [[removed], []]) {
    paged.push({ t: { t: String(14 - m.length) }, c: 'room', m });
    assert.equal(paged.isVerified, false, 'What this page lacks a later one undoes.');
  }
  const event = { e: 3, f: 0, i: 'bob', p: { t: '13' }, d: { event: 'added',
    data: { messageTimetoken: '5', type: 'reaction', value: '👍', actionTimetoken: '13' } } };
  sync.push({ t: { t: '13' }, c: 'room', m: [event] });
  assert.equal(sync.isVerified, false, 'A page in the middle says nothing.');
  for (const m of [[eventOf(said)], [{ e: 5, f: 0, p: { t: '13' },
    d: { event: 'deleted', data: { after: '11', through: '12' } } }]]) {
    const { sync: third } = compared();
    const before = { ...said, timetoken: '12' };
    const state = digestOf([row('11'), before], key);
    third.push({ t: { t: '12' }, c: 'room', m: [eventOf(before)], s: state });
    assert.ok(third.isVerified);
    third.push({ t: { t: said.timetoken }, c: 'room', m });
    assert.equal(third.isVerified, false, 'Messages are compared, too.');
    const { count: n, text: d } = third.cache.tally.digest;
    third.push({ t: { t: said.timetoken }, c: 'room', m: [], s: { n, d } });
    assert.ok(third.isVerified);
  }
  const other = compared().sync;
  held(other);
  assert.equal(other.isVerified, false);
  const last = compared().sync;
  last.disconnect();
  assert.equal(last.isVerified, false);
});

test('an empty store in the place of another empties the channel at once', () => {
  const { sync } = compared();
  sync.request();
  const s = digestOf([], key);
  const { patch } = sync.subscribed({ mode: 'snapshot', cursor: '0', key, s }, 'b.1');
  assert.ok(sync.isVerified && patch.clear);
  assert.ok(sync.cache.isEmpty);
});

test('what came in part from a run that is over is compared as all else is', () => {
  const { sync } = compared();
  sync.push({ t: { t: '12' }, c: 'room', m: [] });
  const head = { ...sync.cache.head };
  for (const [n, next] of [[1, null], [2, 'subscribe']]) {
    // A message was deleted while the rest of what was missed was read: it never came. Then the
    // store is put back to before the deletion.
    const other = new ChannelSync('room');
    other.load({ head, rows: [row('11')], messages: [] });
    other.request();
    const delta = { name: 'room', mode: 'delta', cursor: '12', key };
    assert.deepEqual([other.subscribed(delta, 'a.2')].map((it) => [it.next, it.restored]),
      [[null, true]]);
    const s = digestOf([row('11'), said].slice(0, n), key);
    assert.equal(other.push({ t: { t: '13' }, c: 'room', m: [], s }).next, next);
    assert.equal(other.isVerified, next === null);
    if (next) assert.deepEqual([other.request()].map((it) => [it.cursor, it.repair]), [['13', true]]);
  }
});

/** An event that brings a message. */
const eventOf = ({ timetoken, uuid, payload, messageType }) =>
  ({ f: 0, p: { t: timetoken }, i: uuid, d: payload, cmt: messageType, c: 'room' });

test('a repair brings rows and messages, and the cursor that they are of', () => {
  // Ahead of the device, and of a store that was put back to before it.
  for (const [cursor, common] of [['40', '12'], ['8', '8'], ['8', '12']]) {
    const { sync } = compared();
    const [own, lost] = [{ ...said, timetoken: '12' }, { ...said, timetoken: '7', uuid: '' }];
    const changed = { ...said, timetoken: '6' };
    const messages = [{ ...changed, uuid: 'bob' }, own];
    sync.push({ t: { t: '5' }, c: 'room', m: [] });
    sync.cache.messages.set('6', messages[0]);
    sync.push({ t: { t: '12' }, c: 'room', m: [eventOf(own)] });
    sync.wanted = 'repair';
    sync.request();
    const held = { name: 'room', mode: 'repair', cursor: common, key };
    assert.equal(sync.subscribed(held, 'a.1').restored, common === '8');
    assert.equal(sync.cache.cursor, common, 'No write is taken for fulfilled that was lost.');
    const rows = [{ ...row('5'), uuid: 'bob' }];
    const reply = { cursor, s: digestOf([...rows, changed, lost], key),
      rows: toBase64(packRows(rows)), drop: toBase64(packTimetokens(['6', '11', '12'])),
      messages: [{ ...changed, threadCount: 3 }, { ...lost, meta: null }] };
    const { patch, next, affected } = sync.repairReply(sync.symbols().exchange, reply);
    assert.equal(next, null);
    assert.deepEqual([patch.head.cursor, sync.cache.cursor, sync.isVerified], [cursor, cursor, true]);
    assert.deepEqual([...sync.cache.rows], rows);
    assert.deepEqual([...sync.cache.messages.values()], [changed, lost]);
    assert.deepEqual(patch.dropped, ['12']);
    assert.deepEqual(patch.messages.map(({ timetoken }) => timetoken), ['6', '7']);
    assert.deepEqual(affected, new Set(['5', '6', '7', '12']));
    const later = { ...said, timetoken: String(Number(cursor) + 1) };
    const early = { ...said, timetoken: cursor };
    sync.push({ t: { t: '99' }, c: 'room', m: [eventOf(early), eventOf(later)] });
    assert.equal(sync.cache.messages.has(cursor), false, 'The repair was of then.');
    assert.ok(sync.cache.messages.has(later.timetoken));
  }
});

test('a repair by another run says that writes may be lost', () => {
  for (const [run, isOther] of [['a.1', false], ['a.2', true]]) {
    const { sync } = compared();
    sync.wanted = 'repair';
    sync.request();
    const reply = { name: 'room', mode: 'repair', cursor: '11', key };
    assert.equal(sync.subscribed(reply, run).restored, isOther);
  }
});

test('an event at or before the cursor is not applied again', () => {
  const { sync, s } = compared();
  const removal = { e: 3, f: 0, i: 'ada', p: { t: '11' }, d: { event: 'removed',
    data: { messageTimetoken: '5', type: 'reaction', value: '👍', actionTimetoken: '11' } } };
  const deletion = { e: 5, f: 0, p: { t: '9' },
    d: { event: 'deleted', data: { after: '0', through: '9' } } };
  const message = eventOf({ ...said, timetoken: '10' });
  const heard = { ...message, f: 1 };
  const { events } = sync.push(
    { t: { t: '12' }, c: 'room', m: [removal, deletion, message, heard], s });
  assert.deepEqual(events, [heard], 'What is not stored has no place.');
  assert.ok(sync.isVerified);
});

test('a push that ends before the repair did proves nothing against it', () => {
  const { sync, s } = compared();
  const exchange = held(sync);
  const rows = toBase64(packRows([{ ...row('30'), uuid: 'bob' }]));
  const both = digestOf([row('11'), { ...row('30'), uuid: 'bob' }], key);
  sync.repairReply(exchange, { ...nothing, rows, cursor: '40', s: both });
  assert.ok(sync.isVerified);
  assert.equal(sync.push({ t: { t: '20' }, c: 'room', m: [], s }).next, null);
  assert.ok(sync.isVerified);
  assert.equal(sync.push({ t: { t: '41' }, c: 'room', m: [], s }).next, 'subscribe');
});

test('a repair tells what is not stored, as a push does', () => {
  const { sync, s } = compared();
  sync.wanted = 'repair';
  sync.request();
  sync.subscribed({ name: 'room', mode: 'repair', cursor: '11', key }, 'a.1', '20');
  sync.repairReply(sync.symbols().exchange, { ...nothing, cursor: '15', s });
  // Nothing else may come for a long time.
  assert.equal(sync.unstored.through, '20');
});

for (const need of [1e12, Infinity, NaN, -1e12, '1450', {}, 16_385]) {
  test(`a server that needs ${need} symbols gets as many as there may be`, () => {
    const { sync } = compared();
    const exchange = held(sync);
    for (let i = 0; i < 100 && sync.phase === 'repairing'; i++) {
      if (sync.repairReply(exchange, { need }).next === 'repair') sync.symbols();
      assert.ok(exchange.sent <= 16_384);
    }
    assert.equal(sync.request().cursor, '0', 'Everything is asked for instead.');
  });
}

for (const [name, reply] of [
  ['base64', { ...nothing, cursor: '12', rows: '!' }],
  ['rows', { ...nothing, cursor: '12', rows: toBase64(Uint8Array.from([9, 9, 9])) }],
  ['a row before time began', { ...nothing, cursor: '12',
    rows: toBase64(Uint8Array.from([1, 1, 65, 1, 200, 1, 0, 0, 0])) }],
  ['timetokens', { ...nothing, cursor: '12', drop: '/w==' }],
  ['a cursor', { ...nothing, cursor: 12 }],
  ['messages', { ...nothing, cursor: '12', messages: {} }],
  ['authors of messages', { ...nothing, cursor: '12', messages: [{ ...said, uuid: 7 }] }],
  ['payloads of messages', { ...nothing, cursor: '12', messages: [{ timetoken: '6', uuid: '' }] }],
]) {
  test(`a difference without good ${name} leads to a snapshot, and changes nothing`, () => {
    const { sync, s } = compared();
    const { next } = sync.repairReply(held(sync), { ...reply, s });
    assert.equal(next, 'subscribe');
    assert.equal(sync.request().cursor, '0');
    assert.deepEqual([...sync.cache.rows], [row('11')]);
    assert.equal(sync.cache.messages.size, 0);
    // Nor are pushes, which go on behind what could not be read.
    const again = compared().sync;
    again.failures = 9;
    again.repairReply(held(again), { ...reply, s });
    assert.equal(again.phase, 'idle');
  });
}

test('a server that agrees in its repairs and disagrees in its pushes is asked seldom', () => {
  const { sync, s } = compared();
  const wrong = { n: -1, d: 'short' };
  const seen = [];
  for (let i = 0; i < 6; i++) {
    assert.equal(sync.push({ t: { t: '12' }, c: 'room', m: [], s: wrong }).next, 'subscribe');
    seen.push(sync.failures);
    const { repair } = sync.request();
    sync.asked = 1;
    if (repair) {
      sync.subscribed({ mode: 'repair', cursor: '11', key }, 'a.1');
      sync.repairReply(sync.symbols().exchange, { ...nothing, cursor: '11', s });
    } else {
      sync.subscribed({ mode: 'delta', cursor: '0', key }, 'a.1');
    }
  }
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6], 'The shell waits from the third on.');
});

test('emoji are spelled as Unicode lists them, and texts stay what they are', (context) => {
  for (const [text, expected] of [
    ['❤', '❤\ufe0f'], ['❤\ufe0f', '❤\ufe0f'], ['👍', '👍'], ['👍\ufe0f', '👍'], [' 👍\n', '👍'],
    ['✌🏽', '✌🏽'], ['✌\ufe0f🏽', '✌🏽'], ['❤\u200d🔥', '❤\ufe0f\u200d🔥'],
    ['1\u20e3', '1\ufe0f\u20e3'], ['❤\ufe0e', '❤\ufe0e'], ['1', '1'], ['#', '#'], ['1\ufe0f', '1\ufe0f'],
    ['ok', 'ok'], ['❤❤', '❤❤'], ['I ❤ it', 'I ❤ it'], ['', ''], [':heart:', ':heart:'],
    ['\u200d', '\u200d'], ['e\u0301', 'e\u0301'],
  ]) assert.equal(canonicalEmoji(text), expected, JSON.stringify(text));
  const path = '/usr/share/unicode/emoji/emoji-test.txt';
  if (!existsSync(path)) return context.skip(`There is no ${path}: install unicode-data.`);
  let count = 0;
  let full = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, codes, status] = /^([0-9A-F ]+?) *; ([a-z-]+)/.exec(line) ?? [];
    if (!codes || status === 'component') continue;
    const text = String.fromCodePoint(...codes.split(' ').map((it) => parseInt(it, 16)));
    if (status === 'fully-qualified') full = text;
    assert.equal(canonicalEmoji(text), full, `${codes} ${status}`);
    count++;
  }
  assert.ok(count > 4000, `${count}`);
});

test('a row whose score is damaged is put right by the same row', () => {
  const cache = new ChannelCache();
  cache.setKey(key);
  cache.rows.put({ ...thumb, score: 7 });
  const s = digestOf([thumb], key);
  cache.repair({ cursor: '99', rows: toBase64(packRows([thumb])), drop: toBase64(packTimetokens([])) });
  assert.ok(cache.tally.matches(s));
  cache.apply({ t: { t: '101' }, m: [{ e: 3, f: 0, i: 'ada', p: { t: '100' },
    d: { event: 'added', data: { ...thumb, actionTimetoken: '17952187953730098', score: 3 } } }] });
  assert.ok(!cache.tally.matches(s));
  assert.equal(cache.takePatch('room').rows[0].score, 3);
  assert.equal([...cache.rows.groups(thumb.messageTimetoken).values()][0].shown.score, 3);
});
