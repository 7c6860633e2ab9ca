// A server in a few lines, for tests: rows, tombstones, digests and repairs as the daemon has them.
//
// It shares nothing with the client but the hash, which has test vectors of its own. A row is an
// action or a message, as the client's cache has it.
import { fromBase64, toBase64 } from '../core/bytes.js';
import { Hasher } from '../core/hasher.js';

/** A generator from a seed, so that a failure can be replayed. */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 0x6d2b79f5 >>> 0;
    let word = Math.imul(state ^ state >>> 15, state | 1);
    word = word + Math.imul(word ^ word >>> 7, word | 61) ^ word;
    return ((word ^ word >>> 14) >>> 0) / 2 ** 32;
  };
}

const mask = (1n << 64n) - 1n;
const word64 = (hash, at) => BigInt(hash[at + 1] >>> 0) << 32n | BigInt(hash[at] >>> 0);

/** Leaves the hash of an action or a message in a hasher; returns its timetoken. */
function hashed(hasher, row) {
  if (row.actionTimetoken === undefined) hasher.message(row);
  else hasher.row(row);
  return row.actionTimetoken ?? row.timetoken;
}

/** The digest of rows, by definition. */
export function digestOf(rows, key) {
  const hasher = new Hasher(key);
  let [first, second] = [0n, 0n];
  for (const row of rows) {
    hashed(hasher, row);
    first = first + word64(hasher.hash, 0) & mask;
    second = second + word64(hasher.hash, 2) & mask;
  }
  const digits = [first, second].map((it) => it.toString(16).padStart(16, '0'));
  return { n: rows.length, d: digits.join('') };
}

/** SipHash-2-4 with 128 bits, in 64-bit numbers as the paper has it. */
export function sipHash(bytes, keyBytes) {
  const word = (from, at) =>
    from.subarray(at, at + 8).reduceRight((sum, it) => sum << 8n | BigInt(it), 0n);
  const rotated = (it, by) => (it << by | it >> 64n - by) & mask;
  const [k0, k1] = [word(keyBytes, 0), word(keyBytes, 8)];
  let [a, b, c, d] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn ^ 0xeen,
    k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const round = () => {
    [a, b] = [a + b & mask, rotated(b, 13n)];
    [a, b] = [rotated(a, 32n), a ^ b];
    [c, d] = [c + d & mask, rotated(d, 16n)];
    d ^= c;
    [a, d] = [a + d & mask, rotated(d, 21n)];
    d ^= a;
    [c, b] = [c + b & mask, rotated(b, 17n)];
    [b, c] = [b ^ c, rotated(c, 32n)];
  };
  const padded = new Uint8Array((bytes.length & ~7) + 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length;
  for (let at = 0; at < padded.length; at += 8) {
    d ^= word(padded, at);
    round();
    round();
    a ^= word(padded, at);
  }
  c ^= 0xeen;
  for (let i = 0; i < 4; i++) round();
  const first = a ^ b ^ c ^ d;
  b ^= 0xddn;
  for (let i = 0; i < 4; i++) round();
  return [first, a ^ b ^ c ^ d];
}

/** A row's bytes as docs/RECONCILIATION.md has them. */
export function rowBytes(row) {
  const words = (value, count) => Array.from({ length: count }, (_, i) =>
    Number(BigInt(value) >> BigInt(8 * i) & 255n));
  const text = (it) => {
    const letters = [...new TextEncoder().encode(it)];
    return [...words(letters.length, 4), ...letters];
  };
  if (row.actionTimetoken === undefined) {
    return Uint8Array.from([...words(row.timetoken, 8), 255, 255, 255, 255, ...text(row.uuid),
      ...text(row.messageType ?? '')]);
  }
  return Uint8Array.from([...words(row.messageTimetoken, 8), ...text(row.type), ...text(row.value),
    ...text(row.uuid), ...words(row.actionTimetoken, 8),
    ...row.score === undefined || row.score === 1 ? [] : words(row.score, 8)]);
}

export function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

const zigzag = (value) => varint(value < 0n ? -2n * value - 1n : 2n * value);
const byTimetoken = (left, right) =>
  left.length - right.length || (left < right ? -1 : Number(left > right));
const byAge = (left, right) => byTimetoken(left.actionTimetoken, right.actionTimetoken);

export function packRows(rows) {
  const texts = [];
  const bytes = [];
  let last = 0n;
  const sorted = [...rows].sort((left, right) =>
    byTimetoken(left.actionTimetoken, right.actionTimetoken));
  for (const row of sorted) {
    const added = BigInt(row.actionTimetoken);
    if ((row.score ?? 1) !== 1) bytes.push(0, ...varint(row.score));
    bytes.push(...varint(added - last), ...zigzag(added - BigInt(row.messageTimetoken)));
    for (const text of [row.type, row.value, row.uuid]) {
      if (!texts.includes(text)) texts.push(text);
      bytes.push(...varint(texts.indexOf(text)));
    }
    last = added;
  }
  const head = texts.flatMap((text) => {
    const letters = [...new TextEncoder().encode(text)];
    return [...varint(letters.length), ...letters];
  });
  return Uint8Array.from([...varint(texts.length), ...head, ...bytes]);
}

export function packTimetokens(timetokens) {
  let last = 0n;
  return Uint8Array.from([...timetokens].sort(byTimetoken).flatMap((text) => {
    const bytes = varint(BigInt(text) - last);
    last = BigInt(text);
    return bytes;
  }));
}

/** Symbols from the wire as numbers: {timetokens, tags, checksums, count}. */
export function readSymbols(bytes, from, itemCount) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const symbols = [];
  for (let at = 0; at < bytes.length;) {
    const timetokens = view.getBigUint64(at, true);
    const tags = view.getUint32(at + 8, true);
    const checksums = view.getUint32(at + 12, true);
    at += 16;
    let [value, scale] = [0, 1];
    do {
      value += (bytes[at] & 127) * scale;
      scale *= 128;
    } while (bytes[at++] >= 128);
    const deviation = value % 2 ? -(value + 1) / 2 : value / 2;
    const count = deviation + Math.floor(2 * itemCount / (from + symbols.length + 2));
    symbols.push({ timetokens, tags, checksums, count });
  }
  return symbols;
}

