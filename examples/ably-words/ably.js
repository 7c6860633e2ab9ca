// Reactions in the words of Ably's Chat SDK and of its annotations, on the web client.
// @ts-check
import { SyncClient } from '../../clients/web/syncclient.js';
import { Annotations, errorOf, inWords, refusedOf } from './annotations.js';
import { clientSummaryOf } from './summaries.js';

/** @typedef {import('../../clients/web/syncclient.js').Refusal} Refusal */
/** @typedef {import('../../clients/web/syncclient.js').Channel} SyncChannel */

/** Ably Chat's types of reactions. `flag` and `total` are annotations only. */
export const MessageReactionType = Object.freeze(
  { Unique: 'unique', Distinct: 'distinct', Multiple: 'multiple' });

/**
 * What the daemon never takes. `wish` is the wish in the web client's words, `error` as Ably has
 * errors; the daemon's word for it is the `reason`.
 * @typedef {{room: string, serial: string|null, wish: Refusal['entry'],
 *   error: Error & {code: number, statusCode: number, reason: string}}} Refused
 */

/** Who wants to know what was refused. */
class Refusals {
  /** @type {Set<(event: Refused) => void>} */ #listeners = new Set();

  /** @param {string} kind @param {(event: Refused) => void} listener */
  on(kind, listener) {
    if (kind !== 'refused') throw errorOf(`There is no event ${kind}, only refused.`);
    this.#listeners.add(listener);
    return { off: () => this.#listeners.delete(listener) };
  }

  /** @param {Refusal} refusal */
  tell({ entry, error }) {
    const serial = entry.messageTimetoken ?? null;
    const event = { room: entry.channel, serial, wish: entry, error: refusedOf(error) };
    for (const listener of this.#listeners) listener(event);
  }
}

/** A client; `rooms.get(name)` is the channel `name`. */
export class ChatClient {
  #client;
  #refusals = new Refusals();
  /** @type {Map<string, Room>} */ #rooms = new Map();
  rooms = { get: (/** @type {string} */ name) => inWords(async () => this.#get(name)) };

  /** @param {{url: string, clientId: string, cache?: string|null, keyset?: string}} options */
  constructor({ clientId, ...options }) {
    this.#client = new SyncClient({ ...options, userId: clientId });
    this.#client.on('refused', (refusal) => {
      this.#refusals.tell(refusal);
      this.#rooms.get(refusal.entry.channel)?.refused(refusal);
    });
  }

  /**
   * Tells of each wish that the daemon never takes, in whichever room, also of those from before a
   * reload; Ably has no word for it, as there calls wait for the reply.
   * @param {'refused'} kind @param {(event: Refused) => void} listener
   */
  on(kind, listener) {
    return this.#refusals.on(kind, listener);
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
  #refusals = new Refusals();

  /** @param {SyncChannel} channel @param {string} clientId */
  constructor(channel, clientId) {
    this.#channel = channel;
    this.annotations = new Annotations(channel, clientId);
    this.messages = new Messages(channel, clientId, this.annotations);
  }

  /**
   * Tells of each wish in this room that the daemon never takes: it was taken back.
   * @param {'refused'} kind @param {(event: Refused) => void} listener
   */
  on(kind, listener) {
    return this.#refusals.on(kind, listener);
  }

  /**
   * For the client.
   * @param {Refusal} refusal
   */
  refused(refusal) {
    this.#refusals.tell(refusal);
  }

  /**
   * From then on summaries come. Resolves when the room's reactions, and how they are summed up, are
   * those of the daemon; without a connection it waits for one. Rejects when the user may not follow
   * the room.
   */
  async attach() {
    await this.#channel.ready;
    this.annotations.follow();
    await this.#channel.whenVerified();
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
    await inWords(() => this.#channel.publish({ text }));
  }

  /** @param {string} serial @param {{text: string}} message */
  async update(serial, { text }) {
    await inWords(() => this.#channel.edit(serial, { text }));
  }

  /** @param {string} serial */
  async delete(serial) {
    await inWords(() => this.#channel.delete(serial));
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
      { type: `reaction:${type ?? this.#defaultType}.v1`, name,
        ...count === undefined ? {} : { count } });
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

  /**
   * What one client said: a summary as if there were nobody else.
   * @param {string} serial @param {string} [clientId]
   */
  async clientReactions(serial, clientId = this.#clientId) {
    const { actions } = await inWords(() => this.#channel.actions(
      { messageTimetoken: serial, type: 'reaction', userId: clientId }));
    return clientSummaryOf(actions, clientId, this.#channel.rules.mode);
  }
}
