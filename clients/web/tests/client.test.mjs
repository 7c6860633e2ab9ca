// Whole clients against a model of the server, one story after the other.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { OutboxFullError } from '../syncclient.js';
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

test('a client that is closed when it is told that it connects opens no socket', async () => {
  const world = new World(new Server(), 'ada');
  world.client.on('status', (status) => {
    if (status === 'connecting') world.client.close();
  });
  for (let i = 0; i < 10; i++) await turn();
  assert.equal(world.client.status, 'closed');
  assert.equal(world.sockets.length, 0);
});

test('a server that was put back to before a deletion brings the messages again', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  const backup = server.copy();
  server.delete('0', timetoken);
  await world.settle();
  assert.equal(world.shown.length, 0);
  const { snapshots } = world.channel.sync;
  world.cut();
  server.restore(backup);
  await world.settle();
  world.check();
  assert.equal(world.shown.length, 1);
  const { repairs, snapshots: later } = world.channel.sync;
  assert.deepEqual([repairs, later - snapshots], [1, 0], 'By difference, and not all of it.');
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

test('what was said before shows, also if it is said again before the cache is read', async () => {
  const { world } = await followed(new Server());
  await world.channel.publish('ok');
  await world.settle();
  world.isDown = true;
  world.client.close();
  await turn();
  world.disk.latency = () => 3;
  world.open();
  await world.channel.publish('ok');
  await world.channel.ready;
  assert.deepEqual(world.shown.map(({ payload, pending }) => [payload, pending]),
    [['start', false], ['ok', false], ['ok', true]]);
  world.isDown = false;
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
  for (const payload of ['x'.repeat(33_000), '\ud800', 1e20, deep, loop, 5n]) {
    await assert.rejects(world.channel.publish(payload), Error, String(payload).slice(0, 20));
  }
  for (const payload of [undefined, () => {}, Symbol('a')]) {
    await assert.rejects(world.channel.publish(payload), TypeError);
  }
  await assert.rejects(world.channel.publish(1, { messageType: 7 }), TypeError);
  const wishes = [[timetoken, '\udfff'], [timetoken, 7], [timetoken, 'a', 1], [null, 'a'],
    [Number(timetoken), 'a'], [timetoken, 'a', true, null]];
  for (const wish of wishes) await assert.rejects(world.channel.react(...wish), TypeError);
  assert.equal(world.client.waiting, 0);
  for (const payload of ['\\ud800', '👍', 1e21, deep[0], -5, 'x'.repeat(32_000)]) {
    world.channel.publish(payload);
  }
  await world.settle();
  world.check();
});

for (const op of ['hello', 'subscribe', 'addAction', 'publish']) {
  test(`a daemon that does not answer ${op} is left, and called less and less often`, async () => {
    const server = new Server();
    const world = new World(server, 'ada', { silent: (it) => it === op });
    world.random = () => 1;
    const { timetoken } = server.publish('zoe', { payload: 'start' });
    world.channel.publish('mine');
    const waits = [];
    let since = null;
    for (let i = 0; i < 3000 && waits.length < 4; i++) {
      world.deliver();
      await clock.advance(100);
      const { status } = world.client;
      if (status === 'online' && world.shown.some((it) => it.timetoken === timetoken)) {
        world.channel.react(timetoken, '👍');
      }
      if (status === 'waiting' && since === null) since = clock.now;
      else if (status !== 'waiting' && since !== null) {
        waits.push(clock.now - since);
        since = null;
      }
    }
    assert.deepEqual(waits.map((it) => Math.round(it / 500) * 500), [500, 1000, 2000, 4000]);
    const said = new RegExp(`has not answered the command ${op} for \\d+ s`);
    assert.match(world.problems[0].message, said);
    world.options.silent = () => false;
    world.cut();
    world.problems.length = 0;
    await world.settle();
    world.check();
  });
}

test('a network that swallows everything is noticed', async () => {
  const { world } = await followed(new Server(), { silent: (op) => op === 'ping' });
  await clock.advance(29_000);
  assert.equal(world.client.status, 'online');
  await clock.advance(12_000);
  assert.equal(world.client.stats.connections, 2);
});

test('a reply may take longer than its seconds while other frames come', async () => {
  const server = new Server();
  const { world } = await followed(server, { client: { replySeconds: 4 },
    silent: (op) => op === 'publish' });
  world.channel.publish('mine');
  const start = clock.now;
  while (world.client.status === 'online') {
    server.publish('zoe', { payload: 'more' });
    world.deliver();
    await clock.advance(1000);
  }
  const seconds = (clock.now - start) / 1000;
  assert.ok(seconds >= 16 && seconds < 20, `${seconds}`);
});

test('a connection that never opens is given up', async () => {
  const world = new World(new Server(), 'ada', { client: { WebSocket: class {
    close() {
      this.isClosed = true;
    }
  } } });
  await turn();
  await clock.advance(14_000);
  assert.equal(world.client.status, 'connecting');
  await clock.advance(6000);
  assert.equal(world.client.stats.connections, 2);
});

test('neither a machine that slept nor a clock that was set is taken for silence', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  for (const [i, step] of [-1e9, 1e9, 2e9].entries()) {
    world.channel.react(timetoken, '👍', i % 2 === 0);
    await turn();
    clock.step = step;
    await clock.sleep(3_600_000);
    assert.equal(world.client.status, 'online');
    world.deliver();
  }
  await world.settle();
  world.check();
  assert.equal(world.sockets.length, 1);
});

