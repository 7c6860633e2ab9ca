// What a page shows as unread: marks that devices and tabs share, wished also without a network.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { Pair, endTabs } from './pair.mjs';
import { World, clock, turn } from './world.mjs';

afterEach(endTabs);

/** A server with so many messages of somebody else, and their timetokens. */
function serverOf(count) {
  const server = new Server();
  const messages = Array.from({ length: count },
    (_, i) => server.publish('zoe', { payload: i }).timetoken);
  return { server, messages };
}

/** A device of ada that counts what is unread; `told` is what its page heard. */
async function counting(server, options = {}) {
  const { channel, ...more } = options;
  const world = new World(server, 'ada', { channel: { unread: true, ...channel }, ...more });
  hearing(world);
  await world.settle();
  return world;
}

function hearing(world) {
  world.told = [];
  const listen = () => world.client.on('unread', ({ channel, unread }) => {
    assert.equal(channel, 'room');
    world.told.push(unread);
  });
  listen();
  return listen;
}

const sentOf = (world, name) => world.sent.filter(({ op }) => op === name);
const throughs = (world) => sentOf(world, 'markRead').map(({ through }) => through);

/** The connection goes, and stays away. */
function goOffline(world) {
  // Else it would try again at once, for ever.
  world.random = () => 0.5;
  world.isDown = true;
  world.cut();
}

/** All that may be sent by and by is. */
async function settled(world) {
  world.isDown = false;
  await world.settle();
  for (let i = 0; i < 3; i++) {
    await clock.advance(1000);
    await world.settle();
  }
}

test('who does not ask for it pays nothing', async () => {
  const { server } = serverOf(3);
  const world = new World(server, 'ada');
  const asked = [];
  world.store.readMarks = () => asked.push('readMarks');
  await world.settle();
  const other = await counting(server, { deviceId: 'ada-2' });
  await other.channel.markRead();
  await settled(other);
  await world.settle();
  assert.equal(world.channel.unread, null);
  await assert.rejects(world.channel.markRead(), /unread: true/);
  assert.deepEqual([...sentOf(world, 'unread'), ...sentOf(world, 'markRead'), ...asked], []);
  assert.equal(world.disk.markWrites, 0);
  world.check();
  assert.throws(() => world.client.channel('room', { unread: 1 }), TypeError);
});

test('the daemon is asked in the flight of the subscribe, on each connection', async () => {
  const { server } = serverOf(2);
  const world = new World(server, 'ada', { channel: { unread: true } });
  for (let i = 0; i < 20 && !world.socket?.model?.inbox.length; i++) await turn();
  world.deliver(1);
  assert.deepEqual(world.sent.map(({ op }) => op), ['hello', 'subscribe', 'unread']);
  assert.deepEqual(world.sent[2].channels, ['room']);
  await world.settle();
  world.cut();
  await world.settle();
  assert.equal(sentOf(world, 'unread').length, 2);
});

test('what others say after the mark counts, until it is deleted', async () => {
  const { server, messages } = serverOf(3);
  const world = await counting(server);
  assert.deepEqual(world.channel.unread, { count: 3, atLeast: false, through: null });
  await world.channel.markRead(messages[1]);
  assert.deepEqual(world.channel.unread, { count: 1, atLeast: false, through: messages[1] });
  server.publish('ada', { payload: 'mine' });
  const { timetoken } = server.publish('bob', { payload: 'theirs' });
  server.act('bob', true, { messageTimetoken: messages[0], type: 'reaction', value: '👍' });
  server.edit('bob', { messageTimetoken: timetoken, payload: 'edited' });
  await world.settle();
  assert.equal(world.channel.unread.count, 2);
  // As good as deleted, and really.
  server.act('bob', true, { messageTimetoken: timetoken, type: 'deleted', value: 'deleted' });
  await world.settle();
  assert.equal(world.channel.unread.count, 1);
  server.deleteOne('zoe', { messageTimetoken: messages[2] });
  await world.settle();
  assert.equal(world.channel.unread.count, 0);
  // Each once, and a callback sees what the list shows.
  const counts = world.told.map(({ count }) => count);
  assert.deepEqual(counts.filter((it, i) => i === 0 || it !== counts[i - 1]), counts.filter(
    (it, i) => JSON.stringify(world.told[i]) !== JSON.stringify(world.told[i - 1])));
  assert.deepEqual(world.told.at(-1), world.channel.unread);
});

