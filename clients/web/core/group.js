// The reactions of a message that have one type and value: by their users, and in their order.
// @ts-check
import { OrderedList } from './ordered-list.js';
import { scoreOf } from './row.js';
import { isLater, never } from './timetoken.js';

/** @typedef {import('./types.js').Row} Row */

/**
 * A reaction of a group: a row, or one of this device that has no timetoken yet.
 * @typedef {{type: string, value: string, uuid: string, actionTimetoken: string|null,
 *   score?: number}} GroupItem
 */

/**
 * A group as it was at some time. Its score is the sum of its reactions'.
 * @typedef {{key: string, type: string, value: string, list: OrderedList<GroupItem>,
 *   score: number}} ShownGroup
 */

/**
 * As they were added, what has no timetoken yet last. No two of a channel have the same timetoken;
 * where a store was damaged, the user decides, so that a list has them all.
 * @param {GroupItem} left @param {GroupItem} right
 */
export function byTime(left, right) {
  const [one, other] = [left.actionTimetoken ?? never, right.actionTimetoken ?? never];
  if (one !== other) return isLater(one, other) ? 1 : -1;
  return Number(left.uuid > right.uuid) - Number(left.uuid < right.uuid);
}

/** @type {OrderedList<GroupItem>} */
export const emptyList = new OrderedList(byTime);

/**
 * A group with one reaction in the place of another.
 * @param {ShownGroup} group @param {GroupItem|undefined} before That it has.
 * @param {GroupItem|undefined} after That it does not have. @returns {ShownGroup}
 */
export function changed(group, before, after) {
  let { list, score } = group;
  if (before) [list, score] = [list.without(before), score - scoreOf(before)];
  if (after) [list, score] = [list.with(after), score + scoreOf(after)];
  return { ...group, list, score };
}

/** Below this a group looks for a user among its rows: most are small, and a Map is not. */
const usersMin = 16;

/** One group of a message's reactions; has one of each user. */
export class Group {
  /** @type {Map<string, Row>|null} Its rows by users, once it is not small. */ #users = null;
  /** @type {ShownGroup} The group as it is now, whatever becomes of it. */ shown;

  /** @param {string} key @param {string} type @param {string} value */
  constructor(key, type, value) {
    this.shown = { key, type, value, list: emptyList, score: 0 };
  }

  get size() {
    return this.shown.list.size;
  }

  /** The rows, those that came last first. */
  [Symbol.iterator]() {
    return /** @type {Generator<Row, void>} */ (this.shown.list.reversed());
  }

  /** @param {string} user */
  of(user) {
    if (this.#users) return this.#users.get(user);
    for (const row of this) if (row.uuid === user) return row;
    return undefined;
  }

  /**
   * Puts a row in the place of what `of` has of its user.
   * @param {Row|undefined} before @param {Row} after
   */
  replace(before, after) {
    if (before) this.drop(before);
    this.shown = changed(this.shown, undefined, after);
    if (this.#users) this.#users.set(after.uuid, after);
    else if (this.size >= usersMin) this.#users = new Map([...this].map((it) => [it.uuid, it]));
  }

  /** @param {Row} row That `of` has. */
  drop(row) {
    this.shown = changed(this.shown, row, undefined);
    this.#users?.delete(row.uuid);
  }
}
