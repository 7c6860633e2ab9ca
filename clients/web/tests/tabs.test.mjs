// Two tabs of one device: what the disk, the other tab and the daemon tell comes in any order.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, generator } from './model.mjs';
import { Pair, endTabs, turns } from './pair.mjs';
import { clock, endWorlds, turn } from './world.mjs';

afterEach(endTabs);

/** What a tab was told since it opened. */
const kindsOf = ({ steps }) => steps.map(({ kind }) => kind);

for (const isReplyFirst of [true, false]) {
  for (let heard = 0; heard < 5; heard++) {
    const order = `${isReplyFirst ? 'reply' : 'push'} first, ${heard} messages heard`;
    test(`a message stays when the disk is ahead of the other tab: ${order}`, async () => {
      const pair = new Pair(new Server());
      await pair.open();
      const [first, second] = pair.tabs;
      await second.channel.publish('mine');
      while (first.socket.model.inbox.length < 2) {
        pair.channels[0].hear();
        await turn();
      }
      const { inbox } = first.socket.model;
      if ((inbox[0].id !== undefined) !== isReplyFirst) inbox.reverse();
      for (let i = 0; i < 2; i++) {
        first.deliver(1);
        await turns(10);
      }
      for (let i = 0; i < heard; i++) {
        pair.channels[1].hear();
        await turns(5);
      }
      // To store this, the tab reads an outbox that the message has left.
      await second.channel.publish('and this');
      await pair.rest();
      pair.check(order);
      assert.equal(new Set(second.steps.map(({ item }) => item.key)).size, 2);
    });
  }
}

test('a message stays when the disk is behind the other tab', async () => {
  for (const isAnswered of [false, true]) {
    const pair = new Pair(new Server());
    let late = 0;
    await pair.open((tab) => tab === 1 ? late : 0);
    const [first, second] = pair.tabs;
    late = 100;
    await first.channel.publish('mine');
    // The second tab reads what the outbox has now, and gets it when it knows the message.
    if (!isAnswered) pair.channels[1].hear();
    while (first.socket.model.inbox.length < 2) await turn();
    if (first.socket.model.inbox[0].id !== undefined) first.socket.model.inbox.reverse();
    first.deliver(1);
    await turns(10);
    if (isAnswered) {
      const { write } = first.store;
      first.store.write = (patch) => turns(5).then(() => write(patch));
      first.deliver(1);
      while (pair.channels[1].inbox.length > 0) pair.channels[1].hear();
      await turns(10);
    }
    while (pair.channels[1].inbox.length > 0) pair.channels[1].hear();
    assert.deepEqual(kindsOf(second), ['insert']);
    await turns(200);
    assert.deepEqual(kindsOf(second), ['insert']);
    first.deliver();
    await pair.rest();
    await turns(200);
    await pair.rest();
    pair.check(`answered: ${isAnswered}`);
    endWorlds();
    await turns(200);
  }
});

for (const [canceller, waiter] of [[0, 1], [1, 0]]) {
  for (const present of [true, false]) {
    const name = `tab ${canceller} takes back what tab ${waiter} wished: ${present}`;
    test(`a wish that was not sent shows in no tab any longer: ${name}`, async () => {
      const server = new Server();
      const { timetoken } = server.publish('zoe', { payload: 'start' });
      const pair = new Pair(server);
      await pair.open();
      if (!present) await pair.tabs[0].channel.react(timetoken, '👍');
      await pair.rest();
      pair.disconnect();
      const actionsOf = () => pair.tabs.map(({ shown }) => shown[0].actions.length);
      await pair.tabs[waiter].channel.react(timetoken, '👍', present);
      await pair.rest();
      assert.deepEqual(actionsOf(), present ? [1, 1] : [0, 0]);
      await pair.tabs[canceller].channel.react(timetoken, '👍', !present);
      await pair.rest();
      assert.deepEqual(actionsOf(), present ? [0, 0] : [1, 1]);
      assert.deepEqual(pair.tabs.map(({ client }) => client.waiting), [0, 0]);
      await pair.reconnect();
      pair.check(name);
    });
  }
}

