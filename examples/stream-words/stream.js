// Reactions in the words of Stream Chat's JavaScript SDK, on the web client.
// @ts-check
import { SyncClient, dateOf, reactionsOf } from '../../clients/web/syncclient.js';

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

  /** @param {{url: string, cache?: string|null, keyset?: string}} options */
  constructor(options) {
    this.#options = options;
  }

  /** @param {{id: string}} user @param {string} [token] What the user's backend gave. */
  async connectUser({ id }, token) {
    this.#client = new SyncClient({ ...this.#options, userId: id, ...token ? { token } : {} });
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
    return new Channel(`${type}:${id}`, this.#connected.channel(`${type}.${id}`), this.userID);
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
  #isWatched = false;

  /** @param {string} cid @param {SyncChannel} channel @param {string} user */
  constructor(cid, channel, user) {
    this.cid = cid;
    this.#channel = channel;
    this.#user = user;
  }

  /** Resolves when the channel's reactions are those of the daemon; from then on events come. */
  async watch() {
    if (this.#isWatched) return;
    this.#isWatched = true;
    await this.#channel.ready;
    this.#channel.observe((changes) => {
      for (const { kind, item } of changes) this.#follow(kind, item);
      this.#emit('changed', {});
    });
  }

  /** @param {string} kind A Stream event, or `changed`: the list is another one. */
  on(kind, /** @type {(event: any) => void} */ callback) {
    const callbacks = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, callbacks.add(callback));
    return { unsubscribe: () => callbacks.delete(callback) };
  }

  /** @param {string} kind @param {any} event */
  #emit(kind, event) {
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
    await this.#channel.react(messageID, type, false);
    if (score > 0) await this.#channel.react(messageID, { value: type, score });
  }

  /** @param {string} messageID @param {string} type What the user's own counts for; 0: none. */
  #own(messageID, type) {
    const item = this.#channel.items.find(({ timetoken }) => timetoken === messageID);
    const own = item && this.#reactionsOf(item).find((it) => this.#typeOf(it.value) === type);
    return own?.ownScore ?? 0;
  }

  /** @param {string} messageID @param {string} type */
  #answer(messageID, type) {
    const message = this.state.messages.find(({ id }) => id === messageID);
    const reaction = message?.own_reactions.find((it) => it.type === type);
    return { message, reaction };
  }

  /**
   * Who reacted: from the daemon, page by page, oldest first or newest first.
   * @param {string} messageID
   * @param {{type?: string|{$in: string[]}, user_id?: string|{$in: string[]}}} [filter]
   * @param {{created_at: 1|-1}[]} [sort] @param {{limit?: number, next?: string}} options
   */
  async queryReactions(messageID, filter = {}, sort = [], { limit = 10, next } = {}) {
    const listOf = (/** @type {string|{$in: string[]}|undefined} */ it) =>
      typeof it === 'object' ? it.$in : it;
    const [value, userId] = [listOf(filter.type), listOf(filter.user_id)];
    const found = await this.#channel.actions({
      messageTimetoken: messageID, type: 'reaction', limit,
      descending: (sort[0]?.created_at ?? -1) === -1,
      ...value ? { value } : {}, ...userId ? { userId } : {}, ...next ? { after: next } : {} });
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
    const dated = (/** @type {string|null} */ it) => it === null ? null : dateOf(it);
    return {
      id: item.timetoken, text: item.payload?.text ?? String(item.payload),
      user: { id: item.uuid }, parent_id: item.parent, reply_count: item.threadCount,
      reaction_counts: by((it) => it.count), reaction_scores: by((it) => it.score),
      reaction_groups: by((it) => ({ count: it.count, sum_scores: it.score,
        first_reaction_at: dated(it.first), last_reaction_at: dated(it.last) })),
      latest_reactions: all.slice(-latestMax).reverse(),
      own_reactions: all.filter((it) => it.user_id === this.#user),
    };
  }

  /** @param {string|null} id @param {any} action @returns {Reaction} */
  #reactionOf(id, { value, uuid, score = 1, actionTimetoken }) {
    return { message_id: id, type: this.#typeOf(value), user_id: uuid, score,
      created_at: actionTimetoken === null ? null : dateOf(actionTimetoken) };
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
    this.#emit(kind, { cid: this.cid, message: this.#messageOf(item), reaction,
      user: { id: reaction.user_id } });
  }
}