test('a page that is seen again asks whether the daemon is still there', async (context) => {
  const page = new EventTarget();
  page.visibilityState = 'visible';
  globalThis.document = page;
  context.after(() => delete globalThis.document);
  const { world } = await followed(new Server());
  const { length } = world.sent;
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  assert.equal(world.sent.length, length);
  page.visibilityState = 'visible';
  // Once: an open question is enough.
  for (const kind of ['visibilitychange', 'resume']) page.dispatchEvent(new Event(kind));
  assert.deepEqual(world.sent.slice(length).map(({ op }) => op), ['ping']);
  world.random = () => 1;
  for (let i = 0; i < 8; i++) {
    world.cut();
    await clock.advance(0);
    if (world.client.status === 'waiting') await clock.advance(clock.delays[0]);
  }
  world.cut();
  page.dispatchEvent(new Event('visibilitychange'));
  await clock.advance(500);
  assert.notEqual(world.client.status, 'waiting');
  await world.client.close();
  page.dispatchEvent(new Event('visibilitychange'));
  assert.equal(clock.timers, 0);
});

test('an address that is none is not called again', async () => {
  const world = new World(new Server(), 'ada', { client: { WebSocket: class {
    constructor() {
      throw new SyntaxError('No such address.');
    }
  } } });
  await turn();
  assert.equal(world.client.status, 'refused');
  assert.match(world.problems[0].message, /No such address/);
});

test('a connection that was left has nothing more to say', async () => {
  const { world } = await followed(new Server());
  const old = world.socket;
  // In a browser the error comes first; and a close event may come late.
  old.onerror({});
  world.cut();
  assert.equal(world.client.stats.connections, 1);
  await world.settle();
  assert.equal(world.client.stats.connections, 2);
  const { length } = world.sent;
  old.onopen();
  old.onmessage({ data: '{' });
  old.onclose({ code: 1008 });
  old.onerror({});
  await turn();
  assert.equal(world.client.status, 'online');
  assert.equal(world.sent.length, length);
  world.check();
});

test('what was to be tried again ends with the connection', async () => {
  let isRefusing = false;
  const { world, timetoken } = await followed(new Server(), {
    refuse: (op) => isRefusing && op !== 'hello' });
  world.cut();
  isRefusing = true;
  world.random = () => 1;
  world.channel.react(timetoken, '👍');
  for (let i = 0; i < 3; i++) {
    await clock.advance(0);
    world.deliver();
  }
  assert.deepEqual(clock.delays, [500, 500], 'The subscription and the write.');
  world.cut();
  assert.equal(clock.delays.length, 1, 'Only the next connection.');
  isRefusing = false;
  await world.settle();
  world.check();
});

test('an error of a daemon in trouble costs no write', async () => {
  let errors = 3;
  const server = new Server();
  const { world, timetoken } = await followed(server, {
    refuse: (op) => op === 'addAction' && errors-- > 0,
    error: { status: 500, code: 'of_tomorrow', message: 'No.' } });
  world.channel.react(timetoken, '👍');
  await world.settle();
  world.check();
  assert.equal(server.rows.length, 1);
});