test('a message that nobody stores is an item in no tab', async () => {
  const server = new Server();
  server.keepsMessages = false;
  const pair = new Pair(server);
  await pair.open();
  for (const { channel } of pair.tabs) await channel.publish('typing');
  await pair.rest();
  for (const { shown, client, steps } of pair.tabs) {
    assert.deepEqual([shown, client.waiting], [[], 0]);
    assert.ok(steps.length > 0);
  }
  assert.deepEqual((await pair.disk.outbox.change((it) => it)).entries, []);
});

for (const size of [undefined, { last: 5 }]) {
  const name = size ? 'a window' : 'a whole channel';
  test(`every tab is verified again when the connection is back: ${name}`, async () => {
    const server = new Server();
    server.isPrompt = true;
    const pair = new Pair(server);
    await pair.open(undefined, {}, size && { window: size });
    const verified = () => pair.tabs.map(({ channel }) => channel.isVerified);
    for (const count of [0, 1, 3]) {
      for (let n = 0; n < count; n++) server.publish('zoe', { payload: n });
      await pair.rest();
      assert.deepEqual(verified(), [true, true]);
      pair.disconnect();
      await pair.rest();
      assert.deepEqual(verified(), [false, false]);
      await pair.reconnect();
      await pair.rest();
      assert.deepEqual(verified(), [true, true], `${count} messages`);
    }
  });
}

test('a tab asks through the one that connects, and is seen through it', async () => {
  const pair = new Pair(new Server());
  await pair.open();
  await pair.rest();
  const [leader, follower] = pair.tabs;
  const answers = [];
  const ask = (promise) => promise.then((it) => answers.push(it), (it) => answers.push(it.code));
  ask(follower.channel.hereNow({ limit: 1 }));
  ask(follower.channel.signal(1));
  await pair.rest();
  assert.deepEqual(answers.map((it) => it.next ?? typeof it), [1, 'string']);

  follower.client.channel('room', { presence: true });
  await pair.rest();
  const { channels: [{ presence }] } = leader.sent.filter(({ op }) => op === 'subscribe').at(-1);
  assert.equal(presence, true);

  pair.disconnect();
  ask(follower.channel.signal(1));
  await pair.rest();
  assert.equal(answers.at(-1), 'offline');
});

const seeds = Number(process.env.SEEDS ?? 40);

test('a tab that wants another token has the one that connects get it', async () => {
  const pair = new Pair(new Server());
  let made = 0;
  await pair.open(undefined, { token: () => `t${++made}` });
  await pair.rest();
  pair.tabs[1].client.renewToken();
  await pair.rest();
  const shown = pair.tabs.map(({ sent }) => sent.flatMap(({ token }) => token ?? []));
  assert.deepEqual(shown, [['t1', 't2'], []]);
});

/** Two tabs with a window of a channel that has 12 messages. */
async function windows(late) {
  const server = new Server();
  for (let i = 0; i < 12; i++) server.publish('zoe', { payload: i });
  const pair = new Pair(server);
  await pair.open(late, undefined, { window: { last: 3, keeping: 20 } });
  await pair.rest();
  return pair;
}

/** What tabs show, by their payloads. */
const payloadsOf = ({ tabs }) => tabs.map(({ shown }) => shown.map(({ payload }) => payload));

test('older messages that a tab wants come to all, and are there when it hears', async () => {
  for (const late of [undefined, () => 3]) {
    const pair = await windows(late);
    const [leader, follower] = pair.tabs;
    assert.deepEqual(payloadsOf(pair), [[9, 10, 11], [9, 10, 11]]);
    let seen = 0;
    const older = follower.channel.older(3).then((it) => {
      seen = follower.shown.length;
      return it;
    });
    await pair.rest();
    assert.equal(await older, 'more');
    assert.equal(seen, 6);
    assert.ok(follower.channel.hasOlder && follower.channel.isVerified);
    const others = leader.channel.older(50);
    await pair.rest();
    assert.equal(await others, 'beginning');
    assert.deepEqual(payloadsOf(pair).map((it) => it.length), [12, 12]);
    assert.deepEqual(pair.tabs.map(({ channel }) => channel.hasOlder), [false, false]);
    assert.equal(await Promise.race([pair.rest(), follower.channel.verify()]), undefined);
    endWorlds();
  }
});

