// The people who reacted to a message, the newest first, and how that list changes.
// @ts-check
import { byTime } from './group.js';
import { groupKey, scoreOf } from './row.js';

/** @typedef {import('./types.js').Person} Person */
/** @typedef {import('./types.js').PersonChange} PersonChange */
/** @typedef {import('./group.js').GroupItem} GroupItem */
/** @typedef {import('./group.js').ShownGroup} ShownGroup */

/**
 * The newest people of some groups, whoever is on the way first.
 * @param {readonly ShownGroup[]} groups @param {number} limit
 * @returns {Person[]}
 */
export function newestOf(groups, limit) {
  const heads = groups.map(({ list }) => {
    const rest = list.reversed();
    return { rest, it: rest.next() };
  });
  /** @type {Person[]} */
  const people = [];
  while (people.length < limit) {
    /** @type {typeof heads[0]|null} */
    let newest = null;
    for (const head of heads) {
      if (head.it.done) continue;
      const isNewer = newest === null ||
        byTime(head.it.value, /** @type {GroupItem} */ (newest.it.value)) > 0;
      if (isNewer) newest = head;
    }
    if (newest === null) break;
    const item = /** @type {GroupItem} */ (newest.it.value);
    const { type, value, uuid, actionTimetoken } = item;
    people.push({ type, value, uuid, actionTimetoken, score: scoreOf(item),
      pending: actionTimetoken === null });
    newest.it = newest.rest.next();
  }
  return people;
}

/** Whose reaction it is, and which. */
const keyOf = (/** @type {Person} */ it) => groupKey(it.type, it.value) + it.uuid;

/** @param {Person} left @param {Person} right */
const isSamePerson = (left, right) => left.actionTimetoken === right.actionTimetoken &&
  left.score === right.score && left.pending === right.pending;

/**
 * The steps from one list to another, to be applied one after the other.
 * @param {readonly Person[]} before @param {readonly Person[]} after
 * @returns {PersonChange[]}
 */
export function changesBetween(before, after) {
  /** @type {PersonChange[]} */
  const changes = [];
  const known = new Map(before.map((person) => [keyOf(person), person]));
  const keys = [...known.keys()];
  const left = new Set(after.map(keyOf));
  for (let index = keys.length - 1; index >= 0; index--) {
    if (left.has(keys[index])) continue;
    changes.push({ kind: 'remove', index, person: before[index] });
    keys.splice(index, 1);
  }
  for (const [index, person] of after.entries()) {
    const key = keyOf(person);
    const old = known.get(key);
    if (!old) {
      changes.push({ kind: 'insert', index, person });
    } else if (keys[index] !== key) {
      const from = keys.indexOf(key, index);
      changes.push({ kind: 'move', from, index, person });
      keys.splice(from, 1);
    } else {
      if (!isSamePerson(old, person)) changes.push({ kind: 'update', index, person });
      continue;
    }
    keys.splice(index, 0, key);
  }
  return changes;
}
