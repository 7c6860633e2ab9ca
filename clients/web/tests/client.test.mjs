// Whole clients against a model of the server: random worlds end equal, and never flicker.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { MemoryStore, SyncClient } from '../syncclient.js';
import { ModelSocket, Server, generator } from './model.mjs';

if (!globalThis.crypto) globalThis.crypto = (await import('node:crypto')).webcrypto;

/** Keeps caches as IndexedDB would, so that a client can end and another go on. */
class DurableStore extends MemoryStore {
  channels = new Map();
  writes = 0;

  async load(channel) {
    const it = this.channels.get(channel);
    return it && structuredClone(
      { head: it.head, rows: [...it.rows.values()], messages: [...it.messages.values()] });
  }

  async write(patch) {
    await super.write(patch);
    this.writes++;
    let it = this.channels.get(patch.channel);
    if (!it || patch.clear) it = { rows: new Map(), messages: new Map() };
    this.channels.set(patch.channel, it);
    const key = (row) => JSON.stringify([row.messageTimetoken, row.type, row.value, row.uuid]);
    for (const row of patch.gone) it.rows.delete(key(row));
    for (const row of patch.rows) it.rows.set(key(row), structuredClone(row));
    for (const timetoken of patch.dropped) it.messages.delete(timetoken);
    for (const message of structuredClone(patch.messages)) {
      it.messages.set(message.timetoken, message);
    }
    it.head = { ...patch.head };
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Closed after each test, however it ended: a client's timers would keep the process. */
const worlds = new Set();
afterEach(() => {
  for (const { client } of worlds) client.close();
  worlds.clear();
});

/** A device whose network and page a test controls. */
class World {
  sockets = [];
  sent = [];
  isDown = false;

  constructor(server, user, options = {}) {
    Object.assign(this, { server, user, options, store: new DurableStore() });
    worlds.add(this);
    this.open();
  }

  open() {
    const world = this;
    class Socket {
      constructor() {
        world.sockets.push(this);
        if (!world.isDown) queueMicrotask(() => this.start());
        else queueMicrotask(() => this.onclose({ code: 1006 }));
      }

      start() {
        this.model = new ModelSocket(world.server, world.options);
        this.onopen();
      }

      send(text) {
        world.sent.push(JSON.parse(text));
        this.model.send(text);
      }

      close() {
        this.model?.close();
      }
    }
    this.client = new SyncClient({
      url: 'ws://model', userId: this.user, deviceId: `${this.user}-phone`, store: this.store,
      WebSocket: Socket, random: () => this.random ?? 0 });
    this.problems = [];
    for (const kind of ['problem', 'refused']) this.client.on(kind, (it) => this.problems.push(it));
    this.channel = this.client.channel('room');
    /** What a user interface would show, from the steps alone. */
    this.shown = [];
    this.channel.observe((changes) => {
      for (const { kind, index, from, item } of changes) {
        if (kind === 'remove') this.shown.splice(index, 1);
        if (kind === 'move') this.shown.splice(from, 1);
        if (kind === 'update') this.shown[index] = item;
        else if (kind !== 'remove') this.shown.splice(index, 0, item);
      }
      this.onChange?.();
    });
  }

  /** Delivers up to `count` frames of what the server sent. */
  deliver(count = Infinity) {
    const socket = this.sockets.at(-1);
    for (let i = 0; i < count && socket?.model?.inbox.length > 0; i++) {
      socket.onmessage({ data: JSON.stringify(socket.model.inbox.shift()) });
    }
  }

  /** The connection ends; what was under way in both directions is lost. */
  cut() {
    const socket = this.sockets.at(-1);
    if (!socket?.model) return;
    socket.model.close();
    socket.onclose({ code: 1006 });
  }

  async reload() {
    this.client.close();
    await turn();
    this.open();
    await this.channel.ready;
  }

  async settle() {
    for (let i = 0, quiet = 0; quiet < 3; i++) {
      assert.ok(i < 5000, `no end: ${this.client.status} ${this.channel.state.phase}`);
      const inbox = this.sockets.at(-1)?.model?.inbox.length ?? 0;
      this.deliver();
      await turn();
      await new Promise((resolve) => setTimeout(resolve, 0));
      const isQuiet = inbox === 0 && this.client.status === 'online' && this.client.waiting === 0 &&
        this.channel.state.phase === 'live' && !this.channel.state.staging;
      quiet = isQuiet ? quiet + 1 : 0;
    }
  }

  check() {
    const { base } = this.channel.state;
    const sorted = (rows) => rows.map((it) => JSON.stringify(
      [it.actionTimetoken, it.messageTimetoken, it.type, it.value, it.uuid])).sort();
    assert.deepEqual(sorted([...base.allRows()]), sorted(this.server.rows));
    assert.deepEqual([...base.messages.keys()].sort(), [...this.server.messages.keys()].sort());
    assert.deepEqual(this.shown, this.channel.items);
    const expected = [...this.server.messages.keys()].sort().map((timetoken) => [timetoken,
      this.server.rows.filter((it) => it.messageTimetoken === timetoken)
        .map((it) => `${it.actionTimetoken} ${it.uuid} ${it.value}`).sort()]);
    assert.deepEqual(this.shown.map((it) => [it.timetoken,
      it.actions.map((a) => `${a.actionTimetoken} ${a.uuid} ${a.value}`).sort()]), expected);
    assert.ok(this.channel.isVerified);
    assert.deepEqual(this.problems, []);
  }
}

/** What one seed makes happen; the caller says what may. */
async function live(seed, { mayRestore = false, mayDelete = false, mayCorrupt = false }) {
  const steps = 120;
  const random = generator(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const server = new Server();
  const page = 1 + Math.floor(random() * 5);
  const options = { page, refuse: (op) => op !== 'hello' && random() < 0.01 };
  const first = server.publish('zoe', { payload: 'start' }).timetoken;
  const worlds = ['ada', 'bob'].map((user) => new World(server, user, options));
  const messages = [first];
  const wishes = new Map();
  const check = (world) => {
    for (const item of world.shown) {
      for (const value of '👍🔥') {
        const wished = wishes.get(`${world.user} ${item.timetoken} ${value}`);
        if (wished === undefined) continue;
        const isShown = item.actions.some((it) => it.uuid === world.user && it.value === value);
        assert.equal(isShown, wished, `seed ${seed}: ${world.user}'s ${value} flickers`);
      }
    }
  };
  const isSteady = !mayRestore && !mayDelete && !mayCorrupt;
  const failures = [];
  for (const world of worlds) {
    world.onChange = () => {
      try {
        if (isSteady) check(world);
      } catch (error) {
        failures.push(error);
      }
    };
  }
  let backup = null;
  for (let step = 0; step < steps; step++) {
    const world = pick(worlds);
    const dice = random();
    if (dice < 0.45) {
      const timetoken = pick(messages);
      const value = pick(['👍', '🔥']);
      const item = world.shown.find((it) => it.timetoken === timetoken);
      if (item) {
        const present = random() < 0.5;
        wishes.set(`${world.user} ${timetoken} ${value}`, present);
        world.channel.react(timetoken, value, present);
      }
    } else if (dice < 0.5) {
      world.channel.publish(`${world.user} ${step}`);
    } else if (dice < 0.55) {
      const timetoken = pick(messages);
      const value = pick(['👍', '🔥']);
      const key = { messageTimetoken: timetoken, type: 'reaction', value };
      server.act('zoe', random() < 0.6, key);
    } else if (dice < 0.58) {
      messages.push(server.publish('zoe', { payload: step }).timetoken);
    } else if (dice < 0.62) {
      world.cut();
    } else if (dice < 0.65) {
      world.isDown = !world.isDown;
      if (world.isDown) world.cut();
    } else if (dice < 0.67) {
      await world.reload();
    } else if (dice < 0.69) {
      server.collect();
    } else if (dice < 0.71 && mayDelete) {
      const [after, through] = [pick(messages), pick(messages)].sort();
      server.delete(after, through);
    } else if (dice < 0.72 && mayCorrupt) {
      const { rows } = world.store.channels.get('room') ?? { rows: new Map() };
      for (const [key, row] of rows) {
        if (random() < 0.5) continue;
        if (random() < 0.5) rows.delete(key);
        else row.actionTimetoken = String(BigInt(row.actionTimetoken) + 1n);
      }
      await world.reload();
    } else if (dice < 0.73 && mayRestore) {
      if (!backup || random() < 0.5) {
        backup = server.copy();
      } else {
        for (const it of worlds) it.cut();
        server.restore(backup);
        backup = null;
      }
    } else {
      world.deliver(Math.floor(random() * 4));
      await turn();
    }
    if (random() < 0.2) await turn();
  }
  server.publish('zoe', { payload: 'end' });
  for (const world of worlds) {
    world.isDown = false;
    await world.settle();
  }
  for (const world of worlds) {
    await world.settle();
    try {
      world.check();
      if (isSteady) check(world);
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
    world.client.close();
  }
  if (failures.length > 0) throw failures[0];
  const { repairs, snapshots } = worlds[0].channel.state;
  return { repairs, snapshots };
}

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

/** A world with one message, followed. */
async function followed(server, options) {
  const { timetoken } = server.publish('zoe', { payload: 'start' });
  const world = new World(server, 'ada', options);
  await world.settle();
  return { world, timetoken };
}

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

test('a server that greets and hangs up is called less and less often', async (context) => {
  const world = new World(new Server(), 'ada');
  const delays = [];
  const { setTimeout: original } = globalThis;
  world.random = 1;
  context.mock.method(globalThis, 'setTimeout', (callback, delay, ...rest) => {
    if (delay >= 500) delays.push(delay);
    return original(callback, 0, ...rest);
  });
  while (delays.length < 8) {
    world.deliver();
    if (world.client.status === 'online') world.cut();
    await turn();
  }
  assert.deepEqual(delays.slice(0, 8), [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('a server that has no room for writes is asked less and less often', async (context) => {
  const server = new Server();
  const { world, timetoken } = await followed(server, {
    refuse: (op) => op === 'addAction' });
  const delays = [];
  const { setTimeout: original } = globalThis;
  world.random = 1;
  context.mock.method(globalThis, 'setTimeout', (callback, delay, ...rest) => {
    if (delay >= 100) delays.push(delay);
    return original(callback, 0, ...rest);
  });
  for (const value of ['👍', '🔥', '🎉']) world.channel.react(timetoken, value);
  while (delays.length < 7) {
    world.deliver();
    await turn();
  }
  assert.deepEqual(delays.slice(0, 7), [500, 1000, 2000, 4000, 8000, 16_000, 30_000]);
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

const seeds = Number(process.env.SEEDS ?? 40);
const start = Number(process.env.SYNC_SEED ?? 1);

for (const [name, options] of [
  ['toggles through a bad network never flicker, and end equal', {}],
  ['deletions', { mayDelete: true }],
  ['damaged caches', { mayCorrupt: true }],
  ['restored backups', { mayRestore: true }],
  ['restored backups and deletions', { mayRestore: true, mayDelete: true }],
]) {
  test(`random worlds: ${name}`, async () => {
    const total = { repairs: 0, snapshots: 0 };
    for (let seed = start; seed < start + seeds; seed++) {
      const { repairs, snapshots } = await live(seed, options);
      total.repairs += repairs;
      total.snapshots += snapshots;
    }
    if (seeds >= 40) assert.ok(total.repairs > 0 && total.snapshots > 0, JSON.stringify(total));
  });
}
