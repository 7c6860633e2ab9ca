// Random lives of devices that hold a window: right at each push, and equal in the end.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, generator } from './model.mjs';
import { World, clock, endWorlds, turn } from './world.mjs';

afterEach(endWorlds);

const isLater = (left, right) => BigInt(left) > BigInt(right);

/** What a device holds is what the server has there, and so is what it says of the rest. */
function checkWindow({ channel, server }) {
  const { cache, cache: { rest, messages } } = channel.sync;
  const isIn = (it) => rest.after === '0' || isLater(it, rest.after);
  const texts = (rows) => [...rows].map((it) => JSON.stringify(it)).sort();
  const sorted = (row) => Object.fromEntries(Object.entries(row).sort());
  assert.deepEqual(texts([...cache.rows].map(sorted)),
    texts(server.rows.filter((it) => isIn(it.messageTimetoken)).map(sorted)));
  assert.deepEqual(texts(messages.values()), texts(server.said.filter((it) => isIn(it.timetoken))));
  assert.ok(!isLater(rest.cursor, cache.cursor), 'no settled page');
  assert.deepEqual(rest.digest?.state, server.stateOf((it) => !isIn(it)));
}

/** Whether all that happened has come to a device that shows it. */
const isThere = ({ channel, server, socket }) => {
  const { cache, phase, staging } = channel.sync;
  return phase === 'live' && !staging && !cache.rest.isAll && cache.rest.digest !== null &&
    socket.model?.inbox.length === 0 && socket.model.late.length === 0 &&
    !isLater(cache.rest.cursor, cache.cursor) && !isLater(server.last, cache.cursor);
};

/** Something happens to the channel, which no device of these does. */
function happen(server, messages, random, mayDelete) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const dice = random();
  const key = () => ({ messageTimetoken: pick(messages), type: 'reaction',
    value: pick(['👍', '🔥']), ...random() < 0.2 ? { score: 4 } : {} });
  if (dice < 0.4) {
    messages.push(server.publish(pick(['zoe', 'max']), { payload: messages.length }).timetoken);
  } else if (dice < 0.8) {
    server.act(pick(['zoe', 'max']), random() < 0.6, key());
  } else if (dice < 0.88) {
    const own = messages.filter((it) => server.messages.get(it)?.i === 'zoe');
    if (own.length > 0) server.edit('zoe', { messageTimetoken: pick(own), payload: dice });
  } else if (dice < 0.9) {
    // About a message that was never there.
    server.act('zoe', true, { ...key(), messageTimetoken: String(BigInt(pick(messages)) + 3n) });
  } else if (mayDelete && dice < 0.95) {
    const at = Math.floor(random() * messages.length);
    server.delete(messages[Math.max(0, at - 1 - Math.floor(random() * 4))], messages[at]);
  } else if (mayDelete) {
    const { messageTimetoken, value } = key();
    server.clear(pick([{ messageTimetoken }, { value }, { uuid: 'zoe' }]));
  } else server.commitElsewhere();
}

function worldsOf(server, random, sizes) {
  const chance = (share) => () => random() < share;
  return sizes.map((size, i) => {
    const user = `user${i}`;
    const world = new World(server, user, {
      page: 1 + Math.floor(random() * 5), channel: { window: size },
      refuse: (op) => op !== 'hello' && random() < 0.01,
      isReplayed: chance(0.5), saysGone: chance(0.7), saysRest: chance(0.8),
      isElsewhere: chance(0.4), isAligned: chance(0.5),
      shift: () => random() < 0.5 ? 0 : Math.floor(random() * 7) - 2,
    });
    world.random = random;
    const slow = Math.floor(random() * 3);
    world.disk.latency = () => Math.floor(random() * slow);
    return world;
  });
}

/** Damages what a device has stored. */
async function corrupt(world, random) {
  const { rows, messages } = world.disk.channels.get('room') ??
    { rows: new Map(), messages: new Map() };
  for (const [key] of rows) if (random() < 0.3) rows.delete(key);
  for (const [key] of messages) if (random() < 0.3) messages.delete(key);
  await Promise.all(world.wishing);
  await world.reload();
}