/** The item of a timetoken and a tag, and the symbols below `end` that hold it. */
export function itemOf(hasher, timetoken, tag, end) {
  hasher.item(Number(timetoken & 0xffffffffn) | 0, Number(timetoken >> 32n) | 0, tag);
  const checksum = hasher.hash[2] >>> 0;
  let [s0, s1] = [hasher.hash[0] >>> 0, hasher.hash[1] >>> 0];
  const rotated = (word, by) => (word << by | word >>> 32 - by) >>> 0;
  const indices = [];
  for (let index = 0; index < end;) {
    indices.push(index);
    const drawn = Math.imul(rotated(Math.imul(s0, 0x9e3779bb), 5), 5) >>> 0;
    s1 = (s1 ^ s0) >>> 0;
    s0 = (rotated(s0, 26) ^ s1 ^ s1 << 9) >>> 0;
    s1 = rotated(s1, 13);
    const uniform = (drawn + 0.5) / 2 ** 32;
    index = Math.ceil(Math.sqrt((index + 1) * (index + 2) / uniform + 0.25) - 1.5);
  }
  return { timetoken, tag, checksum, indices };
}

function add(symbol, item, sign) {
  symbol.timetokens ^= item.timetoken;
  symbol.tags = (symbol.tags ^ item.tag) >>> 0;
  symbol.checksums = (symbol.checksums ^ item.checksum) >>> 0;
  symbol.count += sign;
}

/** Peels remote minus local symbols; null when there are too few. */
export function decode(local, rows, key) {
  const hasher = new Hasher(key);
  const rest = local.map((symbol) => ({ ...symbol, count: -symbol.count }));
  for (const row of rows) {
    const timetoken = hashed(hasher, row);
    const tag = hasher.hash[0] >>> 0;
    const item = itemOf(hasher, BigInt(timetoken), tag, rest.length);
    for (const index of item.indices) add(rest[index], item, 1);
  }
  const [onlyRemote, onlyLocal] = [[], []];
  const waiting = rest.map((_, index) => index);
  while (waiting.length > 0) {
    const index = waiting.pop();
    const { count, timetokens, tags, checksums } = rest[index];
    if (Math.abs(count) !== 1) continue;
    const item = itemOf(hasher, timetokens, tags | 0, rest.length);
    if (item.checksum !== checksums || !item.indices.includes(index)) continue;
    item.tag = tags;
    (count > 0 ? onlyRemote : onlyLocal).push(String(timetokens));
    for (const other of item.indices) {
      add(rest[other], item, -count);
      waiting.push(other);
    }
  }
  const { timetokens, tags, checksums, count } = rest[0];
  const isDone = timetokens === 0n && tags === 0 && checksums === 0 && count === 0;
  return isDone ? { onlyRemote, onlyLocal } : null;
}

