// Messages of one's own: edited and deleted, with their versions, and threads of replies.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { reactionsOf } from '../core/reactions.js';
import { isOfOtherTab } from '../shell/channel.js';
import { isSameItem } from '../core/item.js';
import { versionsOf } from '../core/versions.js';
import { Server } from './model.mjs';
import { World, endWorlds, followed, turn } from './world.mjs';

afterEach(endWorlds);

const faces = (world) => world.shown.map(({ payload, versions, isEdited }) =>
  [payload, versions, isEdited]);
const code = (expected) => (error) => error.code === expected;

/** Two devices, and a message of the first one's user. */
async function pair() {
  const server = new Server();
  const { timetoken } = server.publish('ada', { payload: { text: 'hi' } });
  const [ada, bob] = [new World(server, 'ada'), new World(server, 'bob')];
  for (const world of [ada, bob]) await world.settle();
  return { server, timetoken, ada, bob };
}

test('an edit shows at once, on the other device, and after a reload', async () => {
  const { timetoken, ada, bob } = await pair();
  const stored = ada.channel.edit(timetoken, { text: 'hello' });
  await ada.channel.ready;
  assert.deepEqual(faces(ada), [[{ text: 'hello' }, 1, true]]);
  await stored;
  for (const world of [ada, bob]) await world.settle();
  assert.deepEqual(faces(bob), [[{ text: 'hello' }, 1, true]]);
  const [sent] = ada.sent.filter(({ op }) => op === 'editMessage');
  assert.deepEqual([sent.messageTimetoken, sent.payload], [timetoken, { text: 'hello' }]);
  // From the cache, with no network in sight.
  for (const world of [ada, bob]) {
    world.isDown = true;
    await world.reload();
    assert.deepEqual(faces(world), [[{ text: 'hello' }, 1, true]], world.user);
    world.isDown = false;
    await world.settle();
    world.check();
  }
});

test('what was said before is said again, and what shows already is no edit', async () => {
  const { server, timetoken, ada, bob } = await pair();
  for (const text of ['one', 'two', 'one', 'one']) {
    await ada.channel.edit(timetoken, text);
    assert.equal(ada.shown[0].payload, text);
    await ada.settle();
  }
  assert.equal(ada.sent.filter(({ op }) => op === 'editMessage').length, 3);
  await bob.settle();
  assert.deepEqual(faces(bob), [['one', 2, true]]);
  assert.equal(server.shown(timetoken).payload, 'one');
  for (const world of [ada, bob]) world.check();
});

test('an old version is taken back as the action that it is', async () => {
  const { timetoken, ada, bob } = await pair();
  for (const text of ['one', 'two']) {
    await ada.channel.edit(timetoken, { text });
    await ada.settle();
  }
  const [{ value }] = ada.shown[0].actions;
  await ada.channel.react(timetoken, value, false, 'edited');
  assert.deepEqual(faces(ada), [[{ text: 'two' }, 1, true]]);
  for (const world of [ada, bob]) await world.settle();
  const { op, type } = ada.sent.filter(({ op: it }) => it.endsWith('Action')).pop();
  assert.deepEqual([op, type], ['removeAction', 'edited']);
  assert.deepEqual(faces(bob), [[{ text: 'two' }, 1, true]]);
  for (const world of [ada, bob]) world.check();
});

test('of edits that were not sent the last one is left; they outlive the page', async () => {
  const { timetoken, ada, bob } = await pair();
  ada.isDown = true;
  ada.cut();
  for (const text of ['one', 'two', 'three']) await ada.channel.edit(timetoken, text);
  assert.deepEqual([ada.client.waiting, ...faces(ada)], [1, ['three', 1, true]]);
  await ada.reload();
  assert.deepEqual([ada.client.waiting, ...faces(ada)], [1, ['three', 1, true]]);
  // Back to what it was: nothing is left to say.
  await ada.channel.edit(timetoken, { text: 'hi' });
  assert.deepEqual([ada.client.waiting, ...faces(ada)], [0, [{ text: 'hi' }, 0, false]]);
  await ada.channel.edit(timetoken, 'four');
  ada.isDown = false;
  for (const world of [ada, bob]) await world.settle();
  assert.deepEqual(faces(bob), [['four', 1, true]]);
  assert.equal(ada.sent.filter(({ op }) => op === 'editMessage').length, 1);
  ada.check();
});

