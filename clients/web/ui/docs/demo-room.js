// A channel without a daemon, for the page that shows the elements: all in this page's memory.
// @ts-check
import { usualRules } from '../../core/rules.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {import('../../core/types.js').ListChange} ListChange */
/** @typedef {import('../../core/types.js').Rules} Rules */

/** Milliseconds that a write is on its way. */
const onItsWay = 250;

let last = BigInt(Date.now()) * 10_000n;
const next = () => String(++last);

/**
 * A timetoken so many minutes ago.
 * @param {number} minutes
 */
export const minutesAgo = (minutes) =>
  String(BigInt(Math.round(Date.now() - minutes * 60_000)) * 10_000n);

/** A client that is always online. */
export class DemoClient {
  userId;
  waiting = 0;
  #status = 'online';
  /** @type {Map<string, Set<(value: any) => void>>} */ #listeners = new Map();

  /** @param {string} userId */
  constructor(userId) {
    this.userId = userId;
  }

  get status() {
    return this.#status;
  }

  set status(status) {
    this.#status = status;
    this.emit('status', status);
  }

  /** @param {string} kind @param {(value: any) => void} callback */
  on(kind, callback) {
    const callbacks = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, callbacks.add(callback));
    return () => void callbacks.delete(callback);
  }

  /** @param {string} kind @param {any} value */
  emit(kind, value) {
    for (const callback of this.#listeners.get(kind) ?? []) callback(value);
  }
}

/** What elements ask of a channel, as `Channel` answers it. */
export class DemoRoom {
  name = 'demo';
  isVerified = true;
  unread = null;
  /** @type {Item[]} */ items = [];
  /** @type {Item[]} Messages that are still to be fetched. */ #older = [];
  /** @type {Rules} */ #rules = usualRules;
  #client;
  /** @type {Set<(changes: ListChange[], items: Item[]) => void>} */ #observers = new Set();

  /** @param {DemoClient} client @param {Partial<Item>[]} items @param {Partial<Item>[]} [older] */
  constructor(client, items, older = []) {
    this.#client = client;
    this.items = items.map(whole);
    this.#older = older.map(whole);
  }

  get rules() {
    return this.#rules;
  }

  set rules(rules) {
    this.#rules = rules;
    this.#client.emit('rules', { channel: this.name, rules });
  }

  get hasOlder() {
    return this.#older.length > 0;
  }

  async older(count = 50) {
    await new Promise((resolve) => setTimeout(resolve, onItsWay));
    const found = this.#older.splice(-count);
    this.items = [...found, ...this.items];
    this.#tell(found.map((item, index) => ({ kind: 'insert', index, item })));
    return this.hasOlder ? 'more' : 'beginning';
  }

  /** @param {(changes: ListChange[], items: Item[]) => void} callback */
  observe(callback) {
    this.#observers.add(callback);
    callback(this.items.map((item, index) => ({ kind: 'insert', index, item })), this.items);
    return () => void this.#observers.delete(callback);
  }

  /** @param {ListChange[]} changes */
  #tell(changes) {
    for (const observer of [...this.#observers]) observer(changes, this.items);
  }

  /** @param {string|null} key A key or a timetoken. @param {Partial<Item>} fields */
  #change(key, fields) {
    const index = this.items.findIndex((it) => it.key === key || it.timetoken === key);
    if (index < 0) return;
    const item = this.items[index] = { ...this.items[index], ...fields };
    this.#tell([{ kind: 'update', index, item }]);
  }

  whenVerified() {
    return Promise.resolve();
  }

  async signal() {
    return next();
  }