/** What becomes of a promise, as far as is known when all has come. */
const outcomeOf = async (pair, wished) => {
  let outcome = 'pending';
  wished.then((it) => outcome = it ?? 'done', ({ code, message }) => outcome = code ?? message);
  await pair.rest();
  return outcome;
};

/** Two tabs whose daemon refuses pages as long as `now` says. */
async function refusing(now) {
  const pair = new Pair(new Server());
  for (let i = 0; i < 12; i++) pair.server.publish('zoe', { payload: i });
  const refuses = { now };
  const error = { status: 409, code: 'too_many_rows', message: 'Too many.' };
  await pair.open(undefined, undefined, { window: { last: 3, keeping: 20 } },
    { error, refuse: (op) => op === 'older' && refuses.now });
  await pair.rest();
  return { pair, refuses };
}

test('a channel that is refused is so in all tabs, until one of them wants it again', async () => {
  const { pair, refuses } = await refusing(true);
  const [leader, follower] = pair.tabs;
  const problems = () => pair.tabs.map((it) => it.problems.map(({ message }) => message));
  const said = 'The channel room: Too many.';
  // The second one came when it was refused already.
  assert.deepEqual(problems(), [[said], [said]]);
  for (const { channel } of pair.tabs) {
    assert.equal(await outcomeOf(pair, channel.whenVerified()), 'too_many_rows');
  }
  const wishes = [() => follower.channel.older(2), () => follower.channel.verify(),
    () => leader.channel.older(2)];
  for (const wish of wishes) assert.equal(await outcomeOf(pair, wish()), 'too_many_rows');
  assert.deepEqual(problems(), [Array(4).fill(said), Array(4).fill(said)]);
  const { length } = leader.sent;
  await pair.rest();
  assert.equal(leader.sent.length, length);
  refuses.now = false;
  assert.equal(await outcomeOf(pair, follower.channel.older(2)), 'more');
  assert.deepEqual(payloadsOf(pair), [[7, 8, 9, 10, 11], [7, 8, 9, 10, 11]]);
  for (const { channel } of pair.tabs) {
    assert.equal(await outcomeOf(pair, channel.whenVerified()), 'done');
  }
});

test('a channel that was refused is waited for with the next connection, in all tabs', async () => {
  for (const isKilled of [false, true]) {
    const { pair, refuses } = await refusing(true);
    const [, follower] = pair.tabs;
    refuses.now = false;
    if (isKilled) pair.kill();
    else pair.disconnect();
    const verified = isKilled ? null : outcomeOf(pair, follower.channel.whenVerified());
    await pair.rest();
    if (verified) assert.equal(await verified, 'pending');
    await pair.reconnect();
    assert.equal(await outcomeOf(pair, follower.channel.whenVerified()), 'done');
    assert.deepEqual(payloadsOf(pair)[isKilled ? 0 : 1], [9, 10, 11]);
    endWorlds();
  }
});

test('who follows a channel anew that was refused and another tab holds has it asked for again',
  async () => {
    const { pair, refuses } = await refusing(true);
    const [leader, follower] = pair.tabs;
    leader.channel.leave();
    await pair.rest();
    refuses.now = false;
    assert.equal(leader.client.channel('room'), leader.channel);
    await pair.rest();
    assert.ok(leader.channel.isVerified && follower.channel.isVerified);
    assert.deepEqual(leader.channel.items.map(({ payload }) => payload), [9, 10, 11]);
  });

test('a comparison that a tab wants and the daemon refuses is refused there', async () => {
  const { pair, refuses } = await refusing(false);
  const [leader, follower] = pair.tabs;
  refuses.now = true;
  leader.sent.length = 0;
  const heard = pair.tabs.map(({ channel }) => outcomeOf(pair, channel.verify()));
  assert.deepEqual(await Promise.all(heard), ['too_many_rows', 'too_many_rows']);
  assert.ok(leader.sent.every(({ op }) => op === 'older') && leader.sent.length <= 2);
  assert.ok(pair.tabs.every(({ channel }) => channel.isVerified));
  assert.deepEqual(payloadsOf(pair), [[9, 10, 11], [9, 10, 11]]);
  refuses.now = false;
  assert.equal(await outcomeOf(pair, follower.channel.verify()), 'done');
});

