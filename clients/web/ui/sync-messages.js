// The element <sync-messages>: a channel as a log, of which only what is in sight is there.
// @ts-check
import { SyncElement, define } from './base/element.js';
import { make, setAttribute, setText } from './base/dom.js';
import { floatStyle } from './base/float.js';
import { onAsked } from './base/gestures.js';
import { glyph } from './base/glyphs.js';
import { newestOf } from './model/days.js';
import { faceStyle } from './parts/faces.js';
import { goByKey } from './parts/log-keys.js';
import { usualActions } from './parts/message-actions.js';
import { MessageRow, rowAt } from './parts/message-row.js';
import { Older } from './parts/older.js';
import { Overlays } from './parts/overlays.js';
import { Viewport } from './parts/viewport.js';
import { messagesStyle } from './styles/messages.js';
import './sync-reactions.js';
import './sync-reaction-authors.js';
import './sync-reaction-picker.js';

/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('../core/types.js').ListChange} ListChange */
/** @typedef {import('./model/order.js').Order} Order */
/** @typedef {import('./model/icons.js').Icons} Icons */
/** @typedef {import('./parts/message-actions.js').Action} Action */

/**
 * What makes the pieces of a message, where the page does: each returns a text, a node, or null.
 * @typedef {{[piece in 'text'|'author'|'avatar'|'time'|'footer']?:
 *   (item: Item) => Node|string|null}} Pieces
 */

export class SyncMessages extends SyncElement {
  static styles = [floatStyle, faceStyle, messagesStyle];
  static properties = ['order', 'icons', 'pieces', 'actions', 'values'];
  static observedAttributes = ['limit', 'counts', 'max', 'readonly', 'page', 'no-reactions'];

