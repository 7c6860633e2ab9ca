// Which own messages turned out to be stored by nobody: the reply to a publish does not tell.
// @ts-check
import { isLater } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Entry */

/** Announced messages that are remembered: twice what may be under way. */
const heardMax = 512;

/**
 * What a channel told about messages that are not stored. Two things tell: the event, which has the
 * timetoken of the reply and comes before it or after it; and, when the event was missed, a
 * subscription that began after the message and brought everything but it.
 */
export class Unstored {
  /** Up to here every stored message has come. */
  through = '0';
  /** @type {Set<string>} Timetokens of messages of this user. */ #heard = new Set();

  /**
   * Notes events that nobody stores.
   * @param {any[]} events @param {string} user
   */
  hear(events, user) {
    for (const { e: kind, i, p } of events) {
      if (!kind && i === user) this.#heard.add(p.t);
    }
    for (const oldest of this.#heard) {
      if (this.#heard.size <= heardMax) return;
      this.#heard.delete(oldest);
    }
  }

  /**
   * Whether an entry that the daemon took is a message that nobody stores, or that has come.
   * @param {Entry} entry
   */
  has({ kind, acknowledged }) {
    if (kind !== 'publish' || acknowledged === null) return false;
    return this.#heard.has(acknowledged) || !isLater(acknowledged, this.through);
  }
}
