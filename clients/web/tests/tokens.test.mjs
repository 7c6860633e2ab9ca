// Tokens that a page gets each time: for each connection, and before the time of one is over.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { tokenCodes } from '../core/replies.js';
import { Server } from './model.mjs';
import { clock, endWorlds, followed, turn, World } from './world.mjs';

afterEach(endWorlds);

/** Makes t1, t2 and so on. */
function source() {
  let made = 0;
  return async () => `t${++made}`;
}

/** Time passes, and the daemon answers. */
async function pass(world, seconds) {
  for (let i = 0; i < seconds; i++) {
    await clock.advance(1000);
    world.deliver();
    await turn();
  }
}

const shown = (world) => world.sent.flatMap(({ token }) => token ?? []);

test('a token of its own is shown in each hello, and never changes', async () => {
  const { world } = await followed(new Server(), { tokenExpires: 60, client: { token: 't' } });
  world.cut();
  await world.settle();
  await pass(world, 120);
  assert.deepEqual(shown(world), ['t', 't']);
  world.check();
});

test('another one is got before the end, and for each connection', async () => {
  const { world } = await followed(new Server(), {
    tokenExpires: 600, client: { token: source() } });
  assert.deepEqual(shown(world), ['t1']);
  await pass(world, 530);
  assert.deepEqual(shown(world), ['t1']);
  await pass(world, 15);
  assert.deepEqual(world.sent.filter(({ op }) => op === 'token').length, 1);
  assert.deepEqual(shown(world), ['t1', 't2']);
  world.cut();
  await world.settle();
  assert.deepEqual(shown(world), ['t1', 't2', 't3']);
  world.check();
});

test('what is closed or refused because of a token comes back with another', async () => {
  let refusals = 1;
  const { world } = await followed(new Server(), {
    refuse: (op) => op === 'hello' && refusals-- === 0,
    error: { status: 401, code: 'token_revoked', message: 'It was taken back.' },
    client: { token: source() } });
  world.socket.onclose({ code: 1008, reason: 'token_expired: Your token has expired.' });
  await world.settle();
  assert.equal(world.client.status, 'online');
  assert.deepEqual(shown(world), ['t1', 't2', 't3']);
  assert.match(world.problems[0].message, /taken back/);
});

test('without another one, or for another reason, the client stays away', async () => {
  for (const [token, reason] of [['t', 'token_expired: x'], [source(), 'Say hello.']]) {
    const { world } = await followed(new Server(), { client: { token } });
    world.socket.onclose({ code: 1008, reason });
    await turn();
    assert.equal(world.client.status, 'refused');
    endWorlds();
  }
});

// Found by an attack: the page's function gave another user's token once, and that was the end.
test('a client that was refused for good comes back with another token, when asked to', async () => {
  const { world } = await followed(new Server(), { client: { token: source() } });
  world.socket.onclose({ code: 1008, reason: 'token_of_another: Show your own.' });
  await turn();
  assert.equal(world.client.status, 'refused');
  world.client.renewToken();
  await world.settle();
  assert.equal(world.client.status, 'online');
  assert.deepEqual(shown(world), ['t1', 't2']);
  assert.match(world.problems.pop().message, /for good/);
  world.check();
});

test('a page that gets no token is asked again, and says why', async () => {
  let failures = 2;
  const world = new World(new Server(), 'ada', { client: { token: () => {
    if (failures-- > 0) throw new Error('The backend sleeps.');
    return 't';
  } } });
  await world.settle();
  assert.equal(world.client.status, 'online');
  assert.equal(world.problems.length, 2);
  assert.match(world.problems[0].message, /no token: The backend sleeps/);
});

test('a token that comes after the client was closed opens nothing', async () => {
  let give;
  const world = new World(new Server(), 'ada', { client: {
    token: () => new Promise((resolve) => { give = resolve; }) } });
  await turn();
  world.client.close();
  give('t');
  await turn();
  assert.deepEqual(world.sockets, []);
});

for (const code of tokenCodes) {
  test(`a write that is refused with ${code} goes out with the next session`, async () => {
    let isOver = false;
    const { world, timetoken } = await followed(new Server(), {
      refuse: (op) => isOver && op !== 'hello', error: { status: 401, code, message: 'No.' },
      client: { token: source() } });
    isOver = true;
    await world.channel.publish('hello');
    await world.channel.react(timetoken, '👍');
    world.deliver();
    await turn();
    assert.equal(world.client.waiting, 2);
    world.socket.onclose({ code: 1008, reason: `${code}: No.` });
    isOver = false;
    await world.settle();
    assert.equal(world.server.messages.size, 2);
    world.check();
  });
}

