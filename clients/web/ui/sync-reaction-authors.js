// The element <sync-reaction-authors>: who reacted, by value, the newest first, as it changes.
// @ts-check
import { countText, reactionsOf } from '../core/reactions.js';
import { SyncElement, define } from './base/element.js';
import {
  make, neighbour, setAttribute, setChildren, setText, wholeOf,
} from './base/dom.js';
import { Float, floatStyle, focused, keepingFocus } from './base/float.js';
import { glyph } from './base/glyphs.js';
import { showIcon, spoken } from './base/icon.js';
import { compareBy, firstOf } from './model/order.js';
import { faceStyle, showFace } from './parts/faces.js';
import { Person } from './parts/person.js';
import { authorsStyle } from './styles/authors.js';

/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('./model/icons.js').Icons} Icons */
/** @typedef {import('./model/order.js').Order} Order */

/** Values that have a tab each, and how many more when somebody asks for more. */
const [tabsUsual, furtherTabs] = [24, 100];

export class SyncReactionAuthors extends SyncElement {
  static styles = [floatStyle, faceStyle, authorsStyle];
  static properties = ['item', 'value', 'icons', 'order', 'type'];
  static observedAttributes = ['inline', 'page'];

  /** Which actions they are. */ type = 'reaction';
  /** @type {Item|null} */ #item = null;
  /** @type {string|null} */ #value = null;
  /** @type {Icons} */ #icons = null;
  /** @type {Order} */ #order = 'count';
  /** @type {any} The list of people, while somebody looks at it. */ #people = null;
  /** @type {Map<string, Person>} */ #rows = new Map();
  /** @type {Map<string, HTMLButtonElement>} */ #tabs = new Map();
  /** How many values may have a tab. */ #tabsMax = tabsUsual;
  /** @type {Float} */ #float = new Float(this, 'sheet', () => this.#closed());
  #tabBar = make('div', { part: 'tabs', role: 'tablist',
    on: { keydown: (/** @type {any} */ it) => this.#arrow(it) } });
  #moreTabs = make('button', { part: 'more-tabs', type: 'button', dir: 'ltr',
    on: { click: () => this.#showMoreTabs() } });
  #close = make('button', { part: 'close', type: 'button', on: { click: () => this.hide() } },
    make('slot', { name: 'close' }, glyph('close')));
  #list = make('ul', { part: 'people', role: 'list' });
  #nobody = make('p', { part: 'nobody' });
  #more = make('button', { part: 'more', type: 'button', on: { click: () => this.more() } });
  #panel = make('div', { part: 'panel', role: 'tabpanel', id: 'people', tabindex: '0',
    on: { scroll: () => this.#scrolled() } }, this.#list, this.#nobody, this.#more);

  constructor() {
    super();
    this.#float.panel.append(make('slot', { name: 'before' }),
      make('div', { part: 'top' }, this.#tabBar, this.#moreTabs, this.#close), this.#panel);
  }

  /** The message: an item of `channel.items`. */
  get item() {
    return this.#item;
  }

  set item(item) {
    const isOther = item?.timetoken !== this.#item?.timetoken;
    this.#item = item;
    if (isOther) this.#tabsMax = tabsUsual;
    if (isOther) this.relisten();
    else this.update();
  }

  /** Whose people show: those of a value, or all (null). */
  get value() {
    return this.#value;
  }

  /** @param {string|null} value */
  set value(value) {
    if (value === this.#value) return;
    this.#value = value;
    this.relisten();
  }

  get icons() {
    return this.#icons;
  }

  /** @param {Icons} icons */
  set icons(icons) {
    this.#icons = icons;
    this.update();
  }

  /** Of the tabs: as of `<sync-reactions>`. */
  get order() {
    return this.#order;
  }

  /** @param {Order} order */
  set order(order) {
    this.#order = order;
    this.update();
  }

  /** How many people come at a time. */
  get page() {
    return wholeOf(this, 'page', 25);
  }

  get isOpen() {
    return this.hasAttribute('inline') || this.#float.isOpen;
  }

  listen() {
    const ends = super.listen();
    const [channel, timetoken] = [this.channel, this.#item?.timetoken];
    this.#people = null;
    if (!channel || !timetoken || !this.isOpen) return ends;
    const asked = { type: this.type, ...this.#value === null ? {} : { value: this.#value } };
    const people = this.#people = channel.people(timetoken, { ...asked, limit: this.page });
    people.observe(() => this.update());
    ends.push(() => people.end(), this.follow(timetoken, (item) => {
      // Nobody has reacted to a message that goes.
      const isGone = !item || (item.isDeleted && !this.#item?.isDeleted);
      this.item = item;
      if (isGone) this.hide();
    }));
    return ends;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#float.close();
  }

  render() {
    const { panel } = this.#float;
    const { words } = this;
    const isInline = this.hasAttribute('inline');
    setAttribute(panel, 'popover', isInline ? null : 'manual');
    setAttribute(panel, 'role', isInline ? 'group' : 'dialog');
    setAttribute(panel, 'aria-label', words.whoReacted);
    setAttribute(this.#close, 'aria-label', words.close);
    this.#close.hidden = isInline;
    panel.hidden = this.channel?.rules?.reactions === false;
    this.#renderTabs();
    this.#renderPeople();
  }

  #renderTabs() {
    const { words } = this;
    const all = this.#item ? reactionsOf(this.#item, this.userId)
      .filter(({ type }) => type === this.type).sort(compareBy(this.#order)) : [];
    const total = all.reduce((sum, { count }) => sum + count, 0);
    const before = this.#tabs;
    /** @param {string} key @param {string|null} value @param {number} count */
    const tab = (key, value, count) => {
      const button = before.get(key) ?? make('button', { type: 'button', role: 'tab', part: 'tab',
        'aria-controls': 'people', on: { click: () => this.#choose(value) } },
      make('span', { class: value === null ? '' : 'emoji' }), make('span', { dir: 'ltr' }));
      const [icon, number] = button.children;
      if (value === null) setText(icon, words.all);
      else showIcon(/** @type {any} */ (icon), value, this.#icons, this.channel?.rules);
      setText(number, countText(count, 9999));
      const isChosen = value === this.#value;
      setAttribute(button, 'aria-selected', String(isChosen));
      setAttribute(button, 'tabindex', isChosen ? '0' : '-1');
      return /** @type {[string, HTMLButtonElement]} */ ([key, button]);
    };
    const first = firstOf(all, this.#tabsMax);
    const values = first.map(({ value, count }) => tab(`v${value}`, value, count));
    // Whose people show has a tab, wherever it is; the last one may take it back meanwhile.
    if (this.#value !== null && !first.some(({ value }) => value === this.#value)) {
      const chosen = all.find(({ value }) => value === this.#value);
      values.push(tab(`v${this.#value}`, this.#value, chosen?.count ?? 0));
    }
    this.#moreTabs.hidden = all.length <= first.length;
    setText(this.#moreTabs, `+${all.length - first.length}`);
    setAttribute(this.#moreTabs, 'aria-label', words.more);
    this.#tabs = new Map([tab('all', null, total), ...values]);
    setChildren(this.#tabBar, [...this.#tabs.values()]);
    const chosen = this.#value === null ? words.all
      : spoken(this.#value, this.#icons, this.channel?.rules);
    setAttribute(this.#panel, 'aria-label', chosen);
  }

  #renderPeople() {
    const { words } = this;
    const people = this.#people?.people ?? [];
    const before = this.#rows;
    this.#rows = new Map(people.map((/** @type {any} */ person) => {
      const key = `${person.type}\0${person.value}\0${person.uuid}`;
      const row = before.get(key) ?? new Person();
      row.show(person, this, () => this.#takeBack(person));
      return [key, row];
    }));
    keepingFocus(this.#list, () =>
      setChildren(this.#list, [...this.#rows.values()].map(({ element }) => element)),
    () => this.#panel);
    setText(this.#nobody, words.nobody);
    this.#nobody.hidden = people.length > 0;
    setText(this.#more, words.more);
    const isAtMore = focused() === this.#more;
    this.#more.hidden = !this.#people?.isMore;
    // Not to a button: what follows would be somebody's to remove.
    if (isAtMore && this.#more.hidden) this.#panel.focus({ preventScroll: true });
    this.#list.hidden = people.length === 0;
  }

  /** @param {any} person */
  #takeBack({ value, type }) {
    const item = this.#item;
    if (!this.say('sync-react', { item, value, present: false })) return;
    if (item?.timetoken && this.channel) {
      this.settle(this.channel.react(item.timetoken, value, false, type));
    }
  }

  /** @param {string|null} value */
  #choose(value) {
    this.value = value;
    this.#panel.scrollTop = 0;
  }

  #showMoreTabs() {
    this.#tabsMax += furtherTabs;
    this.update();
  }

  /** @param {KeyboardEvent} event */
  #arrow(event) {
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') return;
    const all = [...this.#tabs.values()];
    const next = neighbour(event.key, all, focused(), this.isRightToLeft);
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#panel;
    if (this.#people?.isMore && scrollHeight - scrollTop - clientHeight < 80) this.more();
  }

  /** Shows further people. */
  more() {
    this.#people?.more(this.page);
    this.update();
  }

  /**
   * Opens at the foot of a place.
   * @param {Element} about
   */
  show(about) {
    this.render();
    if (this.hasAttribute('inline') || this.#float.panel.hidden) return;
    this.#float.open(() => about.isConnected ? about.getBoundingClientRect() : null, 'sheet');
    this.relisten();
    this.render();
    this.#float.move();
    this.#tabBar.querySelector(/** @type {any} */ ('[tabindex="0"]'))?.focus(
      { preventScroll: true });
  }

  hide() {
    this.#float.close();
  }

  #closed() {
    this.relisten();
    this.say('sync-close', { item: this.#item });
  }
}

define('sync-reaction-authors', SyncReactionAuthors);
