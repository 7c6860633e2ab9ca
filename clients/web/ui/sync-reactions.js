// The element <sync-reactions>: a bubble for each value that people said; a tap makes it mine.
// @ts-check
import { reactionsOf } from '../core/reactions.js';
import { SyncElement, define } from './base/element.js';
import {
  make, neighbour, setAttribute, setChildren, setText, wholeOf,
} from './base/dom.js';
import { focused, keepingFocus } from './base/float.js';
import { onAsked } from './base/gestures.js';
import { glyph } from './base/glyphs.js';
import { arranged, compareBy, firstOf, keyOf } from './model/order.js';
import { Bubble } from './parts/bubble.js';
import { TabStop } from './parts/tab-stop.js';
import { reactionsStyle } from './styles/reactions.js';
import './sync-reaction-picker.js';
import './sync-reaction-authors.js';

/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('../core/types.js').Reaction} Reaction */
/** @typedef {import('./model/order.js').Order} Order */
/** @typedef {import('./model/icons.js').Icons} Icons */

/** How many bubbles show, where nobody says so, and how many more when somebody asks for more. */
const [limitUsual, furtherBubbles] = [24, 100];

export class SyncReactions extends SyncElement {
  static styles = [reactionsStyle];
  static properties = ['item', 'reactions', 'order', 'icons', 'type'];
  static observedAttributes = ['order', 'max', 'limit', 'counts', 'add', 'readonly', 'timetoken'];

