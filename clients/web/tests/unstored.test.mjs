// Messages that nobody stores: whoever published one has no item of it, whatever tells so.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Unstored } from '../core/unstored.js';
import { Server } from './model.mjs';
import { clock, endWorlds, followed, turn } from './world.mjs';

afterEach(endWorlds);

/** A world whose operator has stopped to store messages, and what it hears. */
async function unstoring(options) {
  const server = new Server();
  const { world } = await followed(server, options);
  server.keepsMessages = false;
  world.events = [];
  world.client.on('event', (it) => world.events.push(it.event.d));
  return { server, world };
}

/** What a published message made the server say: its event and the reply, in this order. */
async function said(world) {
  const { inbox } = world.socket.model;
  for (let i = 0; i < 100 && inbox.length < 2; i++) await turn();
  assert.deepEqual(inbox.map(({ id }) => id === undefined), [true, false]);
  return inbox;
}

/** Only what is stored shows, nothing waits, and so it stays. */
async function checkForGood(world) {
  await world.settle();
  world.check();
  const { entries } = await world.disk.outbox.change((it) => it);
  assert.deepEqual(entries, []);
  await world.reload();
  await world.settle();
  world.check();
}

for (const isReplyFirst of [false, true]) {
  test(`an event says that a message is not stored; the reply is first: ${isReplyFirst}`, async () => {
    const { world } = await unstoring();
    await world.channel.publish('typing');
    assert.equal(world.shown.length, 2, 'It is on its way.');
    const inbox = await said(world);
    if (isReplyFirst) inbox.reverse();
    await world.settle();
    assert.deepEqual(world.events, ['typing']);
    assert.deepEqual(world.shown.map(({ payload }) => payload), ['start']);
    await checkForGood(world);
  });
}

test('who missed the event hears from the next subscription that nothing is stored', async () => {
  for (const isReload of [false, true]) {
    const { world } = await unstoring();
    await world.channel.publish('typing');
    (await said(world)).shift();
    world.deliver();
    for (let i = 0; i < 20; i++) await turn();
    assert.equal(world.shown.length, 2);
    if (isReload) await world.reload();
    else world.cut();
    await clock.advance(1000);
    await checkForGood(world);
    endWorlds();
  }
});

test('what is stored stays, whatever of others is not', async () => {
  const { server, world } = await unstoring();
  server.keepsMessages = true;
  await world.channel.publish('kept');
  const inbox = world.socket.model.inbox;
  for (let i = 0; i < 100 && inbox.length < 2; i++) await turn();
  inbox.reverse();
  server.keepsMessages = false;
  server.publish('ada', { payload: 'of another device' });
  inbox.splice(1, 0, inbox.pop());
  const lengths = [];
  world.onChange = () => lengths.push(world.shown.length);
  await checkForGood(world);
  assert.ok(!lengths.includes(1), `${lengths}`);
  assert.deepEqual(world.events, ['of another device']);
});

test('what was heard is bounded, and about messages of this user', () => {
  const unstored = new Unstored();
  const event = (t, fields) => ({ f: 1, i: 'ada', p: { t: String(t) }, ...fields });
  const has = (t) => unstored.has({ kind: 'publish', acknowledged: String(t) });
  unstored.hear([event(1, { i: 'bob' }), event(2, { e: 1 }), event(3)], 'ada');
  assert.deepEqual([1, 2, 3].map(has), [false, false, true]);
  for (let t = 1000; t < 2000; t++) unstored.hear([event(t)], 'ada');
  assert.deepEqual([3, 1487, 1488, 1999].map(has), [false, false, true, true]);
  unstored.through = '100';
  assert.deepEqual([3, 100, 101].map(has), [true, true, false]);
  assert.equal(unstored.has({ kind: 'action', acknowledged: '3' }), false);
});