test('who observes the list sees the count of that list', async () => {
  const { server } = serverOf(1);
  const world = await counting(server);
  const seen = [];
  world.onChange = () => seen.push([world.shown.length, world.channel.unread.count]);
  server.publish('zoe', { payload: 1 });
  await world.settle();
  assert.deepEqual(seen, [[2, 2]]);
});

test('a wish that is made offline shows, outlives the page, and is sent when it can be', async () => {
  const { server, messages } = serverOf(4);
  const world = await counting(server);
  goOffline(world);
  await world.channel.markRead(messages[1]);
  await world.channel.markRead(messages[2]);
  // Backwards is no way.
  await world.channel.markRead(messages[0]);
  const expected = { count: 1, atLeast: false, through: messages[2] };
  assert.deepEqual(world.channel.unread, expected);
  await world.crash();
  assert.deepEqual(world.channel.unread, expected);
  assert.equal(server.marks.size, 0);
  await settled(world);
  assert.deepEqual(throughs(world), [messages[2]], 'One for all of them.');
  assert.equal(server.marks.get('ada'), messages[2]);
  assert.deepEqual(world.channel.unread, expected);
  // What is known is not told again.
  world.cut();
  await settled(world);
  assert.equal(throughs(world).length, 1);
  world.check();
});

test('the newest message of the list, unless the page says which', async () => {
  const { server } = serverOf(2);
  const world = await counting(server);
  goOffline(world);
  await world.channel.publish('on its way');
  await world.channel.markRead();
  assert.deepEqual(world.channel.unread,
    { count: 0, atLeast: false, through: world.shown[1].timetoken });
  for (const it of ['x', '', null, 5]) {
    await assert.rejects(world.channel.markRead(it), /timetoken/i);
  }
  const empty = await counting(new Server(), { deviceId: 'ada-2' });
  await empty.channel.markRead();
  assert.deepEqual(throughs(empty), []);
  assert.deepEqual(empty.channel.unread, { count: 0, atLeast: false, through: null });
});

test('a command a second, and the last wish goes out', async () => {
  const { server, messages } = serverOf(40);
  const world = await counting(server);
  const begun = clock.now;
  for (const it of messages) {
    await world.channel.markRead(it);
    await clock.advance(100);
    world.deliver();
    await turn();
    const seconds = (clock.now - begun) / 1000;
    assert.ok(throughs(world).length <= 1 + Math.floor(seconds), `${throughs(world).length}`);
  }
  await settled(world);
  assert.ok(throughs(world).length >= 4 && throughs(world).length <= 6);
  assert.equal(throughs(world)[0], messages[0], 'At once.');
  assert.equal(server.marks.get('ada'), messages.at(-1));
});

test('two devices of one user: what one has read is read', async () => {
  const { server, messages } = serverOf(5);
  const [first, second] = [await counting(server), await counting(server, { deviceId: 'ada-2' })];
  const bob = new World(server, 'bob', { channel: { unread: true } });
  await bob.settle();
  await first.channel.markRead(messages[1]);
  await settled(first);
  await second.settle();
  assert.deepEqual(second.channel.unread, { count: 3, atLeast: false, through: messages[1] });
  // One is away and reads less than the other one: nothing is undone.
  goOffline(second);
  await second.channel.markRead(messages[2]);
  await first.channel.markRead(messages[3]);
  await settled(first);
  await settled(second);
  for (const { channel } of [first, second]) {
    assert.deepEqual(channel.unread, { count: 1, atLeast: false, through: messages[3] });
  }
  assert.equal(server.marks.get('ada'), messages[3]);
  assert.equal(bob.channel.unread.count, 5);
  // And of each page, at no time.
  for (const { told } of [first, second]) {
    const marks = told.map(({ through }) => through ?? '0');
    assert.deepEqual(marks, [...marks].sort());
  }
});