test('edits of one message keep their order, also when one has to be sent again', async () => {
  const { timetoken, ada, bob } = await pair();
  let isBusy = true;
  ada.options.refuse = (op) => op === 'editMessage' && isBusy;
  await ada.channel.edit(timetoken, 'one');
  ada.deliver();
  await ada.channel.edit(timetoken, 'two');
  isBusy = false;
  for (const world of [ada, bob]) await world.settle();
  assert.deepEqual(faces(bob), [['two', 2, true]]);
  ada.check();
});

test('a deletion goes at once, everywhere, with what was said of the message', async () => {
  const { server, timetoken, ada, bob } = await pair();
  await bob.channel.react(timetoken, '👍');
  for (const world of [ada, bob]) await world.settle();
  ada.isDown = true;
  ada.cut();
  await ada.channel.react(timetoken, '🔥');
  await ada.channel.delete(timetoken);
  await ada.channel.delete(timetoken);
  assert.deepEqual([ada.shown, ada.client.waiting], [[], 2]);
  await assert.rejects(ada.channel.edit(timetoken, 'late'), code('no_such_message'));
  await ada.reload();
  assert.deepEqual(ada.shown, []);
  ada.isDown = false;
  for (const world of [ada, bob]) await world.settle();
  assert.deepEqual([bob.shown, server.rows], [[], []], 'The reaction was sent before.');
  assert.deepEqual(ada.sent.map(({ op }) => op).slice(-2), ['addAction', 'deleteMessage']);
  for (const world of [ada, bob]) world.check();
});

test('what is said of a message is sent before it is deleted, also again', async () => {
  const { server, timetoken, ada } = await pair();
  let refusals = 1;
  ada.options.refuse = (op) => op === 'addAction' && refusals-- > 0;
  ada.isDown = true;
  ada.cut();
  await ada.channel.react(timetoken, '🔥');
  await ada.channel.delete(timetoken);
  ada.isDown = false;
  await ada.settle();
  const writes = ada.sent.map(({ op }) => op).filter((op) => /Action|Message/.test(op));
  assert.deepEqual(writes, ['addAction', 'addAction', 'deleteMessage']);
  assert.deepEqual(server.rows, []);
  ada.check();
});

test('what the daemon refuses is taken back', async () => {
  const { timetoken, ada } = await pair();
  const error = { status: 403, code: 'deleting_disabled', message: 'Nobody deletes here.' };
  ada.options.refuse = (op) => op === 'deleteMessage' || op === 'editMessage';
  ada.options.error = error;
  await ada.channel.delete(timetoken);
  assert.deepEqual(ada.shown, []);
  await ada.settle();
  assert.deepEqual(faces(ada), [[{ text: 'hi' }, 0, false]]);
  await ada.channel.edit(timetoken, 'else');
  assert.deepEqual(faces(ada), [['else', 1, true]]);
  await ada.settle();
  assert.deepEqual(faces(ada), [[{ text: 'hi' }, 0, false]]);
  assert.deepEqual(ada.problems.splice(0).map((it) => [it.entry.kind, it.error]),
    [['delete', error], ['edit', error]]);
  ada.options.refuse = null;
  ada.check();
});

test("another user's message is refused at the call, and asked for where nobody knows", async () => {
  const { timetoken, bob } = await pair();
  const { length } = bob.sent;
  await assert.rejects(bob.channel.edit(timetoken, 'mine'), code('not_owner'));
  await assert.rejects(bob.channel.delete(timetoken), code('not_owner'));
  await assert.rejects(bob.channel.delete(null), TypeError);
  await assert.rejects(bob.channel.edit('x', 1), TypeError);
  await assert.rejects(bob.channel.edit(timetoken, () => {}), TypeError);
  await bob.settle();
  assert.equal(bob.sent.length, length);
  await bob.channel.edit('17', 'whose?');
  await bob.channel.delete('18');
  await bob.settle();
  assert.deepEqual(bob.problems.splice(0).map((it) => it.error.code), ['no_such_message']);
  bob.check();
});

