// A device whose network, disk and time a test holds in its hands, so that a seed is a whole story.
import assert from 'node:assert/strict';
import { MemoryStore } from '../shell/memory-store.js';
import { SyncClient } from '../syncclient.js';
import { ModelSocket } from './model.mjs';

if (!globalThis.crypto) globalThis.crypto = (await import('node:crypto')).webcrypto;

/** Lets everything go on that waits for nothing but its turn. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Time that stands still until a test moves it: timers and clocks of everything there is. */
export const clock = new class {
  now = 0;
  /** What has been added to the wall clock: people and networks set it. */
  step = 0;
  #serial = 0;
  #timers = new Map();
  #originals = null;

  install() {
    if (this.#originals) return;
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    this.#originals = { setTimeout, clearTimeout, setInterval, clearInterval };
    this.#originals.dateNow = Date.now;
    this.#originals.performance = Object.getOwnPropertyDescriptor(globalThis, 'performance');
    const start = (callback, delay = 0, every = null) => {
      const id = ++this.#serial;
      this.#timers.set(id, { at: this.now + Math.max(0, delay), callback, every, delay });
      return id;
    };
    const stop = (id) => this.#timers.delete(id);
    Object.assign(globalThis, {
      setTimeout: (callback, delay) => start(callback, delay),
      setInterval: (callback, delay) => start(callback, delay, delay),
      clearTimeout: stop, clearInterval: stop,
    });
    Date.now = () => 1.7e12 + this.now + this.step;
    const performance = { now: () => this.now };
    Object.defineProperty(globalThis, 'performance', { value: performance, configurable: true });
  }

  uninstall() {
    if (!this.#originals) return;
    const { dateNow, performance, ...timers } = this.#originals;
    Object.assign(globalThis, timers);
    Date.now = dateNow;
    Object.defineProperty(globalThis, 'performance', performance);
    this.#originals = null;
    this.#timers.clear();
    [this.now, this.step] = [0, 0];
  }

  /** What waits to happen once: the milliseconds that it was told to wait. */
  get delays() {
    return [...this.#timers.values()].flatMap(({ delay, every }) => every === null ? delay : []);
  }

  /** All that waits, also what happens every so often. */
  get timers() {
    return this.#timers.size;
  }

  /** Lets time pass; what is due happens in its order. */
  async advance(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      let next = null;
      for (const [id, timer] of this.#timers) {
        if (timer.at <= end && (!next || timer.at < next[1].at)) next = [id, timer];
      }
      if (!next) break;
      const [id, timer] = next;
      this.now = Math.max(this.now, timer.at);
      if (timer.every === null) this.#timers.delete(id);
      else timer.at += timer.every;
      timer.callback();
      await turn();
    }
    this.now = end;
    await turn();
  }

  /** The machine sleeps: time passes, and no timer hears of it before the end. */
  async sleep(milliseconds) {
    this.now += milliseconds;
    for (const timer of this.#timers.values()) {
      if (timer.every !== null && timer.at < this.now) timer.at = this.now;
    }
    await this.advance(0);
  }
}();

/** What outlives a page: its transactions take their time, one after the other. */
export class Disk {
  /** Whether several pages have it at once, as tabs. */
  isShared = false;
  channels = new Map();
  outbox = new MemoryStore();
  /** Transactions that changed channels. */
  writes = 0;
  /** Those that changed read marks. */
  markWrites = 0;
  /** Turns that a transaction takes. */
  latency = () => 0;
  /** What transactions of a kind fail with. */
  failures = {};
  last = Promise.resolve();
  /** Transactions that have not ended. */
  underWay = 0;

  /** The person clears the site's data. */
  clear() {
    this.channels.clear();
    this.outbox = new MemoryStore();
  }
}

/** Keeps caches as IndexedDB would, for one page. */
class DurableStore {
  /** The page is gone: what it did not begin will never be. */
  isGone = false;
  isClosed = false;

  constructor(disk) {
    this.disk = disk;
    this.isShared = disk.isShared;
  }

  #transact(kind, work) {
    if (this.isClosed) return Promise.reject(new Error('The connection is closed.'));
    const { disk } = this;
    disk.underWay++;
    return new Promise((resolve, reject) => {
      disk.last = disk.last.then(async () => {
        for (let turns = disk.latency(); turns > 0; turns--) await turn();
        if (this.isGone) return;
        if (disk.failures[kind]) reject(disk.failures[kind]);
        else await Promise.resolve().then(work).then(resolve, reject);
      }).finally(() => disk.underWay--);
    });
  }

  async deviceId() {
    return 'phone';
  }

  change(transform, channels = []) {
    return this.#transact('change', async () => {
      const heads = new Map(channels.flatMap((name) => {
        const head = this.disk.channels.get(name)?.head;
        return head ? [[name, head.version]] : [];
      }));
      return { ...await this.disk.outbox.change(transform), versions: heads };
    });
  }

  load(channel) {
    return this.#transact('load', () => {
      const it = this.disk.channels.get(channel);
      return it && structuredClone(
        { head: it.head, rows: [...it.rows.values()], messages: [...it.messages.values()] });
    });
  }

  /** Few are many in these worlds. */
  newest(channel) {
    return this.#transact('load', () => {
      const it = this.disk.channels.get(channel);
      const timetokens = [...it?.messages.keys() ?? []].sort().slice(-2);
      return it && it.messages.size > 2 ? structuredClone({
        head: it.head,
        rows: [...it.rows.values()].filter((row) => row.messageTimetoken >= timetokens[0]),
        messages: timetokens.map((timetoken) => it.messages.get(timetoken)),
      }) : null;
    });
  }

  write(given) {
    const patch = structuredClone(given);
    const { channels, outbox } = this.disk;
    return this.#transact('write', async () => {
      let it = channels.get(patch.channel);
      if (!patch.clear && (it?.head.version ?? 0) !== patch.head.version - 1) return false;
      await outbox.write(patch);
      this.disk.writes++;
      if (!it || patch.clear) it = { rows: new Map(), messages: new Map() };
      channels.set(patch.channel, it);
      const key = (row) => JSON.stringify([row.messageTimetoken, row.type, row.value, row.uuid]);
      for (const row of patch.gone) it.rows.delete(key(row));
      for (const row of patch.rows) it.rows.set(key(row), row);
      for (const timetoken of patch.dropped) it.messages.delete(timetoken);
      for (const message of patch.messages) it.messages.set(message.timetoken, message);
      it.head = patch.head;
      return true;
    });
  }

  async keepDeviceId() {}

  readMarks() {
    return this.#transact('readMarks', async () => structuredClone(await this.disk.outbox.readMarks()));
  }

  changeMarks(changes) {
    return this.#transact('changeMarks', () => {
      this.disk.markWrites++;
      return this.disk.outbox.changeMarks(changes);
    });
  }

  close() {
    this.isClosed = true;
  }
}

