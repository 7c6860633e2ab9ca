// Signals, who is there, and being there: what is asked now, and kept nowhere.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { endWorlds, followed, turn } from './world.mjs';

afterEach(endWorlds);

const sentOf = (world, name) => world.sent.filter(({ op }) => op === name);

/** Lets a question be answered. */
async function answered(world, promise) {
  let isOver = false;
  const done = promise.finally(() => {
    isOver = true;
  });
  done.catch(() => {});
  for (let i = 0; i < 100 && !isOver; i++) {
    world.deliver();
    await turn();
  }
  return promise;
}

test('a signal is sent at once, and resolves with its timetoken', async () => {
  const { world } = await followed(new Server());
  const fields = { messageType: 'typing' };
  const timetoken = await answered(world, world.channel.signal({ typing: true }, fields));
  assert.match(timetoken, /^\d{17}$/);
  const [{ id, ...sent }] = sentOf(world, 'signal');
  assert.deepEqual(sent,
    { op: 'signal', channel: 'room', payload: { typing: true }, messageType: 'typing' });
  world.check();
});

test('what is no signal is refused at the call', async () => {
  const { world } = await followed(new Server());
  const { channel } = world;
  await assert.rejects(channel.signal('x'.repeat(63)), RangeError);
  await assert.rejects(channel.signal('é'.repeat(32)), RangeError);
  await assert.rejects(channel.signal(undefined), TypeError);
  await assert.rejects(channel.signal(1, { meta: 1 }), TypeError);
  await assert.rejects(world.client.channel('room-pnpres').signal(1), TypeError);
  await assert.rejects(channel.hereNow({ limit: 1001 }), RangeError);
  await assert.rejects(channel.hereNow({ offset: -1 }), RangeError);
  await assert.rejects(channel.hereNow({ users: 1 }), TypeError);
  assert.deepEqual([...sentOf(world, 'signal'), ...sentOf(world, 'hereNow')], []);
  await answered(world, channel.signal('x'.repeat(62)));
});

test('who is there, page by page', async () => {
  const { world } = await followed(new Server());
  const first = await answered(world, world.channel.hereNow({ states: true, limit: 2 }));
  assert.deepEqual(first,
    { occupancy: 3, users: [{ userId: 'ada' }, { userId: 'bob' }], next: 2 });
  const { next: offset } = first;
  assert.deepEqual(await answered(world, world.channel.hereNow({ offset })),
    { occupancy: 3, users: [{ userId: 'zoe' }] });
  assert.deepEqual(sentOf(world, 'hereNow').map(({ states, limit, offset: at }) =>
    [states, limit, at]), [[true, 2, 0], [false, 1000, 2]]);
});

test('without a connection, after its end and in a channel that was left nothing is asked', async () => {
  const { world } = await followed(new Server());
  const lost = world.channel.signal(1);
  world.cut();
  await assert.rejects(lost, { code: 'offline' });
  await assert.rejects(world.channel.hereNow(), { code: 'offline', status: 503 });
  world.channel.leave();
  await assert.rejects(world.channel.signal(1), /was left/);
  world.client.close();
  await assert.rejects(world.client.channel('room').signal(1), { code: 'offline' });
});

test('a refusal of the daemon has its code, and a reply that is none is a problem', async () => {
  const options = {
    refuse: (op) => op === 'signal', error: { status: 403, code: 'forbidden', message: 'No.' },
    bad: (op) => op === 'hereNow' ? { occupancy: 'many' } : undefined,
  };
  const { world } = await followed(new Server(), options);
  await assert.rejects(answered(world, world.channel.signal(1)),
    { status: 403, code: 'forbidden', message: 'No.' });
  await assert.rejects(answered(world, world.channel.hereNow()), { code: 'unreadable' });
  assert.equal(world.problems.length, 1);
});

test('with presence the user is in the channel, at each connection', async () => {
  const { world } = await followed(new Server());
  const asked = () => sentOf(world, 'subscribe').map(({ channels }) => channels[0].presence);
  assert.deepEqual(asked(), [undefined]);
  assert.equal(world.client.channel('room', { presence: true }), world.channel);
  await world.settle();
  world.client.channel('room');
  world.cut();
  await world.settle();
  assert.deepEqual(asked(), [undefined, true, true]);
  world.check();
  for (const options of [{ presence: 1 }, { seen: true }, null]) {
    assert.throws(() => world.client.channel('room', options), TypeError);
  }
  assert.throws(() => world.client.channel('room-pnpres', { presence: true }), TypeError);
});

test('who comes and goes is an event, for whoever asked for it', async () => {
  const { world } = await followed(new Server());
  const events = [];
  world.client.on('event', (it) => events.push(it));
  const said = () => {
    const event = { f: 1, p: { t: '17952187953730210', r: 1 }, c: 'room-pnpres', d: {
      action: 'join', uuid: 'bob', timestamp: 1795218795, occupancy: 2 } };
    world.socket.model.put(
      { t: { t: '17952187953730150', r: 1 }, c: 'room-pnpres', m: [event] });
    world.deliver();
  };
  said();
  assert.deepEqual(events, []);
  world.client.channel('room', { presence: true });
  await world.settle();
  said();
  assert.deepEqual(events.map(({ channel, event }) => [channel, event.d.uuid]),
    [['room-pnpres', 'bob']]);
  world.check();
});

test('that there is no room for the user is a problem, and nothing else', async () => {
  const { world } = await followed(new Server());
  world.socket.model.put({ absent: { channels: ['room'],
    error: { status: 429, code: 'quota_exceeded', message: 'Too many.' } } });
  world.deliver();
  assert.match(world.problems[0].message, /room. Too many/);
  assert.equal(world.client.stats.unreadable, 0);
});