/** A deletion or a clearing as it is told to who missed it. */
function withoutGone(event) {
  const { gone, ...data } = event.d.data;
  return { ...event, d: { ...event.d, data } };
}

/** One channel of a server. Every device that connects gets `push` and `reply` calls. */
export class Server {
  time = 17952187953729261n;
  key = '000102030405060708090a0b0c0d0e0f';
  store = 'aaaaaaaaaaaaaaaa';
  run = 0;
  floor = '0';
  /** Whether messages are stored, as the operator decides. */
  keepsMessages = true;
  /** How often a user may react, as the operator decides. */
  mode = 'distinct';
  /** Whether who missed nothing is told the state with the reply. */
  isPrompt = false;
  actions = new Map();
  messages = new Map();
  deletions = [];
  mutations = new Map();
  sessions = new Set();
  /** Up to where users have read the channel. */
  marks = new Map();
  commands = 0;

  now() {
    this.time += 10n;
    return String(this.time);
  }

  get epoch() {
    return `${this.store}.${String(this.run).padStart(8, '0')}`;
  }

  /** The actions that stand. */
  get rows() {
    return [...this.actions.values()].filter((it) => it.live).map((it) => it.row);
  }

  /** The messages, as a history has them. */
  get said() {
    return [...this.messages.values()].map(({ p, i, d, u, cmt, parent }) => ({
      timetoken: p.t, uuid: i ?? '', payload: d, ...u === undefined ? {} : { meta: u },
      ...cmt === undefined ? {} : { messageType: cmt },
      ...parent === undefined ? {} : { parent } }));
  }

  get state() {
    return digestOf([...this.rows, ...this.said], this.key);
  }

  /** What the rows on some messages come to. */
  stateOf(isIn) {
    const rows = this.rows.filter((it) => isIn(it.messageTimetoken));
    return digestOf([...rows, ...this.said.filter((it) => isIn(it.timetoken))], this.key);
  }

  /** The server as it was, in other hands: a backup. */
  copy() {
    return structuredClone({
      actions: this.actions, messages: this.messages, deletions: this.deletions,
      mutations: this.mutations, marks: this.marks, last: this.last, floor: this.floor, log: this.log,
      end: this.end,
    });
  }

  /** Puts a backup in place; time goes on. */
  restore(backup) {
    const { end: last } = this;
    Object.assign(this, structuredClone(backup));
    for (let run = 0; run <= this.run; run++) {
      const end = this.ends.get(run) ?? last;
      this.ends.set(run, byTimetoken(end, this.end) > 0 ? this.end : end);
    }
    this.run++;
  }

  /** The daemon starts anew, and nothing is lost. */
  restart() {
    this.ends.set(this.run++, this.end);
  }

  last = '0';
  /** The last commit of the whole store: other channels have some, too. */
  end = '0';
  /** What happened, one event after the other. */
  log = [];

  /** Another channel has a commit. */
  commitElsewhere() {
    this.end = this.now();
  }

  /** What each earlier run of the daemon had, as far as this store goes. */
  ends = new Map();

  commit(event) {
    this.last = this.end = event.p.t;
    this.log.push(event);
    for (const session of this.sessions) session.tell([event], this.last);
    return event;
  }

  publish(user, fields) {
    const t = this.now();
    const message = { p: { t, r: 1 }, i: user, d: fields.payload, c: 'room', f: 0 };
    if (fields.meta !== undefined) message.u = fields.meta;
    if ((fields.messageType ?? null) !== null) message.cmt = fields.messageType;
    if (fields.parent !== undefined) message.parent = fields.parent;
    if (!this.keepsMessages) {
      for (const session of this.sessions) session.announce({ ...message, f: 1 }, this.last);
      return { timetoken: t };
    }
    this.messages.set(t, message);
    this.commit(message);
    return { timetoken: t };
  }