/** Closed after each test, however it ended: a client's timers would keep the process. */
const worlds = new Set();

export function endWorlds() {
  for (const { client } of worlds) client.close();
  worlds.clear();
  clock.uninstall();
}

/** A device: one page after the other, one connection after the other. */
export class World {
  sockets = [];
  sent = [];
  isDown = false;
  /** Whether the network swallows everything. */
  isSilent = false;
  disk;
  /** Wishes that are not stored yet. */
  wishing = new Set();
  random = () => 0;

  constructor(server, user, options = {}) {
    Object.assign(this, { server, user, options, disk: options.disk ?? new Disk() });
    clock.install();
    worlds.add(this);
    this.open();
  }

  open() {
    this.onOpen?.();
    const world = this;
    class Socket {
      constructor() {
        world.sockets.push(this);
        if (world.isSilent) return;
        if (!world.isDown) queueMicrotask(() => this.start());
        else queueMicrotask(() => this.onclose({ code: 1006 }));
      }

      start() {
        this.model = new ModelSocket(world.server, world.options);
        this.onopen();
      }

      send(text) {
        world.sent.push(JSON.parse(text));
        this.model.send(text);
      }

      close() {
        this.isClosed = true;
        this.model?.close();
      }
    }
    this.store = new DurableStore(this.disk);
    this.client = new SyncClient({
      url: 'ws://model/v1/sync', userId: this.user, store: this.store, WebSocket: Socket,
      deviceId: this.options.deviceId ?? `${this.user}-phone`, random: () => this.random(),
      ...this.options.client });
    this.problems = [];
    for (const kind of ['problem', 'refused']) {
      this.client.on(kind, (it) => {
        // That is the network of these worlds.
        if (!/could not be reached/.test(it.message)) this.problems.push(it);
      });
    }
    this.channel = this.client.channel('room', this.options.channel);
    /** What a user interface would show, from the steps alone. */
    this.shown = [];
    this.channel.observe((changes) => {
      for (const { kind, index, from, item } of changes) {
        if (kind === 'remove') this.shown.splice(index, 1);
        if (kind === 'move') this.shown.splice(from, 1);
        if (kind === 'update') this.shown[index] = item;
        else if (kind !== 'remove') this.shown.splice(index, 0, item);
      }
      this.onChange?.(changes);
    });
  }

