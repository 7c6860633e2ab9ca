// One value that people said, as a bubble: its icon, its count, and whether it is one's own.
// @ts-check
import { countText } from '../../core/reactions.js';
import { make, setAttribute, setChildren, setText } from '../base/dom.js';
import { showIcon, spoken } from '../base/icon.js';
import { isolated } from '../model/isolated.js';

/** @typedef {import('../../core/types.js').Reaction} Reaction */
/** @typedef {any} SyncReactions The element that it is of. */

/** A bubble; it shows one reaction as it changes. */
export class Bubble {
  /** @type {Reaction} */ reaction;
  #bar;
  #icon = make('span', { part: 'icon', class: 'emoji' });
  // "99+" is a number in whatever direction the page is written.
  #count = make('span', { part: 'count', dir: 'ltr' });
  #toggle = make('button', { part: 'toggle', type: 'button' }, this.#icon);
  /** @type {HTMLButtonElement|null} The count, where it is one by itself. */ #authors = null;
  box = make('span', { class: 'bubble' }, this.#toggle);

  /** @param {SyncReactions} bar @param {Reaction} reaction */
  constructor(bar, reaction) {
    this.#bar = bar;
    this.reaction = reaction;
    this.#toggle.onclick = () => bar.toggle(this.reaction.value);
  }

  /** @param {Reaction} reaction */
  show(reaction) {
    this.reaction = reaction;
    const bar = this.#bar;
    const { words, icons, isSplit } = bar;
    const { value, isMine, isPending } = reaction;
    const rules = bar.channel?.rules;
    const word = spoken(value, icons, rules);
    const text = countText(this.#counted, bar.max);
    const [box, toggle, count] = [this.box, this.#toggle, this.#count];
    showIcon(this.#icon, value, icons, rules);
    setText(count, text);
    setAttribute(box, 'part', `bubble${isMine ? ' own' : ''}${isPending ? ' pending' : ''}`);
    setAttribute(box, 'title', this.#people);
    setAttribute(toggle, 'aria-pressed', String(isMine));
    toggle.disabled = bar.hasAttribute('readonly');
    setAttribute(toggle, 'aria-label', isSplit ? words.toggle(word) : `${word} ${text}`);
    setChildren(toggle, isSplit ? [this.#icon] : [this.#icon, count]);
    setChildren(box, isSplit ? [toggle, this.#who(words.authors(text, word))] : [toggle]);
  }

  /** @param {string} label */
  #who(label) {
    this.#authors ??= make('button', { part: 'who', type: 'button', 'aria-haspopup': 'dialog',
      on: { click: () => this.#bar.showAuthors(this.reaction.value) } });
    setAttribute(this.#authors, 'aria-label', label);
    setChildren(this.#authors, [this.#count]);
    return this.#authors;
  }

  /** Where adds count, what they come to. */
  get #counted() {
    const { count, score } = this.reaction;
    const mode = this.#bar.channel?.rules?.mode;
    return mode === 'multiple' || mode === 'total' ? score : count;
  }

  /** The first of those who said it, and how many more. */
  get #people() {
    const { authors, count } = this.reaction;
    const { words, userId } = this.#bar;
    const names = authors.slice(0, 3)
      .map((it) => it === userId ? words.you : isolated(this.#bar.nameOf(it)));
    return words.people(names, count - Math.min(3, authors.length));
  }
}
