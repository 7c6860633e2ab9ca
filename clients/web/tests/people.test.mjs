// A list of the people who reacted: the newest first, and each step of how it changes.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { changesBetween } from '../core/people.js';
import { Server, generator } from './model.mjs';
import { endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

const act = (server, user, isAdd, messageTimetoken, value, score) =>
  server.act(user, isAdd, { messageTimetoken, type: 'reaction', value, ...score ? { score } : {} });

/** Applies steps as a page does. */
function apply(list, changes) {
  for (const { kind, index, from, person } of changes) {
    if (kind === 'remove') list.splice(index, 1);
    if (kind === 'move') list.splice(from, 1);
    if (kind === 'update') list[index] = person;
    else if (kind !== 'remove') list.splice(index, 0, person);
  }
}

/** A list of people, what a page has built of its steps, and the kinds of the last ones. */
function sheetOf(world, timetoken, query) {
  const sheet = world.channel.people(timetoken, query);
  const seen = { sheet, shown: [], kinds: [] };
  sheet.observe((changes, people) => {
    apply(seen.shown, changes);
    seen.kinds = changes.map(({ kind }) => kind);
    assert.deepEqual(seen.shown, [...people]);
  });
  return seen;
}

const faces = (people) => people.map((it) => `${it.uuid} ${it.value}${it.pending ? ' …' : ''}`);

test('the newest first, of all values or one, and who is on the way before all', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  for (const [user, value] of [['bob', '👍'], ['eve', '❤️'], ['cy', '👍']]) {
    act(server, user, true, timetoken, value);
  }
  await world.settle();
  const [all, thumbs] = [sheetOf(world, timetoken), sheetOf(world, timetoken, { value: '👍' })];
  assert.deepEqual(faces(all.shown), ['cy 👍', 'eve ❤️', 'bob 👍']);
  assert.deepEqual(faces(thumbs.shown), ['cy 👍', 'bob 👍']);
  world.isDown = true;
  world.cut();
  await world.channel.react(timetoken, '❤️');
  assert.deepEqual(faces(all.shown), ['ada ❤️ …', 'cy 👍', 'eve ❤️', 'bob 👍']);
  assert.deepEqual([all.kinds, thumbs.shown.length], [['insert'], 2]);
  world.isDown = false;
  await world.settle();
  assert.deepEqual([all.kinds, all.shown[0].pending], [['update'], false]);
  act(server, 'bob', true, timetoken, '👍', 3);
  await world.settle();
  assert.deepEqual([faces(all.shown)[0], all.shown.length, all.shown[0].score], ['bob 👍', 4, 3]);
  act(server, 'cy', false, timetoken, '👍');
  await world.settle();
  assert.deepEqual([faces(thumbs.shown), thumbs.kinds], [['bob 👍'], ['remove']]);
  server.delete('0', timetoken);
  await world.settle();
  assert.deepEqual([all.shown, thumbs.shown], [[], []]);
});

test('so many as are asked for, and more', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  for (let i = 0; i < 30; i++) act(server, `user-${i}`, true, timetoken, '👍');
  await world.settle();
  const seen = sheetOf(world, timetoken, { limit: 2 });
  assert.deepEqual([faces(seen.shown), seen.sheet.isMore], [['user-29 👍', 'user-28 👍'], true]);
  act(server, 'user-29', false, timetoken, '👍');
  await world.settle();
  assert.deepEqual([faces(seen.shown), seen.kinds],
    [['user-28 👍', 'user-27 👍'], ['remove', 'insert']]);
  seen.sheet.more(100);
  assert.deepEqual([seen.shown.length, seen.sheet.isMore], [29, false]);
  assert.equal(sheetOf(world, timetoken).shown.length, 25);
  seen.sheet.end();
  act(server, 'user-28', false, timetoken, '👍');
  await world.settle();
  assert.equal(seen.shown.length, 29, 'Nobody is told any more.');
});

