// A server of the application that does not answer: writes wait in order, and one alone harms none.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { HeldWrites } from '../shell/held-writes.js';
import { Server } from './model.mjs';
import { clock, endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

const failing = { status: 503, code: 'interceptor_failed', message: 'The server fails.' };

/** A world whose interceptor fails for some writes; time passes until nothing is tried for long. */
async function intercepted(refuse) {
  const server = new Server();
  const { world, timetoken } = await followed(server, { refuse, error: failing });
  world.random = () => 1;
  const pass = async (minutes) => {
    for (let seconds = 0; seconds < 60 * minutes; seconds++) {
      await clock.advance(1000);
      world.deliver();
    }
    await clock.advance(0);
    world.deliver();
  };
  const said = () => [...server.messages.values()].map(({ d }) => d).slice(1);
  return { server, world, timetoken, pass, said };
}

test('a message that fails again and again lets others pass, and is given up', async () => {
  const { world, pass, said } = await intercepted(
    (op, { payload }) => op === 'publish' && payload === 'poison');
  for (const payload of ['poison', 'one', 'two']) await world.channel.publish(payload);
  await pass(1);
  assert.deepEqual(said(), ['one', 'two']);
  assert.equal(world.problems.length, 1);
  assert.match(world.problems[0].message, /again and again/);
  await pass(5);
  assert.equal(world.client.waiting, 0);
  assert.equal(world.problems.length, 2);
  const { entry, error } = world.problems[1];
  assert.deepEqual([entry.payload, error.code], ['poison', 'interceptor_failed']);
  await world.channel.publish('three');
  await pass(0);
  assert.deepEqual(said(), ['one', 'two', 'three']);
});

test('while it fails for one channel or message, others do not wait at all', async () => {
  const { world, server, timetoken, pass } = await intercepted((op) => op === 'publish');
  await world.channel.publish('waits');
  await pass(0);
  await world.channel.react(timetoken, '👍');
  await pass(0);
  assert.equal(server.rows.length, 1);
});

test('an outage of any length costs no message, and none its place', async () => {
  let isDown = true;
  const { world, pass, said } = await intercepted((op) => isDown && op === 'publish');
  const payloads = Array.from({ length: 12 }, (_, i) => `number ${i}`);
  for (const payload of payloads) await world.channel.publish(payload);
  for (let i = 0; i < 30; i++) {
    await pass(1);
    if (i % 7 === 3) world.cut();
  }
  assert.equal(world.client.waiting, payloads.length);
  isDown = false;
  await pass(2);
  assert.deepEqual(said(), payloads);
  assert.equal(world.client.waiting, 0);
});

test('an outage after a poison leaves the others in their order', async () => {
  let isDown = false;
  const { world, pass, said } = await intercepted(
    (op, { payload }) => op === 'publish' && (isDown || payload === 'poison'));
  await world.channel.publish('poison');
  await world.channel.publish('before');
  await pass(1);
  isDown = true;
  const payloads = Array.from({ length: 5 }, (_, i) => `number ${i}`);
  for (const payload of payloads) await world.channel.publish(payload);
  await pass(10);
  isDown = false;
  await pass(2);
  assert.deepEqual(said(), ['before', ...payloads]);
});

test('reactions never pass each other', () => {
  const held = new HeldWrites();
  const entry = { kind: 'action', channel: 'room', mutation: 'm' };
  for (let i = 1; i < 40; i++) {
    assert.deepEqual(held.refused(entry), { tries: i, isOver: false, isNews: i === 5 });
    assert.equal(held.isAside(entry), false);
  }
});
