// The messages of one channel, and which of them are replies to which.
// @ts-check
import { isObject, isText } from './shapes.js';
import { isTimetoken } from './timetoken.js';

/** @typedef {import('./tally.js').Tally} Tally */
/** @typedef {import('./types.js').Message} Message */

/** @type {ReadonlySet<string>} */
const none = new Set();

/** Whether it is a message: of a store, or as `history` has it. */
export const isMessage = (/** @type {any} */ it) => isObject(it) && isTimetoken(it.timetoken) &&
  isText(it.uuid ?? '') && it.payload !== undefined && isText(it.messageType ?? '') &&
  ((it.parent ?? null) === null || isTimetoken(it.parent));

/**
 * A message with what it has, and no more.
 * @param {any} it @returns {Message}
 */
export function messageFrom({ timetoken, uuid, payload, meta, messageType, parent }) {
  /** @type {Message} */
  const message = { timetoken, uuid: uuid ?? '', payload };
  if ((meta ?? null) !== null) message.meta = meta;
  if ((messageType ?? null) !== null) message.messageType = messageType;
  if ((parent ?? null) !== null) message.parent = parent;
  return message;
}

/** The message that an event brings. */
export const messageOf = (
  /** @type {any} */ { p, i: uuid, d: payload, u: meta, cmt: messageType, parent }) =>
  messageFrom({ timetoken: p.t, uuid, payload, meta, messageType, parent });

/**
 * Messages by their timetokens, with the threads that they make.
 * @extends {Map<string, Message>}
 */
export class Messages extends Map {
  #tally;
  /** @type {Map<string, Set<string>>} Also of messages that are not here. */ #threads = new Map();

  /** @param {Tally} tally Hears of each that comes or goes. */
  constructor(tally) {
    super();
    this.#tally = tally;
  }

  /** @param {string} timetoken @param {Message} message */
  set(timetoken, message) {
    this.#leave(timetoken);
    this.#tally.message(message, 1);
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
    const message = this.get(timetoken);
    if (!message) return;
    this.#tally.message(message, -1);
    const { parent } = message;
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
