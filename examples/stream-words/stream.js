// Reactions in the words of Stream Chat's JavaScript SDK, on the web client.
// @ts-check
import { SyncClient, dateOf, reactionsOf } from '../../clients/web/syncclient.js';
import { actionsQuery } from './query.js';

/** @typedef {import('../../clients/web/syncclient.js').Item} Item */
/** @typedef {import('../../clients/web/syncclient.js').Channel} SyncChannel */

/**
 * A reaction as Stream has it. `created_at` is null while it is on its way.
 * @typedef {{message_id: string|null, type: string, user_id: string, score: number,
 *   created_at: Date|null}} Reaction
 */

/** Reactions of a message that come with it, the newest ones. */
const latestMax = 10;

/** A channel `TYPE:ID` is the channel `TYPE.ID`: a channel type is a namespace with its rules. */
export class StreamChat {
  #options;
  /** @type {SyncClient|null} */ #client = null;
  /** @type {Map<string, Channel>} By their names here. */ #channels = new Map();
  /** @type {Set<(event: any) => void>} */ #listeners = new Set();

  /** @param {{url: string, cache?: string|null, keyset?: string}} options */
  constructor(options) {
    this.#options = options;
  }

  /** @param {{id: string}} user @param {string} [token] What the user's backend gave. */
  async connectUser({ id }, token) {
    this.#client = new SyncClient({ ...this.#options, userId: id, ...token ? { token } : {} });
    this.#channels.clear();
    this.#client.on('refused', (refusal) => this.#refused(refusal));
  }