  act(user, isAdd, fields) {
    const { messageTimetoken, type } = fields;
    const isReaction = type === 'reaction';
    const value = isReaction && ['flag', 'total'].includes(this.mode) ? this.mode : fields.value;
    const key = JSON.stringify([messageTimetoken, type, value, user]);
    const standing = this.actions.get(key)?.live ? this.actions.get(key).row : null;
    const counts = isReaction && ['multiple', 'total'].includes(this.mode);
    const old = standing?.score ?? 1;
    const row = (score) => ({ messageTimetoken, type, value, uuid: user,
      actionTimetoken: this.now(), ...score > 1 ? { score } : {} });
    if (!isAdd) {
      if (!standing) return { applied: 'absent' };
      const isOff = counts && this.mode === 'total';
      const seen = fields.actionTimetoken;
      if (!isOff && seen !== undefined && standing.actionTimetoken !== seen) {
        return { applied: 'stale' };
      }
      this.change(standing, false);
      if (isOff && old > 1) this.change(row(old - 1), true);
      return { applied: 'removed' };
    }
    const score = counts ? (standing ? old : 0) + (fields.score ?? 1)
      : fields.score ?? (standing ? old : 1);
    const isRival = (it) => it.live && it.row.uuid === user && it.row.type === 'reaction' &&
      it.row.messageTimetoken === messageTimetoken && it.row.value !== value;
    const rivals = isReaction && ['unique', 'flag'].includes(this.mode)
      ? [...this.actions.values()].filter(isRival) : [];
    for (const it of rivals) this.change(it.row, false);
    if (standing && score === old) return { applied: 'already', action: standing };
    if (standing) this.change(standing, false);
    const added = row(score);
    this.change(added, true);
    return { applied: standing ? 'updated' : 'added', action: added };
  }

  /** A row comes or goes: an event with a timetoken of its own. */
  change(row, live) {
    const { messageTimetoken, type, value, uuid, actionTimetoken } = row;
    const key = JSON.stringify([messageTimetoken, type, value, uuid]);
    const kept = { row, live, changed: live ? actionTimetoken : this.now() };
    this.actions.delete(key);
    this.actions.set(key, kept);
    this.commit(this.eventOf(kept));
  }

  /** Says something else of a message, for its author alone; again, if it was said before. */
  edit(user, { messageTimetoken, payload }) {
    this.checkOwner(user, messageTimetoken, true);
    const fields = { messageTimetoken, type: 'edited', value: JSON.stringify(payload) };
    const own = this.rows.filter((it) => it.messageTimetoken === messageTimetoken &&
      it.type === 'edited' && it.uuid === user);
    const newest = own.sort(byAge).at(-1);
    const standing = own.find(({ value }) => value === fields.value);
    if (standing && standing !== newest) this.change(standing, false);
    return this.act(user, true, fields);
  }

  deleteOne(user, { messageTimetoken }) {
    this.checkOwner(user, messageTimetoken, false);
    if (!this.messages.has(messageTimetoken)) return { applied: 'absent' };
    this.delete(String(BigInt(messageTimetoken) - 1n), messageTimetoken);
    return { applied: 'removed', timetoken: this.last };
  }

  checkOwner(user, messageTimetoken, isNeeded) {
    const message = this.messages.get(messageTimetoken);
    const refuse = (status, code) => {
      throw Object.assign(new Error(code), { refusal: { status, code, message: code } });
    };
    if (!message && isNeeded) refuse(404, 'no_such_message');
    if (message && message.i !== user) refuse(403, 'not_owner');
  }

  /** A message as its author last said it, and what else shows of it. */
  shown(timetoken) {
    const { i: author, d, parent } = this.messages.get(timetoken);
    const edits = this.rows.filter((it) => it.messageTimetoken === timetoken &&
      it.type === 'edited' && it.uuid === author).sort(byAge);
    const replies = [...this.messages.values()].filter((it) => it.parent === timetoken);
    return { payload: edits.length > 0 ? JSON.parse(edits.at(-1).value) : d, parent,
      versions: edits.length, threadCount: replies.length };
  }

