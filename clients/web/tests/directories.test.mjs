// Directories: entries as their messages come and go, and the commands that change them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { Entries, entryCommand } from '../core/directories.js';
import { isChannelName } from '../core/names.js';
import { Directory } from '../shell/directory.js';

const item = (timetoken, payload, messageType = '$entry') => ({ timetoken, messageType, payload });
const step = (kind, ...fields) => ({ kind, index: 0, item: item(...fields) });

test('another content takes the place of the one before, in either order', () => {
  for (const isFirst of [true, false]) {
    const entries = new Entries();
    entries.apply([step('insert', '1', { id: 'ada', name: 'Ada' })]);
    const news = [
      step('remove', '1', { id: 'ada', name: 'Ada' }), step('insert', '2', { id: 'ada', name: 'A' })];

    const changed = entries.apply(isFirst ? news : news.reverse());

    assert.deepEqual([...changed], ['ada']);
    assert.deepEqual(entries.get('ada'), { id: 'ada', name: 'A', timetoken: '2' });
    assert.equal(entries.size, 1);
    entries.apply([step('remove', '2', { id: 'ada', name: 'A' })]);
    assert.equal(entries.get('ada'), null);
  }
});

test('what is no entry is passed over', () => {
  const entries = new Entries();
  const changed = entries.apply([
    step('insert', '1', { id: 'ada' }, 'text'), step('insert', null, { id: 'ada' }),
    step('insert', '2', 7), step('insert', '3', { id: 7 }), step('insert', '4', null)]);
  assert.equal(changed.size, 0);
  assert.equal(entries.size, 0);
});

test('an entry is changed by the command of its directory', () => {
  const set = { name: 'A' };
  for (const [name, id, fields, expected] of [
    ['$users', 'ada', set, { op: 'setUser', userId: 'ada', set }],
    ['$users', 'ada', null, { op: 'removeUser', userId: 'ada' }],
    ['$channels', 'room', set, { op: 'setChannel', channel: 'room', set }],
    ['$channels', 'room', null, { op: 'removeChannel', channel: 'room' }],
    ['$members:a:b', 'ada', { status: 's' },
      { op: 'setMembers', channel: 'a:b', set: [{ userId: 'ada', status: 's' }] }],
    ['$members:room', 'ada', null, { op: 'setMembers', channel: 'room', remove: ['ada'] }],
    ['$memberships:ada', 'room', {},
      { op: 'setMemberships', userId: 'ada', set: [{ channel: 'room' }] }],
    ['$memberships:ada', 'room', null,
      { op: 'setMemberships', userId: 'ada', remove: ['room'] }],
  ]) assert.deepEqual(entryCommand(name, id, fields), expected);
  for (const name of ['room', '$users2', '$members', '$members:', 'x$users', '$other:x']) {
    assert.throws(() => entryCommand(name, 'ada', null), TypeError, name);
  }
});

test('the name of a directory may be longer by its first word', () => {
  const long = 'r'.repeat(255);
  for (const name of [long, `$members:${long}`, `$memberships:${long}`]) {
    assert.equal(isChannelName(name), true, name);
  }
  for (const name of [`${long}r`, `$members:${long}r`, `$members${long}`, `$channels:${long}`]) {
    assert.equal(isChannelName(name), false, name);
  }
});

test('a page hears of whom something else is known', async () => {
  let tell;
  const asked = [];
  const channel = {
    name: '$users',
    observe(callback) {
      callback([], []);
      tell = callback;
      return () => { tell = null; };
    },
    async ask(command) {
      asked.push(command);
      return { timetoken: '9' };
    },
  };
  const users = new Directory(channel);
  const heard = [];
  const end = users.observe((ids) => heard.push([...ids]));

  tell([step('insert', '1', { id: 'ada', name: 'Ada' })], []);
  tell([step('insert', '2', { text: 'no entry' })], []);

  assert.deepEqual(heard, [['ada']]);
  assert.equal(users.get('ada').name, 'Ada');
  assert.equal(await users.set('ada', { name: null }, { expected: '1' }), '9');
  assert.equal(await users.remove('ada'), undefined);
  assert.deepEqual(asked, [
    { op: 'setUser', userId: 'ada', set: { name: null }, expected: '1' },
    { op: 'removeUser', userId: 'ada' }]);
  await assert.rejects(users.set('', {}), RangeError);
  for (const none of [null, undefined, 'Ada', 7, true, [], [{ name: 'A' }], new Map(), new Date(),
    () => {}, new class Ada { name = 'Ada'; }()]) {
    await assert.rejects(users.set('ada', none), { name: 'TypeError', message: /remove takes/ });
  }
  assert.equal(asked.length, 2);
  // Of whatever window, and without a prototype.
  for (const fields of [runInNewContext('({})'), Object.create(null)]) await users.set('ada', fields);
  assert.deepEqual(asked.splice(2).map(({ set }) => set), [{}, {}]);
  end();
  tell([step('remove', '1', { id: 'ada' })], []);
  assert.equal(heard.length, 1);
  users.end();
  assert.equal(tell, null);
  assert.throws(() => new Directory({ ...channel, name: 'room' }), TypeError);
});