test('an outbox that is full takes no more, but lets wishes be taken back', async () => {
  const { world, timetoken } = await followed(new Server(), { client: { outboxMax: 3 } });
  world.isDown = true;
  world.cut();
  const full = (error) => error instanceof OutboxFullError && error.max === 3;
  await world.channel.publish('one');
  await world.channel.react(timetoken, '👍');
  // In one turn, and so in one transaction.
  const [third, fourth] = await Promise.allSettled(
    [world.channel.react(timetoken, '🔥'), world.channel.react(timetoken, '🎉')]);
  assert.equal(third.status, 'fulfilled');
  assert.ok(full(fourth.reason));
  await assert.rejects(world.channel.publish('two'), full);
  assert.equal(world.client.waiting, 3);
  assert.deepEqual(world.shown.map(({ payload, actions }) =>
    [payload, actions.map(({ value }) => value)]), [['start', ['👍', '🔥']], ['one', []]]);
  await world.channel.react(timetoken, '👍', false);
  await world.channel.publish('two');
  // Another tab filled it meanwhile: only the store knows.
  await world.channel.react(timetoken, '🔥', false);
  const { outbox } = world.disk;
  await outbox.change((entries) =>
    [...entries, { ...entries[0], order: undefined, mutation: 'm' }]);
  await assert.rejects(world.channel.publish('three'), full);
  assert.ok(!world.shown.some(({ payload }) => payload === 'three'));
  world.isDown = false;
  await world.settle();
  world.check();
});

test('a wish that cannot be stored is refused, and does not show', async () => {
  const { world, timetoken } = await followed(new Server());
  world.disk.failures.change = new Error('The disk is full.');
  const wish = world.channel.react(timetoken, '👍');
  assert.equal(world.shown[0].actions.length, 1);
  await assert.rejects(wish, /disk is full/);
  assert.equal(world.shown[0].actions.length, 0);
  world.disk.failures.change = null;
  await world.channel.react(timetoken, '🔥');
  await world.settle();
  world.check();
});

test('a store that fails after a wish makes no storm of questions', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  await world.channel.react(timetoken, '👍');
  world.disk.failures.change = new Error('The disk is full.');
  const { length } = world.sent;
  for (let i = 0; i < 100; i++) {
    world.deliver();
    await clock.advance(100);
  }
  // Ten seconds: the mark, or the reply, is stored again after 0.25, 0.5, 1, 2 and 4 of them.
  const count = world.sent.length - length + world.problems.length;
  assert.ok(count > 2 && count < 20, `${count}`);
  assert.equal(world.problems.splice(0).every(({ message }) => /disk/.test(message)), true);
  world.disk.failures.change = null;
  for (let i = 0; i < 100; i++) await clock.advance(100);
  await world.settle();
  world.check();
});

test('a cache that could not be stored is stored whole when there is room', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  world.disk.failures.write = new Error('The disk is full.');
  server.publish('zoe', { payload: 'second' });
  await world.channel.react(timetoken, '👍');
  await world.settle();
  assert.equal(world.problems.splice(0).length, 1, 'Once is enough.');
  world.disk.failures.write = null;
  for (let i = 0; i < 61; i++) {
    await clock.advance(1000);
    world.deliver();
  }
  await world.disk.last;
  world.check();
  assert.deepEqual((await world.disk.outbox.change((it) => it)).entries, []);
  world.isDown = true;
  await world.reload();
  assert.deepEqual(world.shown.map(({ payload, actions }) => [payload, actions.length]),
    [['start', 1], ['second', 0]]);
});

test('a cache that could not be read is not replaced before there is a better one', async () => {
  const server = new Server();
  const { world } = await followed(server);
  world.random = () => 0.5;
  world.isDown = true;
  world.disk.failures.load = new Error('The disk has a bad day.');
  await world.reload();
  assert.deepEqual(world.shown, []);
  for (let i = 0; i < 130; i++) await clock.advance(1000);
  assert.equal(world.disk.channels.get('room').messages.size, 1);
  world.disk.failures.load = null;
  world.isDown = false;
  server.publish('zoe', { payload: 'second' });
  await world.settle();
  for (let i = 0; i < 61; i++) {
    await clock.advance(1000);
    world.deliver();
  }
  await world.disk.last;
  assert.equal(world.disk.channels.get('room').messages.size, 2);
});

