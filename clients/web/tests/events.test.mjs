// Tests/Fixtures/events.json, event by event and frame by frame: what cannot be read costs itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { UnreadableError } from '../syncclient.js';
import { Server } from './model.mjs';
import { World, clock, endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

const fixture = JSON.parse(
  readFileSync(new URL('../../../Tests/Fixtures/events.json', import.meta.url), 'utf8'));

/** A world that follows a channel and its presence, and what it hears and complains of. */
async function listening() {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  world.client.channel('room-pnpres');
  await world.settle();
  world.events = [];
  world.client.on('event', (it) => world.events.push(it));
  return { server, world, timetoken };
}

const never = '9223372036854775807';

/** A row that a clearing covers, and one that it would cover, were it not for its time. */
function clearable({ p: { t: actionTimetoken }, d: { data } }) {
  const { messageTimetoken, type, value, uuid } = data;
  const row = { messageTimetoken: messageTimetoken ?? '17', type: type ?? 'reaction',
    value: value ?? 'x', uuid: uuid ?? 'zoe', actionTimetoken };
  const later = { ...row, actionTimetoken: never };
  // Under another key that is covered, too.
  if ((uuid ?? null) === null) later.uuid = 'yan';
  else if ((value ?? null) === null) later.value = 'y';
  else later.messageTimetoken = '18';
  return [row, later];
}

/** What a shape became here, in the words of the fixture. */
function meaning(world, { channel, event }) {
  const { cache } = world.channel.sync;
  if (event.f === 1) {
    const [heard] = world.events.splice(0);
    assert.equal(heard.channel, channel);
    const { e, i, d, u, cmt, p: { t: timetoken } } = heard.event;
    if (channel.endsWith('-pnpres')) {
      const { uuid: user = null, data: state, here_now_refresh: needsRefresh, ...rest } = d;
      return { kind: 'presence', timetoken, user, ...rest, ...state && { state },
        ...needsRefresh && { needsRefresh } };
    }
    return { kind: e === 1 ? 'signal' : 'message', timetoken, user: i ?? null, stored: false,
      payload: d, ...u !== undefined && { meta: u }, ...cmt !== undefined && { messageType: cmt } };
  }
  const { p: { t: timetoken }, e } = event;
  if (e === 5) {
    const { after, through } = event.d.data;
    return { kind: 'messagesDeleted', timetoken, after, through };
  }
  if (e === 3 && event.d.event === 'cleared') {
    // What went is for who holds a part of the channel.
    const { uuid: of, ...rest } = Object.fromEntries(
      Object.entries(event.d.data).filter(([name, it]) => it !== null && name !== 'gone'));
    const [gone, kept] = clearable(event).map((row) =>
      cache.rows.find(row.messageTimetoken, row.type, row.value, row.uuid));
    assert.deepEqual([gone, kept?.actionTimetoken], [undefined, never]);
    cache.rows.drop(kept);
    return { kind: 'actionsCleared', timetoken, ...rest, ...of !== undefined && { of } };
  }
  if (e === 3) {
    const { messageTimetoken, type, value, actionTimetoken } = event.d.data;
    const row = cache.rows.find(messageTimetoken, type, value, event.i ?? '');
    assert.equal(row?.actionTimetoken, event.d.event === 'added' ? actionTimetoken : undefined);
    return { kind: row ? 'actionAdded' : 'actionRemoved', timetoken, user: event.i || null,
      messageTimetoken, type, value, actionTimetoken };
  }
  const { uuid, payload, meta, messageType } = world.shown.find((it) => it.timetoken === timetoken);
  return { kind: 'message', timetoken, user: uuid || null, stored: true, payload,
    ...meta !== undefined && { meta }, ...messageType !== undefined && { messageType } };
}

/** Sends an event between two others of its channel, as one push. */
function sendBetween(server, world, { channel, event }, isReadable) {
  const { inbox } = world.socket.model;
  let frame;
  if (channel === 'room') {
    server.publish('zoe', { payload: 'before' });
    server.publish('zoe', { payload: 'after' });
    const [before, after] = inbox.splice(0);
    frame = { ...after, m: [...before.m, event, ...after.m] };
    // The model has not heard of what can be read.
    if (isReadable) delete frame.s;
  } else {
    const beside = (user) => ({ f: 1, p: { t: server.now() }, c: channel,
      d: { action: 'join', uuid: user, timestamp: 1, occupancy: 1 } });
    frame = { t: { t: '0' }, c: channel, m: [beside('x'), event, beside('y')] };
  }
  world.socket.onmessage({ data: JSON.stringify(frame) });
}

for (const shape of [...fixture.good, ...fixture.bad]) {
  test(`event: ${shape.name}`, async () => {
    const { server, world } = await listening();
    const isReadable = shape.gives !== 'problem';
    if (shape.gives.kind === 'actionsCleared') {
      for (const row of clearable(shape.event)) world.channel.sync.cache.rows.put(row);
    }
    if (shape.gives.kind === 'actionRemoved') {
      const { data } = shape.event.d;
      world.channel.sync.cache.rows.put({ ...data, uuid: shape.event.i ?? '' });
    }
    sendBetween(server, world, shape, isReadable);
    assert.deepEqual([world.client.status, world.sockets.length], ['online', 1]);
    const beside = world.events.filter(({ event }) => ['x', 'y'].includes(event?.d?.uuid));
    assert.equal(beside.length, shape.channel === 'room' ? 0 : 2);
    world.events = world.events.filter((it) => !beside.includes(it));
    assert.equal(world.client.stats.unreadable, isReadable ? 0 : 1);
    const problems = world.problems.splice(0);
    assert.equal(problems.length, isReadable ? 0 : 1);
    assert.ok(problems.every((it) => it instanceof UnreadableError));
    if (isReadable) {
      assert.deepEqual(meaning(world, shape), shape.gives);
      return;
    }
    assert.deepEqual(problems.map((it) => [it.channel, it.content]),
      [[shape.channel, shape.event]]);
    assert.deepEqual(world.events, []);
    // The other events, the cursor and the session are as if it had not been there.
    assert.equal(world.channel.sync.cache.cursor, server.last);
    await world.settle();
    world.check();
    server.publish('zoe', { payload: 'later' });
    await world.settle();
    world.check();
    assert.equal(world.sockets.length, 1);
  });
}

for (const { name, frame, gives } of fixture.frames) {
  test(name, async () => {
    const { server, world } = await listening();
    server.time = 17952187953740000n;
    world.socket.onmessage({ data: frame });
    const count = gives === 'problem' ? 1 : 0;
    assert.deepEqual([world.problems.splice(0).length, world.client.stats.unreadable],
      [count, count]);
    server.publish('zoe', { payload: 'after' });
    await world.settle();
    world.check();
    assert.deepEqual([world.client.status, world.sockets.length], ['online', 1]);
  });
}

test('an event that comes again with each catch-up costs no connection', async () => {
  const server = new Server();
  const { world } = await followed(server);
  // One that nobody signed, and one that no client can read.
  server.publish(undefined, { payload: 'x' });
  const { timetoken } = server.publish('zoe', { payload: 'bad' });
  server.messages.get(timetoken).parent = 'nobody';
  for (let connections = 2; connections < 5; connections++) {
    world.cut();
    for (let i = 0; i < 600; i++) {
      await clock.advance(1000);
      world.deliver();
    }
    assert.equal(world.client.status, 'online');
    assert.equal(world.sockets.length, connections, 'None but those that the test has cut.');
  }
  server.messages.delete(timetoken);
  assert.deepEqual(world.shown.map(({ uuid, payload }) => [uuid, payload]),
    [['zoe', 'start'], ['', 'x']]);
});

test('an action that cannot be read is repaired by digest', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  server.act('bob', true, { messageTimetoken: timetoken, type: 'reaction', value: '👍' });
  const [frame] = world.socket.model.inbox.splice(0);
  frame.m[0].i = 7;
  world.socket.onmessage({ data: JSON.stringify(frame) });
  assert.equal(world.problems.splice(0).length, 1);
  await world.settle();
  world.check();
  assert.deepEqual([world.channel.sync.repairs, world.sockets.length], [1, 1]);
});

