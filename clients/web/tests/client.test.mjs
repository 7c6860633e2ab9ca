// Whole clients against a model of the server, one story after the other.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { World, clock, endWorlds, followed, turn } from './world.mjs';

afterEach(endWorlds);

test('a removal names what the add before it made, whatever comes first', async () => {
  const server = new Server();
  const { timetoken } = server.publish('zoe', { payload: 'start' });
  const world = new World(server, 'ada');
  await world.settle();
  world.channel.react(timetoken, '👍');
  while (!world.sent.some(({ op }) => op === 'addAction')) await turn();
  world.channel.react(timetoken, '👍', false);
  await turn();
  // The reply and then the push, in one turn: before the reply is stored.
  world.sockets.at(-1).model.inbox.reverse();
  world.deliver();
  await world.settle();
  const removals = world.sent.filter(({ op }) => op === 'removeAction');
  const added = [...server.actions.values()].map(({ row }) => row.actionTimetoken);
  assert.deepEqual(removals.map(({ actionTimetoken }) => actionTimetoken), added);
  world.check();
  world.client.close();
});

test('a server that was put back to before a deletion brings the messages again', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  const backup = server.copy();
  server.delete('0', timetoken);
  await world.settle();
  assert.equal(world.shown.length, 0);
  world.cut();
  server.restore(backup);
  await world.settle();
  world.check();
  assert.equal(world.shown.length, 1);
});

test('a wish that was answered and lost is asked again when the run changes', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  const backup = server.copy();
  world.channel.react(timetoken, '👍');
  while (!world.sent.some(({ op }) => op === 'addAction')) await turn();
  // The reply comes, the push does not; then the server is put back, to after this device's cursor.
  const { inbox } = world.sockets.at(-1).model;
  inbox.splice(0, inbox.length, ...inbox.filter((frame) => frame.id));
  world.deliver();
  await turn();
  world.cut();
  server.restore(backup);
  server.publish('zoe', { payload: 'after' });
  await world.settle();
  assert.deepEqual(server.rows.map(({ value }) => value), ['👍']);
  world.check();
});

test('a removal of what is another action by now leaves the outbox', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  const key = { messageTimetoken: timetoken, type: 'reaction', value: '👍' };
  server.act('ada', true, key);
  const backup = server.copy();
  // Removed and added again by another device of the user; then the first one stands again.
  server.act('ada', false, key);
  server.act('ada', true, key);
  await world.settle();
  world.cut();
  server.restore(backup);
  world.isDown = true;
  await world.channel.react(timetoken, '👍', false);
  world.isDown = false;
  await world.settle();
  server.publish('zoe', { payload: 'after' });
  await world.settle();
  await turn();
  world.check();
});

test('what was answered before the daemon started anew stays as it is', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  world.channel.publish('mine');
  world.channel.react(timetoken, '👍');
  while (world.sent.filter(({ op }) => /publish|addAction/.test(op)).length < 2) await turn();
  // The replies come, the pushes do not.
  const { inbox } = world.socket.model;
  inbox.splice(0, inbox.length, ...inbox.filter((frame) => frame.id));
  world.deliver();
  await turn();
  assert.ok(world.shown.every(({ pending, actions }) => !pending && !actions[0]?.pending));
  const kinds = [];
  world.channel.observe((changes, items) => {
    kinds.push(...changes.map(({ kind }) => kind));
    assert.ok(items.every(({ pending, actions }) => !pending && !actions[0]?.pending));
  });
  world.cut();
  server.restart();
  await world.settle();
  world.check();
  assert.deepEqual(kinds, ['insert', 'insert'], 'Nothing but what observe says at once.');
});

test('a wish is about what the person saw, also when another tab has settled it', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  world.isDown = true;
  world.cut();
  await world.channel.react(timetoken, '👍');
  // As the tab that connects would: the reply is stored and settled, and the patch not here yet.
  const { outbox } = world.disk;
  await outbox.change(([entry]) => [{ ...entry, sent: true, acknowledged: '17952187953729900' }]);
  world.disk.latency = () => 3;
  const wish = world.channel.react(timetoken, '👍', false);
  await outbox.change(() => []);
  await wish;
  const { entries } = await outbox.change((them) => them);
  assert.deepEqual(entries.map(({ present }) => present), [false]);
  assert.deepEqual(world.shown[0].actions, []);
});

