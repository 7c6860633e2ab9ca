// The groups of reactions: whatever happened, they are what a recount finds, and cost as little.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBase64 } from '../core/bytes.js';
import { ChannelCache } from '../core/cache.js';
import { affectedBy } from '../core/outcome.js';
import { ItemList } from '../core/list.js';
import { acknowledge, edited, refuse, sendable, wishAction, wishedScore } from '../core/outbox.js';
import { reactionOrders, reactionsOf } from '../core/reactions.js';
import { canonicalKey, readRules } from '../core/rules.js';
import { settledOf } from '../core/settled.js';
import { isLater, never, sortable } from '../core/timetoken.js';
import { Server, generator, packRows, packTimetokens } from './model.mjs';

const start = 17952187953730000n;
const key = '000102030405060708090a0b0c0d0e0f';

/** The actions that show on a message, each looked at: the definition. */
function actionsOf(rows, wishes, user, rules) {
  let actions = rows.map((row) =>
    ({ type: row.type, value: row.value, uuid: row.uuid, actionTimetoken: row.actionTimetoken,
      score: row.score ?? 1, pending: false }));
  for (const wish of wishes) actions = afterWish(actions, wish, user, rules.mode);
  const place = (it) => sortable(it.actionTimetoken ?? never);
  return actions.sort((left, right) =>
    Number(place(left) > place(right)) - Number(place(left) < place(right)));
}

function afterWish(actions, wish, user, mode) {
  const { type, value, present, acknowledged, observed, sent, score, became } = wish;
  const isOwn = (it) => it.uuid === user && it.type === type && it.value === value;
  const before = actions.find(isOwn);
  const others = actions.filter((it) => !isOwn(it));
  const isAfter = (at) => !!before && !before.pending && isLater(before.actionTimetoken, at);
  const own = (count, at = acknowledged) => [...others,
    { type, value, uuid: user, actionTimetoken: at, score: count, pending: at === null }];
  const counts = type === 'reaction' && (mode === 'multiple' || mode === 'total');
  if (!present && counts && mode === 'total') {
    if (sent && !before?.pending && (!before || isAfter(observed ?? '0'))) return actions;
    return before?.score > 1 ? own(before.score - 1, null) : others;
  }
  if (!present) return observed && isAfter(observed) ? actions : others;
  const isThere = acknowledged !== null && !!before && !before.pending &&
    !isLater(acknowledged, before.actionTimetoken);
  if (isThere && mode !== 'unique' && mode !== 'flag') return actions;
  if (counts) {
    if (acknowledged !== null) return own(became ?? 1);
    if (sent && isAfter(observed ?? '0')) return actions;
    return own((before?.score ?? 0) + (score ?? 1));
  }
  const isKept = isThere || (before && acknowledged === null && (score ?? before.score) === before.score) ||
    (before?.pending && acknowledged !== null);
  const next = isKept ? actions : own(became ?? score ?? 1);
  if (type !== 'reaction' || (mode !== 'unique' && mode !== 'flag')) return next;
  return next.filter((it) => it.uuid !== user || it.type !== 'reaction' || it.value === value ||
    (acknowledged !== null && !it.pending && isLater(it.actionTimetoken, acknowledged)));
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
      score: all.reduce((sum, it) => sum + it.score, 0),
      ownScore: all.find((it) => it.uuid === user)?.score ?? 0,
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
    this.cache.setKey(key);
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
      actionTimetoken: this.now(), ...this.random() < 0.3 ? { score: 2 + this.below(5) } : {} };
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
    const message = { timetoken: through, uuid: 'zoe', payload: through };
    this.cache.repair({ cursor: t, rows: toBase64(packRows([])), drop: '', messages: [message] });
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
    const present = this.random() < 0.7;
    const { rules } = this.cache;
    const wish = { kind: 'action', channel: 'room', mutation: `m${++this.serial}`, messageTimetoken,
      ...canonicalKey(rules, type, value), present, observed: null, sent: false,
      acknowledged: null, order: this.serial,
      ...present && this.random() < 0.4 ? { score: this.pick([1, 2, 5]) } : {} };
    const rows = this.cache.rows.own(messageTimetoken, this.user);
    const shown = wishedScore(this.entries, wish, rows, rules);
    const unsent = this.entries.filter(({ sent }) => !sent).length;
    this.entries = edited(this.entries, wishAction(this.entries, wish, rows, rules))
      .map((it) => it.order === undefined ? { ...it, order: ++this.serial } : it);
    this.checkWish(wish, shown, wishedScore(this.entries, wish, rows, rules), unsent);
  }

  /** What was wished is what is there: the mode says how much. */
  checkWish({ type, present, score }, before, after, unsent) {
    const { mode } = this.cache.rules;
    const counts = type === 'reaction' && (mode === 'multiple' || mode === 'total');
    if (present) assert.equal(after, counts ? before + (score ?? 1) : score ?? Math.max(before, 1));
    else assert.equal(after, counts && mode === 'total' ? Math.max(0, before - 1) : 0);
    // One add for all taps, and never more than one entry more.
    const left = this.entries.filter(({ sent }) => !sent).length;
    // Where reactions take each other's place there may be several of before that to take back.
    assert.ok(left <= unsent + 2 || mode === 'unique' || mode === 'flag', `${unsent} wishes, then ${left}`);
  }

  /** Some go out. */
  send() {
    for (const entry of sendable(this.entries, () => this.cache.rules)) {
      if (entry.sent || this.random() < 0.5) continue;
      const { messageTimetoken, type, value, present } = entry;
      const { mode } = this.cache.rules;
      const row = this.cache.rows.find(messageTimetoken, type, value, this.user);
      const counts = type === 'reaction' && (mode === 'total' || (mode === 'multiple' && present));
      this.entries = this.entries.map((it) => it === entry ? { ...it, sent: true,
        ...counts ? { observed: row?.actionTimetoken ?? '0' } : {} } : it);
    }
  }

  /** The daemon answers, before or after what others hear of it. */
  answer() {
    this.send();
    const entry = this.entries.find((it) => it.sent && it.acknowledged === null);
    if (!entry) return;
    const { mutation, present } = entry;
    if (this.random() < 0.15) {
      this.entries = edited(this.entries, refuse(this.entries, mutation));
      return;
    }
    const server = new Server();
    Object.assign(server, { time: this.time, mode: this.cache.rules.mode });
    for (const row of this.rows.values()) {
      server.actions.set(JSON.stringify(
        [row.messageTimetoken, row.type, row.value, row.uuid]), { row, live: true });
    }
    const events = [];
    server.commit = (event) => events.push(event);
    const ok = server.act(this.user, present, { ...entry, actionTimetoken: undefined });
    this.time = server.time;
    const note = () => this.entries = edited(this.entries, acknowledge(this.entries, mutation, ok));
    const isLate = this.random() < 0.5;
    if (!isLate) note();
    this.step();
    for (const event of events) {
      this.cache.apply({ t: { t: event.p.t }, m: [event] });
      const row = { ...event.d.data, uuid: event.i };
      if (event.d.event === 'added') this.rows.set(this.name(row), row);
      else this.rows.delete(this.name(row));
    }
    this.step();
    if (isLate) note();
    const settled = settledOf(this.entries, this.cache, this.user);
    this.entries = this.entries.filter((it) => !settled.includes(it));
  }

  /** Other rules; what waited was refused. */
  rule() {
    this.entries = [];
    const aliases = [{ name: 'x', value: '👍' }];
    this.cache.rules = readRules({ mode: this.pick(['distinct', 'unique', 'flag', 'multiple', 'total']), aliases });
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
  cache.setKey(key);
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
