// A device that the daemon does not let in: whoever waits for it hears so.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { RefusedError } from '../syncclient.js';
import { Server } from './model.mjs';
import { World, clock, endWorlds, followed, turn } from './world.mjs';

afterEach(endWorlds);

const unknown = { status: 404, code: 'unknown_keyset', message: 'There is no such keyset.' };

/** Until the daemon has said no, and all have heard it. */
async function answered(world) {
  for (let i = 0; i < 20; i++) {
    world.deliver();
    await turn();
  }
}

/** What each way to wait for a channel comes to. */
const waits = (channel) => Promise.allSettled(
  [channel.whenVerified(), channel.older(), channel.verify()]);

function assertRefused(outcomes, code) {
  for (const { status, reason } of outcomes) {
    assert.equal(status, 'rejected');
    assert.ok(reason instanceof RefusedError);
    assert.equal(reason.code, code);
  }
}

// Found by an attack: all three waited for ever, and the problem had no code.
test('who waits for a channel of a refused device hears why, before and after that', async () => {
  const world = new World(new Server(), 'ada', {
    channel: { window: { last: 3 } }, refuse: (op) => op === 'hello', error: unknown });
  const before = waits(world.channel);
  await answered(world);
  assert.equal(world.client.status, 'refused');
  assertRefused(await before, 'unknown_keyset');
  assertRefused(await waits(world.channel), 'unknown_keyset');
  assertRefused(await waits(world.client.channel('another')), 'unknown_keyset');
  const [problem, ...others] = world.problems;
  assert.deepEqual([problem.status, problem.code], [404, 'unknown_keyset']);
  assert.match(problem.message, /refused the device: There is no such keyset/);
  assert.deepEqual(others, []);
});

test('what the daemon said as it closed is told', async () => {
  const { world } = await followed(new Server(), { client: { token: 't' } });
  world.socket.onclose({ code: 1008, reason: 'token_expired: Your token has expired.' });
  await turn();
  assert.match(world.problems[0].message, /code 1008: token_expired: Your token has expired/);
  assertRefused(await Promise.allSettled([world.channel.verify()]), 'token_expired');
});

test('who comes back waits for nobody', async () => {
  let made = 0;
  const { world } = await followed(new Server(), { client: { token: () => `t${++made}` } });
  world.socket.onclose({ code: 1008, reason: 'Say hello.' });
  await turn();
  await assert.rejects(world.channel.verify(), /Say hello/);
  assert.match(world.problems.pop().message, /Say hello/);
  world.client.renewToken();
  const verified = world.channel.whenVerified();
  await world.settle();
  await verified;
  assert.equal(world.client.status, 'online');
  world.check();
});

// Found by an attack: a list began with the write that waited, and then jumped.
test('a page that is loaded anew shows what waits with what was there, not before', async () => {
  const { world } = await followed(new Server());
  world.cut();
  await world.channel.publish('on its way');
  const { disk } = world;
  await world.client.close();
  const again = new World(world.server, 'ada', { disk });
  const lengths = [];
  again.onChange = () => lengths.push(again.channel.items.length);
  await clock.advance(0);
  await turn();
  await again.settle();
  assert.equal(lengths.find((it) => it > 0), 2);
});

// Found by an attack: it subscribed again and again, and whoever waited was told nothing.
test('what is damaged on the server is told to who waits, and not asked for again', async () => {
  const server = new Server();
  let isDamaged = false;
  const { world, timetoken } = await followed(server, {
    refuse: (op) => isDamaged && op === 'repair',
    error: { status: 423, code: 'store_damaged', message: 'The database is damaged here.' } });
  world.cut();
  server.act('bob', true, { messageTimetoken: timetoken, type: 'reaction', value: '🔥' });
  server.collect();
  isDamaged = true;
  await clock.advance(1000);
  await answered(world);
  assert.match(world.channel.refusal.message, /damaged here/);
  const outcomes = [world.channel.whenVerified(), world.channel.verify()];
  for (const it of outcomes) it.catch(() => {});
  await answered(world);
  for (const it of outcomes) await assert.rejects(it, { code: 'store_damaged' });
  const subscribed = world.sent.filter(({ op }) => op === 'subscribe').length;
  for (let i = 0; i < 20; i++) {
    await clock.advance(1000);
    await answered(world);
  }
  assert.equal(world.sent.filter(({ op }) => op === 'subscribe').length, subscribed);
});
