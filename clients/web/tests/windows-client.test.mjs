// A page and its window: older messages, looks outside of it, comparisons, what a store keeps.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { checksumOf, isWhole, stored } from '../core/checksum.js';
import { lookedAt } from '../core/looked.js';
import { usualRules } from '../core/rules.js';
import { Server } from './model.mjs';
import { World, clock, endWorlds } from './world.mjs';

afterEach(endWorlds);

const small = { window: { last: 3, keeping: 8 } };

/** A server with so many messages, each with a reaction. */
function serverOf(count) {
  const server = new Server();
  const messages = Array.from({ length: count }, (_, i) => {
    const { timetoken } = server.publish('zoe', { payload: i });
    server.act('bob', true, { messageTimetoken: timetoken, type: 'reaction', value: '👍' });
    return timetoken;
  });
  return { server, messages };
}

async function opened(server, options = {}) {
  const world = new World(server, 'ada', { channel: small, ...options });
  await world.settle();
  return world;
}

const payloads = ({ shown }) => shown.map(({ payload }) => payload);
const asked = ({ sent }) => sent.filter(({ op }) => op === 'subscribe' || op === 'older')
  .map(({ id, ...it }) => it);

test('a window opens with one round trip, and shows reactions from its first paint', async () => {
  const { server } = serverOf(10);
  const world = new World(server, 'ada', { channel: small });
  const paints = [];
  world.onChange = () => paints.push(world.shown.map(({ actions }) => actions.length));
  await world.settle();
  assert.deepEqual(asked(world), [
    { op: 'subscribe', channels: [{ name: 'room', window: {} }] },
    { op: 'older', channel: 'room', last: 3 }]);
  assert.deepEqual(paints.filter((it) => it.length > 0), [[1, 1, 1]]);
  assert.deepEqual(payloads(world), [7, 8, 9]);
  assert.ok(world.channel.isVerified && world.channel.hasOlder);
});

test('older messages, up to the beginning', async () => {
  const { server } = serverOf(10);
  const world = await opened(server);
  const first = world.channel.older(2);
  await world.settle();
  assert.equal(await first, 'more');
  assert.deepEqual(payloads(world), [5, 6, 7, 8, 9]);
  // Two who ask at once have one page.
  const both = [world.channel.older(50), world.channel.older(1)];
  await world.settle();
  assert.deepEqual(await Promise.all(both), ['beginning', 'beginning']);
  assert.equal(world.shown.length, 10);
  assert.equal(world.channel.hasOlder, false);
  assert.equal(await world.channel.older(), 'beginning');
  for (const count of [0, 1.5, 1001, '5']) {
    await assert.rejects(world.channel.older(count), RangeError);
  }
});

test('a window that is full has no more, and gives up what is over', async () => {
  const { server } = serverOf(40);
  const world = await opened(server);
  for (const expected of ['more', 'full']) {
    const answer = world.channel.older(6);
    await world.settle();
    assert.equal(await answer, expected);
  }
  assert.equal(world.shown.length, 9);
  for (let i = 0; i < 15; i++) server.publish('zoe', { payload: 40 + i });
  await world.settle();
  assert.equal(world.shown.length, 24);
  server.publish('zoe', { payload: 55 });
  await world.settle();
  assert.deepEqual(payloads(world), [48, 49, 50, 51, 52, 53, 54, 55]);
  assert.ok(world.channel.isVerified);
  const held = world.disk.channels.get('room');
  assert.deepEqual([held.messages.size, held.rows.size], [8, 0]);
});

test('a wish for older messages waits for a connection', async () => {
  const { server } = serverOf(10);
  const world = await opened(server);
  world.random = () => 0.5;
  world.isDown = true;
  world.cut();
  const answer = world.channel.older(2);
  await clock.advance(5000);
  world.isDown = false;
  await world.settle();
  assert.equal(await answer, 'more');
  // And one whose page was on its way when the connection went.
  const next = world.channel.older(2);
  await clock.advance(0);
  world.cut();
  await world.settle();
  assert.equal(await next, 'more');
  assert.equal(world.shown.length, 7);
});