test('a cache that could not be read is not replaced by one that has only begun', async () => {
  const server = new Server();
  server.publish('zoe', { payload: 'first' });
  const { world } = await followed(server, { page: 1 });
  world.random = () => 0.5;
  world.disk.failures.load = new Error('The disk has a bad day.');
  await world.reload();
  while (world.shown.length < 1) {
    world.deliver(1);
    await turn();
  }
  assert.deepEqual([world.shown.length, world.channel.isVerified], [1, false]);
  // The rest does not come.
  world.isDown = true;
  for (let i = 0; i < 130; i++) await clock.advance(1000);
  assert.equal(world.disk.channels.get('room').messages.size, 2);
  world.isDown = false;
  await world.settle();
  server.publish('zoe', { payload: 'third' });
  for (let i = 0; i < 61; i++) {
    await clock.advance(1000);
    world.deliver();
  }
  await world.disk.last;
  assert.equal(world.disk.channels.get('room').messages.size, 3);
});

test('observers hear of all steps in their order, whatever they do', async () => {
  const { world, timetoken } = await followed(new Server());
  world.isDown = true;
  world.cut();
  const mirrors = [[], []];
  const apply = (mirror, changes) => {
    for (const { kind, index, from, item } of changes) {
      if (kind === 'remove') mirror.splice(index, 1);
      if (kind === 'move') mirror.splice(from, 1);
      if (kind === 'update') mirror[index] = item;
      else if (kind !== 'remove') mirror.splice(index, 0, item);
    }
  };
  let answers = 0;
  const end = world.channel.observe((changes, items) => {
    apply(mirrors[0], changes);
    if (items.length > 1 && answers < 3) world.channel.publish(`answer ${answers++}`);
  });
  world.channel.observe((changes) => apply(mirrors[1], changes));
  await world.channel.publish('question');
  await world.channel.react(timetoken, '👍');
  assert.equal(world.channel.items.length, 5);
  for (const mirror of [...mirrors, world.shown]) assert.deepEqual(mirror, world.channel.items);
  end();
  await world.channel.react(timetoken, '👍', false);
  assert.equal(mirrors[0][0].actions.length, 1, 'It does not hear any more.');
  assert.equal(mirrors[1][0].actions.length, 0);
});

test('what a channel shows is told by texts of 19 digits, too', async () => {
  const server = new Server();
  server.time = 9_223_372_036_854_770_000n;
  const { world, timetoken } = await followed(server);
  await world.channel.react(timetoken, '👍');
  await world.settle();
  world.channel.react(timetoken, '👍', false);
  assert.deepEqual(world.shown[0].actions, []);
  await world.settle();
  world.check();
});

test('a channel that is left says and hears nothing, and is found again as it is', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  await world.channel.react(timetoken, '👍');
  await world.settle();
  let heard = 0;
  world.onChange = () => heard++;
  const old = world.channel;
  old.leave();
  old.leave();
  assert.deepEqual(world.sent.at(-1).op, 'unsubscribe');
  world.deliver();
  server.publish('zoe', { payload: 'missed' });
  assert.equal(world.socket.model.inbox.length, 0, 'The daemon sends nothing.');
  await assert.rejects(old.publish('late'), /was left/);
  await assert.rejects(old.react(timetoken, '🔥'), /was left/);
  world.cut();
  await clock.advance(1000);
  world.deliver();
  assert.equal(world.sent.at(-1).op, 'hello', 'It is not followed on the next connection either.');
  assert.deepEqual([world.client.status, heard], ['online', 0]);
  const again = world.client.channel('room');
  assert.notEqual(again, old);
  world.channel = again;
  world.shown = again.items;
  await world.settle();
  world.check();
  assert.equal(again.items.length, 2);
});

test('what waits when a channel is left is sent all the same, and leaves the outbox', async () => {
  const server = new Server();
  const { world } = await followed(server);
  await world.channel.publish('last words');
  world.channel.leave();
  for (let i = 0; i < 10; i++) {
    world.deliver();
    await turn();
  }
  assert.equal(server.messages.size, 2);
  assert.deepEqual((await world.disk.outbox.change((it) => it)).entries, []);
  assert.deepEqual(world.problems, []);
});

test('a channel that is left and followed again at once takes no reply of before', async () => {
  const server = new Server();
  server.publish('zoe', { payload: 'start' });
  const world = new World(server, 'ada');
  while (!world.sent.some(({ op }) => op === 'subscribe')) {
    world.deliver(1);
    await turn();
  }
  // The reply and the pages are on their way.
  world.channel.leave();
  world.channel = world.client.channel('room');
  world.shown = world.channel.items;
  await world.settle();
  world.check();
  assert.equal(world.channel.sync.snapshots, 1);
});

