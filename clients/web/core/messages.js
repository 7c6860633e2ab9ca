// The messages of one channel, and which of them are replies to which.
// @ts-check

/** @typedef {import('./types.js').Message} Message */

/** @type {ReadonlySet<string>} */
const none = new Set();

/**
 * Messages by their timetokens, with the threads that they make.
 * @extends {Map<string, Message>}
 */
export class Messages extends Map {
  /** @type {Map<string, Set<string>>} Also of messages that are not here. */ #threads = new Map();

  /** @param {string} timetoken @param {Message} message */
  set(timetoken, message) {
    this.#leave(timetoken);
    const { parent } = message;
    if (parent !== undefined) {
      const thread = this.#threads.get(parent) ?? new Set();
      this.#threads.set(parent, thread.add(timetoken));
    }
    return super.set(timetoken, message);
  }

  /** @param {string} timetoken */
  delete(timetoken) {
    this.#leave(timetoken);
    return super.delete(timetoken);
  }

  /** @param {string} timetoken */
  #leave(timetoken) {
    const { parent } = this.get(timetoken) ?? {};
    if (parent === undefined) return;
    const thread = this.#threads.get(parent);
    thread?.delete(timetoken);
    if (thread?.size === 0) this.#threads.delete(parent);
  }

  /**
   * The replies in a message's thread that are here.
   * @param {string} timetoken @returns {ReadonlySet<string>}
   */
  repliesTo(timetoken) {
    return this.#threads.get(timetoken) ?? none;
  }
}
