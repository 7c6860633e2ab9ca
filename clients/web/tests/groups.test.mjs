// The groups of reactions: whatever happened, they are what a recount finds, and cost as little.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBase64 } from '../core/bytes.js';
import { ChannelCache, affectedBy } from '../core/cache.js';
import { laneOf, standingAfter, standingOf } from '../core/entry.js';
import { ItemList } from '../core/list.js';
import { acknowledge, edited, refuse, wishAction } from '../core/outbox.js';
import { reactionOrders, reactionsOf } from '../core/reactions.js';
import { canonicalKey, readRules, takesPlace } from '../core/rules.js';
import { settledOf } from '../core/settled.js';
import { isLater, never, sortable } from '../core/timetoken.js';
import { generator, packRows, packTimetokens } from './model.mjs';

const start = 17952187953730000n;
const key = '000102030405060708090a0b0c0d0e0f';

/** The actions that show on a message, each looked at: the definition. */
function actionsOf(rows, wishes, user, rules) {
  const name = (type, value, uuid) => JSON.stringify([type, value, uuid]);
  const actions = new Map(rows.map(({ type, value, uuid, actionTimetoken }) =>
    [name(type, value, uuid), { type, value, uuid, actionTimetoken, pending: false }]));
  for (const wish of wishes) {
    const { type, value, acknowledged } = wish;
    const own = name(type, value, user);
    const before = actions.has(own) ? actions.get(own).actionTimetoken ?? never : null;
    const standing = standingAfter(before, wish);
    if (standing === null) actions.delete(own);
    else if (standing !== before) {
      const actionTimetoken = acknowledged;
      actions.set(own, { type, value, uuid: user, actionTimetoken, pending: !acknowledged });
    }
    if (!wish.present || !takesPlace(rules, wish)) continue;
    for (const [other, it] of actions) {
      if (it.uuid !== user || it.type !== 'reaction' || it.value === value) continue;
      const lane = laneOf({ ...wish, type: it.type, value: it.value });
      const left = standingOf(it.actionTimetoken ?? never, wish, lane, rules);
      if (left === null) actions.delete(other);
    }
  }
  const place = (it) => sortable(it.actionTimetoken ?? never);
  return [...actions.values()].sort((left, right) =>
    Number(place(left) > place(right)) - Number(place(left) < place(right)));
}

/** What `reactionsOf` has to find: each group counted anew. */
function recount(actions, user) {
  const names = new Set(actions.map(({ type, value }) => JSON.stringify([type, value])));
  return [...names].map((name) => {
    const [type, value] = JSON.parse(name);
    const all = actions.filter((it) => it.type === type && it.value === value);
    const times = all.map((it) => it.actionTimetoken).filter((it) => it !== null);
    return {
      type, value, count: all.length, isMine: all.some((it) => it.uuid === user),
      isPending: all.some((it) => it.pending), first: times[0] ?? null, last: times.at(-1) ?? null,
      authors: all.map(({ uuid }) => uuid).reverse().slice(0, 10), clipped: all.length > 10,
    };
  }).sort(reactionOrders.first);
}

/** A channel of two messages, what happens to it at random, and how it has to be. */
class Story {
  cache = new ChannelCache();
  list = new ItemList();
  /** @type {Map<string, any>} */ rows = new Map();
  entries = [];
  /** Items that were shown, and what they have to say for ever. */
  kept = [];
  /** What the page was told. */
  shown = new Map();
  messages = [String(start), String(start + 1n)];
  time = start + 10n;
  serial = 0;

  constructor(seed) {
    this.random = generator(seed);
    this.user = ['ada', 'user-3', 'zoë'][seed % 3];
    this.rule();
    this.cache.rows.setKey(key);
    this.cache.epoch = 'e';
    for (const t of this.messages) {
      this.cache.apply({ t: { t }, m: [{ p: { t }, i: 'zoe', d: t, f: 0 }] });
    }
    this.step();
  }

  below = (end) => Math.floor(this.random() * end);
  pick = (list) => list[this.below(list.length)];
  now = () => String(this.time += 10n);
  name = (row) => JSON.stringify([row.messageTimetoken, row.type, row.value, row.uuid]);