test('values by their other names; other types; and what is no list', async () => {
  const server = new Server();
  const { world, timetoken } = await followed(server);
  act(server, 'bob', true, timetoken, '❤️');
  server.act('eve', true, { messageTimetoken: timetoken, type: 'receipt', value: 'read' });
  await world.settle();
  const { cache } = world.channel.sync;
  cache.rules = { ...cache.rules, aliases: [{ name: 'love', value: '❤️' }] };
  const people = (query) => faces(world.channel.people(timetoken, query).people);
  assert.deepEqual(people({ value: 'love' }), ['bob ❤️']);
  assert.deepEqual(people({ type: 'receipt' }), ['eve read']);
  assert.deepEqual(world.channel.people('17').people, []);
  // Other names of the type, and an emoji as `react` spells it; what stands by the name itself, too.
  cache.rules = { ...cache.rules, types: ['receipt', 'reactions'] };
  act(server, 'cy', true, timetoken, '❤');
  await world.settle();
  assert.deepEqual(people({ type: 'reactions' }), ['cy ❤', 'bob ❤️']);
  assert.deepEqual(people({ type: 'reactions', value: 'love' }), ['bob ❤️']);
  assert.deepEqual(people({ type: 'receipt' }), ['cy ❤', 'eve read', 'bob ❤️']);
  assert.deepEqual(people({ value: ['❤'] }), ['cy ❤', 'bob ❤️']);
  assert.deepEqual(people({ value: '❤️' }), ['bob ❤️']);
  assert.deepEqual(people({ value: '👍' }), []);
  // The rules may come, or change, after the question.
  const sheet = world.channel.people(timetoken, { type: 'likes' });
  assert.deepEqual(sheet.people, []);
  cache.rules = { ...cache.rules, types: ['likes'] };
  act(server, 'dan', true, timetoken, '👍');
  await world.settle();
  assert.deepEqual(faces(sheet.people), ['dan 👍', 'cy ❤', 'bob ❤️']);
  for (const bad of [{ value: 5 }, { value: null }, { value: ['👍', 5] }, { type: 7 }]) {
    assert.throws(() => world.channel.people(timetoken, bad), TypeError, JSON.stringify(bad));
  }
  for (const bad of [{ value: [] }, { value: '' }, { type: '' }, { type: 'x'.repeat(65) }]) {
    assert.throws(() => world.channel.people(timetoken, bad), RangeError, JSON.stringify(bad));
  }
  assert.throws(() => world.channel.people(timetoken, 7), TypeError);
  assert.throws(() => world.channel.people(null), TypeError);
  assert.throws(() => world.channel.people(timetoken, { limit: 0 }), RangeError);
  assert.throws(() => world.channel.people(timetoken, { user: 'bob' }), TypeError);
});

test('steps lead from any list to any other', () => {
  const random = generator(7);
  const listOf = () => Array.from({ length: Math.floor(random() * 9) }, () => ({
    uuid: `u${Math.floor(random() * 12)}`, type: 'reaction', value: '👍',
    score: 1 + Math.floor(random() * 2), actionTimetoken: '5', pending: false,
  })).filter((it, i, all) => all.findIndex(({ uuid }) => uuid === it.uuid) === i);
  for (let i = 0; i < 2000; i++) {
    const [before, after] = [listOf(), listOf()];
    const shown = [...before];
    apply(shown, changesBetween(before, after));
    assert.deepEqual(shown, after);
  }
  const person = { type: 'x', value: 'y', score: 1, actionTimetoken: '5', pending: false };
  const [one, other] = [{ ...person, uuid: 'ada' }, { ...person, uuid: 'bob' }];
  const kinds = (...lists) => changesBetween(...lists).map(({ kind }) => kind);
  assert.deepEqual(kinds([one, other], [one, other]), []);
  assert.deepEqual(kinds([one, other], [other, one]), ['move']);
  assert.deepEqual(kinds([one], [{ ...one, score: 2 }]), ['update']);
});