test('older messages that are refused, and channels that are left', async () => {
  const { server } = serverOf(10);
  let isRefused = false;
  const error = { status: 409, code: 'too_many_rows', message: 'Too many.' };
  const world = await opened(server, { error, refuse: (op) => op === 'older' && isRefused });
  isRefused = true;
  const refused = assert.rejects(world.channel.older(2), { status: 409, code: 'too_many_rows' });
  await world.settle();
  await refused;
  world.random = () => 0.5;
  world.isDown = true;
  world.cut();
  const left = assert.rejects(world.channel.older(2), /was left/);
  await clock.advance(0);
  world.channel.leave();
  await left;
  await assert.rejects(world.channel.older(2), /was left/);
});

test('a window that cannot be had at all is a problem', async () => {
  const { server } = serverOf(10);
  const error = { status: 403, code: 'forbidden', message: 'You may not read.' };
  const world = new World(server, 'ada', { channel: small, error, refuse: (op) => op === 'older' });
  const failed = assert.rejects(world.channel.whenVerified(), { code: 'forbidden' });
  for (let i = 0; i < 5; i++) {
    world.deliver();
    await clock.advance(10);
  }
  await failed;
  assert.match(world.problems[0].message, /The channel room: You may not read/);
});

/** A device that is refused what `refuses.now` says, and what became of what is wished of it. */
async function denied(server, op = 'older', options = {}) {
  const refuses = { now: true };
  const error = { status: 409, code: 'too_many_rows', message: 'Too many.' };
  const world = new World(server, 'ada',
    { channel: small, error, refuse: (it) => it === op && refuses.now, ...options });
  await pass(world);
  return { world, refuses };
}

/** Lets everything come that comes within a second. */
async function pass(world) {
  for (let i = 0; i < 100; i++) {
    world.deliver();
    await clock.advance(10);
  }
}

/** What a wish came to, after a second. */
async function outcomeOf(world, wished) {
  let outcome = 'pending';
  wished.then((it) => outcome = it ?? 'done', (error) => outcome = error.code ?? error.message);
  await pass(world);
  return outcome;
}

for (const op of ['older', 'subscribe']) {
  test(`a channel that was refused is so until it is wanted again (${op})`, async () => {
    const { server } = serverOf(10);
    const { world, refuses } = await denied(server, op);
    const { channel, sent, problems } = world;
    assert.deepEqual([problems.length, payloads(world)], [1, []]);
    const count = sent.length;
    assert.equal(await outcomeOf(world, channel.whenVerified()), 'too_many_rows');
    await clock.advance(10_000);
    assert.equal(sent.slice(count).filter((it) => it.op !== 'ping').length, 0);
    for (const wish of [() => channel.older(2), () => channel.verify()]) {
      sent.length = 0;
      assert.equal(await outcomeOf(world, wish()), 'too_many_rows');
      assert.deepEqual(asked(world).map((it) => it.op), ['subscribe', 'older']);
    }
    assert.equal(problems.length, 3);
    assert.match(problems[2].message, /The channel room: Too many/);
    refuses.now = false;
    // Who waits when it is asked for again waits for that.
    const wishes = [channel.older(2), channel.whenVerified()].map((it) => outcomeOf(world, it));
    assert.deepEqual(await Promise.all(wishes), ['more', 'done']);
    assert.deepEqual(payloads(world), [5, 6, 7, 8, 9]);
  });
}

test('a channel that was refused is had by the next connection, and by who follows it anew',
  async () => {
    const { server } = serverOf(10);
    for (const isNew of [false, true]) {
      const { world, refuses } = await denied(server);
      refuses.now = false;
      if (isNew) {
        world.channel.leave();
        world.channel = world.client.channel('room', small);
      } else {
        world.random = () => 0.5;
        world.isDown = true;
        world.cut();
        assert.equal(await outcomeOf(world, world.channel.whenVerified()), 'pending');
        world.isDown = false;
      }
      await world.settle();
      assert.equal(await outcomeOf(world, world.channel.whenVerified()), 'done');
      assert.deepEqual(world.channel.items.map(({ payload }) => payload), [7, 8, 9]);
    }
  });

