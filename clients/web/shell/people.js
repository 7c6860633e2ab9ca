// The people who reacted to one message, as a page shows them: a list that says how it changes.
// @ts-check
import { askedTypes, askedValues } from '../core/asked.js';
import { viewOf } from '../core/item.js';
import { changesBetween } from '../core/people.js';
import { callSafely } from './callbacks.js';

/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('../core/types.js').Person} Person */
/** @typedef {import('../core/types.js').PersonChange} PersonChange */
/** @typedef {import('./shown-channel.js').ShownChannel} ShownChannel */
/** @typedef {(changes: PersonChange[], people: readonly Person[]) => void} Observer */

/**
 * The newest people of a message, `limit` of them at most: a change costs what is shown, however
 * many there are. Made by `Channel.people`.
 */
export class People {
  /** @type {readonly Person[]} The newest first, those on their way before all. */
  people = [];
  /** Whether there are more than are shown. */
  isMore = false;
  #channel;
  #values;
  #type;
  #limit;
  /** @type {Item|null} */ #item = null;
  /** @type {Set<Observer>} */ #observers = new Set();
  #end;

  /**
   * @param {ShownChannel} channel @param {string} timetoken
   * @param {{type: string, values: string[]|null, limit: number}} query
   */
  constructor(channel, timetoken, { type, values, limit }) {
    this.#channel = channel;
    this.#type = type;
    this.#values = values;
    this.#limit = limit;
    this.#end = channel.observe((changes) => {
      for (const { kind, item } of changes) {
        if (item.timetoken !== timetoken) continue;
        this.#item = kind === 'remove' ? null : item;
        this.#refresh();
      }
    });
  }

  /**
   * Calls back at once with an `insert` for each who is there, and then with each batch of changes.
   * @param {Observer} callback
   * @returns {() => void} Ends it.
   */
  observe(callback) {
    /** @type {Observer} Its own, so that one function can observe twice. */
    const observer = (changes, people) => callback(changes, people);
    this.#observers.add(observer);
    const changes = changesBetween([], this.people);
    callSafely(() => observer(changes, this.people));
    return () => {
      this.#observers.delete(observer);
    };
  }

  /**
   * Shows so many more, as far as there are.
   * @param {number} count
   */
  more(count) {
    this.#limit += count;
    this.#refresh();
  }

  /** Nobody wants to know any more. */
  end() {
    this.#observers.clear();
    this.#end();
  }

  #refresh() {
    const view = this.#item && viewOf(this.#item);
    // By the rules of now: they may have come after the question.
    const { rules } = this.#channel;
    const types = askedTypes(rules, [this.#type]);
    const values = this.#values && types.includes('reaction')
      ? askedValues(rules, this.#values) : this.#values;
    const isWanted = (/** @type {{type: string, value: string}} */ it) =>
      types.includes(it.type) && (values?.includes(it.value) ?? true);
    const found = view?.people(isWanted, this.#limit + 1) ?? [];
    const before = this.people;
    this.people = found.slice(0, this.#limit);
    this.isMore = found.length > this.#limit;
    const changes = changesBetween(before, this.people);
    if (changes.length === 0) return;
    for (const observer of [...this.#observers]) {
      callSafely(() => observer(changes, this.people));
    }
  }
}