  /** @param {any} payload @param {{parent?: string}} [fields] */
  async publish(payload, fields = {}) {
    this.say(this.#client.userId, payload, fields, onItsWay);
  }

  /**
   * Somebody says something.
   * @param {string} uuid @param {any} payload @param {object} [fields] @param {number} [delay]
   */
  say(uuid, payload, fields = {}, delay = 0) {
    const key = next();
    const item = whole({ ...fields, key, uuid, payload, timetoken: delay ? null : key,
      pending: delay > 0 });
    this.items = [...this.items, item];
    this.#tell([{ kind: 'insert', index: this.items.length - 1, item }]);
    if (delay) setTimeout(() => this.#change(key, { timetoken: key, pending: false }), delay);
  }

  /** @param {string} timetoken @param {any} payload */
  async edit(timetoken, payload) {
    this.#change(timetoken, { payload, versions: 1, isEdited: true });
  }

  /** @param {string} timetoken */
  async delete(timetoken) {
    const index = this.items.findIndex((it) => it.timetoken === timetoken);
    if (index < 0) return;
    const [item] = this.items.slice(index, index + 1);
    this.items = this.items.filter((it) => it !== item);
    this.#tell([{ kind: 'remove', index, item }]);
  }

  /** @param {string} timetoken @param {string} value @param {string} [type] */
  async toggle(timetoken, value, type = 'reaction') {
    const item = this.items.find((it) => it.timetoken === timetoken);
    const { userId } = this.#client;
    const isMine = item?.actions.some((it) =>
      it.type === type && it.value === value && it.uuid === userId);
    await this.react(timetoken, value, !isMine, type);
    return !isMine;
  }

  /** @param {string} timetoken @param {string} value @param {boolean} [present] */
  async react(timetoken, value, present = true, type = 'reaction', uuid = this.#client.userId) {
    const item = this.items.find((it) => it.timetoken === timetoken);
    if (!item) return;
    const others = item.actions.filter((it) =>
      it.type !== type || it.value !== value || it.uuid !== uuid);
    const action = { type, value, uuid, score: 1, actionTimetoken: null, pending: true };
    this.#change(item.key, { actions: present ? [...others, action] : others });
    if (!present) return;
    const settled = { ...action, actionTimetoken: next(), pending: false };
    const actions = this.items.find((it) => it.key === item.key)?.actions ?? [];
    setTimeout(() => this.#change(item.key, {
      actions: actions.map((it) => it === action ? settled : it) }), onItsWay);
  }

  /** @param {string} timetoken @param {{value?: string, limit?: number}} [query] */
  people(timetoken, query = {}) {
    const { value, limit = 25 } = query;
    /** @type {any} */
    const list = { people: [], isMore: false, observers: new Set(), limit };
    const refresh = () => {
      const item = this.items.find((it) => it.timetoken === timetoken);
      const found = (item?.actions ?? []).filter((it) => it.type === 'reaction' &&
        (value === undefined || it.value === value)).reverse();
      list.people = found.slice(0, list.limit);
      list.isMore = found.length > list.limit;
      for (const observer of list.observers) observer([], list.people);
    };
    const end = this.observe(refresh);
    return Object.assign(list, {
      observe: (/** @type {any} */ observer) => {
        list.observers.add(observer);
        observer([], list.people);
        return () => list.observers.delete(observer);
      },
      more: (/** @type {number} */ count) => {
        list.limit += count;
        refresh();
      },
      end: () => end(),
    });
  }
}

/** @param {any} fields @returns {Item} */
const whole = (fields) => ({
  key: fields.timetoken, pending: false, versions: 0, isEdited: false, isDeleted: false,
  threadCount: 0, actions: [], ...fields,
});

/**
 * Reactions of so many people with each value.
 * @param {Record<string, number>} counts
 */
export const actionsOf = (counts, own = '') => Object.entries(counts).flatMap(([value, count], n) =>
  Array.from({ length: count }, (_, i) => ({
    type: 'reaction', value, uuid: i === 0 && value === own ? 'ada' : people[(i + n) % 200 + 1].id,
    actionTimetoken: minutesAgo(120 - n - i * 110 / count), score: 1, pending: false,
  }))).sort((left, right) => left.actionTimetoken < right.actionTimetoken ? -1 : 1);

const first = ['Ada', 'Bob', 'Eve', 'Grace', 'Linus', 'Mary', 'Noor', 'Omar', 'Pia', 'Quinn'];
const family = ['Lovelace', 'Martin', 'Stone', 'Hopper', 'Berg', 'Jones', 'Aziz', 'Haddad', 'Lund',
  'Reyes', 'Okafor', 'Novak', 'Ito', 'Silva', 'Weber', 'Kaur', 'Rossi', 'Dubois', 'Nguyen',
  'Cohen'];

/** Two hundred people and one, who have names. */
export const people = Array.from({ length: 201 }, (_, n) => ({
  id: n === 0 ? 'ada' : `u${n}`,
  name: n === 0 ? 'Ada' : `${first[n % first.length]} ${family[(n * 7) % family.length]}`,
}));

/** Who is who. */
export const directory = {
  get: (/** @type {string} */ id) => people.find((it) => it.id === id) ?? null,
};
