// Names and texts that the daemon cannot take: refused where they come in, and costing only
// themselves where an earlier release let them in.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { ChannelCache } from '../core/cache.js';
import { checkChannel } from '../core/names.js';
import { SyncClient } from '../syncclient.js';
import { Server } from './model.mjs';
import { World, endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

const badChannels = [
  'team \ud83d', '\ude00 team', '', 'a,b', '*', 'a.*', 'a.*-pnpres', 'tab\t', 'a\0b', '\x7f', '\x85', null,
  undefined, 5, {}, 'x'.repeat(256), 'ü'.repeat(128),
];
const goodChannels = [
  'room', 'x'.repeat(255), 'ü'.repeat(127), '👍 team', ' ', 'a.b', 'room-pnpres', 'a/b', 'a*', 'a\\b',
  '.*.',
];

test('a channel has the name that the daemon takes, or is refused at the call', async () => {
  const { world } = await followed(new Server());
  const { length } = world.sent;
  for (const name of badChannels) {
    assert.throws(() => world.client.channel(name), /channel name/, String(name));
  }
  assert.equal(world.sent.length, length);
  for (const name of goodChannels) world.client.channel(name);
  await world.settle();
  world.check();
});

test('the README names the channels that are refused, and those that are not', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, refused, taken] = /Nor does it take\s([^;]*);([^.]*) are names\./.exec(readme) ?? [];
  const namesOf = (text) => [...text.matchAll(/`(.+?)`/g)].map(([, name]) => name);
  assert.ok(namesOf(refused).length > 2 && namesOf(taken).length > 2);
  for (const name of namesOf(refused)) {
    assert.throws(() => checkChannel(name), /is not \*, and has no \.\* or \.\*-pnpres/, name);
  }
  for (const name of namesOf(taken)) checkChannel(name);
});

test('nobody writes to presence, and what is written has names that the daemon takes', async () => {
  const { world, timetoken } = await followed(new Server());
  const presence = world.client.channel('room-pnpres');
  await world.settle();
  const { length } = world.sent;
  await assert.rejects(presence.publish('x'), /-pnpres/);
  await assert.rejects(presence.react(timetoken, '👍'), /-pnpres/);
  for (const messageType of ['', 'x'.repeat(65), 'ü'.repeat(33), '\ud83d', 'a\0', 5]) {
    await assert.rejects(world.channel.publish('x', { messageType }), /messageType/);
  }
  for (const type of ['', 'x'.repeat(65), '\ud83d', 'a\0']) {
    await assert.rejects(world.channel.react(timetoken, 'x', true, type), /type of a reaction/);
  }
  await assert.rejects(world.channel.react(timetoken, 'x\ud83d'), /half a character/);
  for (const [it, said] of [
    ['99999999999999999999999', /1 to 19 digits.*"9{23}"/], ['abc', /1 to 19 digits.*"abc"/],
    ['9223372036854775808', /up to 9223372036854775807/], ['', /1 to 19 digits.*""/],
    [17, /not number/], [null, /no timetoken yet/],
  ]) await assert.rejects(world.channel.react(it, '👍'), said);
  assert.deepEqual([world.client.waiting, world.sent.length - length], [0, 0]);
  await world.channel.publish('x', { messageType: 'x'.repeat(64) });
  await world.channel.publish('y', { messageType: null });
  await world.settle();
  world.check();
});

test('nobody writes into a directory but by its commands', async () => {
  const { world, timetoken } = await followed(new Server());
  const { length } = world.sent;
  const said = { name: 'TypeError', message: /is a directory, which Directory changes/ };
  for (const name of ['$users', '$channels', '$members:room', '$memberships:ada']) {
    const directory = world.client.channel(name);
    for (const write of [
      directory.publish('x'), directory.signal('x'), directory.edit(timetoken, 'x'),
      directory.delete(timetoken), directory.react(timetoken, '👍'),
      directory.react(timetoken, '👍', false), directory.toggle(timetoken, '👍'),
    ]) await assert.rejects(write, said, name);
    directory.leave();
  }
  assert.deepEqual([world.client.waiting, world.sent.slice(length).filter(
    ({ op }) => !/subscribe$/.test(op))], [0, []]);
  // The daemon takes these: they are no directories.
  for (const name of ['$', '$x', '$users2', '$members:', '$channels:room', 'x$users']) {
    await world.client.channel(name).publish('x');
  }
  await world.settle();
  assert.deepEqual(world.problems, []);
});

