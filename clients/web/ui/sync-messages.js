// The element <sync-messages>: a channel as a log, of which only what is in sight is there.
// @ts-check
import { isOfOtherTab } from '../shell/channel.js';
import { define } from './base/element.js';
import { make, setAttribute, setText, wholeOf } from './base/dom.js';
import { floatStyle } from './base/float.js';
import { glyph } from './base/glyphs.js';
import { newestOf } from './model/days.js';
import { faceStyle } from './parts/faces.js';
import { ListElement } from './parts/list-element.js';
import { goByKey } from './parts/log-keys.js';
import { MessageRow } from './parts/message-row.js';
import { Older } from './parts/older.js';
import { Overlays } from './parts/overlays.js';
import { Past } from './parts/past.js';
import { Viewport } from './parts/viewport.js';
import { messagesStyle } from './styles/messages.js';
import './sync-reactions.js';
import './sync-reaction-authors.js';
import './sync-reaction-picker.js';

/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('../core/types.js').ListChange} ListChange */

export class SyncMessages extends ListElement {
  static styles = [floatStyle, faceStyle, messagesStyle];
  static observedAttributes = ['limit', 'counts', 'max', 'readonly', 'page', 'no-reactions',
    'flags'];

  /** @type {readonly Item[]} What shows. */ items = [];
  /** The message that somebody went to. */ found = '';
  /** Whether there is none where somebody wanted to go. */ #isGone = false;
  /** Messages that came while older ones were in sight. */ #unseen = 0;
  /** Of the newest message that was there. */ #newestToken = '0';
  /** @type {any} The channel whose items show. */ #listed = null;
  #older = new Older(null, () => {});
  #past = new Past((changes) => this.#read(changes));
  #notice = make('div', { part: 'notice' });
  #noticeText = make('span');
  #log = make('div', { part: 'log', role: 'log', tabindex: '0' });
  #empty = make('div', { part: 'empty' });
  #emptyText = make('span');
  #newest = make('button', { part: 'newest', type: 'button',
    on: { click: () => this.toNewest() } });
  #newestText = make('span');
  #pastText = make('span', { role: 'status' });
  #back = make('button', { part: 'back', type: 'button', on: { click: () => this.#leave() } });
  #bar = make('div', { part: 'past' }, this.#pastText, this.#back);
  #overlays;
  #viewport = new Viewport(this.#log, this.#notice, () => new MessageRow(this), () => this.#seen());

  constructor() {
    super();
    this.#notice.append(make('slot', { name: 'notice' }, this.#noticeText));
    this.#empty.append(make('slot', { name: 'empty' }, this.#emptyText));
    this.#newest.append(make('slot', { name: 'newest' }, glyph('down', 14), this.#newestText));
    this.root.append(make('slot', { name: 'before' }), make('div', { class: 'frame' },
      this.#log, this.#empty, this.#newest), this.#bar, make('slot', { name: 'after' }));
    this.#overlays = new Overlays(this);
    this.#log.addEventListener(
      'keydown', (event) => goByKey(event, this, this.#log, this.#viewport));
    this.#overlays.listenTo(this.#log);
  }

  /** Whether older messages show than the device holds, as they were when they were read. */
  get isInPast() {
    return this.#past.isOpen;
  }

  get isReadOnly() {
    return this.isInPast || this.hasAttribute('readonly');
  }

  again() {
    super.again();
    this.#viewport.apply([], this.items);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    // What happens meanwhile nobody hears.
    this.#listed = null;
  }

  listen() {
    const ends = super.listen();
    const { channel } = this;
    this.#viewport.begin();
    if (channel !== this.#listed) {
      this.#listed = channel;
      this.#overlays.close();
      this.#newestToken = newestOf(channel?.items ?? []);
      this.#older = new Older(channel, () => this.update());
      this.#toPresent();
    }
    this.again();
    ends.push(() => this.#viewport.end());
    if (!channel) return ends;
    let isFirst = true;
    ends.push(channel.observe((changes, items) => {
      if (isFirst) isFirst = false;
      else this.#changed(changes, items);
    }));
    if (this.client) {
      ends.push(this.client.on('status', (status) => status === 'online' && this.#retry()));
      ends.push(this.client.on('rules', (it) => it.channel === channel.name && this.again()));
    }
    ends.push(this.eachDay());
    const visible = () => this.#seen();
    document.addEventListener('visibilitychange', visible);
    ends.push(() => document.removeEventListener('visibilitychange', visible));
    return ends;
  }

  /** @param {readonly ListChange[]} changes @param {readonly Item[]} items */
  #changed(changes, items) {
    const isAtEnd = this.#viewport.isAtEnd && !this.isInPast;
    let isOwn = false;
    for (const { kind, item } of changes) {
      // Those of older pages are no news.
      const isNews = kind === 'insert' && (item.timetoken === null ||
        BigInt(item.timetoken) > BigInt(this.#newestToken));
      if (!isNews) continue;
      if (item.timetoken) this.#newestToken = item.timetoken;
      // Who says something wants to see it; not who has said it in another tab.
      if (item.pending && item.uuid === this.userId && !isOfOtherTab(item.key)) isOwn = true;
      else if (!isAtEnd) this.#unseen++;
    }
    if (!this.isInPast) {
      this.items = items;
      if (isOwn) this.#viewport.isAtEnd = true;
      this.#viewport.apply(changes, items);
    } else if (isOwn) {
      this.#toPresent();
    }
    this.update();
  }

  /** @param {ListChange[]} changes More of the past is there. */
  #read(changes) {
    this.items = this.#past.items;
    this.#viewport.hasEnd = !this.#past.hasNewer;
    this.#viewport.apply(changes, this.items);
    this.update();
  }

  /** What the device holds shows, at its end. */
  #toPresent() {
    const wasInPast = this.isInPast;
    this.#isGone = false;
    this.#past.close();
    this.found = '';
    this.items = this.channel?.items ?? [];
    this.#unseen = 0;
    this.#viewport.hasEnd = true;
    this.#viewport.reset(this.items);
    if (wasInPast) this.again();
  }

  render() {
    const { words } = this;
    setAttribute(this.#log, 'aria-label', words.messages);
    // Older messages that come into sight are no news.
    setAttribute(this.#log, 'aria-live', this.#viewport.isAtEnd ? null : 'off');
    setAttribute(this.#log, 'aria-busy', this.#source.state === 'loading' ? 'true' : null);
    setText(this.#emptyText, words.empty);
    this.#empty.hidden = this.items.length > 0;
    const { state } = this.#source;
    setText(this.#noticeText, state === 'more' ? '' : words[state]);
    this.#notice.hidden = this.items.length === 0;
    setText(this.#newestText, words.newest(this.#unseen));
    this.#newest.hidden = this.#viewport.isAtEnd || this.isInPast;
    this.#bar.hidden = !this.isInPast && !this.#isGone;
    setText(this.#pastText, this.#isGone ? words.gone : this.isInPast ? words.past : '');
    setText(this.#back, this.isInPast ? words.newest(this.#unseen) : words.close);
    setAttribute(this.#newest, 'part', `newest${this.#unseen > 0 ? ' unseen' : ''}`);
  }

  /** Where older messages come from. */
  get #source() {
    return this.isInPast ? this.#past : this.#older;
  }

  /** Something else is in sight. */
  #seen() {
    if (this.#viewport.isAtEnd && !this.isInPast) {
      this.#unseen = 0;
      this.#markRead();
    }
    if (this.#viewport.isNearStart) this.#loadOlder();
    if (this.isInPast && this.#viewport.isNearEnd) {
      this.settle(this.#past.loadNewer(this.#pageSize));
    }
    this.update();
  }

  /** What of the past did not come without a connection is asked for again. */
  #retry() {
    this.#past.retry();
    if (this.isInPast) this.#seen();
  }

  get #pageSize() {
    return wholeOf(this, 'page', 50);
  }

  /** Who looks at the newest message has read it. */
  #markRead() {
    const { channel } = this;
    if (!channel?.unread?.count || document.visibilityState !== 'visible') return;
    // Of a list without a place on the page nothing is seen.
    if (this.#log.clientHeight === 0) return;
    this.settle(channel.markRead());
  }

  async #loadOlder() {
    const older = this.#source;
    if (older.state !== 'more') return;
    const isMore = await this.settle(older.load(this.#pageSize));
    if (!isMore || older !== this.#source) return;
    // What came may be less than what shows: it does so after the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#seen()));
  }

  /**
   * Shows what can be said of a message, and done with it.
   * @param {Item} item @param {Element} about @returns {boolean} Whether there is something.
   */
  openPicker(item, about) {
    if (!this.say('sync-pick', { item, about })) return true;
    return this.#overlays.openPicker(item, about);
  }

  /**
   * Shows who reacted.
   * @param {Item} item @param {string|null} [value]
   */
  openAuthors(item, value = null) {
    if (this.isInPast || !this.say('sync-authors', { item, value })) return;
    this.#overlays.openAuthors(item, value);
  }

  /** The past, or what was said of a message that is gone. */
  #leave() {
    if (this.isInPast) return this.toNewest();
    this.#isGone = false;
    this.update();
    this.#log.focus({ preventScroll: true });
  }

  /** Scrolls to the end, and stays there. */
  toNewest() {
    this.#isGone = false;
    if (this.isInPast) this.#toPresent();
    this.#past.stay();
    this.#viewport.toEnd();
    this.#log.focus({ preventScroll: true });
  }

  /**
   * Brings a message into sight.
   * @param {string} timetoken @returns {boolean} It is there.
   */
  reveal(timetoken) {
    const index = this.items.findIndex((it) => it.timetoken === timetoken);
    if (index >= 0) this.#viewport.reveal(index);
    return index >= 0;
  }

  /**
   * Goes to a message, wherever in the channel it is. What the device does not hold shows as it is
   * now, with what is around it, and does not change. Of one that is gone that is said, and the
   * list stays where it is.
   * @param {string} timetoken @returns {Promise<boolean>} It is there.
   */
  async jump(timetoken) {
    this.#isGone = false;
    if (this.reveal(timetoken)) {
      this.#past.stay();
      this.found = timetoken;
      this.again();
      return true;
    }
    const found = this.channel && await this.settle(this.#past.open(this.channel, timetoken));
    if (found === 'gone') this.#isGone = true;
    this.update();
    if (found !== 'there') return false;
    this.found = timetoken;
    this.items = this.#past.items;
    this.#viewport.hasEnd = !this.#past.hasNewer;
    this.#viewport.reset(this.items);
    this.again();
    this.#viewport.toMiddle(this.items.findIndex((it) => it.timetoken === timetoken));
    this.#log.focus({ preventScroll: true });
    return true;
  }
}

define('sync-messages', SyncMessages);
