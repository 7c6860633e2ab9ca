// Does what a step of a channel asks for: stores it, shows it, tells it, and asks what is next.
// @ts-check
import { reopened } from '../core/outbox.js';
import { settledOf } from '../core/settled.js';

/** @typedef {import('../core/types.js').Outcome} Outcome */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./followed.js').Followed} Followed */
/** @typedef {import('./keeper.js').Keeper} Keeper */
/** @typedef {import('./older-pages.js').OlderPages} OlderPages */
/** @typedef {import('./sender.js').Sender} Sender */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */
/** @typedef {import('./subscriptions.js').Subscriptions} Subscriptions */

/** @typedef {{followed: Followed, outbox: StoredOutbox, keeper: Keeper,
 *   subscriptions: Subscriptions, sender: Sender, pages: OlderPages}} Parts */

/** Where all that happens to channels comes together. */
export class Steps {
  #device;
  #parts;

  /** @param {Device} device @param {Parts} parts */
  constructor(device, parts) {
    this.#device = device;
    this.#parts = parts;
  }

  /** @param {Channel} channel @param {Outcome} outcome */
  take(channel, outcome) {
    const { followed, outbox, subscriptions, sender, pages } = this.#parts;
    const { name } = channel;
    if (!followed.has(channel)) return;
    if (outcome.restored) {
      outbox.change((entries) => reopened(entries, name)).catch((it) => this.#device.problem(it));
    }
    channel.sync.unstored.hear(outcome.events, this.#device.userId);
    const settled = this.#settle(channel);
    this.#keep(channel, outcome, settled);
    channel.refresh(outcome.affected);
    for (const event of outcome.events) {
      this.#device.emit('event', { channel: name, event });
      this.#device.tell({ kind: 'event', value: { channel: name, event } });
    }
    if (outcome.next === 'subscribe') subscriptions.again(channel);
    if (outcome.next === 'repair') subscriptions.repair(channel);
    if (outcome.refused) subscriptions.refused(channel, outcome.refused);
    if (settled.length > 0) sender.flush();
    pages.ask(channel);
  }

  /**
   * Takes what the cache shows out of the outbox.
   * @param {Channel} channel
   */
  #settle({ name, sync }) {
    const { outbox } = this.#parts;
    const { userId } = this.#device;
    // It shows nothing of what it has heard of.
    if (sync.isUnopened) return [];
    const settled = settledOf(outbox.of(name), sync.cache, userId, sync.unstored);
    const orders = settled.map(({ order = 0 }) => order);
    outbox.settle(orders);
    return orders;
  }

  /** @param {Channel} channel @param {Outcome} outcome @param {number[]} settled */
  #keep(channel, outcome, settled) {
    const { name, isVerified, sync: { cache } } = channel;
    const patch = outcome.patch ?? (settled.length > 0 ? cache.takePatch(name) : null);
    if (patch) {
      this.#parts.keeper.keep(channel, { ...patch, settled });
      this.#device.tellsWithPatch(name, isVerified);
    } else {
      this.#device.tellVerified(name, isVerified);
    }
  }
}