  /**
   * Tells of each wish that the daemon never takes, in whichever channel, also of those from before
   * a reload. `wish` is the wish in the web client's words, `error` has the daemon's `code`.
   * @param {'refused'} kind @param {(event: any) => void} callback
   */
  on(kind, callback) {
    if (kind !== 'refused') throw new Error(`A client has no event ${kind}: see its channels.`);
    this.#listeners.add(callback);
    return { unsubscribe: () => this.#listeners.delete(callback) };
  }

  /** @param {import('../../clients/web/syncclient.js').Refusal} refusal */
  #refused({ entry, error }) {
    const channel = this.#channels.get(entry.channel);
    const cid = channel?.cid ?? entry.channel.replace('.', ':');
    const event = { type: 'refused', cid, message_id: entry.messageTimetoken ?? null, wish: entry,
      error };
    channel?.emit('refused', event);
    for (const callback of this.#listeners) callback(event);
  }

  async disconnectUser() {
    await this.#client?.close();
  }

  get #connected() {
    if (this.#client) return this.#client;
    throw new Error('Both secret and user tokens are not set. Call connectUser first.');
  }

  get userID() {
    return this.#connected.userId;
  }

  /** Writes that the daemon has not answered; Stream has no word for it. */
  get waiting() {
    return this.#connected.waiting;
  }

  /** @param {string} type @param {string} id */
  channel(type, id) {
    const name = `${type}.${id}`;
    const channel = this.#channels.get(name) ??
      new Channel(`${type}:${id}`, this.#connected.channel(name), this.userID);
    this.#channels.set(name, channel);
    return channel;
  }
}

/** A channel and its state. */
export class Channel {
  cid;
  #channel;
  #user;
  /** @type {Map<string, Set<(event: any) => void>>} */ #listeners = new Map();
  /** @type {Map<string, Map<string, Reaction>>} What each message's reactions were, by items. */
  #known = new Map();
  /** @type {Set<string>} Messages on which an own score is lowered now. */ #replacing = new Set();
  /** @type {Promise<void>|null} */ #watched = null;

  /** @param {string} cid @param {SyncChannel} channel @param {string} user */
  constructor(cid, channel, user) {
    this.cid = cid;
    this.#channel = channel;
    this.#user = user;
  }

  /**
   * Resolves when the channel's reactions and its rules are those of the daemon; from then on events
   * come. Without a connection it waits for one, and `changed` tells of what the cache kept. Rejects
   * when the user may not follow the channel.
   * @returns {Promise<void>}
   */
  watch() {
    this.#watched ??= this.#watch();
    return this.#watched.then(() => this.#channel.whenVerified());
  }

  async #watch() {
    await this.#channel.ready;
    this.#channel.observe((changes) => {
      for (const { kind, item } of changes) this.#follow(kind, item);
      this.emit('changed', {});
    });
  }

  /**
   * @param {string} kind A Stream event; `changed`: the list is another one; or `refused`: the
   *   daemon never takes what was wished in this channel, and it was taken back.
   */
  on(kind, /** @type {(event: any) => void} */ callback) {
    const callbacks = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, callbacks.add(callback));
    return { unsubscribe: () => callbacks.delete(callback) };
  }

  /**
   * For the client and the channel itself.
   * @param {string} kind @param {any} event
   */
  emit(kind, event) {
    for (const callback of this.#listeners.get(kind) ?? []) callback({ ...event, type: kind });
  }

  /** The messages, with all that Stream's have of reactions. */
  get state() {
    return { messages: this.#channel.items.map((item) => this.#messageOf(item)) };
  }

  /** @param {{text: string, parent_id?: string}} message */
  async sendMessage({ text, parent_id: parent }) {
    await this.#channel.publish({ text }, parent ? { parent } : {});
  }

  /**
   * Has a reaction of the user's count for `score`. Whether it takes the place of the user's others
   * is the channel's mode, for all of its users: asking for the other one is an error.
   * @param {string} messageID @param {{type: string, score?: number}} reaction
   * @param {{enforce_unique?: boolean}} options
   */
  async sendReaction(messageID, { type, score }, { enforce_unique: isUnique } = {}) {
    await this.#channel.ready;
    const { mode } = this.#channel.rules;
    if (score !== undefined && !(Number.isSafeInteger(score) && score >= 1)) {
      throw new Error(`score is a whole number from 1 on, not ${score}: see deleteReaction.`);
    }
    if (isUnique !== undefined && isUnique !== (mode === 'unique' || mode === 'flag')) {
      throw new Error(`enforce_unique: ${isUnique} is reaction_mode here, which is ${mode}.`);
    }
    if (mode === 'multiple' || mode === 'total') await this.#count(messageID, type, score ?? 1);
    else await this.#channel.react(messageID, score ? { value: type, score } : type);
    return this.#answer(messageID, type);
  }

  /** @param {string} messageID @param {string} type */
  async deleteReaction(messageID, type) {
    await this.#channel.ready;
    if (this.#channel.rules.mode === 'total') await this.#count(messageID, type, 0);
    else await this.#channel.react(messageID, type, false);
    return this.#answer(messageID, type);
  }

  /**
   * A score is what a reaction comes to; where each add counts, it is what is missing that is sent.
   * @param {string} messageID @param {string} type @param {number} score
   */
  async #count(messageID, type, score) {
    const own = this.#own(messageID, type);
    if (score > own) return this.#channel.react(messageID, { value: type, score: score - own });
    if (score === own) return;
    if (this.#channel.rules.mode === 'total') {
      for (let left = own; left > score; left--) await this.#channel.react(messageID, type, false);
      return;
    }
    // Two wishes, and one event here; to others they are a removal and a new one.
    this.#replacing.add(messageID);
    try {
      await this.#channel.react(messageID, type, false);
      await this.#channel.react(messageID, { value: type, score });
    } finally {
      this.#replacing.delete(messageID);
      const item = this.#itemOf(messageID);
      if (item && this.#watched) this.#follow('update', item);
    }
  }

  /** @param {string} messageID */
  #itemOf(messageID) {
    return this.#channel.items.find(({ timetoken }) => timetoken === messageID);
  }

  /** @param {string} messageID @param {string} type What the user's own counts for; 0: none. */
  #own(messageID, type) {
    const item = this.#itemOf(messageID);
    // Whoever says 👏 where `clap` is its name, or ❤ in another spelling, means the same one.
    const { value } = this.#channel.named(messageID, type);
    const own = item && this.#reactionsOf(item).find((it) => it.value === value);
    return own?.ownScore ?? 0;
  }

  /** @param {string} messageID @param {string} type */
  #answer(messageID, type) {
    const message = this.state.messages.find(({ id }) => id === messageID);
    const named = this.#typeOf(this.#channel.named(messageID, type).value);
    const reaction = message?.own_reactions.find((it) => it.type === named);
    return { message, reaction };
  }

  /**
   * Who reacted: from the daemon, page by page. Rejects a filter or an order that it does not know.
   * @param {string} messageID
   * @param {import('./query.js').Filter} [filter]
   * @param {import('./query.js').Sort|import('./query.js').Sort[]} [sort] By `created_at` or by
   *   `score`; the newest first where nothing is said.
   * @param {{limit?: number, next?: string}} [options]
   */
  async queryReactions(messageID, filter = {}, sort = [], options = {}) {
    const query = actionsQuery(messageID, filter, sort, options);
    const found = await this.#channel.actions(query);
    const reactions = found.actions.map((it) => this.#reactionOf(messageID, it));
    return { reactions, ...found.next === undefined ? {} : { next: found.next } };
  }

  /** The name that a value has among Stream's types: what the channel calls it. */
  #typeOf(/** @type {string} */ value) {
    return this.#channel.rules.aliases.find((it) => it.value === value)?.name ?? value;
  }

  /** @param {Item} item */
  #reactionsOf(item) {
    return reactionsOf(item, this.#user).filter(({ type }) => type === 'reaction');
  }

  /** @param {Item} item The message as Stream has it. */
  #messageOf(item) {
    const groups = this.#reactionsOf(item);
    const all = this.#allOf(item);
    const by = (/** @type {(it: typeof groups[0]) => any} */ what) =>
      Object.fromEntries(groups.map((it) => [this.#typeOf(it.value), what(it)]));
    return {
      id: item.timetoken, text: item.payload?.text ?? String(item.payload),
      user: { id: item.uuid }, parent_id: item.parent, reply_count: item.threadCount,
      reaction_counts: by((it) => it.count), reaction_scores: by((it) => it.score),
      reaction_groups: by((it) => ({ count: it.count, sum_scores: it.score,
        first_reaction_at: dateOf(it.first), last_reaction_at: dateOf(it.last) })),
      latest_reactions: all.slice(-latestMax).reverse(),
      own_reactions: all.filter((it) => it.user_id === this.#user),
    };
  }

  /** @param {string|null} id @param {any} action @returns {Reaction} */
  #reactionOf(id, { value, uuid, score = 1, actionTimetoken }) {
    return { message_id: id, type: this.#typeOf(value), user_id: uuid, score,
      created_at: dateOf(actionTimetoken) };
  }

  /** @param {Item} item Its reactions, the oldest first. */
  #allOf(item) {
    return item.actions.filter(({ type }) => type === 'reaction')
      .map((it) => this.#reactionOf(item.timetoken, it));
  }

  /**
   * Tells what became of a message's reactions: of what is shown, so also of what was missed.
   * @param {string} kind @param {Item} item
   */
  #follow(kind, item) {
    if (kind !== 'remove' && this.#replacing.has(item.timetoken ?? '')) return;
    const before = this.#known.get(item.key);
    const after = new Map(this.#allOf(item).map((it) => [`${it.type} ${it.user_id}`, it]));
    if (kind === 'remove') this.#known.delete(item.key);
    else this.#known.set(item.key, after);
    // Only a message that showed before, of a channel whose past is here, has news.
    if (!before || kind === 'remove' || !this.#channel.isVerified) return;
    const gone = [...before].filter(([key]) => !after.has(key)).map(([, it]) => it);
    for (const [key, reaction] of after) {
      const old = before.get(key);
      const replaced = old ? -1 : gone.findIndex((it) => it.user_id === reaction.user_id);
      if (replaced >= 0) gone.splice(replaced, 1);
      if (!old && replaced < 0) this.#tell('reaction.new', item, reaction);
      else if (!old || old.score !== reaction.score) this.#tell('reaction.updated', item, reaction);
    }
    for (const reaction of gone) this.#tell('reaction.deleted', item, reaction);
  }

  /** @param {string} kind @param {Item} item @param {Reaction} reaction */
  #tell(kind, item, reaction) {
    this.emit(kind, { cid: this.cid, message: this.#messageOf(item), reaction,
      user: { id: reaction.user_id } });
  }
}
