// Tokens that a page gets each time: for each connection, and before the time of one is over.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
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
