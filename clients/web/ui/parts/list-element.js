// What a page says of how a list of messages shows.
// @ts-check
import { SyncElement } from '../base/element.js';
import { untilTomorrow } from '../model/days.js';
import { usualActions } from './message-actions.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {import('../model/order.js').Order} Order */
/** @typedef {import('../model/icons.js').Icons} Icons */
/** @typedef {import('./message-actions.js').Action} Action */

/**
 * What makes the pieces of a message, where the page does: each returns a text, a node, or null.
 * @typedef {{[piece in 'text'|'author'|'avatar'|'time'|'footer']?:
 *   (item: Item) => Node|string|number|null}} Pieces
 */

/** A list whose rows are rendered anew when the page says something else. */
export class ListElement extends SyncElement {
  static properties = ['order', 'icons', 'pieces', 'actions', 'values'];

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
   * @type {(item: Item, list: any) => Action[]}
   */
  actions = usualActions;
  /**
   * What writes replies and edits; it says so itself.
   * @type {import('../sync-composer.js').SyncComposer|null}
   */
  composer = null;
  /** What the page gave, for the elements within. */ ownWords = this.words;

  /** Of the reactions: as of `<sync-reactions>`. */
  get order() {
    return this.#order;
  }

  /** @param {Order} order */
  set order(order) {
    this.#order = order;
    this.again();
  }

  get icons() {
    return this.#icons;
  }

  /** @param {Icons} icons */
  set icons(icons) {
    this.#icons = icons;
    this.again();
  }

  /** What makes the pieces of a message. */
  get pieces() {
    return this.#pieces;
  }

  /** @param {Pieces} pieces */
  set pieces(pieces) {
    this.#pieces = pieces;
    this.again();
  }

  /** All rows have to be rendered anew. */
  again() {
    this.version++;
    this.ownWords = this.words;
    this.update();
  }

  /** Has rows say tomorrow that they are of yesterday. @returns {() => void} */
  eachDay() {
    /** @type {any} */ let timer = 0;
    const wait = () => {
      timer = setTimeout(() => {
        this.again();
        wait();
      }, untilTomorrow(new Date()) + 1000);
    };
    wait();
    return () => clearTimeout(timer);
  }

  attributeChangedCallback() {
    this.again();
  }

  renamed() {
    this.again();
  }

  reworded() {
    this.again();
  }
}
