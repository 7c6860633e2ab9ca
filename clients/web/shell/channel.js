// A channel that a page follows: what it can write there, and ask.
// @ts-check
import { peopleOf, spelled } from '../core/asked.js';
import { bytesOf } from '../core/bytes.js';
import { wishedScore } from '../core/outbox.js';
import { scoreMax } from '../core/row.js';
import { checkMembers } from '../core/names.js';
import { countsTaps, refusalOf } from '../core/rules.js';
import { isCount } from '../core/shapes.js';
import { ownFault } from '../core/versions.js';
import {
  checkTimetoken, deletionFields, editFields, messageFields, reactionFields,
} from '../core/writes.js';
import { People } from './people.js';
import { allSummaries, errorOf } from './questions.js';
import { randomDigits } from './random.js';
import { WindowedChannel } from './windowed-channel.js';

/** @typedef {import('../core/types.js').Entry} Entry */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./questions.js').Questions} Questions */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */

/** Bytes of a signal's JSON. */
const signalMax = 64;
/** Users of a channel that one answer lists. */
const usersMax = 1000;
/** What a question about actions may have; the daemon says what is wrong with it. */
const queryMembers = ['messageTimetoken', 'type', 'value', 'userId', 'sort', 'descending', 'after',
  'limit'];

/** What all wishes of this page begin with: those of another tab are not made here. */
const page = randomDigits(8);

/**
 * Whether a message on its way was written in another tab, by its key; a wish's is all digits, in
 * base 16. A list of a page's own may have others.
 * @param {string} key
 */
export const isOfOtherTab = (key) => /^[0-9a-f]{32}$/.test(key) && !key.startsWith(page);

/**
 * A reaction that is wished.
 * @typedef {{value: string, score?: number, present?: boolean, type?: string}} Reacting
 */

/**
 * A channel that is followed: its messages, with the reactions that stand, this device's wishes
 * included. Made by `SyncClient.channel`.
 */
export class Channel extends WindowedChannel {
  #device;
  #outbox;
  #questions;

  /**
   * @param {string} name @param {Device} device @param {StoredOutbox} outbox
   * @param {Questions} questions
   * @param {(channel: Channel) => void} left Ends following it.
   * @param {import('../core/types.js').ChannelWindow|null} size How much of it is held; null: all.
   */
  constructor(name, device, outbox, questions, left, size) {
    super(name, device, outbox, questions, /** @type {any} */ (left), size);
    this.#device = device;
    this.#outbox = outbox;
    this.#questions = questions;
  }

  /**
   * Publishes, now or when there is a connection again. Shows at once; resolves when the wish is
   * stored here. Rejects what the daemon could never read, and other fields (TypeError,
   * RangeError), with OutboxFullError when too much waits already, and with what the store says
   * when it fails. With `parent`, a message's timetoken, it is a reply in that one's thread.
   * @param {any} payload Any JSON value.
   * @param {{meta?: any, messageType?: string, parent?: string}} [fields]
   * @returns {Promise<void>}
   */
  async publish(payload, fields = {}) {
    return this.#wish({ kind: 'publish', ...messageFields(this.name, payload, fields) });
  }

  /**
   * Gives a message of the user's own another payload. Shows at once; resolves when the wish is
   * stored here, and rejects as `publish` does. Rejects another user's message, as far as it is
   * known here whose it is, with an Error that has the daemon's `status` and `code` (`not_owner`).
   * @param {string} messageTimetoken @param {any} payload Any JSON value.
   * @returns {Promise<void>}
   */
  async edit(messageTimetoken, payload) {
    return this.#change({ kind: 'edit', ...editFields(this.name, messageTimetoken, payload) });
  }

  /**
   * Deletes a message of the user's own, with the actions on it. It goes at once, and comes back
   * when the daemon refuses. Resolves and rejects as `edit` does.
   * @param {string} messageTimetoken
   * @returns {Promise<void>}
   */
  async delete(messageTimetoken) {
    return this.#change({ kind: 'delete', ...deletionFields(this.name, messageTimetoken) });
  }