test('answers and frames in any order: the latest mark holds', async () => {
  const { server, messages } = serverOf(4);
  const world = await counting(server);
  const put = (frame) => {
    world.socket.model.put(frame);
    return world.settle();
  };
  await put({ read: [{ name: 'room', through: messages[2] }] });
  await put({ read: [{ name: 'room', through: messages[1] }, { name: 'den', through: '5' }] });
  assert.equal(world.channel.unread.through, messages[2]);
  assert.equal((await world.disk.outbox.readMarks()).has('den'), false);
});

test('a mark that the daemon has forgotten is told again', async () => {
  const { server, messages } = serverOf(4);
  const world = await counting(server);
  await world.channel.markRead(messages[0]);
  await settled(world);
  const backup = server.copy();
  await world.channel.markRead(messages[2]);
  await settled(world);
  world.cut();
  server.restore(backup);
  await settled(world);
  assert.equal(world.channel.unread.through, messages[2]);
  assert.equal(server.marks.get('ada'), messages[2]);
});

test('a wish beyond all events ends where the daemon says', async () => {
  const { server, messages } = serverOf(2);
  const world = await counting(server);
  await world.channel.markRead('9223372036854775807');
  await settled(world);
  assert.equal(world.channel.unread.through, messages[1]);
  server.publish('zoe', { payload: 2 });
  await settled(world);
  assert.equal(world.channel.unread.count, 1);
  assert.equal(throughs(world).length, 1);
});

test('what is refused for good is taken back, and what is refused for now is not', async () => {
  const { server, messages } = serverOf(3);
  let isRefused = true;
  const world = await counting(server, { refuse: (op) => op === 'markRead' && isRefused });
  await world.channel.markRead(messages[1]);
  await settled(world);
  assert.equal(world.channel.unread.through, messages[1]);
  assert.ok(throughs(world).length > 1);
  world.options.error = { status: 403, code: 'forbidden', message: 'You may not.' };
  await settled(world);
  assert.deepEqual(world.channel.unread, { count: 3, atLeast: false, through: null });
  assert.deepEqual(world.problems.map(({ message }) => message),
    ['What is unread in the channel room: You may not.']);
  isRefused = false;
  await world.channel.markRead();
  await settled(world);
  assert.equal(server.marks.get('ada'), messages[2]);
});

test('a daemon of an earlier release: nothing is known, and nothing else breaks', async () => {
  const { server, messages } = serverOf(3);
  const error = { status: 400, code: 'unknown_op', message: 'No such op.' };
  let isEarlier = true;
  const world = await counting(server,
    { error, refuse: (op) => isEarlier && ['markRead', 'unread'].includes(op) });
  assert.equal(world.channel.unread, null);
  await world.channel.markRead(messages[1]);
  await settled(world);
  await world.channel.markRead();
  await settled(world);
  assert.equal(world.channel.unread, null);
  assert.deepEqual([throughs(world), world.told], [[], []]);
  world.check();
  // What was wished is not lost when it is upgraded.
  isEarlier = false;
  world.cut();
  await settled(world);
  assert.equal(server.marks.get('ada'), messages[2]);
  assert.equal(world.channel.unread.count, 0);
});