  aRow() {
    const uuid = this.random() < 0.2 ? this.user : `user-${this.below(24)}`;
    return { messageTimetoken: this.pick(this.messages), uuid,
      type: this.random() < 0.9 ? 'reaction' : 'receipt', value: this.pick(['👍', '👍', '❤️', 'x']),
      actionTimetoken: this.now() };
  }

  push(row, event, t) {
    const { uuid, ...data } = row;
    this.cache.apply({ t: { t }, m: [{ e: 3, f: 0, i: uuid, p: { t }, d: { event, data } }] });
  }

  /** Somebody adds, or what stands is added anew. */
  put() {
    for (let count = this.pick([1, 1, 4]); count > 0; count--) {
      const row = this.aRow();
      this.push(row, 'added', row.actionTimetoken);
      this.rows.set(this.name(row), row);
    }
  }

  drop() {
    const row = this.pick([...this.rows.values()]);
    if (!row) return;
    this.push(row, 'removed', this.now());
    this.rows.delete(this.name(row));
  }

  /** Each standing row alike: the first, the last, or any. */
  dropEnd() {
    const sorted = [...this.rows.values()].sort((left, right) =>
      isLater(left.actionTimetoken, right.actionTimetoken) ? 1 : -1);
    const row = this.pick([sorted[0], sorted.at(-1)]);
    if (!row) return;
    this.push(row, 'removed', this.now());
    this.rows.delete(this.name(row));
  }

  delete() {
    const [after, through] = this.pick([['0', this.messages[0]], [...this.messages]]);
    const t = this.now();
    const d = { event: 'deleted', data: { after, through } };
    this.cache.apply({ t: { t }, m: [{ e: 5, f: 0, p: { t }, d }] });
    for (const [name, row] of this.rows) {
      if (row.messageTimetoken === through) this.rows.delete(name);
    }
    // It comes again, so that the story goes on.
    this.cache.apply({ t: { t }, m: [{ p: { t: through }, i: 'zoe', d: through, f: 0 }] });
  }

  /** Some are not there and some have to be, also older ones in the middle. */
  repair() {
    const gone = [...this.rows.values()].filter(() => this.random() < 0.2);
    for (const row of gone) this.rows.delete(this.name(row));
    const rows = Array.from({ length: this.below(6) }, () => this.aRow());
    rows.push(...gone.filter(() => this.random() < 0.3).map((row) =>
      ({ ...row, actionTimetoken: String(BigInt(row.actionTimetoken) + 1n) })));
    for (const row of rows) {
      const standing = this.rows.get(this.name(row));
      if (!standing || isLater(row.actionTimetoken, standing.actionTimetoken)) {
        this.rows.set(this.name(row), row);
      }
    }
    this.cache.repair({ cursor: this.now(), rows: toBase64(packRows(rows)),
      drop: toBase64(packTimetokens(gone.map((row) => row.actionTimetoken))) });
  }

  wish() {
    const { messageTimetoken, type, value } = this.aRow();
    const wish = { kind: 'action', channel: 'room', mutation: `m${++this.serial}`, messageTimetoken,
      ...canonicalKey(this.cache.rules, type, value), present: this.random() < 0.7, observed: null,
      sent: this.random() < 0.7, acknowledged: null, order: this.serial };
    const row = this.cache.rows.find(messageTimetoken, wish.type, wish.value, this.user);
    this.entries = edited(this.entries, wishAction(this.entries, wish, row, this.cache.rules));
  }