/** Whenever a tab calls itself verified it shows all. */
function watch(pair, tab, count) {
  const wrong = [];
  const tell = tab.channel.tellVerified.bind(tab.channel);
  tab.channel.tellVerified = () => {
    if (tab.channel.isVerified && tab.channel.items.length < count()) {
      wrong.push(tab.channel.items.length);
    }
    tell();
  };
  return wrong;
}

test('a tab is verified when it shows what is, not when another tab is', async () => {
  const server = new Server();
  for (let i = 0; i < 5; i++) server.publish('zoe', { payload: i });
  const pair = new Pair(server);
  pair.disk.latency = () => 9;
  await pair.open(() => 9);
  const [, follower] = pair.tabs;
  await pair.rest();
  assert.ok(follower.channel.isVerified);
  pair.disconnect();
  assert.equal((await pair.rest(), follower.channel.isVerified), false);
  server.publish('zoe', { payload: 'late' });
  const wrong = watch(pair, follower, () => server.messages.size);
  // It opens others meanwhile, which makes the tab that connects say how it stands.
  for (let i = 0; i < 4; i++) follower.client.channel(`other${i}`);
  await pair.reconnect();
  await pair.rest();
  assert.deepEqual(wrong, []);
  assert.ok(follower.channel.isVerified);
});

test('a tab that takes over is not verified before it was told', async () => {
  const pair = await windows();
  const [leader, follower] = pair.tabs;
  assert.ok(follower.channel.isVerified);
  follower.isSilent = true;
  leader.client.close();
  await pair.rest();
  assert.equal(follower.channel.isVerified, false);
  assert.equal(follower.shown.length, 3);
});

test('a tab looks outside of the window, and has what is before compared', async () => {
  const pair = await windows();
  const [leader, follower] = pair.tabs;
  const messages = [...pair.server.messages.keys()];
  const looked = follower.channel.jump(messages[4], { around: 4 });
  const compared = follower.channel.verify();
  await pair.rest();
  assert.deepEqual((await looked).items.map(({ payload }) => payload), [3, 4, 5, 6]);
  await compared;
  assert.deepEqual(leader.sent.at(-1).last, 0);
});

test('who connects next is asked for what the tab before did not bring', async () => {
  const pair = await windows();
  const [leader, follower] = pair.tabs;
  pair.disconnect();
  const older = follower.channel.older(3);
  await pair.rest();
  leader.client.close();
  pair.tabs.reverse();
  for (let i = 0; i < 50; i++) {
    await pair.rest();
    await clock.advance(100);
  }
  assert.equal(await older, 'more');
  assert.equal(follower.shown.length, 6);
});

test('what the tab before said and had not stored is asked for anew', async () => {
  const pair = await windows();
  const [leader, follower] = pair.tabs;
  leader.store.write = () => new Promise(() => {});
  const outcomes = {};
  follower.channel.older(3).then((it) => outcomes.older = [it, follower.shown.length]);
  follower.channel.verify().then(() => outcomes.isCompared = true);
  await pair.rest();
  assert.deepEqual([leader.shown.length, follower.shown.length, outcomes], [6, 3, {}]);
  pair.kill();
  await pair.rest();
  assert.deepEqual(outcomes, { older: ['more', 6], isCompared: true });
});

test('a tab that leaves takes its own wishes back, and no others', async () => {
  for (const leaving of [0, 1]) {
    const pair = await windows();
    for (const tab of pair.tabs) tab.random = () => 0.5;
    pair.disconnect();
    const outcomes = [[], []];
    for (const [i, { channel }] of pair.tabs.entries()) {
      for (const wished of [channel.older(3), channel.verify(), channel.whenVerified()]) {
        wished.then(() => outcomes[i].push('done'), () => outcomes[i].push('left'));
      }
    }
    await pair.rest();
    pair.tabs[leaving].channel.leave();
    for (let i = 0; i < 20; i++) {
      await pair.rest();
      await clock.advance(100);
    }
    assert.deepEqual(outcomes[leaving], ['left', 'left', 'left']);
    assert.deepEqual(outcomes[1 - leaving], []);
    await pair.reconnect();
    await pair.rest();
    assert.deepEqual(outcomes[1 - leaving], ['done', 'done', 'done']);
    assert.equal(pair.tabs[1 - leaving].channel.items.length, 6);
    endWorlds();
  }
});