test('a whole channel that was refused is wanted again by verify()', async () => {
  const { server } = serverOf(3);
  const { world, refuses } = await denied(server, 'subscribe', { channel: {} });
  assert.equal(await outcomeOf(world, world.channel.whenVerified()), 'too_many_rows');
  assert.equal(await outcomeOf(world, world.channel.verify()), 'too_many_rows');
  refuses.now = false;
  assert.equal(await outcomeOf(world, world.channel.verify()), 'done');
  assert.deepEqual(payloads(world), [0, 1, 2]);
});

test('a comparison that is refused says so once, and what shows stays as it was', async () => {
  const { server } = serverOf(10);
  const { world, refuses } = await denied(server, 'none');
  world.options.refuse = (op) => op === 'older' && refuses.now;
  const { channel, sent } = world;
  const held = [channel.isVerified, payloads(world)];
  for (let i = 0; i < 2; i++) {
    sent.length = 0;
    const both = [channel.verify(), channel.verify()].map((it) => outcomeOf(world, it));
    assert.deepEqual(await Promise.all(both), ['too_many_rows', 'too_many_rows']);
    assert.deepEqual(asked(world).map(({ last }) => last), [0]);
    assert.deepEqual([channel.isVerified, payloads(world)], held);
  }
  refuses.now = false;
  assert.equal(await outcomeOf(world, channel.verify()), 'done');
  assert.deepEqual(world.problems, []);
});

test('a channel that may not be followed is one problem, and asked for with the next token',
  async () => {
    const { server } = serverOf(10);
    const error = { status: 403, code: 'forbidden', message: 'You may not read.' };
    let isForbidden = true;
    const world = new World(server, 'ada', { channel: small, error,
      refuse: (op) => isForbidden && ['subscribe', 'older'].includes(op),
      client: { token: () => 'abc' } });
    const failed = assert.rejects(world.channel.whenVerified(), { code: 'forbidden' });
    for (let i = 0; i < 5; i++) {
      world.deliver();
      await clock.advance(10);
    }
    await failed;
    assert.equal(world.problems.length, 1);
    isForbidden = false;
    world.client.renewToken();
    await world.settle();
    assert.deepEqual(payloads(world), [7, 8, 9]);
  });

test('a page that was verified asks for nothing again when it is loaded anew', async () => {
  const { server } = serverOf(10);
  const world = await opened(server, { isElsewhere: () => true });
  await world.channel.whenVerified();
  const { sync } = world.channel;
  const { cursor, state, rest: { after } } = sync.cache;
  world.sent.length = 0;
  await world.reload();
  assert.deepEqual(payloads(world), [7, 8, 9]);
  await world.settle();
  assert.deepEqual(asked(world), [{ op: 'subscribe', channels: [{ name: 'room', cursor,
    epoch: server.epoch, count: state.n, digest: state.d, window: { after } }] }]);
  assert.ok(world.channel.isVerified);
});

test('a cache that has all of its channel becomes a window, and the other way round', async () => {
  const { server } = serverOf(30);
  const world = await opened(server, { channel: {} });
  world.options.channel = small;
  await world.reload();
  assert.equal(world.shown.length, 30);
  await world.settle();
  assert.equal(world.shown.length, 8);
  assert.ok(world.channel.isVerified);
  world.options.channel = {};
  await world.reload();
  const shown = new Set();
  world.onChange = () => shown.add(world.shown.length);
  await world.settle();
  world.check();
  assert.deepEqual([...shown], [30], 'what there was shows until all is there');
});

test('a store that lost a message is found out, and what shows stays meanwhile', async () => {
  const { server, messages } = serverOf(10);
  const world = await opened(server);
  world.disk.channels.get('room').messages.delete(messages[8]);
  world.sent.length = 0;
  await world.reload();
  assert.deepEqual(payloads(world), [7, 9]);
  await world.settle();
  assert.deepEqual(payloads(world), [7, 8, 9]);
  assert.deepEqual(asked(world), [
    { op: 'subscribe', channels: [{ name: 'room', window: {} }] },
    { op: 'older', channel: 'room', last: 3 }]);
});

