// A message's reactions as this device shows them: the cache's groups, overlaid with the wishes.
// @ts-check
import { named } from './entry.js';
import { byTime, changed, emptyList } from './group.js';
import { fulfil } from './own.js';
import { newestOf } from './people.js';
import { groupKey, isVersion, scoreOf } from './row.js';
import { refusalOf } from './rules.js';

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').ItemAction} ItemAction */
/** @typedef {import('./types.js').Reaction} Reaction */
/** @typedef {import('./types.js').Rules} Rules */
/** @typedef {import('./group.js').Group} Group */
/** @typedef {import('./group.js').GroupItem} GroupItem */
/** @typedef {import('./group.js').ShownGroup} ShownGroup */

/** Authors of a group that are named, the newest ones. */
export const authorsMax = 10;

/** @type {ReadonlyMap<string, any>} */
const none = new Map();

/** The reactions of a message, as they are now, whatever becomes of it. */
export class View {
  user;
  /** @type {ShownGroup[]} None is empty. */ #groups = [];
  /** @type {ReadonlyMap<string, GroupItem>} The user's by groups, in the order of the wishes. */
  #own = none;

  /** @param {string} user Whose wishes they are. */
  constructor(user) {
    this.user = user;
  }

  /**
   * Costs as much as there are groups and wishes, however many reactions a group has.
   * @param {ReadonlyMap<string, Group>} groups What the cache has. @param {Entry[]} wishes
   * @param {string} user @param {Rules} rules
   */
  static of(groups, wishes, user, rules) {
    if (groups.size === 0 && wishes.length === 0) return nothing;
    const view = new View(user);
    /** @type {Map<string, GroupItem>} */
    const standing = new Map();
    for (const [key, group] of groups) {
      view.#groups.push(group.shown);
      const row = group.of(user);
      if (row) standing.set(key, row);
    }
    if (standing.size > 0) view.#own = standing;
    if (wishes.length === 0) return view;
    const own = new Map(standing);
    for (const it of wishes) {
      const wish = nameOf(it, standing, rules);
      if (!isHopeless(wish, own, rules)) fulfil(own, wish, user, rules);
    }
    view.#groups = withOwn(view.#groups, standing, own);
    view.#own = own;
    return view;
  }

  /** @param {string} type @param {string} value */
  has(type, value) {
    const wanted = groupKey(type, value);
    return this.#groups.some(({ key }) => key === wanted);
  }

  /** What is the user's, wishes included, in their order. */
  get own() {
    return this.#own.values();
  }

  /** @param {View} other Of the same user. */
  isSame(other) {
    if (this.#groups.length !== other.#groups.length) return false;
    /** @type {Map<string, ShownGroup>|null} */
    let theirs = null;
    for (const [i, group] of this.#groups.entries()) {
      let found = /** @type {ShownGroup|undefined} */ (other.#groups[i]);
      if (found?.key !== group.key) {
        theirs ??= new Map(other.#groups.map((it) => [it.key, it]));
        found = theirs.get(group.key);
      }
      if (!found) return false;
      if (group.list !== found.list && !group.list.isSame(found.list, isSameReaction)) return false;
    }
    const pending = other.#pending;
    return this.#pending.every(({ type, value, score }, i) => type === pending[i].type &&
      value === pending[i].value && score === pending[i].score);
  }

  /** What is on its way, as it was wished. */
  get #pending() {
    return [...this.#own.values()].filter(({ actionTimetoken }) => actionTimetoken === null);
  }

  /**
   * One by one, as they were added, those on their way last: the only thing here that costs as much
   * as there are reactions.
   * @returns {ItemAction[]}
   */
  actions() {
    /** @type {GroupItem[]} */
    const all = [];
    for (const { list } of this.#groups) {
      for (const it of list.reversed()) if (it.actionTimetoken !== null) all.push(it);
    }
    all.sort(byTime);
    return [...all, ...this.#pending].map(({ type, value, uuid, actionTimetoken, score = 1 }) =>
      ({ type, value, uuid, actionTimetoken, score, pending: actionTimetoken === null }));
  }

  /**
   * The newest people of some groups, those on their way first.
   * @param {(group: ShownGroup) => boolean} isWanted @param {number} limit
   */
  people(isWanted, limit) {
    return newestOf(this.#groups.filter(isWanted), limit);
  }

  /** The groups but those of versions, in any order. @returns {Reaction[]} */
  reactions() {
    const groups = this.#groups.filter(({ type }) => !isVersion(type));
    return groups.map(({ key, type, value, list, score }) => {
      const newest = [];
      for (const it of list.reversed()) if (newest.push(it) === authorsMax) break;
      const own = this.#own.get(key);
      const isPending = own !== undefined && own.actionTimetoken === null;
      return {
        type, value, count: list.size, score, isMine: own !== undefined,
        ownScore: own ? scoreOf(own) : 0, isPending,
        first: list.first?.actionTimetoken ?? null,
        // What is on its way is the newest one.
        last: newest[isPending ? 1 : 0]?.actionTimetoken ?? null,
        authors: newest.map(({ uuid }) => uuid), clipped: list.size > authorsMax,
      };
    });
  }
}

/**
 * Whether two of one group are the same.
 * @param {GroupItem} left @param {GroupItem} right
 */
const isSameReaction = (left, right) => left === right ||
  (left.uuid === right.uuid && left.actionTimetoken === right.actionTimetoken &&
    scoreOf(left) === scoreOf(right));

/**
 * A wish by the name that the daemon gives it, unless a reaction stands by just this one.
 * @param {Entry} wish @param {Map<string, GroupItem>} standing @param {Rules} rules
 */
const nameOf = (wish, standing, rules) =>
  standing.has(groupKey(wish.type ?? '', wish.value ?? '')) ? wish : named(wish, rules);

/**
 * Whether the daemon is known to refuse a wish: it never shows, and so does not flicker.
 * @param {Entry} wish @param {Map<string, GroupItem>} own @param {Rules} rules
 */
const isHopeless = ({ type = '', value = '', present, acknowledged }, own, rules) =>
  !!present && acknowledged === null && !own.has(groupKey(type, value)) &&
    refusalOf(rules, type, value) !== null;

/** Of a message without reactions; nobody's. */
export const nothing = new View('');

/**
 * Groups with what shows of the user's reactions in the place of what the cache has of them.
 * @param {ShownGroup[]} groups @param {Map<string, GroupItem>} standing
 * @param {Map<string, GroupItem>} own
 */
function withOwn(groups, standing, own) {
  const shown = new Map(groups.map((group) => [group.key, group]));
  for (const key of new Set([...standing.keys(), ...own.keys()])) {
    const [before, after] = [standing.get(key), own.get(key)];
    if (before === after) continue;
    const { type, value } = /** @type {GroupItem} */ (after ?? before);
    const group = shown.get(key) ?? { key, type, value, list: emptyList, score: 0 };
    const next = changed(group, before, after);
    if (next.list.size > 0) shown.set(key, next);
    else shown.delete(key);
  }
  return [...shown.values()];
}