  /** @type {Item|null} */ #item = null;
  /** @type {readonly Reaction[]|null} */ #given = null;
  /** @type {Order} */ #order = null;
  /** @type {Icons} */ #icons = null;
  #type = 'reaction';
  /** @type {Map<string, Bubble>} */ #bubbles = new Map();
  /** @type {string[]} Keys in the order in which they show. */ #keys = [];
  /** Bubbles that somebody asked for beyond the limit. */ #further = 0;
  #bar = make('div', { part: 'bar', role: 'group' });
  #more = make('button', { part: 'more', type: 'button', dir: 'ltr',
    on: { click: () => this.#showMore() } });
  #add = make('button', { part: 'add', type: 'button', 'aria-haspopup': 'dialog',
    on: { click: () => this.pick() } }, make('slot', { name: 'add' }, glyph('smile')));
  /** Where Tab stops. */ stop = new TabStop(this.#bar);
  /** @type {any} */ #picker = null;
  /** @type {any} */ #authors = null;

  constructor() {
    super();
    this.root.append(make('slot', { name: 'before' }), this.#bar, make('slot', { name: 'after' }));
    this.#bar.addEventListener('keydown', (event) => this.#arrow(event));
    for (const kind of ['pointerleave', 'focusout']) {
      this.addEventListener(kind, () => this.update());
    }
    onAsked(this.#bar, ({ target }) => {
      const bubble = this.#bubbleAt(target);
      if (bubble) this.showAuthors(bubble.reaction.value);
      return !!bubble;
    }, (target) => this.#bubbleAt(target) && this.#item?.key);
  }

  /** The message whose reactions they are: an item of `channel.items`. */
  get item() {
    return this.#item;
  }

  set item(item) {
    if (item?.key !== this.#item?.key) [this.#further, this.#keys] = [0, []];
    this.#item = item;
    // Nothing can be said of a message that is gone.
    if (!item || item.isDeleted) for (const it of [this.#picker, this.#authors]) it?.hide();
    this.update();
  }

  /** Reactions without an item, as `reactionsOf` makes them. */
  get reactions() {
    return this.#given;
  }

  set reactions(reactions) {
    this.#given = reactions;
    this.update();
  }

  /** A comparator, the name of one of `reactionOrders`, or values in their order. */
  get order() {
    return this.#order ?? this.getAttribute('order');
  }

  /** @param {Order} order */
  set order(order) {
    this.#order = order;
    this.update();
  }

  get icons() {
    return this.#icons;
  }

  /** @param {Icons} icons */
  set icons(icons) {
    this.#icons = icons;
    this.update();
  }

  /** Which actions they are. */
  get type() {
    return this.#type;
  }

  set type(type) {
    this.#type = type;
    this.update();
  }

  /** Above it a count shows with a plus. */
  get max() {
    return wholeOf(this, 'max', 99);
  }

  /** How many bubbles show before one asks for more; 0: all. */
  get limit() {
    return wholeOf(this, 'limit', limitUsual, 0);
  }

  listen() {
    const timetoken = this.getAttribute('timetoken');
    const coarse = matchMedia('(pointer: coarse)');
    const changed = () => this.update();
    coarse.addEventListener('change', changed);
    /** @type {Item|null} */
    let found = null;
    const end = this.follow(timetoken, (item) => { this.item = found = item; });
    // What it showed may be another channel's, another message, or gone since it was looked at.
    if (timetoken && !found) this.item = null;
    return [...super.listen(), () => coarse.removeEventListener('change', changed), end];
  }

  /** @param {string} name */
  attributeChangedCallback(name = '') {
    if (name === 'timetoken') this.relisten();
    else this.update();
  }

  /** @param {Set<string>} ids */
  renamed(ids) {
    for (const { reaction } of this.#bubbles.values()) {
      if (reaction.authors.some((it) => ids.has(it))) return this.update();
    }
  }

  /**
   * What shows, in its order.
   * @returns {readonly Reaction[]}
   */
  get shown() {
    if (this.channel?.rules?.reactions === false || this.#item?.isDeleted) return [];
    const all = this.#given ?? (this.#item ? reactionsOf(this.#item, this.userId) : []);
    const mine = all.filter(({ type }) => type === this.#type);
    // What a finger is on does not move away from under it.
    const isHeld = this.#keys.length > 0 &&
      (this.#bar.matches(':hover') || this.#bar.contains(focused()));
    return arranged(mine, compareBy(this.order), isHeld ? this.#keys : null);
  }

  render() {
    const { shown, limit } = this;
    const isOff = this.channel?.rules?.reactions === false;
    const visible = limit > 0 ? firstOf(shown, limit + this.#further) : shown;
    this.#keys = visible.map(keyOf);
    const before = this.#bubbles;
    this.#bubbles = new Map(visible.map((reaction) => {
      const key = keyOf(reaction);
      const bubble = before.get(key) ?? new Bubble(this, reaction);
      bubble.show(reaction);
      return [key, bubble];
    }));
    /** @type {HTMLElement[]} */
    const boxes = [...this.#bubbles.values()].map(({ box }) => box);
    if (visible.length < shown.length) boxes.push(this.#more);
    const isReadOnly = this.hasAttribute('readonly');
    const add = this.getAttribute('add') ?? 'always';
    const isThere = this.#item ? this.#item.timetoken !== null && !this.#item.isDeleted
      : !this.hasAttribute('timetoken');
    const canAdd = !isOff && !isReadOnly && isThere;
    const isWanted = add === 'always' || (add === 'filled' && shown.length > 0);
    if (canAdd && isWanted) boxes.push(this.#add);
    setText(this.#more, `+${shown.length - visible.length}`);
    setAttribute(this.#more, 'aria-label', this.words.more);
    setAttribute(this.#add, 'aria-label', this.words.react);
    setAttribute(this.#bar, 'aria-label', this.words.reactions);
    this.#bar.hidden = boxes.length === 0;
    // A bubble may go under the focus: by a tap, or because its last author took it back.
    keepingFocus(this.#bar, () => setChildren(this.#bar, boxes),
      () => this.closest('[role=log]'));
    this.stop.put();
  }

  /** Whether a count is a button of its own: under a finger two would be too small, or too wide. */
  get isSplit() {
    const counts = this.getAttribute('counts');
    return counts ? counts === 'authors' : !matchMedia('(pointer: coarse)').matches;
  }

  /** @param {HTMLElement} target */
  #bubbleAt(target) {
    return [...this.#bubbles.values()].find(({ box }) => box.contains(target)) ?? null;
  }

  /** @param {KeyboardEvent} event */
  #arrow(event) {
    if (!['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) return;
    const buttons = [...this.#bar.querySelectorAll('button')];
    const next = neighbour(event.key, buttons, focused(), this.isRightToLeft);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  }

  #showMore() {
    this.#further += Math.max(this.limit, furtherBubbles);
    this.update();
  }

  /**
   * Makes a reaction mine, or takes it back; shows at once.
   * @param {string} value
   */
  toggle(value) {
    const [item, channel] = [this.#item, this.channel];
    const isMine = this.#bubbles.get(keyOf({ type: this.#type, value }))?.reaction.isMine ?? false;
    if (!this.say('sync-react', { item, value, present: !isMine })) return;
    if (!item?.timetoken || !channel) return;
    this.settle(channel.toggle(item.timetoken, value, this.#type));
  }

  /** Offers reactions to add. */
  pick() {
    const about = this.#add.isConnected ? this.#add : this;
    if (!this.say('sync-pick', { item: this.#item, about })) return;
    this.#picker ??= this.root.appendChild(document.createElement('sync-reaction-picker'));
    const { item, client, channel, icons, words, userId, type } = this;
    Object.assign(this.#picker, { item, client, channel, icons, words, userId, type });
    this.#picker.show(about);
  }

  /**
   * Shows who reacted.
   * @param {string|null} [value]
   */
  showAuthors(value = null) {
    if (!this.say('sync-authors', { item: this.#item, value })) return;
    if (!this.#item?.timetoken || !this.channel) return;
    this.#authors ??= this.root.appendChild(document.createElement('sync-reaction-authors'));
    const { item, client, channel, directory, icons, words, userId, type } = this;
    Object.assign(this.#authors,
      { item, client, channel, directory, icons, words, userId, type, value });
    this.#authors.show(this);
  }
}

define('sync-reactions', SyncReactions);