test('a deletion that found nothing waits for the event of the one before', async () => {
  const { server, timetoken, ada } = await pair();
  // Another device was faster, and its event comes after the reply.
  server.deleteOne('ada', { messageTimetoken: timetoken });
  const steps = [];
  ada.onChange = (changes) => steps.push(...changes.map(({ kind }) => kind));
  await ada.channel.delete(timetoken);
  const { inbox } = ada.socket.model;
  while (!inbox.some(({ id }) => id !== undefined)) await turn();
  inbox.sort((left, right) => Number(right.id !== undefined) - Number(left.id !== undefined));
  assert.equal(inbox[0].ok.applied, 'absent');
  ada.deliver(1);
  for (let i = 0; i < 20; i++) await turn();
  assert.deepEqual(steps, ['remove']);
  await ada.settle();
  assert.deepEqual([steps, ada.channel.sync.cache.messages.size], [['remove'], 0]);
  ada.check();
});

test('versions are the author\'s, the newest one shows, and no JSON is a text', () => {
  const message = { timetoken: '5', uuid: 'ada', payload: 'hi' };
  const version = (value, actionTimetoken, type = 'edited') =>
    ({ type, value, uuid: 'ada', actionTimetoken });
  const found = (said, edits) => Object.values(versionsOf(message, said, edits));
  assert.deepEqual(found([]), [0, 'hi', false]);
  assert.deepEqual(found([version('so "it" is', '9'), version('"older"', '8')]),
    [2, 'so "it" is', false]);
  assert.deepEqual(found([version('null', '9'), version('.', '10', 'deleted')]), [1, null, true]);
  const edit = (value, acknowledged = null) => ({ kind: 'edit', value, acknowledged });
  assert.deepEqual(found([version('1', '9')], [edit('2'), edit('3')]), [3, 3, false]);
  assert.deepEqual(found([version('1', '9')], [edit('2', '8')]), [2, 1, false]);
  assert.deepEqual(found([version('2', '8'), version('1', '9')], [edit('2')]), [2, 2, false]);
  // Who walks through it would find no end; so deep the daemon takes no payload.
  const nested = (levels) => '['.repeat(levels) + ']'.repeat(levels);
  for (const [value, isText] of [
    [nested(32), false], [nested(33), true], [nested(16000), true],
    [JSON.stringify({ text: `"${'['.repeat(99)}` }), false],
    [JSON.stringify(Array(99).fill([])), false],
  ]) assert.equal(found([version(value, '9')])[1] === value, isText, value.slice(0, 80));
});

test('an item is another one when its author, parent or meta is', () => {
  const item = { payload: 1, uuid: 'ada', pending: false, timetoken: '5', versions: 0,
    isDeleted: false, threadCount: 0, parent: '3', meta: { a: 1 }, messageType: 'note' };
  assert.equal(isSameItem(item, { ...item, meta: { a: 1 } }), true);
  for (const it of [{ uuid: 'bob' }, { parent: '4' }, { meta: { a: 2 } }, { messageType: 'x' }]) {
    assert.equal(isSameItem(item, { ...item, ...it }), false);
  }
});

test('what is on its way is told from what another tab wrote', async () => {
  const { ada } = await pair();
  ada.channel.publish('mine');
  await turn();
  const { key } = ada.channel.items.at(-1);
  assert.match(key, /^[0-9a-f]{32}$/);
  const other = (key[0] === '9' ? '1' : '9') + key.slice(1);
  // A channel of a page's own has other keys.
  assert.deepEqual([key, other, '17952187953729271'].map(isOfOtherTab), [false, true, false]);
});

test('what chat SDKs write shows, and nobody else\'s', async () => {
  const { server, timetoken, bob } = await pair();
  const say = (user, type, value) =>
    server.act(user, true, { messageTimetoken: timetoken, type, value });
  say('ada', 'edited', 'by a chat SDK');
  say('bob', 'edited', 'not his');
  say('bob', 'deleted', '.');
  await bob.settle();
  assert.deepEqual(bob.shown.map((it) => [it.payload, it.versions, it.isDeleted]),
    [['by a chat SDK', 1, false]]);
  assert.equal(bob.shown[0].actions.length, 3);
  for (const item of [bob.shown[0], { ...bob.shown[0] }]) {
    assert.deepEqual(reactionsOf(item, 'bob'), [], 'Versions are no reactions.');
  }
  say('ada', 'reaction', '👍');
  await bob.settle();
  for (const item of [bob.shown[0], { ...bob.shown[0] }]) {
    assert.deepEqual(reactionsOf(item, 'bob').map((it) => it.value), ['👍']);
  }
  say('ada', 'deleted', '.');
  await bob.settle();
  assert.equal(bob.shown[0].isDeleted, true);
});

