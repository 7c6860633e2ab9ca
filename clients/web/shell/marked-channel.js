// A channel that a page follows: what of it the user has not read.
// @ts-check
import { UnreadCount, isSameUnread } from '../core/unread-count.js';
import { checkTimetoken } from '../core/writes.js';
import { ShownChannel } from './shown-channel.js';

/** @typedef {import('../core/read-marks.js').ReadMark} ReadMark */
/** @typedef {import('../core/unread-count.js').UnreadMessages} UnreadMessages */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */

/** What is unread, where somebody wants to know it. */
export class MarkedChannel extends ShownChannel {
  /** Whether this tab wants to know it, or another one. */
  isCounted = false;
  /** The person has read up to there: set by whoever stores it. */
  reads = (/** @type {string} */ _through) => Promise.resolve();
  #device;
  /** @type {UnreadCount|null} */ #count = null;
  /** @type {UnreadMessages|null} What the page was told. */ #told = null;

  /**
   * @param {string} name @param {Device} device @param {StoredOutbox} outbox
   * @param {(channel: ShownChannel) => void} left Ends following it.
   * @param {import('../core/types.js').ChannelWindow|null} size How much of it is held; null: all.
   */
  constructor(name, device, outbox, left, size) {
    super(name, device, outbox, left, size);
    this.#device = device;
  }

  /**
   * The messages of others in the list that are behind the read mark, this device's wish included;
   * null without the option `unread`, and until the mark is known and the cache read.
   * @returns {UnreadMessages|null}
   */
  get unread() {
    // What is read so far is not all.
    if (!this.isLoaded) return null;
    return this.#count?.of(this.sync.cache, this.isVerified) ?? null;
  }

  /**
   * The person has read the channel up to a message: the newest of the list, or another one. Shows
   * at once in all tabs; resolves when it is stored here, also without a connection, and reaches
   * the daemon later. It never goes back. Rejects (TypeError, RangeError) what is no timetoken,
   * without the option `unread`, and when the channel is left or the client closed.
   * @param {string} [timetoken]
   * @returns {Promise<void>}
   */
  async markRead(timetoken) {
    if (timetoken !== undefined) checkTimetoken(timetoken);
    if (!this.isCounted) {
      throw new Error(`Nobody counts what is unread: client.channel('${this.name}', ` +
        '{ unread: true }) does.');
    }
    if (!this.isLoaded) await this.ready;
    if (this.#device.isClosed) throw new Error('The client is closed.');
    if (!this.isWanted) throw this.leftError;
    const through = timetoken ?? this.#newest;
    if (through) await this.reads(through);
  }

  get #newest() {
    for (let i = this.items.length - 1; i >= 0; i--) {
      const { timetoken } = this.items[i];
      if (timetoken !== null) return timetoken;
    }
    return null;
  }

  /**
   * The mark is, or may be, another one.
   * @param {ReadMark} mark
   */
  useMark(mark) {
    if (!this.isCounted || this.#device.isClosed) return;
    this.#count ??= new UnreadCount(this.#device.userId);
    this.#count.use(mark, this.items);
    this.#tellUnread();
  }

  /** @param {Set<string>|'all'} affected */
  bringUpToDate(affected) {
    const changes = super.bringUpToDate(affected);
    this.#count?.take(changes);
    return changes;
  }

  /** @param {Set<string>|'all'} affected */
  refresh(affected) {
    super.refresh(affected);
    this.#tellUnread();
  }

  tellVerified() {
    super.tellVerified();
    this.#tellUnread();
  }

  #tellUnread() {
    const { name, unread } = this;
    if (this.#device.isClosed || isSameUnread(unread, this.#told)) return;
    this.#told = unread;
    this.#device.emit('unread', { channel: name, unread });
  }
}