  delete(after, through) {
    const t = this.now();
    const isIn = (it) => byTimetoken(it, after) > 0 && byTimetoken(it, through) <= 0;
    const gone = this.stateOf(isIn);
    for (const it of [...this.messages.keys()]) if (isIn(it)) this.messages.delete(it);
    for (const [key, { row }] of [...this.actions]) {
      if (isIn(row.messageTimetoken)) this.actions.delete(key);
    }
    const event = { e: 5, f: 0, p: { t, r: 1 }, c: 'room',
      d: { event: 'deleted', data: { after, through, gone } } };
    this.deletions.push(event);
    this.commit(event);
  }

  /** A moderator removes the actions of a message, a value or a user. */
  clear(data) {
    const t = this.now();
    const isMeant = ({ messageTimetoken, value, uuid }) =>
      (data.messageTimetoken ?? messageTimetoken) === messageTimetoken &&
      (data.value ?? value) === value && (data.uuid ?? uuid) === uuid;
    const covered = [...this.actions].filter(([, { row }]) => isMeant(row) &&
      row.type === 'reaction');
    const rows = covered.filter(([, { live }]) => live).map(([, { row }]) => row);
    if (rows.length === 0) return;
    for (const [key] of covered) this.actions.delete(key);
    const gone = digestOf(rows, this.key);
    const event = { e: 3, f: 0, p: { t, r: 1 }, c: 'room', d: { source: 'actions',
      version: '1.0', event: 'cleared', data: { type: 'reaction', ...data, gone } } };
    this.deletions.push(event);
    this.commit(event);
  }

  /** A page of messages up to `through`, with everything on them: see docs/PROTOCOL.md, "older". */
  older(through, last, isAligned = () => true) {
    const isUpTo = (it) => through === undefined || byTimetoken(it, through) <= 0;
    const before = [...this.messages.keys()].filter(isUpTo).sort(byTimetoken);
    let start = before.length - last;
    // Where a segment begins.
    while (start > 0 && !isAligned(before[start])) start--;
    const after = last === 0 ? through : start > 0 ? String(BigInt(before[start]) - 1n) : '0';
    const isIn = (it) => isUpTo(it) && (after === '0' || byTimetoken(it, after) > 0);
    return { cursor: this.end, after, s: this.state,
      rest: this.stateOf((it) => isUpTo(it) && !isIn(it)),
      messages: last === 0 ? [] : this.said.filter((it) => isIn(it.timetoken)),
      rows: toBase64(packRows(last === 0 ? []
        : this.rows.filter((it) => isIn(it.messageTimetoken)))) };
  }

  /** A user has read up to there, and no further than there is anything. */
  markRead(user, through) {
    const known = this.marks.get(user) ?? '0';
    const wanted = byTimetoken(through, this.end) > 0 ? this.end : through;
    if (byTimetoken(wanted, known) <= 0) return { through: known };
    this.marks.set(user, wanted);
    for (const session of this.sessions) {
      if (session.user === user && session.hearsMarks) {
        session.put({ read: [{ name: 'room', through: wanted }] });
      }
    }
    return { through: wanted };
  }

  /** What a user has not read: by definition. */
  unread(user) {
    const through = this.marks.get(user);
    const count = [...this.messages.values()].filter(({ p, i }) =>
      i !== user && byTimetoken(p.t, through ?? '0') > 0).length;
    return { ...through === undefined ? {} : { through }, count };
  }

  /** Forgets the tombstones up to now. */
  collect() {
    this.floor = this.last;
    for (const [key, { live }] of [...this.actions]) if (!live) this.actions.delete(key);
  }

  eventOf({ row, live, changed }) {
    const { uuid, ...data } = row;
    return { e: 3, f: 0, i: uuid, p: { t: changed, r: 1 }, c: 'room', d: {
      source: 'actions', version: '1.0', event: live ? 'added' : 'removed',
      data } };
  }

