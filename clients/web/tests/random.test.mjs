// Random worlds, each from its seed: they end equal, and what should stand still does.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, generator } from './model.mjs';
import { World, clock, endWorlds, turn } from './world.mjs';

afterEach(endWorlds);

/** Looks at every step of a list for what nobody did: things that go and come back. */
class Witness {
  /** What the user of this device wished, by message and value. */
  wishes = new Map();
  /** Those that were not seen to be on their way since. */
  renewed = new Set();
  /** Texts of own messages that were stored. */
  published = new Set();
  failures = [];

  constructor(world) {
    this.world = world;
    world.onChange = (changes) => this.look(changes);
    world.onOpen = () => this.begin();
    this.begin();
  }

  /** A new page has seen nothing yet. */
  begin() {
    /** How each item was, by its key. */
    this.items = new Map();
    /** The newest action of somebody else that was seen, and whether it has gone. */
    this.others = new Map();
  }

  wish(name, present) {
    this.wishes.set(name, present);
    this.renewed.add(name);
  }

  expect(isTrue, what) {
    if (!isTrue) this.failures.push(`${this.world.user}: ${what}`);
  }

  look(changes = []) {
    const { shown, user } = this.world;
    const keys = new Set(shown.map(({ key }) => key));
    this.expect(keys.size === shown.length, 'an item is there twice');
    for (const [key, item] of this.items) {
      this.expect(keys.has(key), `the item of ${item.payload} disappears`);
    }
    const places = shown.map(({ timetoken }) => timetoken ?? '~');
    this.expect(places.every((it, i) => i === 0 || places[i - 1] <= it), 'the order is wrong');
    // The list of a new page grows until it has all that was stored.
    for (const payload of this.world.channel.isLoaded ? this.published : []) {
      const count = shown.filter((it) => it.payload === payload).length;
      this.expect(count === 1, `${payload} is there ${count} times`);
    }
    for (const item of shown) this.lookAt(item, user);
    for (const { kind, item } of changes) {
      if (kind === 'insert') this.expect(!this.items.has(item.key), `${item.payload} comes again`);
    }
    this.items = new Map(shown.map((item) => [item.key, item]));
  }

  lookAt(item, user) {
    const before = this.items.get(item.key);
    if (before) {
      const isBack = before.timetoken !== null && item.timetoken !== before.timetoken;
      this.expect(!isBack, `${item.payload} is taken for another message`);
      this.expect(before.pending || !item.pending, `${item.payload} is on its way again`);
      this.expect(JSON.stringify([before.payload, before.meta]) ===
        JSON.stringify([item.payload, item.meta]), `${item.payload} changes`);
    }
    const actionOf = (it, uuid, value) =>
      it?.actions.filter((action) => action.uuid === uuid && action.value === value) ?? [];
    for (const value of ['👍', '🔥']) {
      const name = `${item.timetoken} ${value}`;
      const [own, ...more] = actionOf(item, user, value);
      this.expect(more.length === 0, `${name} is there twice`);
      const wished = this.wishes.get(name);
      if (wished !== undefined) this.expect(!!own === wished, `${name} should be ${wished}`);
      const [old] = actionOf(before, user, value);
      if (own && old && !old.pending && own.pending) {
        this.expect(this.renewed.delete(name), `${name} is on its way again`);
      }
      const [other] = actionOf(item, 'zoe', value);
      const known = this.others.get(name);
      if (other) {
        const isLater = !known || other.actionTimetoken > known.timetoken ||
          (other.actionTimetoken === known.timetoken && !known.isGone);
        this.expect(isLater, `zoe's ${name} comes back`);
        this.others.set(name, { timetoken: other.actionTimetoken, isGone: false });
      } else if (known) {
        known.isGone = true;
      }
    }
  }
}

