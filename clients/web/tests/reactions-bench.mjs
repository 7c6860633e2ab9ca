// What a reaction costs on a message that has many, measured by hand.
//
// Microseconds, medians: of what the cache does with an event and hands to the store (add, remove),
// of bringing the item up to date after it (refresh), and of the groups that a page shows (groups).
import assert from 'node:assert/strict';
import { ChannelCache } from '../core/cache.js';
import { affectedBy } from '../core/outcome.js';
import { ItemList } from '../core/list.js';
import { reactionsOf, usualReactions } from '../core/reactions.js';

const message = '17952187953729261';
const repeats = Number(process.env.REPEATS ?? 200);
const budget = 5e9; // Nanoseconds for each size.

const timetoken = (i) => String(17952187953730000n + 10n * BigInt(i));
const event = (i, at, kind) => ({ e: 3, f: 0, i: `user-${i}`, p: { t: timetoken(at) }, c: 'room',
  d: { event: kind, data: { messageTimetoken: message, type: 'reaction',
    value: usualReactions[i % usualReactions.length], actionTimetoken: timetoken(at) } } });

function measure(size) {
  const cache = new ChannelCache();
  cache.setKey('000102030405060708090a0b0c0d0e0f');
  cache.messages.set(message, { timetoken: message, uuid: 'zoe', payload: 'hot' });
  const apply = (events) => {
    cache.apply({ t: { t: events.at(-1).p.t }, c: 'room', m: events });
    return cache.takePatch('room');
  };
  const list = new ItemList();
  const refresh = (affected) => list.refresh(cache, [], 'ada', affected);
  const loading = process.hrtime.bigint();
  for (let i = 0; i < size; i += 1000) {
    const count = Math.min(1000, size - i);
    apply(Array.from({ length: count }, (_, k) => event(i + k, i + k, 'added')));
  }
  refresh('all');
  const loaded = process.hrtime.bigint() - loading;
  const times = { add: [], remove: [], refresh: [], groups: [] };
  const timed = (kind, work) => {
    const start = process.hrtime.bigint();
    const result = work();
    times[kind].push(Number(process.hrtime.bigint() - start) / 1000);
    return result;
  };
  const begun = process.hrtime.bigint();
  let clock = size;
  for (let round = 0; round < repeats; round++) {
    if (round > 2 && process.hrtime.bigint() - begun > budget) break;
    const last = size + round;
    // The oldest that is left, one in the middle, and the newest, in turns.
    const gone = size ? [round, (size >> 1) + round, last][round % 3] : last;
    const added = event(last, clock + 1, 'added');
    const removed = event(gone, clock + 2, 'removed');
    clock += 2;
    for (const [kind, it] of [['add', added], ['remove', removed]]) {
      const patch = timed(kind, () => apply([it]));
      timed('refresh', () => refresh(affectedBy(patch)));
      timed('groups', () => reactionsOf(list.items[0], 'ada'));
    }
  }
  // Each added one counts, and each removed one stood; the message counts too.
  assert.equal(cache.tally.digest.count, size + 1);
  const median = (all) => all.sort((left, right) => left - right)[all.length >> 1].toFixed(1);
  const columns = Object.entries(times).map(([kind, all]) => `${kind} ${median(all)}`);
  const name = String(size).padStart(9);
  console.log(`${name}: ${columns.join(', ')}; loaded in ${loaded / 1000000n} ms`);
}

measure(6000); // Compiles; the first line is not to be looked at.
for (const size of [0, 60, 6000, 100_000, 1_000_000]) measure(size);