  /** What changed after a timetoken, each thing once. */
  changes(after, withTombstones) {
    const events = [...this.messages.values(), ...this.deletions.map(withoutGone)]
      .filter((it) => byTimetoken(it.p.t, after) > 0);
    for (const kept of this.actions.values()) {
      if (byTimetoken(kept.changed, after) <= 0 || !(kept.live || withTombstones)) continue;
      events.push(this.eventOf(kept));
    }
    return events.sort((left, right) => byTimetoken(left.p.t, right.p.t));
  }
}

/** One connection to the model, with the surface of a WebSocket. */
export class ModelSocket {
  /** Frames to the device wait here until `deliver`, so that a test decides when they come. */
  inbox = [];
  subscription = null;
  isOpen = true;

  constructor(server, options = {}) {
    this.server = server;
    this.options = options;
    server.sessions.add(this);
  }

  send(text) {
    let isWhole = true;
    const { id, op, ...fields } = JSON.parse(text, (name, it) => {
      if (/\p{Cs}/u.test(`${name}${it}`)) isWhole = false;
      return it;
    });
    this.server.commands++;
    if (!isWhole) {
      // Half of a surrogate pair: to the daemon this is not JSON, and it answers nobody.
      this.put({ id: null, error: { status: 400, code: 'not_json', message: 'It is not JSON.' } });
      return;
    }
    if (this.options.silent?.(op)) return;
    if (this.options.bad?.(op) !== undefined) {
      // What was asked for is done, and the answer cannot be read.
      this[op](fields);
      this.pages.length = 0;
      this.put({ id, ok: this.options.bad(op) });
      return;
    }
    const { error = { status: 503, code: 'overloaded', message: 'Try again.' } } = this.options;
    const reply = { id, ...this.options.refuse?.(op, fields) ? { error } : this.answer(op, fields) };
    // A page comes when it was read: other threads tell what happened before and after.
    if (op === 'older') this.putPage(reply);
    else this.put(reply);
    for (const page of this.pages.splice(0)) this.put(page);
  }

  putPage(reply) {
    const { inbox, options: { shift } } = this;
    const by = shift?.() ?? 0;
    if (by >= 0) this.late.push({ reply, by });
    else if (this.isOpen) inbox.splice(Math.max(0, inbox.length + by), 0, reply);
    this.flush();
  }

  /** Pages that come after so many other frames. */
  late = [];

  flush() {
    const due = this.late.filter(({ by }) => by <= 0);
    this.late = this.late.filter(({ by }) => by > 0);
    for (const { reply } of due) if (this.isOpen) this.inbox.push(reply);
  }

  pages = [];

  answer(op, fields) {
    try {
      return { ok: this[op](fields) };
    } catch (error) {
      if (!error.refusal) throw error;
      return { error: error.refusal };
    }
  }

  put(frame) {
    if (this.isOpen) this.inbox.push(frame);
    for (const it of this.late) it.by--;
    this.flush();
  }

  tell(events, cursor) {
    if (this.subscription !== 'live') return;
    this.put({ t: { t: cursor, r: 1 }, c: 'room', m: events, s: this.server.state });
  }

  /** Tells what is not stored, beside the cursor of a commit. */
  announce(event, cursor) {
    if (this.subscription === 'live') this.put({ t: { t: cursor, r: 1 }, c: 'room', m: [event] });
  }

  close() {
    this.isOpen = false;
    this.server.sessions.delete(this);
  }

  hello({ userId, deviceId }) {
    [this.user, this.deviceId] = [userId, deviceId];
    const { tokenExpires } = this.options;
    return { session: '0-1', time: this.server.now(), epoch: this.server.epoch, heartbeat: 25,
      ...tokenExpires ? { tokenExpires } : {} };
  }

  token() {
    return {};
  }

  ping() {
    return {};
  }

  signal() {
    return { timetoken: this.server.now() };
  }

  hereNow({ limit, offset }) {
    const users = ['ada', 'bob', 'zoe'].map((userId) => ({ userId }));
    const end = offset + limit;
    return { occupancy: 3, users: users.slice(offset, end), ...end < 3 ? { next: end } : {} };
  }

  actions({ after }) {
    return { actions: [], ...after ? { next: 'v.y' } : {} };
  }

  markRead({ channel, through }) {
    return channel === 'room' ? this.server.markRead(this.user, through) : { through };
  }