/** What one seed makes happen; the caller says what may. */
async function live(seed, { mayRestore = false, mayDelete = false, mayCorrupt = false,
  mode = 'distinct', mayEdit = false, users = ['ada', 'bob'] }) {
  const steps = 120;
  const random = generator(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const server = new Server();
  server.mode = mode;
  const page = 1 + Math.floor(random() * 5);
  const refuse = (op) => op !== 'hello' && random() < 0.01;
  const first = server.publish('zoe', { payload: 'start' }).timetoken;
  const slow = pick([0, 0, 2, 5]);
  const worlds = users.map((user, i) => {
    const world = new World(server, user, { page, refuse, deviceId: `${user}-${i}` });
    world.random = random;
    world.disk.latency = () => Math.floor(random() * slow);
    return world;
  });
  const messages = [first];
  const isSteady = mode === 'distinct' && !mayRestore && !mayDelete && !mayCorrupt && !mayEdit &&
    users[0] !== users[1];
  const witnesses = new Map(worlds.map((world) => [world, isSteady ? new Witness(world) : null]));
  let backup = null;
  for (let step = 0; step < steps; step++) {
    const world = pick(worlds);
    const witness = witnesses.get(world);
    const dice = random();
    if (dice < 0.4) {
      const timetoken = pick(messages);
      const value = pick(['👍', '🔥']);
      const item = world.shown.find((it) => it.timetoken === timetoken);
      if (item) {
        const present = random() < 0.5;
        witness?.wish(`${timetoken} ${value}`, present);
        const score = mode !== 'distinct' && present && random() < 0.3 ? { score: 4 } : {};
        world.wish(world.channel.react(timetoken, { value, present, ...score }));
      }
    } else if (dice < 0.46) {
      const payload = `${world.user} ${step}`;
      world.wish(world.channel.publish(payload, pick([{}, { messageType: 'text' }])));
      witness?.published.add(payload);
    } else if (mayEdit && dice < 0.49) {
      const own = world.shown.filter((it) => it.uuid === world.user && it.timetoken !== null);
      const item = own.length > 0 ? pick(own) : null;
      const said = pick(['one', { two: 2 }, step]);
      if (item && random() < 0.2) world.wish(world.channel.delete(item.timetoken));
      else if (item) world.wish(world.channel.edit(item.timetoken, said));
      const parent = pick(messages);
      if (random() < 0.3) world.wish(world.channel.publish(`reply ${step}`, { parent }));
    } else if (dice < 0.51) {
      const key = { messageTimetoken: pick(messages), type: 'reaction', value: pick(['👍', '🔥']) };
      server.act('zoe', random() < 0.6, key);
    } else if (dice < 0.54) {
      messages.push(server.publish('zoe', { payload: step }).timetoken);
    } else if (dice < 0.58) {
      world.cut();
    } else if (dice < 0.61) {
      world.isDown = !world.isDown;
      if (world.isDown) world.cut();
    } else if (dice < 0.63) {
      await Promise.all(world.wishing);
      await world.reload();
    } else if (dice < 0.64) {
      // What was not stored is gone; the rest shows only once the page has it.
      if (world.wishing.size > 0) await Promise.all(world.wishing);
      await world.crash();
    } else if (dice < 0.66) {
      server.collect();
    } else if (dice < 0.67) {
      for (const it of worlds) it.cut();
      server.restart();
    } else if (dice < 0.69 && mayDelete) {
      const [after, through] = [pick(messages), pick(messages)].sort();
      server.delete(after, through);
    } else if (dice < 0.70 && mayCorrupt) {
      const { rows, messages: kept } = world.disk.channels.get('room') ??
        { rows: new Map(), messages: new Map() };
      for (const [key, row] of rows) {
        if (random() < 0.5) continue;
        if (random() < 0.5) rows.delete(key);
        else row.actionTimetoken = String(BigInt(row.actionTimetoken) + 1n);
      }
      for (const [timetoken, message] of [...kept]) {
        const made = String(BigInt(timetoken) + 3n);
        const damage = pick([() => {}, () => kept.delete(timetoken),
          () => kept.set(made, { ...message, timetoken: made }),
          () => kept.set(timetoken, { ...message, uuid: `${message.uuid}x` })]);
        damage();
      }
      await Promise.all(world.wishing);
      await world.reload();
    } else if (dice < 0.71 && mayRestore) {
      if (!backup || random() < 0.5) {
        backup = server.copy();
      } else {
        for (const it of worlds) it.cut();
        server.restore(backup);
        backup = null;
      }
    } else {
      world.deliver(Math.floor(random() * 4));
      await clock.advance(pick([0, 0, 1, 100, 1000]));
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
    // Where time passes and no frame, a client leaves its connection, and says so.
    world.problems = world.problems.filter(({ message }) => !/has not answered/.test(message));
    if (mayEdit) {
      // Another device of the user may have deleted what was edited here.
      world.problems = world.problems.filter(({ error }) => error?.code !== 'no_such_message');
    }
    world.check();
    witnesses.get(world)?.look();
    world.client.close();
  }
  const failures = [...witnesses.values()].flatMap((it) => it?.failures ?? []);
  assert.ok(failures.length === 0, failures.slice(0, 1).join());
  const { repairs, snapshots } = worlds[0].channel.sync;
  return { repairs, snapshots };
}

const seeds = Number(process.env.SEEDS ?? 40);
const start = Number(process.env.SYNC_SEED ?? 1);

for (const [name, options] of [
  ['toggles through a bad network never flicker, and end equal', {}],
  ['two devices of one user', { users: ['ada', 'ada'] }],
  ['reactions that take each other\'s place', { mode: 'unique' }],
  ['claps', { mode: 'multiple' }],
  ['totals, two devices of one user', { mode: 'total', users: ['ada', 'ada'], mayRestore: true }],
  ['deletions', { mayDelete: true }],
  ['edits, own deletions and replies', { mayEdit: true }],
  ['those of two devices of one user, and restored backups',
    { mayEdit: true, mayRestore: true, users: ['ada', 'ada'] }],
  ['damaged caches', { mayCorrupt: true }],
  ['restored backups', { mayRestore: true }],
  ['restored backups and deletions', { mayRestore: true, mayDelete: true }],
]) {
  test(`random worlds: ${name}`, async () => {
    const total = { repairs: 0, snapshots: 0 };
    const failed = [];
    for (let seed = start; seed < start + seeds; seed++) {
      try {
        const { repairs, snapshots } = await live(seed, options);
        total.repairs += repairs;
        total.snapshots += snapshots;
      } catch (error) {
        failed.push(`SYNC_SEED=${seed}: ${error.message}`);
      } finally {
        endWorlds();
      }
    }
    assert.deepEqual(failed, []);
    if (seeds >= 40) assert.ok(total.repairs > 0 && total.snapshots > 0, JSON.stringify(total));
  });
}