  /** Keeps an eye on a wish until it is stored. */
  wish(stored) {
    this.wishing.add(stored);
    stored.finally(() => this.wishing.delete(stored));
    return stored;
  }

  get socket() {
    return this.sockets.at(-1);
  }

  /** Delivers up to `count` frames of what the server sent. */
  deliver(count = Infinity) {
    const { socket } = this;
    for (let i = 0; i < count && socket?.model?.inbox.length > 0; i++) {
      socket.onmessage({ data: JSON.stringify(socket.model.inbox.shift()) });
    }
  }

  /** The connection ends; what was under way in both directions is lost. */
  cut() {
    const { socket } = this;
    if (!socket?.model) return;
    socket.model.close();
    socket.onclose({ code: 1006 });
  }

  async reload() {
    const closed = this.client.close();
    // Before that no other client may have the cache; what a page stores that is gone never ends.
    await (this.store.isGone ? turn() : closed);
    this.open();
    await this.channel.ready;
  }

  /** The page goes as if the machine had lost its power. */
  async crash() {
    this.store.isGone = true;
    this.wishing.clear();
    await this.reload();
  }

  async settle() {
    for (let i = 0, quiet = 0; quiet < 3; i++) {
      assert.ok(i < 5000, `no end: ${this.client.status} ${this.channel.sync.phase}`);
      const inbox = this.socket?.model?.inbox.length ?? 0;
      this.deliver();
      await turn();
      await clock.advance(10);
      await this.disk.last;
      const isQuiet = inbox === 0 && this.client.status === 'online' && this.client.waiting === 0 &&
        this.channel.sync.phase === 'live' && !this.channel.sync.staging &&
        (this.channel.isVerified || !this.channel.window);
      quiet = isQuiet ? quiet + 1 : 0;
    }
  }

  check() {
    const { cache } = this.channel.sync;
    const sorted = (rows) => rows.map((it) => JSON.stringify(
      [it.actionTimetoken, it.messageTimetoken, it.type, it.value, it.uuid, it.score])).sort();
    assert.deepEqual(sorted([...cache.rows]), sorted(this.server.rows));
    const inOrder = (messages) => [...messages].sort(
      (left, right) => left.timetoken < right.timetoken ? -1 : 1);
    assert.deepEqual(inOrder(cache.messages.values()), inOrder(this.server.said));
    assert.deepEqual({ n: cache.tally.digest.count, d: cache.tally.digest.text }, this.server.state);
    assert.deepEqual(this.shown, this.channel.items);
    const expected = [...this.server.messages.keys()].sort().map((timetoken) => [timetoken,
      this.server.rows.filter((it) => it.messageTimetoken === timetoken)
        .map((it) => `${it.actionTimetoken} ${it.uuid} ${it.value} ${it.score ?? 1}`).sort()]);
    assert.deepEqual(this.shown.map((it) => [it.timetoken,
      it.actions.map((a) => `${a.actionTimetoken} ${a.uuid} ${a.value} ${a.score}`).sort()]), expected);
    const faces = (it) => [it.payload, it.parent, it.versions, it.threadCount];
    assert.deepEqual(this.shown.map(faces),
      this.shown.map((it) => faces(this.server.shown(it.timetoken))));
    assert.ok(this.channel.isVerified);
    assert.deepEqual(this.problems, []);
  }
}

/** A world with one message, followed. */
export async function followed(server, options) {
  const { timetoken } = server.publish('zoe', { payload: 'start' });
  const world = new World(server, 'ada', options);
  await world.settle();
  return { world, timetoken };
}