for (const op of ['addAction', 'subscribe']) {
  test(`a daemon that names a time is not asked for ${op} before`, async () => {
    let isRefusing = false;
    const server = new Server();
    const { world, timetoken } = await followed(server, {
      refuse: (it) => isRefusing && it === op,
      error: { status: 429, code: 'rate_limited', message: 'Slow down.', retryAfter: 5 } });
    isRefusing = true;
    if (op === 'subscribe') world.cut();
    else world.channel.react(timetoken, '👍');
    const times = [];
    for (let i = 0; i < 1000 && times.length < 3; i++) {
      const { length } = world.sent;
      world.deliver();
      await clock.advance(100);
      if (world.sent.slice(length).some((it) => it.op === op)) times.push(clock.now);
    }
    assert.equal(times.length, 3);
    // Seen in steps of 100 ms.
    for (const i of [1, 2]) assert.ok(times[i] - times[i - 1] >= 4900, `${times}`);
    assert.equal(world.client.status, 'online');
    isRefusing = false;
    for (let i = 0; i < 100; i++) {
      world.deliver();
      await clock.advance(100);
    }
    await world.settle();
    world.check();
  });
}

test('an own message is one item all the way, and says no step twice', async () => {
  for (const isReplyFirst of [true, false]) {
    const { world } = await followed(new Server());
    const steps = [];
    world.channel.observe((changes) => steps.push(...changes));
    steps.length = 0;
    await world.channel.publish({ text: 'mine', deep: [{ a: 1 }] }, { meta: { lang: 'en' } });
    while (world.socket.model.inbox.length < 2) await turn();
    const { inbox } = world.socket.model;
    if ((inbox[0].id !== undefined) !== isReplyFirst) inbox.reverse();
    for (let i = 0; i < 10; i++) {
      if (i % 5 === 0) world.deliver(1);
      await turn();
    }
    await world.settle();
    assert.deepEqual(steps.map(({ kind, item }) => [kind, item.pending, item.timetoken !== null]),
      [['insert', true, false], ['update', false, true]]);
    assert.equal(new Set(steps.map(({ item }) => item.key)).size, 1);
    world.check();
  }
});

test('a reaction of nothing is rejected at once', async () => {
  const { world, timetoken } = await followed(new Server());
  const { length } = world.sent;
  for (const wish of [['', true], [' \n', true], ['', false], ['👍', true, ''],
    ['👍', true, 'ü'.repeat(33)], ['', true, 'edit']]) {
    await assert.rejects(world.channel.react(timetoken, ...wish), RangeError);
  }
  assert.deepEqual([world.client.waiting, world.sent.length - length], [0, 0]);
});

test('one emoji is one group, however it was typed', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  for (const value of ['❤', '❤\ufe0f', ' ❤ ', '❤\ufe0f\n']) {
    await world.channel.react(timetoken, value);
    await world.settle();
  }
  assert.deepEqual(server.rows.map(({ value }) => value), ['❤\ufe0f']);
  await world.channel.react(timetoken, '❤', false);
  await world.settle();
  assert.deepEqual(server.rows, []);
  // What stands already, from another client, is joined and left as it is spelled.
  server.act('bob', true, { messageTimetoken: timetoken, type: 'reaction', value: '✌' });
  await world.settle();
  await world.channel.react(timetoken, '✌');
  await world.settle();
  assert.deepEqual(server.rows.map(({ value, uuid }) => [value, uuid]), [['✌', 'bob'], ['✌', 'ada']]);
  await world.channel.react(timetoken, '✌', false);
  await world.channel.react(timetoken, ' as it is ', true, 'edit');
  await world.settle();
  assert.deepEqual(server.rows.map(({ value, uuid }) => [value, uuid]),
    [['✌', 'bob'], [' as it is ', 'ada']]);
  world.check();
});

test('a client connects while its disk is read, and asks for nothing before', async () => {
  const server = new Server();
  const { world: { disk } } = await followed(server);
  disk.latency = () => 40;
  const world = new World(server, 'ada', { disk });
  for (let i = 0; i < 10; i++) {
    await turn();
    world.deliver();
  }
  assert.deepEqual(world.sent.map(({ op }) => op), ['hello']);
  assert.equal(world.client.status, 'connecting');
  // The connection ends, and what was said on it is forgotten.
  world.sockets[0].onclose({ code: 1006 });
  disk.latency = () => 0;
  await world.settle();
  assert.deepEqual(world.sent.map(({ op }) => op), ['hello', 'hello', 'subscribe']);
  assert.ok(world.channel.isVerified);
});