  /** The daemon answers, before or after what others hear of it. */
  answer() {
    const entry = this.entries.find((it) => it.acknowledged === null);
    if (!entry) return;
    const { mutation, messageTimetoken, type, value, present } = entry;
    if (this.random() < 0.15) {
      this.entries = edited(this.entries, refuse(this.entries, mutation));
      return;
    }
    const t = this.now();
    const added = { messageTimetoken, type, value, uuid: this.user, actionTimetoken: t };
    const standing = this.rows.get(this.name(added));
    const row = present && standing ? standing : added;
    const ok = present ? { action: row } : { timetoken: t };
    this.entries = edited(this.entries, acknowledge(this.entries, mutation, ok));
    this.step();
    const changes = [[row, present]];
    for (const it of this.rows.values()) {
      const isOther = it.messageTimetoken === messageTimetoken && it.uuid === this.user &&
        it.type === 'reaction' && it.value !== value;
      if (present && isOther && takesPlace(this.cache.rules, entry)) changes.unshift([it, false]);
    }
    for (const [it, isThere] of changes) {
      this.push(it, isThere ? 'added' : 'removed', t);
      if (isThere) this.rows.set(this.name(it), it);
      else this.rows.delete(this.name(it));
    }
    this.step();
    const settled = settledOf(this.entries, this.cache, this.user);
    this.entries = this.entries.filter((it) => !settled.includes(it));
  }

  rule() {
    const aliases = [{ name: 'x', value: '👍' }];
    this.cache.rules = readRules({ mode: this.pick(['distinct', 'unique', 'flag']), aliases });
  }

  /** The page comes again with what was stored, or everything came anew. */
  reload() {
    const { head, rows, messages } = (this.cache.replaceAll(), this.cache.takePatch('room'));
    const shuffled = rows.map((row) => [this.random(), row]).sort(([left], [right]) => left - right);
    const loaded = ChannelCache.load(head, shuffled.map(([, row]) => row), messages);
    assert.ok(loaded.isSound);
    this.cache = loaded.cache;
    this.step('all');
  }

  /** Shows what changed, and compares everything with a recount. */
  step(affected = affectedBy(this.cache.takePatch('room'))) {
    const changes = this.list.refresh(this.cache, this.entries, this.user, affected);
    const told = new Set(changes.map(({ item }) => item.key));
    const held = new Set([...this.rows.values()].map((it) => it.messageTimetoken));
    assert.deepEqual([...this.cache.rows.messages()].sort(), [...held].sort());
    for (const [i, item] of this.list.items.entries()) {
      const rows = [...this.rows.values()].filter((it) => it.messageTimetoken === item.key);
      const wishes = this.entries.filter((it) => it.messageTimetoken === item.key);
      const expected = actionsOf(rows, wishes, this.user, this.cache.rules);
      for (const user of [this.user, 'user-3']) {
        assert.deepEqual(reactionsOf(item, user), recount(expected, user));
      }
      const before = JSON.stringify(this.shown.get(i)?.actions);
      assert.equal(told.has(item.key), before !== JSON.stringify(expected), 'told, or not');
      this.shown.set(i, { item, actions: expected });
      this.checkGroups(item.key, rows);
      if (this.random() < 0.02) this.kept.push([item, expected]);
      else if (this.random() < 0.2) assert.deepEqual(item.actions, expected);
    }
  }

  /** What the cache has, without wishes. */
  checkGroups(message, rows) {
    const found = [...this.cache.rows.groups(message).values()].map((group) => {
      const { type, value } = group.shown;
      return [type, value, group.size, [...group].map((it) => this.name(it)).sort()];
    });
    const names = new Set(rows.map(({ type, value }) => JSON.stringify([type, value])));
    const expected = [...names].map((it) => {
      const [type, value] = JSON.parse(it);
      const all = rows.filter((row) => row.type === type && row.value === value);
      return [type, value, all.length, all.map((row) => this.name(row)).sort()];
    });
    assert.deepEqual(found.sort(), expected.sort());
    for (const { type, value, uuid, actionTimetoken } of rows) {
      const found = this.cache.rows.find(message, type, value, uuid);
      assert.equal(found.actionTimetoken, actionTimetoken);
    }
  }

  live(steps) {
    const common = ['put', 'put', 'put', 'drop', 'dropEnd', 'wish', 'wish', 'answer', 'answer'];
    for (let i = 0; i < steps; i++) {
      const kind = this.random() < 0.95 ? this.pick(common)
        : this.pick(['repair', 'repair', 'rule', 'rule', 'reload', 'delete']);
      this[kind]();
      this.step();
    }
    for (const [item, expected] of this.kept) assert.deepEqual(item.actions, expected);
  }
}