test('replies say whose they are, and are counted where they belong', async () => {
  const { server, timetoken, ada, bob } = await pair();
  await bob.channel.publish('me, too', { parent: timetoken });
  assert.equal(bob.shown.at(-1).parent, timetoken);
  await ada.channel.publish('and I', { parent: timetoken });
  for (const world of [ada, bob]) await world.settle();
  const counts = (world) => world.shown.map((it) => [it.parent, it.threadCount]);
  const expected = [[undefined, 2], [timetoken, 0], [timetoken, 0]];
  for (const world of [ada, bob]) {
    assert.deepEqual(counts(world), expected);
    world.check();
    world.isDown = true;
    await world.reload();
    assert.deepEqual(counts(world), expected, 'from the cache');
    world.isDown = false;
    await world.settle();
  }
  const reply = ada.shown.find(({ uuid, parent }) => uuid === 'ada' && parent === timetoken);
  await ada.channel.delete(reply.timetoken);
  assert.equal(ada.shown[0].threadCount, 1, 'at once');
  for (const world of [ada, bob]) await world.settle();
  assert.equal(bob.shown[0].threadCount, 1);
  server.delete('0', timetoken);
  for (const world of [ada, bob]) {
    await world.settle();
    assert.deepEqual(counts(world), [[timetoken, 0]]);
    world.check();
  }
  await assert.rejects(ada.channel.publish('x', { parent: 'y' }), TypeError);
});

test('a reply counts from when it shows, once, and no more when it is refused', async () => {
  const { timetoken, ada, bob } = await pair();
  const count = () => ada.shown[0].threadCount;
  ada.isDown = true;
  ada.cut();
  await ada.channel.publish('me, too', { parent: timetoken });
  await ada.channel.publish('and I', { parent: timetoken });
  assert.deepEqual([count(), ada.shown.length], [2, 3]);
  await ada.reload();
  assert.equal(count(), 2, 'from the outbox');
  const counts = [];
  ada.onChange = () => counts.push(count());
  ada.isDown = false;
  for (const world of [ada, bob]) await world.settle();
  assert.deepEqual([count(), bob.shown[0].threadCount], [2, 2]);
  assert.deepEqual(counts.filter((it, i) => it < (counts[i - 1] ?? 0) || it > 2), []);
  ada.onChange = null;
  // The event comes before the reply, so that the message may be another one that says the same.
  await ada.channel.publish('late', { parent: timetoken });
  assert.equal(count(), 3);
  for (let i = 0; i < 20; i++) await turn();
  const { inbox } = ada.socket.model;
  inbox.sort((left, right) => Number(left.id !== undefined) - Number(right.id !== undefined));
  while (inbox.length > 0) {
    ada.deliver(1);
    await turn();
    assert.deepEqual([count(), ada.shown.length], [3, 4]);
  }
  await ada.settle();
  assert.equal(count(), 3);
  ada.check();
  const error = { status: 403, code: 'no_permission', message: 'Nobody writes here.' };
  Object.assign(ada.options, { refuse: (op) => op === 'publish', error });
  await ada.channel.publish('refused', { parent: timetoken });
  assert.equal(count(), 4);
  await ada.settle();
  assert.deepEqual([count(), ada.problems.splice(0).length], [3, 1]);
  ada.options.refuse = null;
  ada.check();
});

test('an event with a parent that is none costs itself', async () => {
  const server = new Server();
  const { world } = await followed(server);
  server.publish('zoe', { payload: 'bad', parent: 'nobody' });
  server.publish('zoe', { payload: 'good', parent: '17' });
  world.deliver();
  assert.deepEqual(world.shown.map(({ payload, parent }) => [payload, parent]),
    [['start', undefined], ['good', '17']]);
  assert.match(world.problems.splice(0)[0].message, /parent is no timetoken/);
});