  /** @param {any} wish About a message of the user's own. */
  async #change(wish) {
    if (!this.isLoaded) await this.ready;
    const named = { ...wish, channel: this.name };
    const fault = ownFault(
      this.sync.cache, this.#outbox.of(this.name), named, this.#device.userId);
    if (fault) throw errorOf(fault);
    return this.#wish(named);
  }

  /**
   * Sends a small message to whoever follows the channel now; nothing keeps it. Resolves with its
   * timetoken. Rejects what the daemon could never read as `publish` does, over 64 bytes of JSON
   * (RangeError), and with an Error that has `status` and `code` what was not sent, for good.
   * @param {any} payload Any JSON value. @param {{messageType?: string}} [fields]
   * @returns {Promise<string>}
   */
  async signal(payload, fields = {}) {
    checkMembers('The fields of a signal', fields, ['messageType']);
    const written = messageFields(this.name, payload, fields);
    const size = bytesOf(JSON.stringify(written.payload));
    if (size > signalMax) throw new RangeError(`A signal has ${signalMax} bytes, not ${size}.`);
    const { timetoken } = await this.ask({ op: 'signal', channel: this.name, ...written });
    return timetoken;
  }

  /**
   * Who is in the channel: a page of its users in the order of their ids; `next`, where there is
   * more, is the `offset` of the next one. Rejects as `signal` does.
   * @param {{states?: boolean, limit?: number, offset?: number}} [query]
   * @returns {Promise<{occupancy: number, users: {userId: string, state?: any}[], next?: number}>}
   */
  async hereNow(query = {}) {
    checkMembers('The options of hereNow', query, ['states', 'limit', 'offset']);
    const { states = false, limit = usersMax, offset = 0 } = query;
    if (!isCount(limit) || limit > usersMax || !isCount(offset)) {
      throw new RangeError(`limit is from 0 to ${usersMax}, and offset 0 or more.`);
    }
    const { occupancy, users, next } = await this.ask(
      { op: 'hereNow', channel: this.name, states: Boolean(states), limit, offset });
    return next === undefined ? { occupancy, users } : { occupancy, users, next };
  }

  /**
   * Who said what: a page of the channel's actions, also of a message that this page does not
   * have. An emoji is asked for as it is said and as `react` spells it. `next`, where there is
   * more, is the `after` of the next one. Rejects as `signal` does.
   * @param {import('../core/types.js').ActionsQuery} [query]
   * @returns {Promise<{actions: import('../core/types.js').StandingAction[], next?: string}>}
   */
  async actions(query = {}) {
    checkMembers('The options of actions', query, queryMembers);
    const { actions, next } = await this.ask(
      { ...spelled(this.rules, query), op: 'actions', channel: this.name });
    return next === undefined ? { actions } : { actions, next };
  }

  /**
   * What people said of 1 to 100 messages, summed up by the daemon. One that is named with the
   * `hash` of its summary comes only if it is another now. Rejects as `signal` does.
   * @param {(string|{messageTimetoken: string, hash: string})[]} messages
   */
  async summaries(messages) {
    return allSummaries(messages, (named) =>
      this.ask({ op: 'summaries', channel: this.name, messages: named }));
  }

  /**
   * Who reacted to a message, the newest first: a list that says how it changes, of what this
   * device has and wishes. It finds what stands by the names that it says, and by what these mean.
   * Throws (TypeError, RangeError) what can be no such list.
   * @param {string} messageTimetoken
   * @param {import('../core/asked.js').PeopleQuery} [query] `limit` are shown, 25 where nothing is
   *   said.
   */
  people(messageTimetoken, query = {}) {
    checkTimetoken(messageTimetoken);
    return new People(this, messageTimetoken, peopleOf(query));
  }

  /**
   * Asks the daemon something that concerns the channel: for what this client is made of.
   * @param {Record<string, any>} command
   */
  async ask(command) {
    if (!this.isWanted) throw this.leftError;
    return this.#questions.ask(command);
  }

