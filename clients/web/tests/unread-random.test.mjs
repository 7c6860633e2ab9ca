// Random lives of two devices and two tabs of one user: what was read once is read, on all of them.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, generator } from './model.mjs';
import { Pair, endTabs } from './pair.mjs';
import { World, clock, turn } from './world.mjs';

afterEach(endTabs);

const later = (left, right) => BigInt(left) > BigInt(right) ? left : right;

/** What is unread on a device by definition, from what it shows. */
function byDefinition({ channel, shown, user }, through) {
  const { rest } = channel.sync.cache;
  const count = shown.filter(({ timetoken, uuid, isDeleted }) => timetoken !== null &&
    uuid !== user && !isDeleted && BigInt(timetoken) > BigInt(through ?? 0)).length;
  return { count, through,
    atLeast: rest.after !== '0' && BigInt(rest.after) > BigInt(through ?? 0) };
}

/** Looks at what each tab says: that its mark never goes back, and counts what it shows. */
class Witness {
  marks = new Map();
  looks = 0;

  look(tab) {
    const { unread } = tab.channel;
    if (unread === null) return;
    assert.deepEqual(unread, byDefinition(tab, unread.through));
    const before = this.marks.get(tab) ?? '0';
    assert.equal(later(before, unread.through ?? '0'), unread.through ?? '0', 'It went back.');
    this.marks.set(tab, unread.through ?? '0');
    this.looks++;
  }
}

/** Something happens that no device of these does. */
function happen(server, messages, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const dice = random();
  const messageTimetoken = pick(messages);
  if (dice < 0.7) {
    messages.push(server.publish(pick(['zoe', 'ada']), { payload: messages.length }).timetoken);
  } else if (dice < 0.85) {
    server.act('zoe', random() < 0.7,
      { messageTimetoken, type: pick(['reaction', 'deleted']), value: 'x' });
  } else if (server.messages.has(messageTimetoken)) {
    server.delete(String(BigInt(messageTimetoken) - 1n), messageTimetoken);
  }
}

/** One seed is one story. */
async function live(seed, window) {
  const random = generator(seed);
  const server = new Server();
  const messages = [server.publish('zoe', { payload: 'start' }).timetoken];
  for (let i = Math.floor(random() * 30); i > 0; i--) happen(server, messages, random);
  const channel = { unread: true, ...window && { window } };
  const pair = new Pair(server);
  await pair.open(undefined, {}, channel);
  const other = new World(server, 'ada', { channel, deviceId: 'ada-tablet',
    refuse: (op) => ['markRead', 'unread'].includes(op) && random() < 0.2 });
  const [leader, follower] = pair.tabs;
  const all = [leader, follower, other];
  const slow = Math.floor(random() * 4);
  for (const tab of all) tab.random = () => 0.1 + 0.8 * random();
  for (const { disk } of all) disk.latency = () => Math.floor(random() * slow);
  const witness = new Witness();
  let latest = '0';
  for (let step = 0; step < 120; step++) {
    const tab = all[Math.floor(random() * all.length)];
    const dice = random();
    if (dice < 0.2) {
      happen(server, messages, random);
    } else if (dice < 0.4) {
      const { items } = tab.channel;
      const { timetoken } = items[Math.floor(random() * items.length)] ?? { timetoken: null };
      if (timetoken !== null && tab.channel.isLoaded) {
        const isNewest = random() < 0.3;
        const through = isNewest ? items.findLast((it) => it.timetoken !== null).timetoken
          : timetoken;
        latest = later(through, latest);
        tab.wish(isNewest ? tab.channel.markRead() : tab.channel.markRead(timetoken));
      }
    } else if (dice < 0.45) {
      if (tab !== follower) tab.cut();
    } else if (dice < 0.5) {
      if (tab !== follower) {
        tab.isDown = !tab.isDown;
        if (tab.isDown) tab.cut();
      }
    } else if (dice < 0.53) {
      // Its wishes are stored: then the page may go in whatever way.
      await Promise.all(other.wishing);
      witness.marks.delete(other);
      await other.crash();
    } else {
      for (let i = Math.floor(random() * 4); i > 0; i--) {
        if (tab !== follower) tab.deliver(1);
        for (const it of pair.channels) if (random() < 0.5) it.hear();
      }
      await clock.advance([0, 0, 10, 300, 1000][Math.floor(random() * 5)]);
    }
    if (random() < 0.5) await turn();
    for (const it of all) witness.look(it);
  }
  other.options.refuse = undefined;
  await Promise.all(all.flatMap(({ wishing }) => [...wishing]));
  other.isDown = false;
  await pair.reconnect();
  // As long as what was refused may wait.
  for (let i = 0; i < 40; i++) {
    await clock.advance(1000);
    await other.settle();
    await pair.rest();
  }
  const known = server.marks.get('ada') ?? null;
  assert.equal(known ?? '0', latest, 'The daemon has the latest wish.');
  for (const it of all) {
    assert.deepEqual(it.channel.unread, byDefinition(it, known), it.options.deviceId);
    // While this test looks at one device, the daemon is silent to the other.
    assert.deepEqual(it.problems.filter(({ message }) => !/has not answered/.test(message)), []);
  }
  return witness.looks;
}

const seeds = Number(process.env.SEEDS ?? 30);
const start = Number(process.env.SYNC_SEED ?? 1);

for (const [name, window] of [['all of a channel', null], ['a window', { last: 3, keeping: 6 }]]) {
  test(`random readers: ${name}`, async () => {
    const failed = [];
    let looks = 0;
    for (let seed = start; seed < start + seeds; seed++) {
      try {
        looks += await live(seed, window);
      } catch (error) {
        failed.push(`SYNC_SEED=${seed}: ${process.env.STACKS ? error.stack : error.message}`);
      } finally {
        await endTabs();
      }
    }
    assert.deepEqual(failed, []);
    if (seeds >= 30) assert.ok(looks > 3000, `only ${looks} looks`);
  });
}