  unread({ channels }) {
    if (channels.some((it) => this.options.isForbidden?.(it))) {
      throw Object.assign(new Error(), {
        refusal: { status: 403, code: 'forbidden', message: 'Not you.' } });
    }
    this.hearsMarks = true;
    return { channels: channels.map((name) =>
      ({ name, ...name === 'room' ? this.server.unread(this.user) : { count: 0 } })) };
  }

  summaries({ messages }) {
    const { summaries = [], summariesMax = messages.length } = this.options;
    const named = messages.map((it) => it.m ?? it);
    const rest = named.slice(summariesMax);
    return { summaries: summaries.filter(({ m }) => named.slice(0, summariesMax).includes(m)),
      ...rest.length ? { rest } : {} };
  }

  unsubscribe({ channels }) {
    if (channels.includes('room')) this.subscription = null;
    return { channels };
  }

  page(events, size, cursor = '0') {
    const { server } = this;
    for (let start = 0; start === 0 || start < events.length; start += size) {
      const some = events.slice(start, start + size);
      const isLast = start + size >= events.length;
      // Where the device is, it may be by a commit of another channel.
      const now = byTimetoken(cursor, server.last) > 0 ? cursor : server.last;
      const t = isLast ? now : some.at(-1).p.t;
      this.pages.push({ t: { t, r: 1 }, c: 'room', m: some, ...isLast ? { s: server.state } : {} });
    }
    this.subscription = 'live';
  }

  history({ before, after, limit }) {
    const { server } = this;
    const isIn = ({ timetoken: it }) => (before === undefined || byTimetoken(it, before) < 0) &&
      (after === undefined || byTimetoken(it, after) > 0);
    const all = server.said.filter(isIn);
    const messages = before === undefined ? all.slice(0, limit) : all.slice(-limit);
    const edge = before === undefined ? messages.at(-1) : messages[0];
    const said = messages.map((it) => ({ ...it,
      actions: server.rows.filter((row) => row.messageTimetoken === it.timetoken) }));
    return { messages: said, ...messages.length < all.length ? { next: edge.timetoken } : {} };
  }

  older({ through, last }) {
    const { server, options } = this;
    if (options.isElsewhere?.()) server.commitElsewhere();
    return server.older(through, last, options.isAligned);
  }

  /** What who holds a part has missed: as it happened, or summed up. */
  catchUp(after, cursor) {
    const { server, options } = this;
    const isMissed = (it) => byTimetoken(it.p.t, cursor) > 0;
    if (options.isReplayed?.() ?? true) {
      const missed = server.log.filter(isMissed);
      return this.page(options.saysGone?.() ?? true ? missed
        : missed.map((it) => it.d?.data?.gone ? withoutGone(it) : it), options.page ?? 3, cursor);
    }
    const isIn = (it) => after === '0' || byTimetoken(it, after) > 0;
    const events = server.changes(cursor, true).filter((it) => it.d?.data?.through !== undefined ||
      it.d?.event === 'cleared' || isIn(it.d?.data?.messageTimetoken ?? it.p.t));
    this.page(events, options.page ?? 3, cursor);
    for (const it of this.pages) it.window = { after };
    const rest = server.stateOf((it) => !isIn(it));
    if (options.saysRest?.() ?? true) this.pages.at(-1).window.rest = rest;
  }

  subscribeWindow({ name, cursor, epoch, count, digest, repair, window: { after } }) {
    const { server } = this;
    const reply = (mode, at) => ({ channels: [{ name, mode, cursor: at, key: server.key }] });
    if (cursor === undefined || after === undefined) {
      this.subscription = 'live';
      return reply('current', server.last);
    }
    const end = server.ends.get(Number(epoch?.slice(17))) ?? server.end;
    const isForeign = epoch?.slice(0, 16) !== server.store;
    const isWrong = byTimetoken(cursor, server.last) >= 0 && count !== undefined &&
      (count !== server.state.n || digest !== server.state.d);
    if (isForeign || repair || isWrong || byTimetoken(cursor, end) > 0 ||
      byTimetoken(cursor, server.floor) < 0) {
      this.subscription = 'live';
      return reply('window', server.last);
    }
    if (server.isPrompt && cursor === server.last) return this.current(name);
    this.catchUp(after, cursor);
    return reply('delta', cursor);
  }