  /**
   * Makes a reaction of this user stand, or not. Shows at once; resolves when the wish is stored
   * here, and rejects as `publish` does. What is so already needs no wish. An emoji that does not
   * stand on the message in just this spelling is taken as `canonicalEmoji` has it. With a `score`
   * it counts for that, or adds that much where adds count. Rejects what the rules do not allow
   * with an Error that has the daemon's `status` and `code`.
   * @param {string} messageTimetoken
   * @param {string|Reacting} value For example 👍, or {value: '👍', score: 5}.
   * @param {boolean} [present] @param {string} [type]
   * @returns {Promise<void>}
   */
  async react(messageTimetoken, value, present = true, type = 'reaction') {
    const said = typeof value === 'string' ? { value } : value;
    const fields = reactionFields(this.name, { present, type, ...said, messageTimetoken });
    // What is known of the channel decides how the value is spelled.
    if (!this.isLoaded) await this.ready;
    const wish = { kind: 'action', ...fields, ...this.stored(fields), channel: this.name };
    if (wish.present) this.#check(wish);
    return this.#wish(wish);
  }

  /**
   * Takes this user's reaction back where it stands or is on its way, and adds it where it is not:
   * what the page shows decides, at once, and what is sent says which of the two it is. Resolves,
   * as `react` does, with whether it is there now: in the mode `total` one is taken off.
   * @param {string} messageTimetoken
   * @param {string|{value: string, score?: number, type?: string}} value @param {string} [type]
   * @returns {Promise<boolean>}
   */
  async toggle(messageTimetoken, value, type = 'reaction') {
    const said = typeof value === 'string' ? { value } : value;
    const fields = reactionFields(this.name, { type, ...said, messageTimetoken, present: true });
    if (!this.isLoaded) await this.ready;
    const { score, ...wish } = /** @type {any} */ (
      { kind: 'action', ...fields, ...this.stored(fields), channel: this.name });
    const before = this.#scoreOf(wish);
    if (before === 0) this.#check({ ...wish, score });
    await this.#wish(before === 0 ? { ...wish, score } : { ...wish, present: false });
    return before === 0 || (this.rules.mode === 'total' && wish.type === 'reaction' && before > 1);
  }

  /**
   * What the user's own counts for, once all wishes are fulfilled; 0 where there is none.
   * @param {any} wish
   */
  #scoreOf(wish) {
    const rows = this.sync.cache.rows.own(wish.messageTimetoken, this.#device.userId);
    return wishedScore(this.#outbox.entries, wish, rows, this.rules);
  }

  /**
   * Throws what the daemon is known to refuse: it would show, and go again.
   * @param {any} wish
   */
  #check(wish) {
    const { messageTimetoken, type, value, score = 1 } = wish;
    if (countsTaps(this.rules, type) && this.#scoreOf(wish) + score > scoreMax) {
      const message = `A reaction counts for ${scoreMax} at most.`;
      throw errorOf({ status: 409, code: 'score_too_large', message });
    }
    // What stands may stand.
    const { rows } = this.sync.cache;
    const stands = rows.find(messageTimetoken, type, value, this.#device.userId) !== undefined;
    const refusal = stands ? null : refusalOf(this.rules, type, value);
    if (refusal) throw errorOf(refusal);
  }

  /** @param {any} fields */
  async #wish(fields) {
    const { isClosed } = this.#device;
    if (isClosed) throw new Error('The client is closed: nothing can be wished any more.');
    if (!this.isWanted) throw this.leftError;
    // What the cache shows decides what a wish about a reaction means.
    if (!this.isLoaded && fields.kind !== 'publish') await this.ready;
    const { cursor } = this.sync.cache;
    /** @type {Entry} */
    const entry = {
      ...fields, channel: this.name, mutation: page + randomDigits(24), sent: false,
      acknowledged: null,
      observed: fields.kind === 'publish' && this.isLoaded ? cursor : null,
    };
    return this.#outbox.add(entry, () => this.sync.cache, this.rules);
  }
}
