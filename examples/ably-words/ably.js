// Reactions in the words of Ably's Chat SDK and of its annotations, on the web client.
// @ts-check
import { SyncClient, reactionsOf } from '../../clients/web/syncclient.js';
import { summaryOf } from './summaries.js';

/** @typedef {import('../../clients/web/syncclient.js').Item} Item */
/** @typedef {import('../../clients/web/syncclient.js').Channel} SyncChannel */
/** @typedef {'unique'|'distinct'|'multiple'|'flag'|'total'} Aggregation */

/** Ably Chat's types of reactions. `flag` and `total` are annotations only. */
export const MessageReactionType = Object.freeze(
  { Unique: 'unique', Distinct: 'distinct', Multiple: 'multiple' });

/** @param {string} message @param {number} code Ably's. @param {number} statusCode */
const errorOf = (message, code = 40001, statusCode = 400) =>
  Object.assign(new Error(message), { code, statusCode });

/**
 * `NAME:METHOD.v1`, taken apart.
 * @param {string} type
 */
function annotationOf(type) {
  const found = /^(.+):(unique|distinct|multiple|flag|total)\.v1$/.exec(type);
  if (!found) throw errorOf(`${type} is no type of annotations that are summed up.`);
  return { name: found[1], aggregation: /** @type {Aggregation} */ (found[2]) };
}

/** A client; `rooms.get(name)` is the channel `name`. */
export class ChatClient {
  #client;
  /** @type {Map<string, Room>} */ #rooms = new Map();
  rooms = { get: async (/** @type {string} */ name) => this.#get(name) };

  /** @param {{url: string, clientId: string, cache?: string|null, keyset?: string}} options */
  constructor({ clientId, ...options }) {
    this.#client = new SyncClient({ ...options, userId: clientId });
  }

  get clientId() {
    return this.#client.userId;
  }

  /** Writes that the daemon has not answered; Ably has no word for it. */
  get waiting() {
    return this.#client.waiting;
  }

  /** @param {string} name */
  #get(name) {
    const room = this.#rooms.get(name) ?? new Room(this.#client.channel(name), this.clientId);
    this.#rooms.set(name, room);
    return room;
  }
}

/** A room, with its messages, their reactions and annotations. */
export class Room {
  messages;
  annotations;
  #channel;

  /** @param {SyncChannel} channel @param {string} clientId */
  constructor(channel, clientId) {
    this.#channel = channel;
    this.annotations = new Annotations(channel, clientId);
    this.messages = new Messages(channel, clientId, this.annotations);
  }

  /** From then on summaries come. */
  async attach() {
    await this.#channel.ready;
    this.annotations.follow();
  }
}

/** Sends messages, and shows those that are there with the summaries of their reactions. */
class Messages {
  reactions;
  #channel;
  #annotations;

  /** @param {SyncChannel} channel @param {string} clientId @param {Annotations} annotations */
  constructor(channel, clientId, annotations) {
    this.#channel = channel;
    this.#annotations = annotations;
    this.reactions = new Reactions(channel, clientId, annotations);
  }

  /** @param {{text: string}} message */
  async send({ text }) {
    await this.#channel.publish({ text });
  }

  /** @param {string} serial @param {{text: string}} message */
  async update(serial, { text }) {
    await this.#channel.edit(serial, { text });
  }

  /** @param {string} serial */
  async delete(serial) {
    await this.#channel.delete(serial);
  }

  /**
   * All that are here.
   * @param {(messages: any[]) => void} listener Called at once, too.
   */
  subscribe(listener) {
    const unsubscribe = this.#channel.observe((_, items) => listener(items.map((item) => ({
      serial: item.timetoken, clientId: item.uuid,
      text: item.payload?.text ?? String(item.payload), reactions: this.#annotations.summary(item),
    }))));
    return { unsubscribe };
  }
}

/** Ably Chat's reactions: annotations of the name `reaction`. */
class Reactions {
  #channel;
  #clientId;
  #annotations;

  /** @param {SyncChannel} channel @param {string} clientId @param {Annotations} annotations */
  constructor(channel, clientId, annotations) {
    this.#channel = channel;
    this.#clientId = clientId;
    this.#annotations = annotations;
  }

  get #defaultType() {
    return this.#channel.rules.mode;
  }

  /**
   * @param {string} serial
   * @param {{name: string, type?: 'unique'|'distinct'|'multiple', count?: number}} params
   */
  async send(serial, { name, type, count }) {
    await this.#channel.ready;
    await this.#annotations.publish({ serial },
      { type: `reaction:${type ?? this.#defaultType}.v1`, name, ...count ? { count } : {} });
  }

  /**
   * Takes the user's own back, all of it: in the type `unique` whatever it is.
   * @param {string} serial
   * @param {{name?: string, type?: 'unique'|'distinct'|'multiple'}} params
   */
  async delete(serial, { name, type } = {}) {
    await this.#channel.ready;
    const wanted = type ?? this.#defaultType;
    if (wanted !== 'unique' && name === undefined) {
      throw errorOf(`cannot delete reaction of type ${wanted} without a name`);
    }
    await this.#annotations.delete({ serial },
      { type: `reaction:${wanted}.v1`, ...wanted === 'unique' || !name ? {} : { name } });
  }

  /**
   * Calls back with a message's reactions whenever they are others. `reactions` and `summary` are
   * the same, as newer and older releases of the SDK have it.
   * @param {(event: any) => void} listener
   */
  subscribe(listener) {
    return this.#annotations.subscribeSummaries((serial, reactions) => listener({
      type: 'reaction.summary', messageSerial: serial, reactions,
      summary: { messageSerial: serial, ...reactions },
    }));
  }

  /** @param {string} serial @param {string} [clientId] */
  async clientReactions(serial, clientId = this.#clientId) {
    const { actions } = await this.#channel.actions(
      { messageTimetoken: serial, type: 'reaction', userId: clientId });
    const { mode } = this.#channel.rules;
    const entries = actions.map(({ value, score = 1 }) => [value, {
      total: mode === 'multiple' ? score : 1,
      clientIds: mode === 'multiple' ? { [clientId]: score } : [clientId], clipped: false }]);
    return { [mode]: Object.fromEntries(entries) };
  }
}

/** Ably's annotations of messages. */
class Annotations {
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
    const { mode } = this.#channel.rules;
    const expected = kind === 'reaction' ? mode : 'distinct';
    if (aggregation !== expected) {
      throw errorOf(`${type}: ${kind} of this room is summed up as ${expected}.v1.`);
    }
    if (count !== undefined && aggregation !== 'multiple') {
      throw errorOf('A count is for annotations of the type multiple.v1.');
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
    await this.#channel.react(serialOf(message),
      { value, type: kind, ...count ? { score: count } : {} });
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
    for (const it of values) await this.#channel.react(serial, it, false, kind);
  }

  /**
   * Who said what, from the daemon: the first page.
   * @param {{serial: string}|string} message @param {{limit?: number}} query
   */
  async get(message, { limit = 100 } = {}) {
    const { actions, next } = await this.#channel.actions(
      { messageTimetoken: serialOf(message), limit });
    const { mode } = this.#channel.rules;
    const items = actions.map(({ type, value, uuid, score }) => ({
      action: 'annotation.create', messageSerial: serialOf(message), clientId: uuid, name: value,
      type: `${type}:${type === 'reaction' ? mode : 'distinct'}.v1`,
      ...score ? { count: score } : {},
    }));
    return { items, hasNext: () => next !== undefined };
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