test('groups are what a recount finds, whatever happens; an item stays as it was', () => {
  const start = Number(process.env.SYNC_SEED ?? 1);
  const failed = [];
  for (let seed = start; seed < start + Number(process.env.SEEDS ?? 40); seed++) {
    try {
      new Story(seed).live(150);
    } catch (error) {
      failed.push(`SYNC_SEED=${seed}: ${error.stack}`);
    }
  }
  assert.deepEqual(failed, []);
});

/** A row of which is noted how often anybody looks at it. */
class WatchedRow {
  static looks = 0;
  #fields;

  constructor(fields) {
    this.#fields = fields;
  }

  get messageTimetoken() {
    return this.#fields.messageTimetoken;
  }

  get type() {
    return this.#fields.type;
  }

  get value() {
    return this.#fields.value;
  }

  get uuid() {
    WatchedRow.looks++;
    return this.#fields.uuid;
  }

  get actionTimetoken() {
    WatchedRow.looks++;
    return this.#fields.actionTimetoken;
  }
}

/** How often rows are looked at, at most, from a frame to the groups that a page shows. */
function looksWith(size) {
  const message = String(start);
  const cache = new ChannelCache();
  cache.rows.setKey(key);
  cache.apply({ t: { t: message }, m: [{ p: { t: message }, i: 'zoe', d: 'hot', f: 0 }] });
  const fields = (i, uuid = `user-${i}`) => ({ messageTimetoken: message, type: 'reaction',
    value: ['👍', '❤️', '😂'][i % 3], uuid, actionTimetoken: String(start + 10n * BigInt(i + 1)) });
  for (let i = 0; i < size; i++) cache.rows.put(new WatchedRow(fields(i)));
  cache.takePatch('room');
  const list = new ItemList();
  list.refresh(cache, [], 'ada', 'all');
  let t = start + 10n * BigInt(size + 1000);
  const act = (event, { uuid, ...data }) => {
    const at = String(++t);
    cache.apply({ t: { t: at }, m: [{ e: 3, f: 0, i: uuid, p: { t: at }, d: { event, data } }] });
  };
  /** @type {number[]} */
  const looks = [];
  const step = (entries, work = () => {}) => {
    WatchedRow.looks = 0;
    work();
    const changes = list.refresh(cache, entries, 'ada', affectedBy(cache.takePatch('room')));
    const groups = reactionsOf(list.items[0], 'ada');
    looks.push(WatchedRow.looks);
    return { changes, groups };
  };
  for (let i = size; i < size + 30; i++) {
    step([], () => act('added', fields(i)));
    // The oldest, one in the middle, and the newest.
    for (const gone of [i - size, (size >> 1) + i - size, size - 1 - (i - size)]) {
      if (size >= 1000) step([], () => act('removed', fields(gone)));
    }
    // An own one: wished, answered, and there; told each time but the last.
    const own = fields(i + 30, 'ada');
    const wish = { kind: 'action', channel: 'room', mutation: 'm', messageTimetoken: message,
      type: own.type, value: own.value, present: true, observed: null, sent: true };
    assert.equal(step([{ ...wish, acknowledged: null }]).changes.length, 1);
    const answered = { ...wish, acknowledged: own.actionTimetoken };
    assert.equal(step([answered]).changes.length, 1);
    const { changes, groups } = step([], () => act('added', own));
    assert.equal(changes.length, 0);
    assert.ok(groups.some((it) => it.isMine && it.value === own.value));
    step([], () => act('removed', own));
  }
  const { groups } = step([]);
  const { actions } = list.items[0];
  assert.deepEqual(groups, recount(actions, 'ada'));
  return Math.max(...looks);
}

test('an event looks at no more of 100,000 reactions than of 1,000, but for a logarithm', () => {
  const [few, many] = [looksWith(1000), looksWith(100_000)];
  assert.ok(looksWith(0) < few);
  assert.ok(many < 2 * few && many < 300, `${many}, not ${few}`);
});
