// Names and pictures for a page: a directory that it follows.
// @ts-check
import { Entries, entryCommand } from '../core/directories.js';
import { checkText } from '../core/names.js';
import { isPlain } from '../core/shapes.js';
import { callSafely } from './callbacks.js';

/** @typedef {import('../core/directories.js').DirectoryEntry} DirectoryEntry */
/** @typedef {import('./channel.js').Channel} Channel */

/**
 * What is known of users, channels or members, as far as this device follows the directory: also
 * without a connection, and proven equal like any channel.
 */
export class Directory {
  /** The channel that it is. */ channel;
  #entries = new Entries();
  /** @type {Set<(ids: Set<string>) => void>} */ #observers = new Set();
  #end;

  /** @param {Channel} channel Of `$users`, `$channels`, `$members:…` or `$memberships:…`. */
  constructor(channel) {
    entryCommand(channel.name, '-', null);
    this.channel = channel;
    this.#end = channel.observe((changes) => {
      const changed = this.#entries.apply(changes);
      if (changed.size === 0) return;
      for (const it of this.#observers) callSafely(() => it(changed));
    });
  }

  /**
   * What is known of one; null: nothing, or not here.
   * @param {string} id Of a user, or a channel's name.
   */
  get(id) {
    return this.#entries.get(id);
  }

  get size() {
    return this.#entries.size;
  }

  /** All entries, in no order. */
  values() {
    return this.#entries.values();
  }

  /**
   * Calls back with the ids of whom something else is known. Returns what ends it.
   * @param {(ids: Set<string>) => void} callback
   */
  observe(callback) {
    this.#observers.add(callback);
    return () => {
      this.#observers.delete(callback);
    };
  }

  /**
   * Makes an entry, or changes these fields of it and leaves the others; null takes one away.
   * Resolves with its timetoken when the daemon has it; rejects as `Channel.signal` does, also
   * without a connection, and with `entry_modified` when it has another timetoken than `expected`.
   * `get` has it once its event has come, as on all other devices.
   * @param {string} id @param {Record<string, any>} fields @param {{expected?: string}} [options]
   * @returns {Promise<string>}
   */
  async set(id, fields, options = {}) {
    // Spread, null and a text would make an entry of nothing, or of letters.
    if (!isPlain(fields)) {
      throw new TypeError(
        'The fields of an entry are an object such as { name: \'Ada\' }; remove takes it away.');
    }
    return this.#change(id, { ...fields }, options.expected);
  }

  /**
   * Takes an entry away; nothing happens when there is none. Rejects as `set` does.
   * @param {string} id @param {{expected?: string}} [options]
   * @returns {Promise<void>}
   */
  async remove(id, options = {}) {
    await this.#change(id, null, options.expected);
  }

  /** @param {string} id @param {any} fields @param {string} [expected] */
  async #change(id, fields, expected) {
    checkText('What an entry is of', id, 255);
    const command = entryCommand(this.channel.name, id, fields);
    const { timetoken } = await this.channel.ask(
      expected === undefined ? command : { ...command, expected });
    return timetoken;
  }

  /** Nobody looks at it any more; the channel is followed on, until it is left. */
  end() {
    this.#end();
    this.#observers.clear();
  }
}
