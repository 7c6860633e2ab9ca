// Attempts to connect that fail, as WebSockets of several kinds say it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SyncClient } from '../syncclient.js';
import { turn } from './world.mjs';

const closed = 3;

/** A WebSocket that says in these events that it could not connect. */
const failing = (...events) => class {
  constructor() {
    queueMicrotask(() => {
      this.readyState = closed;
      for (const event of events) this[event]({ code: 1006, reason: '' });
    });
  }

  close() {}
};

for (const events of [['onerror'], ['onclose'], ['onerror', 'onclose']]) {
  test(`an attempt that ends with ${events.join(' and ')} is over at once, and once`, async () => {
    const statuses = [];
    const client = new SyncClient({
      url: 'ws://model', userId: 'ada', cache: null, WebSocket: failing(...events),
      random: () => 0.5 });
    client.on('status', (status) => statuses.push(status));
    client.channel('room');
    for (let i = 0; i < 20; i++) await turn();
    assert.deepEqual(statuses, ['connecting', 'waiting']);
    assert.equal(client.stats.connections, 1);
    await client.close();
  });
}