for (const [op, bad] of [
  ['subscribe', { channels: [{ name: 'room', mode: 'delta' }] }], ['subscribe', { channels: [] }],
  ['subscribe', { channels: [{ name: 'room', mode: 'delta', cursor: '0', key: 'x' }] }],
  ['publish', {}], ['publish', { timetoken: 17 }], ['addAction', { applied: 'added' }],
  ['hello', { epoch: 7 }], ['hello', null],
]) {
  test(`a reply that cannot be read is asked for again: ${op} ${JSON.stringify(bad)}`, async () => {
    const server = new Server();
    const { timetoken } = server.publish('zoe', { payload: 'start' });
    let isBad = false;
    const world = new World(server, 'ada', {
      bad: (it) => isBad && it === op ? bad : undefined });
    world.random = () => 1;
    await world.settle();
    isBad = true;
    if (op === 'publish') world.channel.publish('mine');
    else if (op === 'addAction') world.channel.react(timetoken, '👍');
    else world.cut();
    const times = [];
    for (let i = 0; i < 3000 && times.length < 5; i++) {
      const { length } = world.sent;
      world.deliver();
      await clock.advance(100);
      if (world.sent.slice(length).some((it) => it.op === op)) times.push(clock.now);
    }
    assert.equal(times.length, 5);
    // 0.5, 1, 2 and 4 s, seen in steps of 0.1.
    const waits = times.slice(1).map((it, i) => it - times[i]);
    assert.ok(waits.every((it, i) => i === 0 || it > 1.5 * waits[i - 1]), `${waits}`);
    const problems = world.problems.splice(0);
    assert.ok(problems.length >= 4 && problems.every((it) => it instanceof UnreadableError));
    if (op !== 'hello') assert.equal(world.sockets.length, op === 'subscribe' ? 2 : 1);
    isBad = false;
    for (let i = 0; i < 300; i++) {
      world.deliver();
      await clock.advance(100);
    }
    await world.settle();
    world.problems.length = 0;
    world.check();
  });
}
