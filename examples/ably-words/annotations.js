// Ably's annotations of messages, on a channel of the web client.
// @ts-check
import { OutboxFullError, reactionsOf } from '../../clients/web/syncclient.js';
import { summaryOf } from './summaries.js';

/** @typedef {import('../../clients/web/syncclient.js').Item} Item */
/** @typedef {import('../../clients/web/syncclient.js').Channel} SyncChannel */
/** @typedef {'unique'|'distinct'|'multiple'|'flag'|'total'} Aggregation */

/** @param {string} message @param {number} code Ably's. @param {number} statusCode */
export const errorOf = (message, code = 40001, statusCode = 400) =>
  Object.assign(new Error(message), { code, statusCode });

/**
 * What the daemon refused, as Ably has errors; the daemon's word for it is the `reason`.
 * @param {{status: number, code: string, message: string}} refusal
 */
export const refusedOf = ({ status, code: reason, message }) =>
  Object.assign(errorOf(message, status * 100, status), { reason });

/**
 * Does something, and rejects as Ably does: what can be no call, and what is refused at the call.
 * @template Result
 * @param {() => Promise<Result>} work @returns {Promise<Result>}
 */
export async function inWords(work) {
  try {
    return await work();
  } catch (/** @type {any} */ error) {
    if (typeof error.status === 'number') throw refusedOf(error);
    if (error instanceof OutboxFullError) throw errorOf(error.message, 42900, 429);
    if (error instanceof RangeError || error instanceof TypeError) throw errorOf(error.message);
    throw error;
  }
}

/**
 * `NAME:METHOD.v1`, taken apart.
 * @param {string} type
 */
function annotationOf(type) {
  const found = /^(.+):(unique|distinct|multiple|flag|total)\.v1$/.exec(type);
  if (!found) throw errorOf(`${type} is no type of annotations that are summed up.`);
  return { name: found[1], aggregation: /** @type {Aggregation} */ (found[2]) };
}

/** What an annotation may count for. */
const countMax = 1_000_000_000;

/** What authors make of their own messages is an action here, and no annotation. */
const isAnnotation = (/** @type {{type: string}} */ { type }) =>
  type !== 'edited' && type !== 'deleted';

/** Ably's annotations of messages. */
export class Annotations {
  #channel;
  #clientId;
  /** @type {Set<(serial: string, summary: any) => void>} */ #listeners = new Set();
  /** @type {Map<string, string>} The summary of each message that was told, by its item. */
  #told = new Map();
  #isFollowed = false;

  /** @param {SyncChannel} channel @param {string} clientId */
  constructor(channel, clientId) {
    this.#channel = channel;
    this.#clientId = clientId;
  }

  /**
   * The action that an annotation is. How reactions are summed up is the channel's mode, for all of
   * its users; annotations of another name are actions of that type, one for each client and name.
   * @param {{type: string, name?: string, count?: number}} annotation
   */
  #actionOf({ type, name = '', count }) {
    const { name: kind, aggregation } = annotationOf(type);
    if (!isAnnotation({ type: kind })) {
      throw errorOf(`${kind} is what authors make of their messages: see messages.update.`);
    }
    const { mode, types } = this.#channel.rules;
    const expected = kind === 'reaction' || types.includes(kind) ? mode : 'distinct';
    if (aggregation !== expected) {
      throw errorOf(`${type}: ${kind} of this room is summed up as ${expected}.v1.`);
    }
    if (count !== undefined && aggregation !== 'multiple') {
      throw errorOf('A count is for annotations of the type multiple.v1.');
    }
    if (count !== undefined && !(Number.isSafeInteger(count) && count >= 1 && count <= countMax)) {
      throw errorOf(`A count is a whole number from 1 to ${countMax}, not ${count}.`);
    }
    const isNamed = aggregation !== 'flag' && aggregation !== 'total';
    return { kind, aggregation, value: isNamed ? name : aggregation };
  }

  /**
   * @param {{serial: string}|string} message
   * @param {{type: string, name?: string, count?: number}} annotation
   */
  async publish(message, annotation) {
    await this.#channel.ready;
    const { kind, value } = this.#actionOf(annotation);
    const { count } = annotation;
    await inWords(() => this.#channel.react(serialOf(message),
      { value, type: kind, ...count === undefined ? {} : { score: count } }));
  }

  /**
   * @param {{serial: string}|string} message @param {{type: string, name?: string}} annotation
   */
  async delete(message, annotation) {
    await this.#channel.ready;
    const { kind, aggregation, value } = this.#actionOf(annotation);
    const serial = serialOf(message);
    // The one of type unique needs no name: the client has one at most.
    const isAny = aggregation === 'unique' && value === '';
    const item = this.#channel.items.find(({ timetoken }) => timetoken === serial);
    const values = !isAny ? [value] : !item ? [] : reactionsOf(item, this.#clientId)
      .filter((it) => it.isMine && it.type === 'reaction').map((it) => it.value);
    for (const it of values) await inWords(() => this.#channel.react(serial, it, false, kind));
  }

  /**
   * Who said what, from the daemon, page by page. A page may have fewer than `limit`.
   * @param {{serial: string}|string} message @param {{limit?: number}} query
   */
  async get(message, { limit = 100 } = {}) {
    return this.#page(serialOf(message), limit);
  }

  /**
   * @param {string} messageTimetoken @param {number} limit @param {string} [after]
   * @returns {Promise<any>}
   */
  async #page(messageTimetoken, limit, after) {
    const { actions, next } = await inWords(() => this.#channel.actions(
      { messageTimetoken, limit, ...after === undefined ? {} : { after } }));
    const { mode } = this.#channel.rules;
    const items = actions.filter(isAnnotation).map(({ type, value, uuid, score }) => ({
      action: 'annotation.create', messageSerial: messageTimetoken, clientId: uuid, name: value,
      type: `${type}:${type === 'reaction' ? mode : 'distinct'}.v1`,
      ...score ? { count: score } : {},
    }));
    const isLast = next === undefined;
    return { items, hasNext: () => !isLast, isLast: () => isLast,
      next: async () => isLast ? null : this.#page(messageTimetoken, limit, next) };
  }

  /**
   * A message's reactions, summed up as the room does it.
   * @param {Item} item
   */
  summary(item) {
    return summaryOf(item, this.#clientId, this.#channel.rules.mode);
  }

  /** Tells of summaries from now on. */
  follow() {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    this.#channel.observe((changes) => {
      for (const { kind, item } of changes) {
        const summary = this.summary(item);
        const text = JSON.stringify(summary);
        const isNew = this.#told.get(item.key) !== text;
        this.#told.set(item.key, text);
        if (!isNew || kind === 'remove' || item.timetoken === null) continue;
        for (const listener of this.#listeners) listener(item.timetoken, summary);
      }
    });
  }

  /** @param {(serial: string, summary: any) => void} listener */
  subscribeSummaries(listener) {
    this.#listeners.add(listener);
    return { unsubscribe: () => this.#listeners.delete(listener) };
  }
}

const serialOf = (/** @type {{serial: string}|string} */ message) =>
  typeof message === 'string' ? message : message.serial;
