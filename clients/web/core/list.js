// The messages of a channel as a page shows them: cache and outbox in one list.
// @ts-check
import { isAnswered } from './entry.js';
import { isSameContent, itemOf, ownItemOf, viewOf } from './item.js';
import { Places } from './places.js';
import { isLater, sortable } from './timetoken.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').ListChange} ListChange */
/** @typedef {import('./item.js').Pending} Pending */
/** @typedef {import('./cache.js').ChannelCache} ChannelCache */

/** The messages of a channel in their order, and how they changed. */
export class ItemList {
  #places = new Places();
  /** @type {Map<string, string>} Keys that own messages had before their timetoken. */
  #keys = new Map();
  /** @type {Map<string, string|null>} The message that each entry shows at, by its mutation. */
  #overlaid = new Map();
  /** @type {Map<string, string>} What own messages on their way are later than, where known. */
  #after = new Map();
  #serial = 0;
  /** @type {Set<string>} Messages of this user that may be those under way. */ #held = new Set();
  /** @type {Map<string, number>} Replies not in the cache, by parents. */ #coming = new Map();

  get items() {
    return this.#places.items;
  }

  /**
   * Brings messages up to date with cache and outbox.
   * @param {ChannelCache} cache
   * @param {Entry[]} entries Those of this channel.
   * @param {string} user
   * @param {Set<string>|'all'} affected Timetokens; own messages on their way are always looked at.
   * @returns {ListChange[]}
   */
  refresh(cache, entries, user, affected) {
    /** @type {ListChange[]} */
    const changes = [];
    const looked = new Set(affected === 'all' ? cache.messages.keys() : affected);
    if (affected === 'all') for (const item of this.items) looked.add(item.timetoken ?? '');
    const before = this.#overlaid;
    this.#overlaid = new Map();
    for (const { kind, mutation, acknowledged } of entries) {
      // Lost with a backup that was put back, and sent again: the item is the later one now.
      const lost = before.get(mutation);
      if (kind === 'publish' && lost && lost !== acknowledged) this.#keys.delete(lost);
    }
    for (const timetoken of this.#held) looked.add(timetoken);
    this.#held.clear();
    for (const parent of this.#coming.keys()) looked.add(parent);
    const { wishes, leaving } = this.#overlay(cache, entries, user, changes);
    for (const timetoken of [...before.values(), ...this.#overlaid.values()]) {
      if (timetoken !== null) looked.add(timetoken);
    }
    for (const [mutation, timetoken] of before) {
      if (timetoken !== null || this.#overlaid.has(mutation)) continue;
      // Refused; or another tab got the reply, and it is among the messages already.
      const item = this.#places.item(mutation);
      // A page of older messages may come just then.
      const after = this.#after.get(mutation) ?? '0';
      this.#after.delete(mutation);
      const found = item && [...looked].find((it) => isLater(it, after) &&
        !this.#places.has(it) && !this.#keys.has(it) && cache.messages.get(it)?.uuid === user &&
        isSameContent(cache.messages.get(it), item));
      if (found) this.#keys.set(found, mutation);
      else this.#places.remove(mutation, changes);
    }
    const unanswered = entries.filter((it) => it.kind === 'publish' && !isAnswered(it));
    const isPerhapsOwn = (/** @type {Message} */ message) => message.uuid === user &&
      !this.#keys.has(message.timetoken) && unanswered.some((it) => it.observed &&
        isLater(message.timetoken, it.observed) && isSameContent(message, it));
    for (const timetoken of [...looked]) {
      // Replies that come or go are counted there.
      const { parent } = cache.messages.get(timetoken) ?? this.#at(timetoken) ?? {};
      if (parent !== undefined) looked.add(parent);
    }
    for (const parent of this.#coming.keys()) looked.add(parent);
    const keyOf = (/** @type {string} */ it) => this.#keys.get(it) ?? it;
    for (const timetoken of unanswered.length === 0 ? [] : looked) {
      const message = leaving.has(timetoken) ? undefined : cache.messages.get(timetoken);
      // Perhaps the one that this device has sent, which shows already: the reply will tell.
      const isHeld = message && !this.#places.has(keyOf(timetoken)) && isPerhapsOwn(message);
      if (isHeld) this.#held.add(timetoken);
    }
    for (const timetoken of looked) {
      if (this.#held.has(timetoken)) continue;
      const message = leaving.has(timetoken) ? undefined : cache.messages.get(timetoken);
      const key = keyOf(timetoken);
      if (message) {
        const more = this.#moreReplies(timetoken, cache.messages.repliesTo(timetoken), leaving);
        const item = itemOf(cache, message, key, user, wishes.get(timetoken), more);
        this.#places.set(key, sortable(timetoken), item, changes);
      } else if (leaving.has(timetoken) || !this.#overlaid.has(key)) {
        this.#places.remove(key, changes);
      }
    }
    return changes;
  }

  /**
   * Replies to a message that show and that the cache does not have, less those that do not show.
   * @param {string} timetoken @param {ReadonlySet<string>} replies That the cache has.
   * @param {Set<string>} leaving
   */
  #moreReplies(timetoken, replies, leaving) {
    let more = this.#coming.get(timetoken) ?? 0;
    if (replies.size === 0) return more;
    for (const it of leaving) if (replies.has(it)) more--;
    for (const it of this.#held) if (replies.has(it)) more--;
    return more;
  }

  /**
   * Notes where each entry shows, and shows own messages that the cache does not have.
   * @param {ChannelCache} cache @param {Entry[]} entries @param {string} user
   * @param {ListChange[]} changes
   * @returns {{wishes: Map<string, Pending>, leaving: Set<string>}} What is on its way about each
   *   message, and the messages that are being deleted.
   */
  #overlay(cache, entries, user, changes) {
    /** @type {Map<string, Pending>} */
    const wishes = new Map();
    const deletions = entries.filter(({ kind }) => kind === 'delete');
    const leaving = new Set(deletions.map((it) => it.messageTimetoken ?? ''));
    /** @type {Set<string>} Messages that entries may be which came later. */
    const taken = new Set();
    this.#coming.clear();
    for (const entry of entries) {
      const { kind, mutation, messageTimetoken = '', acknowledged } = entry;
      if (kind !== 'publish') {
        const pending = wishes.get(messageTimetoken) ?? { actions: [], edits: [] };
        wishes.set(messageTimetoken, pending);
        if (kind === 'action') pending.actions.push(entry);
        if (kind === 'edit') pending.edits.push(entry);
        this.#overlaid.set(mutation, messageTimetoken);
        continue;
      }
      this.#overlaid.set(mutation, acknowledged);
      if (entry.observed) this.#after.set(mutation, entry.observed);
      if (!this.#places.has(mutation) && this.#isTold(cache, entry, user, taken)) continue;
      if (acknowledged !== null) {
        this.#keys.set(acknowledged, mutation);
        // It may have been taken for another one's: by a guess, or by another tab.
        this.#places.remove(acknowledged, changes);
      }
      const isHere = cache.messages.has(acknowledged ?? '') || leaving.has(acknowledged ?? '');
      if (isHere) continue;
      this.#setOwn(entry, user, changes);
      const { parent } = entry;
      if (parent) this.#coming.set(parent, (this.#coming.get(parent) ?? 0) + 1);
    }
    return { wishes, leaving };
  }

  /**
   * Whether an entry that does not show is a message that does, or perhaps is: another tab's write
   * may be heard of after what became of it. It stays the item that it is.
   * @param {ChannelCache} cache @param {Entry} entry @param {string} user
   * @param {Set<string>} taken Messages that are another entry's; gets the one that is found.
   */
  #isTold(cache, entry, user, taken) {
    const { acknowledged, observed } = entry;
    if (acknowledged !== null) return this.#places.has(acknowledged);
    if (!observed) return false;
    for (let i = this.items.length - 1; i >= 0; i--) {
      const { key, timetoken, uuid, pending } = this.items[i];
      if (pending || timetoken === null) continue;
      if (!isLater(timetoken, observed)) return false;
      if (key !== timetoken || uuid !== user || taken.has(key)) continue;
      if (!isSameContent(cache.messages.get(timetoken) ?? this.items[i], entry)) continue;
      taken.add(key);
      return true;
    }
    return false;
  }

  /**
   * A message of this device that the cache does not have yet; without a timetoken it is last.
   * @param {Entry} entry @param {string} user @param {ListChange[]} changes
   */
  #setOwn(entry, user, changes) {
    const { mutation: key, acknowledged: timetoken } = entry;
    // A "~" sorts after all digits.
    const last = () => `~${String(++this.#serial).padStart(9, '0')}`;
    const place = timetoken === null ? this.#places.of(key) ?? last() : sortable(timetoken);
    this.#places.set(key, place, ownItemOf(entry, user), changes);
  }

  /** @param {string} timetoken */
  #at(timetoken) {
    return this.#places.item(this.#keys.get(timetoken) ?? timetoken);
  }

  /**
   * Whether somebody's reaction shows on a message.
   * @param {string} timetoken @param {string} type @param {string} value
   */
  shows(timetoken, type, value) {
    const item = this.#at(timetoken);
    return !!item && !!viewOf(item)?.has(type, value);
  }
}