test('what is before the window is compared when somebody wants it, and hourly', async () => {
  const { server } = serverOf(10);
  const world = await opened(server);
  world.sent.length = 0;
  let isDone = false;
  const compared = world.channel.verify().then(() => isDone = true);
  await clock.advance(0);
  assert.equal(isDone, false);
  await world.settle();
  await compared;
  const { after } = world.channel.sync.cache.rest;
  const question = { op: 'older', channel: 'room', through: after, last: 0 };
  assert.deepEqual(asked(world), [question]);
  for (let i = 0; i < 4; i++) {
    await clock.advance(1000 * 60 * 15);
    await world.settle();
  }
  assert.deepEqual(asked(world).filter(({ op }) => op === 'older'), [question, question, question]);
});

test('a wish for more than the page under way brings so much, and so do short pages', async () => {
  const { server } = serverOf(12);
  const world = await opened(server, { channel: { window: { last: 2, keeping: 40 } } });
  const both = [world.channel.older(2), world.channel.older(7)];
  await world.settle();
  assert.deepEqual(await Promise.all(both), ['more', 'more']);
  assert.equal(world.shown.length, 9);
  assert.deepEqual(asked(world).slice(2).map(({ last }) => last), [2, 5]);
  // As where messages are large.
  const older = server.older.bind(server);
  server.older = (through, last, isAligned) => older(through, Math.min(last, 1), isAligned);
  const rest = world.channel.older(3);
  await world.settle();
  assert.equal(await rest, 'beginning');
  assert.equal(world.shown.length, 12);
});

test('a reaction to a message outside of the window is added and taken back', async () => {
  const { server, messages } = serverOf(10);
  server.act('ada', true, { messageTimetoken: messages[1], type: 'reaction', value: '🔥' });
  const world = await opened(server);
  const values = (message) => server.rows.filter((it) =>
    it.messageTimetoken === message && it.uuid === 'ada').map((it) => it.value);
  // What another device said, which nobody here has ever seen.
  await world.channel.react(messages[1], '🔥', false);
  await world.channel.react(messages[2], '🎉');
  await world.settle();
  assert.deepEqual([values(messages[1]), values(messages[2])], [[], ['🎉']]);
  await world.channel.react(messages[2], '🎉', false);
  await world.settle();
  assert.deepEqual(values(messages[2]), []);
  assert.equal(world.client.waiting, 0);
});

test('messages outside of the window are looked at, and kept nowhere', async () => {
  const { server, messages } = serverOf(20);
  server.edit('zoe', { messageTimetoken: messages[4], payload: 'four' });
  const world = await opened(server);
  const looked = async (asking) => {
    const page = { items: [] };
    asking.then((it) => Object.assign(page, it));
    await clock.advance(0);
    await world.settle();
    return { ...page, items: page.items.map((it) => it.payload) };
  };
  const page = world.channel.jump(messages[5], { around: 6 });
  assert.deepEqual(await looked(page),
    { items: [3, 'four', 5, 6, 7, 8], hasOlder: true, hasNewer: true });
  const { items } = await page;
  assert.deepEqual(items.map(({ actions }) => actions.filter(({ value }) => value === '👍').length),
    [1, 1, 1, 1, 1, 1]);
  assert.ok(items[1].isEdited);
  assert.deepEqual(await looked(world.channel.page({ before: messages[3], count: 3 })),
    { items: [0, 1, 2], hasOlder: false, hasNewer: true });
  assert.deepEqual(await looked(world.channel.page({ after: messages[16], count: 5 })),
    { items: [17, 18, 19], hasOlder: true, hasNewer: false });
  assert.deepEqual(await looked(world.channel.page({ after: '0', count: 2 })),
    { items: [0, 1], hasOlder: false, hasNewer: true });
  assert.deepEqual(await looked(world.channel.page({ before: '9223372036854775807', count: 2 })),
    { items: [18, 19], hasOlder: true, hasNewer: false });
  assert.equal(world.shown.length, 3);
  assert.equal(world.channel.sync.cache.messages.size, 3);
  await assert.rejects(world.channel.jump('x'), TypeError);
  await assert.rejects(world.channel.jump(messages[0], { around: 1 }), RangeError);
  await assert.rejects(world.channel.page({}), TypeError);
  await assert.rejects(world.channel.page({ before: '1', after: '1' }), TypeError);
});

