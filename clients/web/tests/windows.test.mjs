// The cases of windows that all clients share: what a device asks, hears and holds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { World, clock, endWorlds, turn } from './world.mjs';

afterEach(endWorlds);

const { cases } = JSON.parse(
  readFileSync(new URL('../../../Tests/Fixtures/windows.json', import.meta.url), 'utf8'));

/** A device and a daemon of paper. */
class Player {
  sockets = [];
  /** What was asked on this connection, and how much of it a step has looked at. */
  asked = [];
  looked = 0;

  constructor({ last, keeping }) {
    const player = this;
    class Socket {
      constructor() {
        player.sockets.push(this);
      }

      send(text) {
        const command = JSON.parse(text);
        if (['subscribe', 'older', 'repair'].includes(command.op)) player.asked.push(command);
        if (command.op !== 'hello') return;
        this.hear({ id: command.id,
          ok: { session: '0-1', time: '17952187953729000', epoch: player.epoch, heartbeat: 25 } });
      }

      hear(frame) {
        this.onmessage({ data: JSON.stringify(frame) });
      }

      close() {}
    }
    const window = keeping === undefined ? { last } : { last, keeping };
    this.world = new World(new Server(), 'ada',
      { channel: { window }, client: { WebSocket: Socket } });
  }

  get socket() {
    return this.sockets.at(-1);
  }

  /** Everything goes on that waits for nothing but its turn. */
  async rest() {
    for (let i = 0; i < 20; i++) await turn();
    await this.world.disk.last;
  }

  async play(step) {
    if (step.do) await this[step.do](step);
    if (step.asks) this.checkAsked(step.asks);
    if (step.frame) this.socket.hear({ id: this.asked[step.reply].id, ...step.frame });
    if (step.push) this.socket.hear(step.push);
    await this.rest();
    if (step.holds) this.checkHeld(step.holds);
  }

  async connect({ epoch }) {
    this.epoch = epoch;
    [this.asked, this.looked] = [[], 0];
    await this.rest();
    for (let i = 0; i < 100 && this.socket.isOver; i++) await clock.advance(100);
    this.socket.onopen();
  }

  disconnect() {
    this.socket.isOver = true;
    this.socket.onclose({ code: 1006 });
  }

  older({ last }) {
    this.world.channel.older(last).catch(() => {});
  }

  verify() {
    this.world.channel.verify().catch(() => {});
  }

  async reload() {
    this.socket.isOver = true;
    await this.world.reload();
  }

  checkAsked(expected) {
    const asked = this.asked.slice(this.looked).map(({ id, ...it }) => it);
    this.looked = this.asked.length;
    assert.deepEqual(asked, expected);
  }

  checkHeld({ messages, reactions, after, verified }) {
    const { channel, shown } = this.world;
    assert.deepEqual(shown.map(({ timetoken }) => timetoken), messages);
    const said = shown.filter(({ actions }) => actions.length > 0).map((it) =>
      [it.timetoken, it.actions.map(({ value, uuid }) => [value, uuid]).sort()]);
    const sorted = Object.entries(reactions).map(([message, it]) => [message, it.sort()]);
    assert.deepEqual(said, sorted.sort());
    assert.equal(channel.sync.cache.rest.after, after);
    assert.equal(channel.isVerified, verified);
    assert.equal(this.asked.length, this.looked, 'what nobody expected was asked');
  }
}

for (const it of cases) {
  test(`windows: ${it.name}`, async () => {
    const player = new Player(it);
    for (const [i, step] of it.steps.entries()) {
      try {
        await player.play(step);
      } catch (error) {
        error.message = `step ${i}, ${JSON.stringify(step).slice(0, 200)}: ${error.message}`;
        throw error;
      }
    }
  });
}