test('what cannot be read costs itself', async () => {
  const { server, messages } = serverOf(3);
  const world = await counting(server);
  world.socket.model.put({ read: 'all' });
  world.socket.model.put({ read: [{ name: 'room' }, { name: 'room', through: messages[0] }] });
  await world.settle();
  assert.equal(world.channel.unread.through, messages[0]);
  assert.equal(world.client.stats.unreadable, 2);
  assert.deepEqual(world.problems.map(({ name }) => name), ['UnreadableError', 'UnreadableError']);
  // And a reply: it is asked again.
  let isBad = true;
  world.options.bad = (op) => op === 'unread' && isBad ? { channels: 5 } : undefined;
  server.markRead('ada', messages[1]);
  world.cut();
  await world.settle();
  isBad = false;
  await settled(world);
  assert.equal(world.channel.unread.through, messages[1]);
});

test('a window that does not reach back to the mark has at least so many', async () => {
  const { server, messages } = serverOf(10);
  server.markRead('ada', messages[3]);
  const window = { last: 3, keeping: 20 };
  const world = await counting(server, { channel: { window } });
  assert.deepEqual(world.channel.unread, { count: 3, atLeast: true, through: messages[3] });
  const older = async (count) => {
    const answer = world.channel.older(count);
    await world.settle();
    await answer;
    return world.channel.unread;
  };
  assert.deepEqual(await older(2), { count: 5, atLeast: true, through: messages[3] });
  // Nobody knows that there is nothing between the mark and the first message.
  assert.deepEqual(await older(1), { count: 6, atLeast: true, through: messages[3] });
  assert.deepEqual(await older(1), { count: 6, atLeast: false, through: messages[3] });
  assert.deepEqual(world.told.map(({ count, atLeast }) => [count, atLeast]),
    [[3, true], [5, true], [6, true], [6, false]]);
  await world.channel.markRead();
  assert.deepEqual(world.channel.unread, { count: 0, atLeast: false, through: messages[9] });
  // Who has read nothing, and has not seen all.
  const bob = new World(server, 'bob', { channel: { unread: true, window } });
  await bob.settle();
  assert.deepEqual(bob.channel.unread, { count: 3, atLeast: true, through: null });
  // What is given up is still unread.
  const small = await counting(server,
    { deviceId: 'ada-3', channel: { window: { last: 2, keeping: 3 } } });
  for (let i = 0; i < 25; i++) server.publish('zoe', { payload: i });
  await small.settle();
  const { atLeast, count } = small.channel.unread;
  assert.deepEqual([atLeast, count, small.channel.hasOlder], [true, small.shown.length, true]);
});

test('before its first page a window says nothing', async () => {
  const { server } = serverOf(5);
  const world = new World(server, 'ada', { silent: (op) => op === 'older',
    channel: { unread: true, window: { last: 2, keeping: 5 } } });
  for (let i = 0; i < 20; i++) {
    world.deliver();
    await turn();
  }
  assert.equal(sentOf(world, 'unread').length, 1);
  assert.equal(world.channel.unread, null);
});

test('many channels are asked about a hundred at a time; what is forbidden is found', async () => {
  const { server } = serverOf(1);
  const world = new World(server, 'ada', { isForbidden: (name) => name === 'room 7' });
  for (let i = 0; i < 249; i++) world.client.channel(`room ${i}`, { unread: true });
  const room = world.client.channel('room', { unread: true });
  await world.settle();
  const asked = sentOf(world, 'unread').map(({ channels }) => channels);
  assert.ok(asked.every(({ length }) => length <= 100));
  assert.equal(new Set(asked.flat()).size, 250);
  assert.ok(asked.length < 20, `${asked.length} commands`);
  assert.equal(room.unread.count, 1);
  assert.deepEqual(world.problems.map(({ message }) => message),
    ['What is unread in the channel room 7: Not you.']);
  // Another token is there.
  world.options.isForbidden = () => false;
  const before = asked.length;
  world.client.channel('room 7').leave();
  await clock.advance(0);
  world.client.channel('room 7', { unread: true });
  await world.settle();
  assert.deepEqual(sentOf(world, 'unread').slice(before).map(({ channels }) => channels),
    [['room 7']], 'Who follows it anew asks anew.');
});