  /** Who missed nothing is told so at once: nothing else comes. */
  current(name) {
    const { server } = this;
    this.subscription = 'live';
    return { channels: [{ name, mode: 'current', cursor: server.last, key: server.key,
      s: server.state, ...server.mode === 'distinct' ? {} : { rules: 0 } }],
    rules: [{ mode: server.mode }] };
  }

  subscribe({ channels }) {
    const replies = channels.map((it) => this.subscribeOne(it));
    return { ...replies[0], channels: replies.flatMap((it) => it.channels) };
  }

  subscribeOne({ name, cursor, epoch, count, digest, repair, window }) {
    const { server } = this;
    if (window) {
      return this.subscribeWindow({ name, cursor, epoch, count, digest, repair, window });
    }
    const reply = (mode, at) => ({ channels: [{ name, mode, cursor: at, key: server.key,
      ...server.mode === 'distinct' ? {} : { rules: 0 } }], rules: [{ mode: server.mode }] });
    // Only room has anything; what others hear a test puts there.
    if (name !== 'room') return reply('current', server.last);
    const isForeign = cursor !== '0' && epoch?.slice(0, 16) !== server.store;
    this.cursor = cursor;
    this.symbols = [];
    if (cursor === '0' || isForeign) {
      this.page(server.changes('0', false), this.options.page ?? 3);
      return reply(isForeign ? 'snapshot' : 'delta', '0');
    }
    const end = server.ends.get(Number(epoch?.slice(17))) ?? server.end;
    const isLost = byTimetoken(cursor, end) > 0;
    if (isLost) this.cursor = end;
    const isWrong = cursor === server.last && count !== undefined &&
      (count !== server.state.n || digest !== server.state.d);
    if (isLost || repair || isWrong || byTimetoken(cursor, server.floor) < 0) {
      this.subscription = 'held';
      return reply('repair', this.cursor);
    }
    if (server.isPrompt && cursor === server.last) return this.current(name);
    this.page(server.changes(cursor, true), this.options.page ?? 3);
    return reply('delta', cursor);
  }

  repair({ from, count, symbols }) {
    const { server } = this;
    if (from === 0) this.symbols = [];
    const { length } = this.symbols;
    if (from !== length) throw new Error(`Symbols from ${from}, not ${length}.`);
    this.symbols.push(...readSymbols(fromBase64(symbols), from, count));
    if (this.options.snapshot?.()) return { snapshot: true };
    const found = decode(this.symbols, [...server.rows, ...server.said], server.key);
    if (!found) return { need: this.symbols.length * 2 };
    const { onlyRemote, onlyLocal } = found;
    // Whatever the device has under a timetoken of these goes, so what stands there comes.
    const isMissing = (it) => onlyRemote.includes(it) || onlyLocal.includes(it);
    const rows = server.rows.filter((row) => isMissing(row.actionTimetoken));
    const messages = server.said.filter(({ timetoken }) => isMissing(timetoken));
    // All of it: there is nothing more to come before the next commit.
    this.subscription = 'live';
    return { cursor: server.last, s: server.state, rows: toBase64(packRows(rows)),
      drop: toBase64(packTimetokens(new Set(onlyLocal))), ...messages.length ? { messages } : {} };
  }

  once(mutation, apply) {
    const key = `${this.deviceId} ${mutation}`;
    const { mutations } = this.server;
    const known = mutations.get(key);
    if (known) return known;
    const reply = apply();
    if (this.server.keepsMessages) mutations.set(key, reply);
    return reply;
  }

  publish(fields) {
    return this.once(fields.mutation, () => this.server.publish(this.user, fields));
  }

  addAction(fields) {
    return this.once(fields.mutation, () => this.server.act(this.user, true, fields));
  }

  editMessage(fields) {
    return this.once(fields.mutation, () => this.server.edit(this.user, fields));
  }

  deleteMessage(fields) {
    return this.once(fields.mutation, () => this.server.deleteOne(this.user, fields));
  }

  removeAction(fields) {
    return this.once(fields.mutation, () => this.server.act(this.user, false, fields));
  }
}
