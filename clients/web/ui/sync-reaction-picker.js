// The element <sync-reaction-picker>: what one may say of a message, and do with it.
// @ts-check
import { reactionsOf } from '../core/reactions.js';
import { SyncElement, define } from './base/element.js';
import { make, neighbour, setAttribute, setChildren } from './base/dom.js';
import { Float, floatStyle, focused } from './base/float.js';
import { onAsked } from './base/gestures.js';
import { glyph } from './base/glyphs.js';
import { showIcon, spoken } from './base/icon.js';
import { offeredBy } from './model/offered.js';
import { EmojiPanel } from './parts/emoji-panel.js';
import { pickerStyle } from './styles/picker.js';

/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('./model/icons.js').Icons} Icons */

/** @typedef {import('./parts/message-actions.js').Action} Action */

export class SyncReactionPicker extends SyncElement {
  static styles = [floatStyle, pickerStyle];
  static properties = ['item', 'values', 'icons', 'actions', 'type'];
  static observedAttributes = ['inline', 'readonly'];

  /** Which actions they are. */ type = 'reaction';
  /** @type {Item|null} */ #item = null;
  /** @type {readonly string[]|null} */ #values = null;
  /** @type {Icons} */ #icons = null;
  /** @type {readonly Action[]} */ #actions = [];
  /** @type {Float} */ #float = new Float(this, 'picker', () => this.#closed());
  #row = make('div', { part: 'row', role: 'toolbar' });
  #plus = make('button', { part: 'plus', type: 'button', 'aria-expanded': 'false',
    on: { click: () => this.search() } }, make('slot', { name: 'plus' }, glyph('plus', 18)));
  #list = make('div', { part: 'actions', role: 'group' });
  /** @type {EmojiPanel|null} */ #panel = null;
  /** @type {Map<string, HTMLButtonElement>} */ #choices = new Map();
  /** @type {string|null} The action that waits to be confirmed. */ #doubt = null;

  constructor() {
    super();
    this.#float.panel.append(
      make('slot', { name: 'before' }), this.#row, this.#list, make('slot', { name: 'actions' }));
    this.#row.addEventListener('keydown', (event) => this.#arrow(event));
    this.#list.addEventListener('keydown', (event) => this.#arrow(event));
  }

  /** The message that is reacted to. */
  get item() {
    return this.#item;
  }

  set item(item) {
    const isOther = item?.timetoken !== this.#item?.timetoken;
    this.#item = item;
    if (isOther) this.relisten();
    else this.update();
  }

  /** What is offered where the channel's rules leave a choice; the six usual ones else. */
  get values() {
    return this.#values;
  }

  /** @param {readonly string[]|null} values */
  set values(values) {
    this.#values = values;
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

  /** What else can be done with the message: below the reactions. */
  get actions() {
    return this.#actions;
  }

  /** @param {readonly Action[]} actions */
  set actions(actions) {
    this.#actions = actions;
    this.#doubt = null;
    this.update();
  }

  get isOpen() {
    return this.#float.isOpen;
  }

  listen() {
    const isShown = this.isOpen || this.hasAttribute('inline');
    return [...super.listen(), this.follow(isShown ? this.#item?.timetoken : null, (item) => {
      // Nothing is said of a message that goes; one that went before may have actions.
      const isGone = !item || (item.isDeleted && !this.#item?.isDeleted);
      this.item = item;
      if (isGone) this.hide();
    })];
  }

  /** What is offered now, and whether everything may be looked for. */
  get offered() {
    if (this.hasAttribute('readonly')) return { values: [], canSearch: false };
    return offeredBy(this.channel?.rules, this.#values);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#float.close();
  }

  render() {
    const { words, channel } = this;
    const { values, canSearch } = this.offered;
    const { panel } = this.#float;
    const isInline = this.hasAttribute('inline');
    setAttribute(panel, 'popover', isInline ? null : 'manual');
    setAttribute(panel, 'role', isInline ? 'group' : 'dialog');
    setAttribute(panel, 'aria-label', words.pick);
    setAttribute(this.#row, 'aria-label', words.reactions);
    setAttribute(this.#plus, 'aria-label', words.moreReactions);
    setAttribute(this.#list, 'aria-label', words.actions);
    const mine = new Set(this.#item ? reactionsOf(this.#item, this.userId)
      .filter(({ type, isMine }) => type === this.type && isMine).map(({ value }) => value) : []);
    const before = this.#choices;
    this.#choices = new Map([...new Set(values)].map((value) => {
      const button = before.get(value) ?? make('button', { type: 'button', class: 'emoji',
        on: { click: () => this.pick(value) } });
      const word = spoken(value, this.#icons, channel?.rules);
      const isWord = /^[\p{L}\p{N}]/u.test(word) && word.length > 2;
      showIcon(button, value, this.#icons, channel?.rules);
      setAttribute(button, 'part',
        `choice${mine.has(value) ? ' own' : ''}${isWord ? ' word' : ''}`);
      setAttribute(button, 'aria-pressed', String(mine.has(value)));
      setAttribute(button, 'aria-label', words.toggle(word));
      return [value, button];
    }));
    const children = [...this.#choices.values(), ...canSearch ? [this.#plus] : []];
    this.#row.hidden = children.length === 0;
    setChildren(this.#row, children);
    this.#rove(children.find((it) => it === focused()) ?? children[0]);
    this.#renderActions();
    panel.classList.toggle('with-actions', this.#actions.length > 0);
    // Where there are no reactions there is nothing to show, unless there is something to do.
    panel.hidden = children.length === 0 && this.#actions.length === 0;
    this.#float.move();
  }

  #renderActions() {
    setChildren(this.#list, this.#actions.map(({ id, label, isDangerous, run }) => {
      const isAsked = this.#doubt === id;
      return make('button', {
        type: 'button', part: `action${isDangerous ? ' danger' : ''}`, 'data-id': id, on: {
          click: () => {
            if (isDangerous && !isAsked) {
              this.#doubt = id;
              this.#renderActions();
              const asked = `[data-id="${CSS.escape(id)}"]`;
              /** @type {any} */ (this.#list.querySelector(asked))?.focus();
              return;
            }
            this.hide();
            run();
          },
        } }, isAsked ? this.words.confirm(label) : label);
    }));
  }

  /**
   * One of them is reached by Tab, the others by arrows.
   * @param {HTMLElement|undefined} one
   */
  #rove(one) {
    for (const it of this.#row.querySelectorAll('button')) {
      setAttribute(it, 'tabindex', it === one ? '0' : '-1');
    }
  }

  /** @param {KeyboardEvent} event */
  #arrow(event) {
    const all = /** @type {HTMLElement[]} */ ([...this.#row.querySelectorAll('button'),
      ...this.#list.querySelectorAll('button')]);
    const next = neighbour(event.key, all, focused(), this.isRightToLeft);
    if (!next) return;
    event.preventDefault();
    if (this.#row.contains(next)) this.#rove(next);
    next.focus();
    // What is below the plus counts as in sight where it is only focused.
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /**
   * Opens above a place, or below it; without a place, where it was.
   * @param {Element|{x: number, y: number}} about
   */
  show(about) {
    this.render();
    if (this.#float.panel.hidden || this.hasAttribute('inline')) return;
    this.#float.open(() => {
      if (about instanceof Element) return about.isConnected ? about.getBoundingClientRect() : null;
      return { left: about.x, right: about.x, top: about.y, bottom: about.y };
    });
    /** @type {any} */ (this.#row.querySelector('[tabindex="0"]') ??
      this.#list.querySelector('button'))?.focus({ preventScroll: true });
    this.relisten();
    this.say('sync-open', { item: this.#item });
  }

  hide() {
    this.#float.close();
  }

  /** Shows everything there is, and a search in it. */
  search() {
    if (!this.offered.canSearch) return;
    const kept = this.#panel;
    if (kept && !kept.element.isConnected && !kept.says(this.words)) this.#panel = null;
    this.#panel ??= new EmojiPanel(
      this.words, (value) => this.pick(value), () => this.isRightToLeft);
    const { element } = this.#panel;
    const isOpen = element.isConnected;
    setAttribute(this.#plus, 'aria-expanded', String(!isOpen));
    this.#float.panel.classList.toggle('open-search', !isOpen);
    if (isOpen) {
      element.remove();
    } else {
      this.#row.after(element);
      this.#panel.show();
      this.#panel.focus();
    }
    this.#float.move();
  }

  /**
   * Adds a reaction, or takes it back where it is mine.
   * @param {string} value
   */
  pick(value) {
    const [item, channel] = [this.#item, this.channel];
    this.hide();
    if (!this.say('sync-react', { item, value, present: null })) return;
    if (item?.timetoken && channel) this.settle(channel.toggle(item.timetoken, value, this.type));
  }

  #closed() {
    this.#panel?.element.remove();
    this.#float.panel.classList.remove('open-search');
    setAttribute(this.#plus, 'aria-expanded', 'false');
    this.#doubt = null;
    this.relisten();
    this.say('sync-close', { item: this.#item });
  }

  /**
   * Has it open wherever somebody asks for more of a message: by a long press, the right button, or
   * the keyboard.
   * @param {HTMLElement} element
   * @param {(target: HTMLElement) => {item: Item, about: Element}|null} found
   * @returns {() => void} Ends it.
   */
  attach(element, found) {
    return onAsked(element, ({ target }) => {
      const it = found(target);
      if (!it) return false;
      this.item = it.item;
      this.show(it.about);
      return this.isOpen;
    }, (target) => found(target)?.item?.key);
  }
}

define('sync-reaction-picker', SyncReactionPicker);