/** One seed is one story. */
async function live(seed, { mayRestore = false, mayCorrupt = false, mayDelete = true, sizes }) {
  const random = generator(seed);
  const server = new Server();
  const messages = [server.publish('zoe', { payload: 'start' }).timetoken];
  for (let i = Math.floor(random() * 90); i > 0; i--) happen(server, messages, random, mayDelete);
  const worlds = worldsOf(server, random, sizes);
  const total = { pages: 0, shorter: 0, compared: 0 };
  let backup = null;
  const look = (world) => {
    const { sync } = world.channel;
    if (!mayCorrupt) assert.equal(sync.failures, 0, `${world.user} disagrees`);
    if (!isThere(world)) return;
    if (sync.cache.messages.size < world.held) total.shorter++;
    world.held = sync.cache.messages.size;
    checkWindow(world);
    total.compared++;
  };
  for (let step = 0; step < 150; step++) {
    const world = worlds[Math.floor(random() * worlds.length)];
    const dice = random();
    if (dice < 0.35) {
      happen(server, messages, random, mayDelete);
    } else if (dice < 0.42) {
      const { items } = world.channel;
      const { timetoken } = items[Math.floor(random() * items.length)] ?? { timetoken: null };
      if (timetoken) world.wish(world.channel.react(timetoken, '👍', random() < 0.6));
    } else if (dice < 0.45) {
      world.wish(world.channel.publish(`${world.user} ${step}`));
    } else if (dice < 0.52) {
      world.channel.older(1 + Math.floor(random() * 12)).then(() => total.pages++, () => {});
    } else if (dice < 0.54) {
      world.channel.window.verify();
      world.channel.asked();
    } else if (dice < 0.58) {
      world.cut();
    } else if (dice < 0.6) {
      world.isDown = !world.isDown;
      if (world.isDown) world.cut();
    } else if (dice < 0.62) {
      await Promise.all(world.wishing);
      await world.reload();
    } else if (dice < 0.63) {
      if (world.wishing.size > 0) await Promise.all(world.wishing);
      await world.crash();
    } else if (dice < 0.635) {
      server.collect();
    } else if (dice < 0.64) {
      for (const it of worlds) it.cut();
      server.restart();
    } else if (dice < 0.65 && mayCorrupt) {
      await corrupt(world, random);
    } else if (dice < 0.655 && mayRestore) {
      if (!backup || random() < 0.5) {
        backup = server.copy();
      } else {
        for (const it of worlds) it.cut();
        server.restore(backup);
        backup = null;
      }
    } else {
      for (let i = Math.floor(random() * 4); i > 0; i--) {
        world.deliver(1);
        look(world);
      }
      await clock.advance([0, 0, 1, 100, 1000][Math.floor(random() * 5)]);
    }
    if (random() < 0.2) await turn();
  }
  server.publish('zoe', { payload: 'end' });
  for (const world of [...worlds, ...worlds]) {
    world.isDown = false;
    world.options.shift = () => 0;
    for (const it of world.socket?.model?.late ?? []) it.by = 0;
    world.socket?.model?.flush();
    await world.settle();
    look(world);
  }
  for (const world of worlds) {
    assert.ok(world.channel.isVerified);
    checkWindow(world);
    assert.deepEqual(world.shown, world.channel.items);
    assert.equal(world.shown.length, world.channel.sync.cache.messages.size);
    const { size } = world.channel.window;
    const held = world.channel.items.length;
    const most = size.keeping + Math.max(16, size.keeping / 8) + 40;
    assert.ok(held <= most, `${held} are held`);
    if (world.channel.hasOlder) assert.ok(held >= size.last, `only ${held} are held`);
    world.client.close();
  }
  return total;
}

const seeds = Number(process.env.SEEDS ?? 30);
const start = Number(process.env.SYNC_SEED ?? 1);
const small = { last: 2, keeping: 3 };
const sizes = [small, { last: 5, keeping: 12 }, { last: 20, keeping: 1000 }];

for (const [name, options] of [
  ['a bad network, deletions and clearings', {}],
  ['nothing is deleted', { mayDelete: false }],
  ['restored backups', { mayRestore: true }],
  ['damaged caches', { mayCorrupt: true }],
]) {
  test(`random windows: ${name}`, async () => {
    const total = { pages: 0, shorter: 0, compared: 0 };
    const failed = [];
    for (let seed = start; seed < start + seeds; seed++) {
      try {
        const found = await live(seed, { sizes, ...options });
        for (const it of Object.keys(total)) total[it] += found[it];
      } catch (error) {
        failed.push(`SYNC_SEED=${seed}: ${process.env.STACKS ? error.stack : error.message}`);
      } finally {
        endWorlds();
      }
    }
    assert.deepEqual(failed, []);
    if (process.env.TOTALS) console.log(JSON.stringify(total));
    if (seeds >= 30) assert.ok(total.pages > 20 && total.compared > 150 && total.shorter > 0, JSON.stringify(total));
  });
}
