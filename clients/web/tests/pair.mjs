// Two tabs of one device: what they share, and when each hears of it, is in the hands of a test.
import assert from 'node:assert/strict';
import { Disk, World, clock, endWorlds, turn } from './world.mjs';

const originals = ['navigator', 'BroadcastChannel'].map((name) =>
  [name, Object.getOwnPropertyDescriptor(globalThis, name)]);

const define = (name, value) =>
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

/** Closes everything, and gives the process back what tabs have in its place. */
export async function endTabs() {
  endWorlds();
  for (let i = 0; i < 20; i++) await turn();
  for (const [name, descriptor] of originals) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else delete globalThis[name];
  }
}

/** Lets `count` turns pass. */
export async function turns(count) {
  for (let i = 0; i < count; i++) await turn();
}

/** What tabs share beside the disk: one lock, and what they tell each other. */
function installTabs() {
  const channels = [];
  /** Ends the tab that has the lock, and those that had it. */
  const ends = [];
  define('BroadcastChannel', class {
    /** What was told and is not heard yet. */
    inbox = [];

    constructor() {
      channels.push(this);
    }

    postMessage(data) {
      for (const it of channels) if (it !== this) it.inbox.push(structuredClone(data));
    }

    /** Hears the first of what was told. */
    hear() {
      if (this.inbox.length > 0) this.onmessage({ data: this.inbox.shift() });
    }

    close() {
      channels.splice(channels.indexOf(this), 1);
    }
  });
  let last = Promise.resolve();
  let isHeld = false;
  let held = [];
  define('navigator', { locks: {
    async query() {
      return { held, pending: [] };
    },
    async request(name, options, callback) {
      if (options.ifAvailable && isHeld) return callback(null);
      isHeld = true;
      held = [{ name }];
      const hold = () => Promise.race([callback({}), new Promise((end) => ends.push(end))]);
      return last = last.then(hold);
    },
  } });
  return { channels, ends };
}

/** Two tabs of one device, the first of which connects. */
export class Pair {
  constructor(server) {
    Object.assign(this, { server, ...installTabs(), disk: new Disk() });
    this.disk.isShared = true;
  }

  /**
   * @param {(tab: number) => number} late Turns that pass before a tab hears what became of a
   *   transaction.
   * @param {object} client More options of both.
   * @param {object} channel Those of the channel.
   * @param {object} world Those of the tabs' worlds, and what the daemon does there.
   */
  async open(late = () => 0, client = {}, channel = {}, world = {}) {
    this.tabs = [];
    for (let i = 0; i < 2; i++) {
      const tab = new World(this.server, 'ada', { ...world, disk: this.disk, client, channel });
      tab.steps = [];
      tab.onChange = (changes) => tab.steps.push(...changes);
      this.tabs.push(tab);
      await this.rest();
      const { store } = tab;
      for (const kind of ['change', 'write']) {
        const work = store[kind].bind(store);
        // One after the other, as they ended.
        let last = Promise.resolve();
        store[kind] = (...values) => {
          const done = work(...values);
          last = Promise.all([done, last]).then(() => turns(late(i)));
          return last.then(() => done);
        };
      }
    }
  }

  get isQuiet() {
    const { inbox = [] } = this.tabs[0].socket?.model ?? {};
    return inbox.length === 0 && this.disk.underWay === 0 && this.channels.every((it) => it.inbox.length === 0);
  }

  /** Everything comes, until there is nothing more. */
  async rest() {
    for (let quiet = 0; quiet < 20; quiet = this.isQuiet ? quiet + 1 : 0) {
      this.tabs[0].deliver();
      for (const it of this.channels) it.hear();
      await turn();
    }
  }

  /** Both show what the server has, and nothing that showed was taken away. */
  check(story) {
    this.tabs[0].check();
    for (const { shown, steps, channel, client } of this.tabs) {
      const kinds = steps.map(({ kind }) => kind);
      assert.ok(!kinds.includes('remove'), `${story}: ${kinds}`);
      assert.equal(kinds.filter((kind) => kind === 'insert').length, shown.length, story);
      assert.deepEqual(shown, channel.items);
      assert.deepEqual(shown.map(({ timetoken }) => timetoken),
        [...this.server.messages.keys()], story);
      assert.equal(client.waiting, 0);
    }
    this.checkReactions(story);
  }

  /** The tab that connects is gone in the midst of what it did, and the other one connects. */
  kill() {
    this.disconnect();
    this.channels.shift();
    this.tabs.reverse();
    this.ends.at(-1)();
  }

  /** The network is gone. */
  disconnect() {
    this.tabs[0].isDown = true;
    this.tabs[0].cut();
  }

  /** It is there again, and everything comes. */
  async reconnect() {
    const [{ client }] = this.tabs;
    this.tabs[0].isDown = false;
    for (let i = 0; i < 1000 && client.status !== 'online'; i++) {
      await clock.advance(100);
      this.tabs[0].deliver();
    }
    await this.rest();
  }

  /** Both show the same reactions. */
  checkReactions(story) {
    const [first, second] = this.tabs.map(({ shown }) => shown.map(({ actions }) => actions));
    assert.deepEqual(first, second, story);
  }
}
