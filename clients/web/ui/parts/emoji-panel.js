// Everything that can be said: groups of emoji, a search in them, and skin tones.
// @ts-check
import { make, neighbour, setAttribute, setText } from '../base/dom.js';
import { focused } from '../base/float.js';
import { readTable, search, tones, withTone } from '../model/emoji.js';

/** @typedef {import('../model/emoji.js').Emoji} Emoji */
/** @typedef {import('../model/emoji.js').EmojiGroup} EmojiGroup */
/** @typedef {import('../base/words.js').Words} Words */

/** Where a person's skin tone is kept, for all pages of this origin. */
const toneKey = 'sync-skin-tone';

/** @type {Promise<EmojiGroup[]>|null} Read when somebody looks for one: 60 KB. */
let reading = null;
const groups = () => reading ??= import('../model/emoji-table.js').then(
  ({ table }) => readTable(table));

/** The panel behind a picker's plus. */
export class EmojiPanel {
  element;
  #words;
  #picked;
  #search;
  #grid;
  #status;
  #tones;
  #isRightToLeft;
  /** What is shown now; what was asked before it came does not show. */ #turn = 0;
  tone = keptTone();

  /**
   * @param {Words} words @param {(emoji: string) => void} picked
   * @param {() => boolean} isRightToLeft
   */
  constructor(words, picked, isRightToLeft) {
    this.#words = words;
    this.#picked = picked;
    this.#isRightToLeft = isRightToLeft;
    this.#search = make('input', {
      part: 'search', type: 'search', placeholder: words.search, 'aria-label': words.search,
      autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'search',
      on: { input: () => this.show(), keydown: (/** @type {any} */ it) => this.#typed(it) } });
    this.#grid = make('div', { part: 'grid',
      on: { keydown: (/** @type {any} */ it) => this.#arrow(it) } });
    this.#status = make('div', { class: 'unseen', role: 'status' });
    this.#tones = make('div', { part: 'tones', role: 'radiogroup', 'aria-label': words.tones,
      on: { keydown: (/** @type {any} */ it) => this.#arrowTone(it) } },
    make('span', { 'aria-hidden': 'true' }, words.tones));
    for (const tone of tones.keys()) {
      this.#tones.append(make('button', {
        part: 'tone', class: 'emoji', type: 'button', role: 'radio', 'aria-label': words.tone(tone),
        on: { click: () => this.choose(tone) } }, withTone('✋', tone)));
    }
    this.element = make('div', { part: 'panel' },
      this.#search, this.#status, this.#grid, this.#tones);
    this.#checkTones();
  }

  /**
   * Whether it was made with these words.
   * @param {Words} words
   */
  says(words) {
    const used = /** @type {const} */ (['search', 'tones', 'tone', 'found']);
    return used.every((it) => words[it] === this.#words[it]);
  }

  focus() {
    this.#search.focus();
  }

  /** Shows what is looked for, or everything. */
  async show() {
    const turn = ++this.#turn;
    const all = await groups();
    if (turn !== this.#turn) return;
    const query = this.#search.value;
    this.#grid.scrollTop = 0;
    if (query.trim() !== '') {
      const found = search(all, query);
      setText(this.#status, this.#words.found(found.length));
      const cells = found.length > 0 ? this.#cells(found)
        : make('p', { part: 'heading' }, this.#words.found(0));
      this.#grid.replaceChildren(cells);
      this.#reachFirst();
      return;
    }
    setText(this.#status, '');
    this.#grid.replaceChildren();
    for (const group of all) {
      // One group a frame: all of them at once would keep one waiting.
      this.#grid.append(make('div', { part: 'group', role: 'group', 'aria-label': group.name },
        make('div', { part: 'heading', 'aria-hidden': 'true' }, group.name),
        this.#cells(group.emoji)));
      this.#reachFirst();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (turn !== this.#turn) return;
    }
  }

  /** Tab goes to the first one, arrows go on from there. */
  #reachFirst() {
    this.#grid.querySelector('button')?.setAttribute('tabindex', '0');
  }

  /** @param {readonly Emoji[]} emoji */
  #cells(emoji) {
    return make('div', { class: 'emoji-cells' }, ...emoji.map((it) => {
      const shown = it.isToned ? withTone(it.emoji, this.tone) : it.emoji;
      return make('button', { part: 'choice', class: 'emoji', type: 'button', tabindex: '-1',
        'aria-label': `${shown} ${it.name}`, title: it.name,
        on: { click: () => this.#picked(shown) } }, shown);
    }));
  }

  /** @param {number} tone */
  choose(tone) {
    this.tone = tone;
    try {
      localStorage.setItem(toneKey, String(tone));
    } catch {
      // A page may have no storage: then it is for this visit.
    }
    this.#checkTones();
    this.show();
  }

  #checkTones() {
    for (const [tone, button] of [...this.#tones.querySelectorAll('button')].entries()) {
      setAttribute(button, 'aria-checked', String(tone === this.tone));
      setAttribute(button, 'tabindex', tone === this.tone ? '0' : '-1');
    }
  }

  /** @param {KeyboardEvent} event */
  #typed(event) {
    const first = /** @type {HTMLElement|null} */ (this.#grid.querySelector('button'));
    if (event.key === 'ArrowDown') first?.focus();
    else if (event.key === 'Enter' && this.#search.value.trim() !== '') first?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */
  #arrow(event) {
    const all = [...this.#grid.querySelectorAll('button')];
    const next = neighbour(event.key, all, focused(), this.#isRightToLeft());
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'ArrowUp' && next === focused()) this.#search.focus();
    else next.focus();
  }

  /** @param {KeyboardEvent} event */
  #arrowTone(event) {
    const all = [...this.#tones.querySelectorAll('button')];
    const next = neighbour(event.key, all, focused(), this.#isRightToLeft());
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose(all.indexOf(/** @type {HTMLButtonElement} */ (next)));
    next.focus();
  }
}

function keptTone() {
  try {
    const tone = Number(localStorage.getItem(toneKey));
    return Number.isInteger(tone) && tone > 0 && tone < tones.length ? tone : 0;
  } catch {
    return 0;
  }
}