  /** @type {readonly Item[]} What shows. */ items = [];
  /** Another one when all rows have to be rendered anew. */ version = 0;
  /** @type {Order} */ #order = null;
  /** @type {Icons} */ #icons = null;
  /** @type {Pieces} */ #pieces = {};
  /**
   * What the picker offers; as of `<sync-reaction-picker>`.
   * @type {readonly string[]|null}
   */
  values = null;
  /**
   * What can be done with a message besides reacting.
   * @type {(item: Item, list: SyncMessages) => Action[]}
   */
  actions = usualActions;
  /**
   * What writes replies and edits; it says so itself.
   * @type {import('./sync-composer.js').SyncComposer|null}
   */
  composer = null;
  /** What the page gave, for the elements within. */ ownWords = this.words;
  /** Messages that came while older ones were in sight. */ #unseen = 0;
  /** Of the newest message that was there. */ #newestToken = '0';
  /** @type {any} The channel whose items show. */ #listed = null;
  #older = new Older(null, () => {});
  #notice = make('div', { part: 'notice' });
  #noticeText = make('span');
  #log = make('div', { part: 'log', role: 'log', tabindex: '0' });
  #empty = make('div', { part: 'empty' });
  #emptyText = make('span');
  #newest = make('button', { part: 'newest', type: 'button',
    on: { click: () => this.toNewest() } });
  #newestText = make('span');
  #overlays;
  #viewport = new Viewport(this.#log, this.#notice, () => new MessageRow(this), () => this.#seen());

  constructor() {
    super();
    this.#notice.append(make('slot', { name: 'notice' }, this.#noticeText));
    this.#empty.append(make('slot', { name: 'empty' }, this.#emptyText));
    this.#newest.append(make('slot', { name: 'newest' }, glyph('down', 14), this.#newestText));
    this.root.append(make('slot', { name: 'before' }), make('div', { class: 'frame' },
      this.#log, this.#empty, this.#newest), make('slot', { name: 'after' }));
    this.#overlays = new Overlays(this);
    this.#log.addEventListener(
      'keydown', (event) => goByKey(event, this, this.#log, this.#viewport));
    onAsked(this.#log, ({ target, how }) => this.#asked(target, how));
    for (const name of ['sync-pick', 'sync-authors']) {
      this.#log.addEventListener(name, (event) => this.#fromRow(/** @type {any} */ (event)));
    }
  }

  /** Of the reactions: as of `<sync-reactions>`. */
  get order() {
    return this.#order;
  }

  /** @param {Order} order */
  set order(order) {
    this.#order = order;
    this.#again();
  }

  get icons() {
    return this.#icons;
  }

  /** @param {Icons} icons */
  set icons(icons) {
    this.#icons = icons;
    this.#again();
  }

  /** What makes the pieces of a message. */
  get pieces() {
    return this.#pieces;
  }

  /** @param {Pieces} pieces */
  set pieces(pieces) {
    this.#pieces = pieces;
    this.#again();
  }


  /** All rows have to be rendered anew. */
  #again() {
    this.version++;
    this.ownWords = this.words;
    this.update();
    this.#viewport.apply([], this.items);
  }

  attributeChangedCallback() {
    this.#again();
  }

  renamed() {
    this.#again();
  }

  reworded() {
    this.#again();
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
      this.items = channel?.items ?? [];
      this.#unseen = 0;
      this.#newestToken = newestOf(this.items);
      this.#older = new Older(channel, () => this.update());
      this.#viewport.reset(this.items);
    }
    this.#again();
    ends.push(() => this.#viewport.end());
    if (!channel) return ends;
    let isFirst = true;
    ends.push(channel.observe((changes, items) => {
      if (isFirst) isFirst = false;
      else this.#changed(changes, items);
    }));
    if (this.client) {
      ends.push(this.client.on('rules', (it) => it.channel === channel.name && this.#again()));
    }
    const visible = () => this.#seen();
    document.addEventListener('visibilitychange', visible);
    ends.push(() => document.removeEventListener('visibilitychange', visible));
    return ends;
  }

  /** @param {readonly ListChange[]} changes @param {readonly Item[]} items */
  #changed(changes, items) {
    this.items = items;
    const isAtEnd = this.#viewport.isAtEnd;
    for (const { kind, item } of changes) {
      // Those of older pages are no news.
      const isNews = kind === 'insert' && (item.timetoken === null ||
        BigInt(item.timetoken) > BigInt(this.#newestToken));
      if (!isNews) continue;
      if (item.timetoken) this.#newestToken = item.timetoken;
      // Who says something wants to see it.
      if (item.pending && item.uuid === this.userId) this.#viewport.isAtEnd = true;
      else if (!isAtEnd) this.#unseen++;
    }
    this.#viewport.apply(changes, items);
    this.update();
  }

  render() {
    const { words } = this;
    setAttribute(this.#log, 'aria-label', words.messages);
    // Older messages that come into sight are no news.
    setAttribute(this.#log, 'aria-live', this.#viewport.isAtEnd ? null : 'off');
    setAttribute(this.#log, 'aria-busy', this.#older.state === 'loading' ? 'true' : null);
    setText(this.#emptyText, words.empty);
    this.#empty.hidden = this.items.length > 0;
    const { state } = this.#older;
    setText(this.#noticeText, state === 'more' ? '' : words[state]);
    this.#notice.hidden = this.items.length === 0;
    setText(this.#newestText, words.newest(this.#unseen));
    this.#newest.hidden = this.#viewport.isAtEnd;
    setAttribute(this.#newest, 'part', `newest${this.#unseen > 0 ? ' unseen' : ''}`);
  }

  /** Something else is in sight. */
  #seen() {
    if (this.#viewport.isAtEnd) {
      this.#unseen = 0;
      this.#markRead();
    }
    if (this.#viewport.isNearStart) this.#loadOlder();
    this.update();
  }

  /** Who looks at the newest message has read it. */
  #markRead() {
    const { channel } = this;
    if (!channel?.unread?.count || document.visibilityState !== 'visible') return;
    this.settle(channel.markRead());
  }

  async #loadOlder() {
    const older = this.#older;
    if (older.state !== 'more') return;
    const isMore = await this.settle(older.load(Number(this.getAttribute('page')) || 50));
    // What came may be less than what shows.
    if (isMore && older === this.#older) requestAnimationFrame(() => this.#seen());
  }

  /** @param {HTMLElement} target @param {string} how */
  #asked(target, how) {
    const row = rowAt(target);
    // Links and selected text have a menu of the browser's.
    const isTheirs = how === 'menu' &&
      (!!target.closest('a[href], input') || !getSelection()?.isCollapsed);
    if (!row?.item || isTheirs) return false;
    return this.openPicker(row.item, /** @type {any} */ (row.element.querySelector('.said')));
  }

  /** @param {CustomEvent} event From a bar of reactions. */
  #fromRow(event) {
    event.preventDefault();
    event.stopPropagation();
    const { item, about, value } = event.detail;
    if (event.type === 'sync-pick') this.openPicker(item, about);
    else this.openAuthors(item, value);
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
    if (!this.say('sync-authors', { item, value })) return;
    this.#overlays.openAuthors(item, value);
  }

  /** Scrolls to the end, and stays there. */
  toNewest() {
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
}

define('sync-messages', SyncMessages);
