// One message as a row: day, face, name, time, text, reactions, and what can be done with it.
// @ts-check
import { make, fill, setAttribute, setText } from '../base/dom.js';
import { glyph } from '../base/glyphs.js';
import { beginnings, clockText, dayOf, dayText, itemAt, textOf, timeOf } from '../model/days.js';
import { ofPage } from '../model/given.js';
import { showFace } from './faces.js';
import { isFlagged } from './message-actions.js';
import { showQuote } from './quote.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {any} SyncMessages The list that it is of. */

/** The parts of a bar of reactions that a page may style through the list. */
const reactionParts = ['bar', 'bubble', 'own', 'pending', 'toggle', 'who', 'icon', 'count', 'add',
  'more'].map((it) => `${it}: reaction-${it}`).join(', ');

/** A row of the list; it shows one message after the other. */
export class MessageRow {
  /** @type {Item|null} */ item = null;
  /** @type {Item|null} What it is a reply to, as it was quoted. */ #parent = null;
  #list;
  #shown = '';
  /** @type {any} */ #words = null;
  #day = make('div', { part: 'day' });
  #face = make('div', { part: 'avatar', class: 'face' });
  #author = make('span', { part: 'author' });
  #time = make('time', { part: 'time' });
  #state = make('span', { part: 'state' });
  #head = make('div', { part: 'header' }, this.#author, this.#time);
  #text = make('div', { part: 'text', dir: 'auto' });
  #quote = make('button', { part: 'quote', type: 'button' });
  #footer = make('div', { part: 'footer' });
  #thread = make('button', { part: 'thread', type: 'button' });
  #react = make('button', { part: 'react', type: 'button', 'aria-haspopup': 'dialog' });
  /** @type {any} */
  #reactions = make(/** @type {any} */ ('sync-reactions'),
    { part: 'reactions', add: 'filled', exportparts: reactionParts });
  element = make('div', { role: 'article', tabindex: '-1' }, this.#day,
    make('div', { class: 'line' }, this.#face,
      make('div', { class: 'said' }, this.#head, this.#quote, this.#text, this.#state,
        this.#reactions, this.#footer, this.#thread), this.#react));

  /** @param {SyncMessages} list */
  constructor(list) {
    this.#list = list;
    this.#react.append(glyph('smile'));
    // Between a list and what is behind it stands no tab stop for each message: arrows go to a
    // message, and there are its buttons.
    this.#stop(false);
    this.element.addEventListener('focusin', () => this.#stop(true));
    this.element.addEventListener('focusout', ({ relatedTarget }) => {
      const isWithin = this.element.contains(/** @type {Node|null} */ (relatedTarget));
      if (!isWithin) this.#stop(false);
    });
    this.#react.onclick = () => this.item && list.openPicker(this.item, this.#react);
    this.#thread.onclick = () => list.say('sync-thread', { item: this.item });
    this.#quote.onclick = () => this.item?.parent && list.jump(this.item.parent);
    rows.set(this.element, this);
  }

  /** @param {boolean} isOpen Whether Tab stops at what can be pressed here. */
  #stop(isOpen) {
    for (const it of [this.#react, this.#quote, this.#thread]) it.tabIndex = isOpen ? 0 : -1;
    this.#reactions.stop.isOpen = isOpen;
  }

  /** @param {number} index Of the list's items. */
  show(index) {
    const list = this.#list;
    const item = list.items[index];
    const now = new Date();
    const { isDay, isGroup } = beginnings(list.items[index - 1], item, now);
    setAttribute(this.element, 'aria-posinset', String(index + 1));
    setAttribute(this.element, 'aria-setsize', String(list.items.length));
    const shown = `${isDay} ${isGroup} ${list.version} ${dayOf(now)}`;
    const parent = item.parent ? itemAt(list.items, item.parent) : null;
    const isSame = item === this.item && shown === this.#shown;
    // What a reply is to may be another one now, or come and go, while the reply stays as it is.
    if (!isSame || parent !== this.#parent) this.#showParent(item, parent);
    if (isSame) return;
    if (item.key !== this.item?.key) this.element.tabIndex = -1;
    [this.item, this.#shown] = [item, shown];
    const isMine = item.uuid === list.userId && item.uuid !== '';
    const at = timeOf(item, now);
    const { language } = list;
    const name = list.nameOf(item.uuid);
    setAttribute(this.element, 'part', ['message', isMine && 'own', item.pending && 'pending',
      isGroup && 'first', item.isDeleted && 'deleted',
      item.timetoken === list.found && 'found'].filter(Boolean).join(' '));
    setAttribute(this.element, 'aria-label', `${name}, ${clockText(at, language)}`);
    this.#day.hidden = !isDay;
    if (isDay) setText(this.#day, dayText(at, now, language));
    this.#head.hidden = !isGroup;
    this.#face.style.visibility = isGroup ? 'visible' : 'hidden';
    this.#showPieces(item, isGroup, at, name);
    this.#showReactions(item);
  }

  /** @param {Item} item @param {boolean} isGroup @param {Date} at @param {string} name */
  #showPieces(item, isGroup, at, name) {
    const list = this.#list;
    const { words, language } = list;
    if (isGroup) {
      this.#piece('avatar', this.#face, item, () =>
        showFace(this.#face, item.uuid, name, list.knownOf(item.uuid)?.profileUrl));
      this.#piece('author', this.#author, item, () => fill(this.#author, name));
    }
    this.#piece('time', this.#time, item, () => fill(this.#time, clockText(at, language)));
    setAttribute(this.#time, 'datetime', at.toISOString());
    if (item.isDeleted) setText(this.#text, words.deleted);
    else this.#piece('text', this.#text, item, () => fill(this.#text, textOf(item.payload)));
    setText(this.#state, [item.pending ? words.sending : item.isEdited && words.edited,
      isFlagged(item, list.userId) && words.flagged].filter(Boolean).join(' · '));
    this.#piece('footer', this.#footer, item, () => fill(this.#footer, null));
    this.#thread.hidden = item.threadCount === 0;
    if (item.threadCount > 0) setText(this.#thread, words.replies(item.threadCount));
  }

  /** @param {Item} item @param {Item|null} parent */
  #showParent(item, parent) {
    const list = this.#list;
    this.#parent = parent;
    // One that is not here can be gone to all the same, where there is a history. In a thread all
    // are about the same one.
    const isKnown = !!item.parent && item.parent === list.channel?.threadOf;
    this.#quote.hidden = isKnown || (!parent && !(item.parent && list.channel?.jump));
    if (!this.#quote.hidden) showQuote(this.#quote, parent, list);
    setAttribute(this.#quote, 'title', list.words.repliedTo);
  }

  /**
   * A piece of the page's; where it has none, or that one fails, as it is without it.
   * @param {string} name @param {HTMLElement} place @param {Item} item @param {() => void} usual
   */
  #piece(name, place, item, usual) {
    const { pieces } = this.#list;
    const piece = pieces?.[name];
    if (piece) ofPage(`pieces.${name}`, piece, () => fill(place, pieces[name](item)), usual);
    else usual();
  }

  /** @param {Item} item */
  #showReactions(item) {
    const list = this.#list;
    const { channel, client, directory, order, icons } = list;
    const bar = this.#reactions;
    const canReact = item.timetoken !== null && !item.isDeleted &&
      channel?.rules?.reactions !== false && !list.isReadOnly &&
      !list.hasAttribute('no-reactions');
    this.#react.hidden = !canReact;
    setAttribute(this.#react, 'aria-label', list.words.react);
    setAttribute(bar, 'readonly', list.isReadOnly);
    setAttribute(bar, 'limit', list.getAttribute('limit'));
    setAttribute(bar, 'counts', list.isInPast ? 'toggle' : list.getAttribute('counts'));
    setAttribute(bar, 'max', list.getAttribute('max'));
    const given = { client, channel, directory, order, icons, userId: list.userId };
    for (const [name, value] of Object.entries(given)) if (bar[name] !== value) bar[name] = value;
    if (this.#words !== list.ownWords) bar.words = this.#words = list.ownWords;
    bar.hidden = item.isDeleted || list.hasAttribute('no-reactions');
    bar.item = item;
  }
}

/**
 * Rows by their elements.
 * @type {WeakMap<Element, MessageRow>}
 */
export const rows = new WeakMap();

/**
 * The row that something is in, out of whatever shadow.
 * @param {Node} target @returns {MessageRow|null}
 */
export function rowAt(target) {
  /** @type {any} */ let it = target;
  while (it && !rows.has(it)) it = it.parentNode ?? it.host ?? null;
  return it ? rows.get(it) ?? null : null;
}
