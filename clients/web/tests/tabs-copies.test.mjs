// Two tabs of one device whose copies differ: none says that its own is right, and both heal.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { CacheOwnerError } from '../syncclient.js';
import { Server, generator } from './model.mjs';
import { Pair, endTabs, turns } from './pair.mjs';
import { endWorlds, turn } from './world.mjs';

afterEach(endTabs);

const thumb = (messageTimetoken) => ({ messageTimetoken, type: 'reaction', value: '👍' });

/** Two tabs of a channel with messages that have a reaction each. */
async function settled(count = 12, channel = {}) {
  const server = new Server();
  for (let i = 0; i < count; i++) {
    const { timetoken } = server.publish('zoe', { payload: i });
    server.act('zoe', true, thumb(timetoken));
  }
  const pair = new Pair(server);
  await pair.open(undefined, undefined, channel);
  await pair.rest();
  return { server, pair };
}

/** What the server came to, ever: what a tab that calls itself verified has to have. */
class States {
  #known = new Set();
  wrong = [];

  constructor(server) {
    this.server = server;
    this.note();
  }

  note() {
    const { n, d } = this.server.state;
    this.#known.add(`${n} ${d}`);
  }

  look({ channel }) {
    const { tally: { digest }, rest, state } = channel.sync.cache;
    const { n, d } = rest.isPart && state ? state : digest.state;
    if (channel.isVerified && !this.#known.has(`${n} ${d}`)) this.wrong.push(`${n} ${d}`);
    const isShort = !rest.isPart && channel.isVerified && channel.items.length <
      channel.sync.cache.messages.size;
    if (isShort) this.wrong.push(`${channel.items.length} items`);
  }

  /** Looks whenever a tab says that it is verified. */
  watch(tab) {
    const { channel } = tab;
    const tell = channel.tellVerified.bind(channel);
    channel.tellVerified = () => {
      this.look(tab);
      tell();
    };
  }
}

/** The following tab's page is loaded anew. */
async function reopen(pair, states) {
  const [, follower] = pair.tabs;
  follower.client.close();
  await pair.rest();
  follower.open();
  states?.watch(follower);
  await pair.rest();
  return follower;
}

/** Both tabs and the disk have what the server has, and say so. */
function checkHealed(pair, story) {
  const { server, tabs, disk } = pair;
  for (const { channel, shown, problems } of tabs) {
    assert.ok(channel.isVerified, story);
    assert.deepEqual(channel.sync.cache.tally.digest.state, server.state, story);
    assert.deepEqual(shown, channel.items, story);
    assert.deepEqual(shown.map(({ payload }) => payload),
      [...server.messages.keys()].map((it) => server.shown(it).payload), story);
    assert.deepEqual(problems, [], story);
  }
  const { head, rows, messages } = disk.channels.get('room');
  assert.deepEqual({ n: head.count, d: head.digest }, server.state, story);
  assert.equal(rows.size + messages.size, server.state.n, story);
  assert.equal(head.version, tabs[0].channel.sync.cache.version, story);
}

for (const isPushed of [false, true]) {
  test(`a database that is deleted under two tabs is whole again: ${isPushed}`, async () => {
    const { server, pair } = await settled();
    const states = new States(server);
    pair.disk.clear();
    if (isPushed) {
      // It would be the only one that the store has.
      server.publish('zoe', { payload: 'next' });
      states.note();
      await pair.rest();
    }
    const follower = await reopen(pair, states);
    assert.deepEqual(states.wrong, []);
    checkHealed(pair, 'opened anew');
    server.publish('zoe', { payload: 'last' });
    states.note();
    await pair.rest();
    checkHealed(pair, 'pushed');
    assert.deepEqual(states.wrong, []);
    assert.equal(pair.tabs[0].sockets.length, 1);
    assert.equal(follower.sockets.length, 0);
  });
}

test('what a store has lost is stored again with the next push, whoever follows', async () => {
  const { server, pair } = await settled();
  pair.disk.clear();
  server.publish('zoe', { payload: 'next' });
  await pair.rest();
  checkHealed(pair, 'pushed');
});

/** What may become of what is stored, beside a tab that has it right. */
const damages = {
  'a lost row': ({ rows }) => rows.delete([...rows.keys()][3]),
  'an altered row': ({ rows }) => {
    const key = [...rows.keys()][3];
    rows.set(key, { ...rows.get(key), value: '👎' });
  },
  'a row that is none': ({ rows }) => rows.set([...rows.keys()][3], 'garbage'),
  'a lost message': ({ messages }) => messages.delete([...messages.keys()][3]),
  'a head that is none': (it) => { it.head = { cursor: 7 }; },
  'an older head': (it) => { it.head = { ...it.head, version: it.head.version - 1 }; },
  'an older version': (it) => {
    it.head = { ...it.head, version: it.head.version - 1, count: it.head.count - 1 };
    it.messages.delete([...it.messages.keys()].at(-1));
  },
};

for (const [damage, work] of Object.entries(damages)) {
  test(`${damage} under a following tab heals while the one that connects lives`, async () => {
    const { server, pair } = await settled();
    server.publish('zoe', { payload: 'one more' });
    await pair.rest();
    const states = new States(server);
    work(pair.disk.channels.get('room'));
    await reopen(pair, states);
    assert.deepEqual(states.wrong, []);
    checkHealed(pair, damage);
    const { sent } = pair.tabs[0];
    assert.equal(sent.filter(({ op }) => op === 'subscribe').length, 1, 'What it has is right.');
    const { writes } = pair.disk;
    server.publish('zoe', { payload: 'next' });
    await pair.rest();
    checkHealed(pair, 'pushed');
    assert.equal(pair.disk.writes, writes + 1, 'And is not stored whole again.');
  });
}

test('a copy that differs in memory is told anew', async () => {
  const { server, pair } = await settled();
  const [, follower] = pair.tabs;
  const { cache } = follower.channel.sync;
  cache.dropMessage([...cache.messages.keys()][2]);
  server.publish('zoe', { payload: 'next' });
  pair.tabs[0].deliver();
  for (let i = 0; i < 50 && pair.channels[1].inbox.length === 0; i++) await turn();
  pair.channels[1].hear();
  assert.equal(follower.channel.isVerified, false);
  await pair.rest();
  checkHealed(pair, 'told');
});

test('a copy that cannot come to what was told is not asked for without end', async () => {
  const { server, pair } = await settled();
  const [leader, follower] = pair.tabs;
  const [, heard] = pair.channels;
  const { onmessage } = heard;
  // As between two releases that hash in different ways.
  heard.onmessage = ({ data }) => {
    if (data.patch) data.patch.head.digest = 'f'.repeat(32);
    onmessage({ data });
  };
  const { version } = leader.channel.sync.cache;
  for (let i = 0; i < 5; i++) {
    server.publish('zoe', { payload: 'next' });
    await pair.rest();
  }
  assert.equal(follower.channel.isVerified, false);
  assert.equal(leader.channel.sync.cache.version, version + 6, 'It was told whole once.');
});

test('a window that differs under a following tab heals as well', async () => {
  const { server, pair } = await settled(12, { window: { last: 3, keeping: 20 } });
  const states = new States(server);
  for (const isDeleted of [false, true]) {
    if (isDeleted) pair.disk.clear();
    else pair.disk.channels.get('room').rows.clear();
    const follower = await reopen(pair, states);
    assert.deepEqual(states.wrong, []);
    assert.ok(follower.channel.isVerified);
    assert.deepEqual(follower.shown, pair.tabs[0].shown);
    assert.equal(follower.shown.length, 3);
  }
});

test('a tab that takes over from an empty store becomes a fresh device', async () => {
  const { server, pair } = await settled();
  const [, follower] = pair.tabs;
  // The other one has heard of a version that the store has no longer.
  server.publish('zoe', { payload: 'next' });
  await pair.rest();
  pair.disk.clear();
  pair.tabs[0].client.close();
  pair.tabs.reverse();
  await pair.rest();
  pair.tabs.length = 1;
  assert.equal(follower.channel.sync.snapshots, 1);
  checkHealed(pair, 'taken over');
});

test('a tab of a store that was begun anew has the id of the tab that connects', async () => {
  const { pair } = await settled();
  const kept = [];
  pair.tabs[0].store.keepDeviceId = async (id) => kept.push(id);
  const [, follower] = pair.tabs;
  pair.disk.clear();
  follower.options.deviceId = 'begun anew';
  await reopen(pair);
  assert.deepEqual(pair.tabs.map(({ client }) => client.deviceId), ['ada-phone', 'ada-phone']);
  assert.deepEqual(kept, ['ada-phone']);
});

const seeds = Number(process.env.SEEDS ?? 40);

test('random tabs over a store that loses what it has: what is verified is right', async () => {
  const start = Number(process.env.SYNC_SEED ?? 1);
  for (let seed = start; seed < start + seeds; seed++) {
    const story = `SYNC_SEED=${seed}`;
    const random = generator(seed);
    const upTo = (count) => Math.floor(random() * count);
    const { server, pair } = await settled(5 + upTo(20));
    const states = new States(server);
    pair.disk.latency = () => upTo(4);
    const [leader, follower] = pair.tabs;
    for (let i = 0, left = 25; left > 0 || i < 300; i++) {
      const dice = left > 0 ? upTo(30) : 30;
      if (dice < 6) left--;
      const stored = pair.disk.channels.get('room');
      if (dice < 2) server.publish('zoe', { payload: i });
      else if (dice < 3) pair.disk.clear();
      else if (dice < 4 && stored?.rows.size > 3) damages['a lost row'](stored);
      else if (dice < 5 && stored?.messages.size > 3) damages['a lost message'](stored);
      else if (dice < 6) {
        follower.client.close();
        await turns(upTo(20));
        follower.open();
        states.watch(follower);
      }
      states.note();
      if (upTo(3) === 0) leader.deliver(1 + upTo(2));
      for (const it of pair.channels) if (upTo(4) === 0) it.hear();
      await turn();
      for (const it of pair.tabs) states.look(it);
    }
    await pair.rest();
    server.publish('zoe', { payload: 'last' });
    states.note();
    await pair.rest();
    assert.deepEqual(states.wrong, [], story);
    // A page that is loaded now reads what is stored.
    await reopen(pair, states);
    checkHealed(pair, story);
    assert.deepEqual(states.wrong, [], story);
    endWorlds();
    await turns(30);
  }
});

test('a tab whose cache somebody else began anew leaves it, and the lock with it', async () => {
  const { server, pair } = await settled();
  const [leader, follower] = pair.tabs;
  // In the store of before there is somebody else's by now.
  const refusal = new CacheOwnerError('me', { userId: 'eve', keyset: null });
  for (const kind of ['change', 'write', 'load']) leader.store[kind] = () => Promise.reject(refusal);
  pair.disk.clear();
  follower.client.close();
  await pair.rest();
  follower.user = 'eve';
  follower.open();
  await follower.channel.ready;
  const heard = [];
  follower.channel.observe((changes) => heard.push(...changes));
  const asked = follower.channel.hereNow().catch(({ code }) => code);
  pair.channels[1].inbox.push({ kind: 'patch', owner: '["ada",null]', patch: {} });
  for (let i = 0; i < 5; i++) pair.channels[1].hear();
  assert.deepEqual(heard, []);
  await turns(20);
  for (let i = 0; i < 100 && pair.channels.length > 1; i++) {
    for (const it of pair.channels) it.hear();
    await turn();
  }
  assert.equal(leader.client.status, 'refused');
  assert.equal(leader.socket.isClosed, true);
  await assert.rejects(leader.channel.whenVerified(), refusal);
  await assert.rejects(leader.channel.publish('mine'), refusal);
  pair.tabs.reverse();
  await pair.rest();
  assert.equal(await asked, 'offline');
  assert.deepEqual(follower.sent[0].userId, 'eve');
  assert.ok(follower.channel.isVerified);
  assert.equal(follower.channel.items.length, server.messages.size);
});