test('what a token did not allow is asked with the next one', async () => {
  const { server } = serverOf(1);
  const world = await counting(server,
    { isForbidden: () => true, client: { token: () => 'good' } });
  assert.equal(world.channel.unread, null);
  world.options.isForbidden = () => false;
  world.client.renewToken();
  await world.settle();
  assert.equal(world.channel.unread.count, 1);
});

test('channels that nobody follows are asked about', async () => {
  const { server } = serverOf(2);
  const world = new World(server, 'ada');
  await world.settle();
  const answer = world.client.unread(['room', 'den']);
  await world.settle();
  assert.deepEqual(await answer, [{ name: 'room', through: null, count: 2, more: false },
    { name: 'den', through: null, count: 0, more: false }]);
  await assert.rejects(world.client.unread([]), RangeError);
  goOffline(world);
  await assert.rejects(world.client.unread(['room']), { code: 'offline' });
});

test('the option may come later', async () => {
  const { server, messages } = serverOf(2);
  const world = new World(server, 'ada');
  await world.settle();
  assert.equal(world.client.channel('room', { unread: true }), world.channel);
  await world.settle();
  assert.equal(world.channel.unread.count, 2);
  assert.equal(sentOf(world, 'subscribe').length, 1);
  world.channel.leave();
  server.markRead('ada', messages[1]);
  await clock.advance(0);
  const room = world.client.channel('room', { unread: true });
  world.channel = room;
  await world.settle();
  assert.deepEqual(room.unread, { count: 0, atLeast: false, through: messages[1] });
});

test('a wish that cannot be stored is none; what the daemon says holds all the same', async () => {
  const { server, messages } = serverOf(3);
  const world = await counting(server);
  world.disk.failures.changeMarks = new Error('The disk is full.');
  await assert.rejects(world.channel.markRead(messages[2]), /full/);
  assert.deepEqual(world.channel.unread, { count: 3, atLeast: false, through: null });
  server.markRead('ada', messages[0]);
  await world.settle();
  assert.equal(world.channel.unread.through, messages[0]);
  assert.match(world.problems.at(-1).message, /full/);
  // It is stored with the next one that can be.
  delete world.disk.failures.changeMarks;
  await world.channel.markRead(messages[1]);
  goOffline(world);
  await world.crash();
  assert.equal(world.channel.unread.through, messages[1]);
  const kept = await world.disk.outbox.readMarks();
  assert.equal(kept.get('room').through, messages[0]);
});

test('nothing is wished of what is left or closed; what was wished before is stored', async () => {
  const { server, messages } = serverOf(2);
  const world = await counting(server);
  goOffline(world);
  world.disk.latency = () => 20;
  world.channel.markRead(messages[0]);
  await turn();
  await world.client.close();
  assert.equal((await world.disk.outbox.readMarks()).get('room').wish, messages[0]);
  await assert.rejects(world.channel.markRead(), /closed/);
  const other = await counting(server, { deviceId: 'ada-2' });
  other.channel.leave();
  await assert.rejects(other.channel.markRead(), /left/);
});

/** Two tabs of one device of ada; `told` is what each page heard. */
async function tabsOf(server, channel = {}, late) {
  const pair = new Pair(server);
  await pair.open(late, {}, { unread: true, ...channel });
  for (const tab of pair.tabs) hearing(tab);
  await pair.rest();
  return pair;
}

/** All that may be told by and by is. */
async function settledPair(pair) {
  await pair.rest();
  await clock.advance(1000);
  await pair.rest();
}

const unreadOf = ({ tabs }) => tabs.map(({ channel }) => channel.unread);