test('what an author said last shows, however much was said before', () => {
  const actions = Array.from({ length: 3 }, (_, i) => ({
    messageTimetoken: '5', type: 'edited', value: `"v${i}"`, uuid: 'ada', actionTimetoken: `${6 + i}`,
  }));
  const shown = (said) => {
    const [item] = lookedAt([{ timetoken: '5', uuid: 'ada', payload: 'first', actions, ...said }],
      [], 'bob', usualRules);
    return [item.payload, item.isEdited, item.isDeleted, item.versions];
  };
  assert.deepEqual(shown({}), ['v2', true, false, 3]);
  assert.deepEqual(shown({ edited: { payload: 'v2', timetoken: '8' } }), ['v2', true, false, 3]);
  assert.deepEqual(shown({ edited: { payload: 'v9', timetoken: '90' }, deleted: '91' }),
    ['v9', true, true, 4]);
});

test('a list has older messages when there may be any', async () => {
  const { server, messages } = serverOf(10);
  const world = new World(server, 'ada', { channel: { ...small, unread: true } });
  assert.equal(world.channel.hasOlder, false);
  await world.settle();
  assert.deepEqual([world.channel.hasOlder, world.channel.unread.atLeast], [true, true]);
  server.delete('0', messages[6]);
  await world.settle();
  assert.ok(world.channel.isVerified && world.shown.length === 3);
  assert.deepEqual([world.channel.hasOlder, world.channel.unread.atLeast], [false, false]);
  const older = world.channel.older(2);
  await world.settle();
  assert.equal(await older, 'beginning');
});

test('an own message that is refused is not taken for an older one that says the same', async () => {
  const server = new Server();
  for (let i = 0; i < 6; i++) server.publish(i === 1 ? 'ada' : 'zoe', { payload: i });
  const error = { status: 403, code: 'forbidden', message: 'No.' };
  const world = await opened(server, { error, refuse: (op) => op === 'publish' });
  world.wish(world.channel.publish(1));
  await clock.advance(0);
  const own = world.shown.at(-1).key;
  const older = world.channel.older(4);
  await world.settle();
  await older;
  assert.deepEqual(payloads(world), [0, 1, 2, 3, 4, 5]);
  assert.ok(world.shown.every(({ key }) => key !== own));
});

test('windows that cannot be', () => {
  const { client } = new World(new Server(), 'ada', {});
  for (const window of [3, [], { size: 3 }]) {
    assert.throws(() => client.channel('den', { window }), TypeError);
  }
  for (const window of [{ last: 0 }, { last: 1001 }, { last: 5, keeping: 4 }, { keeping: 1.5 }]) {
    assert.throws(() => client.channel('den', { window }), RangeError);
  }
  assert.deepEqual(client.channel('den', { window: {} }).window.size, { last: 50, keeping: 1000 });
  assert.equal(client.channel('attic', { window: null }).window, null);
});

test('a checksum is FNV-1a over UTF-8', () => {
  // From the authors' own tests.
  assert.equal(checksumOf(''), 'cbf29ce484222325');
  assert.equal(checksumOf('a'), 'af63dc4c8601ec8c');
  assert.equal(checksumOf('foobar'), '85944171f73967e8');
  let wide = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode('ü👍'.repeat(50))) {
    wide = (wide ^ BigInt(byte)) * 0x100000001b3n & (1n << 64n) - 1n;
  }
  assert.equal(checksumOf('ü👍'.repeat(50)), wide.toString(16).padStart(16, '0'));
});

test('a stored message is known by its checksum', () => {
  const message = { timetoken: '5', uuid: 'zoe', payload: { text: 'hi', list: [1, null] } };
  const kept = stored(message);
  assert.ok(isWhole(structuredClone(kept)));
  assert.equal(isWhole({ ...kept, payload: { text: 'ho', list: [1, null] } }), false);
  assert.equal(isWhole(message), false);
  assert.equal(isWhole(null), false);
});