test('a write that is refused for its token goes out at once when another one is taken',
  async () => {
    let isOver = true;
    const { world } = await followed(new Server(), {
      refuse: (op) => {
        if (op === 'token') isOver = false;
        return isOver && op === 'publish';
      },
      error: { status: 401, code: 'token_expired', message: 'No.' },
      client: { token: source() } });
    await world.channel.publish('hello');
    await turn();
    world.deliver();
    await turn();
    assert.equal(world.server.messages.size, 1);
    world.client.renewToken();
    for (let i = 0; i < 3; i++) {
      await turn();
      world.deliver();
    }
    assert.equal(world.server.messages.size, 2);
    await world.settle();
    world.check();
  });

test('without another token a write stays for whoever comes with one', async () => {
  const options = {
    refuse: (op) => op === 'publish', error: { status: 401, code: 'token_expired', message: 'No.' },
    client: { token: 't1' } };
  const { world } = await followed(new Server(), options);
  await world.channel.publish('hello');
  await pass(world, 1);
  world.socket.onclose({ code: 1008, reason: 'token_expired: No.' });
  await turn();
  assert.deepEqual([world.client.status, world.client.waiting], ['refused', 1]);
  options.refuse = () => false;
  options.client = { token: 't2' };
  await world.reload();
  await world.settle();
  assert.deepEqual(shown(world), ['t1', 't2']);
  assert.equal(world.server.messages.size, 2);
  world.check();
});

test('a channel that a token did not allow is asked for again when another one is taken',
  async () => {
    let rights = 0;
    const world = new World(new Server(), 'ada', {
      refuse: (op) => {
        if (op === 'token') rights++;
        return op === 'subscribe' && rights < 2;
      },
      error: { status: 403, code: 'forbidden', message: 'It lacks read.' },
      client: { token: source() } });
    await pass(world, 2);
    assert.match(world.problems.splice(0)[0].message, /lacks read/);
    world.client.renewToken();
    await pass(world, 2);
    assert.equal(world.problems.splice(0).length, 1);
    world.client.renewToken();
    await world.settle();
    world.check();
    assert.deepEqual(shown(world), ['t1', 't2', 't3']);
    world.client.renewToken();
    await pass(world, 2);
    assert.equal(world.sent.filter(({ op }) => op === 'subscribe').length, 3);
  });

test('a page that never gives a token is given up, and asked again', async () => {
  const hung = [1, 3];
  let calls = 0;
  const token = () => hung.includes(++calls) ? new Promise(() => {}) : `t${calls}`;
  const world = new World(new Server(), 'ada', { tokenExpires: 600, client: { token } });
  await pass(world, 14);
  assert.deepEqual([world.client.status, world.problems.length], ['connecting', 0]);
  await pass(world, 2);
  assert.match(world.problems[0].message, /gave none within 15 s/);
  await world.settle();
  await pass(world, 598);
  assert.match(world.problems[1].message, /gave none within 15 s/);
  assert.deepEqual(shown(world), ['t2', 't4']);
});

test('what is no token is not shown, and the page is asked again', async () => {
  const bad = ['', 'x'.repeat(8193), 'a\0b', 7, undefined];
  const { length } = bad;
  const world = new World(new Server(), 'ada', {
    client: { token: () => bad.length > 0 ? bad.shift() : 'good' } });
  await world.settle();
  assert.deepEqual(shown(world), ['good']);
  assert.equal(world.problems.length, length);
  for (const { message } of world.problems) assert.match(message, /^There is no token: /);
});

test('one that is wanted while another one is on its way is got after it', async () => {
  const gives = [];
  const token = () => new Promise((resolve) => gives.push(resolve));
  const world = new World(new Server(), 'ada', { client: { token } });
  await turn();
  world.client.renewToken();
  gives[0]('t1');
  for (const next of ['t2', 't3']) {
    await pass(world, 1);
    world.client.renewToken();
    gives.at(-1)(next);
  }
  await pass(world, 1);
  gives.at(-1)('t4');
  await world.settle();
  assert.equal(gives.length, 4);
  assert.deepEqual(shown(world), ['t1', 't2', 't3', 't4']);
});

test('a client that waits connects when a token is wanted, and a closed one does nothing',
  async () => {
    const { world } = await followed(new Server(), { client: { token: source() } });
    world.random = () => 1;
    for (let i = 0; i < 4; i++) world.cut();
    world.client.renewToken();
    await clock.advance(500);
    await world.settle();
    assert.equal(shown(world).at(-1), 't2');
    await world.client.close();
    world.client.renewToken();
    await turn();
    assert.deepEqual(shown(world), ['t1', 't2']);
  });

test('with a token of its own there is nobody to ask', async () => {
  const { world } = await followed(new Server(), { client: { token: 't' } });
  assert.throws(() => world.client.renewToken(), /token is no function/);
});