test('tabs show the same, and the one that connects says what the other one has read', async () => {
  const { server, messages } = serverOf(3);
  const pair = await tabsOf(server);
  const [leader, follower] = pair.tabs;
  const all = { count: 3, atLeast: false, through: null };
  assert.deepEqual(unreadOf(pair), [all, all]);
  await follower.channel.markRead(messages[0]);
  assert.equal(follower.channel.unread.count, 2, 'At once.');
  await pair.rest();
  assert.deepEqual(throughs(leader), [messages[0]]);
  assert.equal(server.marks.get('ada'), messages[0]);
  server.markRead('ada', messages[1]);
  await pair.rest();
  const one = { count: 1, atLeast: false, through: messages[1] };
  assert.deepEqual(unreadOf(pair), [one, one]);
  for (const { told } of pair.tabs) assert.deepEqual(told.at(-1), one);
  // Asked through the one that connects.
  const answer = follower.client.unread(['room']);
  await pair.rest();
  assert.equal((await answer)[0].count, 1);
  assert.deepEqual(sentOf(follower, 'unread'), []);
});

test('marks outlive the database that they were kept in', async () => {
  const { server, messages } = serverOf(4);
  const pair = await tabsOf(server);
  const [leader] = pair.tabs;
  for (const message of messages.slice(0, 3)) {
    await leader.channel.markRead(message);
    await settledPair(pair);
  }
  // Versions of the next one begin anew.
  pair.disk.clear();
  const next = server.publish('zoe', { payload: 'next' }).timetoken;
  await pair.rest();
  assert.equal(leader.channel.unread.count, 2);
  await leader.channel.markRead(next);
  await settledPair(pair);
  assert.equal(server.marks.get('ada'), next);
  const none = { count: 0, atLeast: false, through: next };
  assert.deepEqual(unreadOf(pair), [none, none]);
});

test('a tab alone wants to know what is unread', async () => {
  const { server, messages } = serverOf(2);
  const pair = new Pair(server);
  await pair.open();
  await pair.rest();
  const [leader, follower] = pair.tabs;
  assert.deepEqual(sentOf(leader, 'unread'), []);
  follower.client.channel('room', { unread: true });
  await pair.rest();
  assert.equal(sentOf(leader, 'unread').length, 1);
  assert.equal(follower.channel.unread.count, 2);
  await follower.channel.markRead();
  await pair.rest();
  assert.equal(server.marks.get('ada'), messages[1]);
});

test('a tab that goes leaves its wishes to the next one', async () => {
  const { server, messages } = serverOf(3);
  const pair = await tabsOf(server);
  const [leader, follower] = pair.tabs;
  pair.disconnect();
  await leader.channel.markRead(messages[1]);
  // Nobody hears of it any more.
  for (const it of pair.channels) it.inbox.length = 0;
  leader.client.close();
  for (let i = 0; i < 100 && follower.client.status !== 'online'; i++) {
    for (const it of pair.channels) it.hear();
    follower.deliver();
    await turn();
  }
  await settled(follower);
  assert.equal(server.marks.get('ada'), messages[1]);
  assert.deepEqual(follower.channel.unread, { count: 1, atLeast: false, through: messages[1] });
});

test('what another tab stored on top comes first, and stays', async () => {
  const { server, messages } = serverOf(3);
  let late = 0;
  const pair = await tabsOf(server, {}, () => 0);
  const [leader, follower] = pair.tabs;
  const { store } = leader;
  const change = store.changeMarks.bind(store);
  store.changeMarks = async (changes) => {
    const left = await change(changes);
    for (; late > 0; late--) await turn();
    return left;
  };
  pair.disconnect();
  late = 30;
  const first = leader.channel.markRead(messages[0]);
  for (let i = 0; i < 5; i++) await turn();
  await follower.channel.markRead(messages[1]);
  for (const it of pair.channels) while (it.inbox.length > 0) it.hear();
  assert.equal(leader.channel.unread.through, messages[1]);
  await first;
  await pair.rest();
  assert.deepEqual(unreadOf(pair).map(({ through }) => through), [messages[1], messages[1]]);
});