test('random tabs: what either writes is the same in both, online or not', async () => {
  const start = Number(process.env.SYNC_SEED ?? 1);
  for (let seed = start; seed < start + seeds; seed++) {
    const random = generator(seed);
    const upTo = (count) => Math.floor(random() * count);
    const server = new Server();
    const { timetoken } = server.publish('zoe', { payload: 'start' });
    const pair = new Pair(server);
    const slow = upTo(12);
    await pair.open(() => upTo(slow));
    pair.disk.latency = () => upTo(3);
    const pace = 2 + upTo(12);
    const isOffline = upTo(3) === 0;
    if (isOffline) pair.disconnect();
    // Else there is mostly something that waits, and with it all is looked at.
    const isOneThing = upTo(2) === 0;
    const values = isOneThing ? ['👍'] : ['👍', '🔥'];
    for (let i = 0, left = 20; left > 0 || i < 300; i++) {
      if (left > 0 && upTo(pace) === 0) {
        const { channel } = pair.tabs[left-- % 2];
        if (!isOneThing && left % 4 < 2) channel.publish('again and again');
        else channel.react(timetoken, values[upTo(values.length)], upTo(2) === 0);
      }
      if (upTo(3) === 0) pair.tabs[0].deliver(1 + upTo(2));
      for (const it of pair.channels) if (upTo(4) === 0) it.hear();
      await turn();
    }
    await pair.rest();
    if (isOffline) {
      pair.checkReactions(`SYNC_SEED=${seed}, offline`);
      await pair.reconnect();
    }
    pair.check(`SYNC_SEED=${seed}`);
    endWorlds();
    await turns(30);
  }
});

test('random tabs with a window: both have the same part, and each wish its answer', async () => {
  const start = Number(process.env.SYNC_SEED ?? 1);
  for (let seed = start; seed < start + seeds; seed++) {
    const random = generator(seed);
    const upTo = (count) => Math.floor(random() * count);
    const server = new Server();
    const messages = Array.from({ length: 5 + upTo(40) }, (_, i) =>
      server.publish('zoe', { payload: i }).timetoken);
    const pair = new Pair(server);
    const slow = upTo(12);
    await pair.open(() => upTo(slow), {}, { window: { last: 1 + upTo(5), keeping: 6 + upTo(30) } });
    pair.disk.latency = () => upTo(3);
    if (upTo(3) === 0) pair.disconnect();
    const wishes = [];
    for (let i = 0, left = 30; left > 0 || i < 300; i++) {
      const { channel } = pair.tabs[upTo(2)];
      const dice = left > 0 ? upTo(20) : 20;
      if (dice < 8) left--;
      if (dice < 2) wishes.push(channel.older(1 + upTo(5)));
      else if (dice < 3) wishes.push(channel.verify());
      else if (dice < 5) messages.push(server.publish('zoe', { payload: messages.length }).timetoken);
      else if (dice < 7) {
        server.act('zoe', upTo(2) === 0, { messageTimetoken: messages[upTo(messages.length)],
          type: 'reaction', value: '👍' });
      } else if (dice < 8) {
        const at = upTo(messages.length);
        server.delete(messages[Math.max(0, at - 2)], messages[at]);
      }
      if (upTo(3) === 0) pair.tabs[0].deliver(1 + upTo(2));
      for (const it of pair.channels) if (upTo(4) === 0) it.hear();
      await turn();
    }
    await pair.rest();
    await pair.reconnect();
    const story = `SYNC_SEED=${seed}`;
    let answered = 0;
    for (const it of wishes) it.then(() => answered++);
    await pair.rest();
    assert.equal(answered, wishes.length, story);
    const [first, second] = pair.tabs.map(({ channel }) => channel.sync.cache);
    assert.deepEqual(first.head, second.head, story);
    assert.deepEqual(first.state, server.state, story);
    const [left, right] = pair.tabs.map(({ shown, channel }) => {
      assert.deepEqual(shown, channel.items, story);
      assert.ok(channel.isVerified, story);
      return shown;
    });
    assert.deepEqual(left, right, story);
    endWorlds();
    await turns(30);
  }
});