test('a payload and a meta may hold U+0000, and nothing else may', async () => {
  const { world, timetoken } = await followed(new Server());
  const payload = { 'a\0': 'x\0y', text: '\\u0000' };
  await world.channel.publish(payload, { meta: '\0' });
  await world.settle();
  world.check();
  assert.deepEqual([world.shown[1].payload, world.shown[1].meta], [payload, '\0']);
  await assert.rejects(world.channel.react(timetoken, 'a\0'), /U\+0000/);
  await assert.rejects(world.channel.publish('x', { messageType: 'a\0' }), /U\+0000/);
  await assert.rejects(world.channel.publish({ 'a\0': '\ud83d' }), /half a character/);
});

test('who connects has the names that the daemon takes', () => {
  const bad = ['', 'x'.repeat(256), 'team \ud83d', 'a\0', 5];
  for (const [option, values] of [
    ['userId', [...bad, null, undefined]], ['deviceId', bad], ['keyset', bad],
    ['batch', [-1, 1001, 0.5, '20', NaN]], ['coalesce', ['yes', 1]],
  ]) {
    for (const value of values) {
      const options = { url: 'ws://model/v1/sync', userId: 'ada', WebSocket: class {}, [option]: value };
      assert.throws(() => new SyncClient(options), new RegExp(option), `${option} ${value}`);
    }
  }
});

test('what an earlier release stored and nobody can send leaves as refused', async () => {
  const server = new Server();
  const { world } = await followed(server);
  world.isDown = true;
  world.cut();
  await world.channel.publish('before');
  const entry = (fields) => ({ kind: 'publish', sent: false, acknowledged: null, observed: null,
    channel: 'room', payload: 1, ...fields });
  await world.disk.outbox.change((entries) => [...entries,
    entry({ channel: 'team \ud83d', mutation: 'a' }),
    entry({ channel: 'room', mutation: 'b', payload: 'x'.repeat(40_000) }),
    entry({ kind: 'action', mutation: 'c', messageTimetoken: '17', type: '\ud83d', value: 'x',
      present: true, sent: true })]);
  await world.reload();
  assert.equal(world.client.waiting, 4);
  await world.channel.publish('after');
  const refused = [];
  world.client.on('refused', (it) => refused.push(it));
  world.isDown = false;
  await world.settle();
  world.problems.splice(0);
  world.check();
  assert.deepEqual(refused.map(({ entry: { mutation }, error }) => [mutation, error.code]).sort(),
    [['a', 'not_json'], ['b', 'frame_too_large'], ['c', 'not_json']]);
  assert.deepEqual(world.shown.map(({ payload }) => payload), ['start', 'before', 'after']);
  assert.equal(world.sockets.filter(({ model }) => model).length, 2, 'No other connection.');
  // For good.
  await world.reload();
  await world.settle();
  world.check();
});

test('a cache whose epoch is none begins anew, and is sent to nobody', async () => {
  for (const epoch of ['\ud83d', '', 'x'.repeat(65), 'a\n', 5, undefined]) {
    const { cache, isSound } = ChannelCache.load({ ...new ChannelCache().head, epoch }, [], []);
    assert.deepEqual([cache.epoch, isSound], [null, false], String(epoch));
  }
  const server = new Server();
  const { world } = await followed(server);
  world.client.channel('den');
  await world.settle();
  world.disk.channels.get('room').head.epoch = 'team \ud83d';
  await world.reload();
  await world.settle();
  world.check();
});