test('a message shows at once, also while the cache is being read', async () => {
  const world = new World(new Server(), 'ada');
  world.disk.latency = () => 5;
  const stored = world.channel.publish('mine');
  assert.deepEqual(world.shown.map(({ payload, pending }) => [payload, pending]), [['mine', true]]);
  await stored;
  await world.settle();
  world.check();
});

test('a client that is closed stores what was wished, and is silent', async () => {
  const { world, timetoken } = await followed(new Server());
  world.disk.latency = () => 3;
  const wish = world.channel.react(timetoken, '👍');
  const { length } = world.shown[0].actions;
  let heard = 0;
  world.onChange = () => heard++;
  await world.client.close();
  await wish;
  await assert.rejects(world.channel.react(timetoken, '🔥'), /closed/);
  const { entries } = await world.disk.outbox.change((them) => them);
  assert.deepEqual([entries.map(({ value }) => value), length, heard], [['👍'], 1, 0]);
  assert.equal(clock.timers, 0, 'Nothing waits for its time.');
  assert.deepEqual(world.problems, []);
});

const push = (fields) => ({ t: { t: '99', r: 1 }, c: 'room', m: [], ...fields });
const action = (data) => push({ m: [{ f: 0, e: 3, i: 'bob', p: { t: '99', r: 1 },
  d: { event: 'added', data } }] });

for (const [name, frame] of [
  ['no JSON', '{'], ['null', null], ['a number', 7],
  ['a push without events', push({ m: undefined })],
  ['a push with null for an event', push({ m: [null] })],
  ['a cursor that is a number', push({ t: { t: 99 } })],
  ['a cursor that is no number', push({ t: { t: 'soon' } })],
  ['an action without its message', action({ type: 'a', value: 'b', actionTimetoken: '5' })],
  ['an action of a number', action({ type: 'a', value: 7, actionTimetoken: '5',
    messageTimetoken: '4' })],
  ['a deletion of nothing', push({ m: [{ f: 0, e: 5, p: { t: '99' }, d: {} }] })],
  ['a complaint', { id: null, error: { status: 400, code: 'not_json', message: 'No.' } }],
]) {
  test(`a frame that cannot be read ends the connection and nothing else: ${name}`, async () => {
    const server = new Server();
    const { world } = await followed(server);
    const data = typeof frame === 'string' ? frame : JSON.stringify(frame);
    world.sockets.at(-1).onmessage({ data });
    assert.equal(world.client.status, 'waiting');
    assert.equal(world.problems.splice(0).length, 1);
    server.publish('zoe', { payload: 'after' });
    await world.settle();
    world.check();
  });
}

test('a server that greets and hangs up is called less and less often', async () => {
  const world = new World(new Server(), 'ada');
  const delays = [];
  world.random = () => 1;
  while (delays.length < 8) {
    world.deliver();
    if (world.client.status === 'online') world.cut();
    await turn();
    if (world.client.status !== 'waiting') continue;
    const [delay] = clock.delays;
    delays.push(delay);
    await clock.advance(delay);
  }
  assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('a server that has no room for writes is asked less and less often', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server, {
    refuse: (op) => op === 'addAction' });
  const delays = [];
  world.random = () => 1;
  for (const value of ['👍', '🔥', '🎉']) world.channel.react(timetoken, value);
  while (delays.length < 7) {
    world.deliver();
    await turn();
    const [delay] = clock.delays;
    if (delay === undefined) continue;
    delays.push(delay);
    await clock.advance(delay);
  }
  assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16_000, 30_000]);
});

test('what the daemon could never read does not get into the outbox', async () => {
  const { world, timetoken } = await followed(new Server());
  let deep = 1;
  for (let i = 0; i < 32; i++) deep = [deep];
  const loop = {};
  loop.loop = loop;
  for (const payload of ['x'.repeat(33_000), '\ud800', ['a\u0000'], 1e20, deep, loop, 5n]) {
    assert.throws(() => world.channel.publish(payload), Error, String(payload).slice(0, 20));
  }
  assert.throws(() => world.channel.react(timetoken, '\udfff'), TypeError);
  assert.equal(world.client.waiting, 0);
  for (const payload of ['\\ud800', '👍', 1e21, deep[0], -5, 'x'.repeat(32_000)]) {
    world.channel.publish(payload);
  }
  await world.settle();
  world.check();
});
