// One thread of a channel, as a channel of its own: the message that it is about, and its replies.
// @ts-check

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {import('../../core/types.js').ListChange} ListChange */
/** @typedef {import('../../shell/channel.js').Channel} Channel */

/**
 * How one list becomes another one: each step with the place that it has just then.
 * @param {Item[]} list Brought up to date. @param {readonly Item[]} wanted
 * @returns {ListChange[]}
 */
export function stepsTo(list, wanted) {
  /** @type {ListChange[]} */
  const steps = [];
  const keys = new Set(wanted.map(({ key }) => key));
  for (let index = list.length - 1; index >= 0; index--) {
    if (keys.has(list[index].key)) continue;
    steps.push({ kind: 'remove', index, item: list.splice(index, 1)[0] });
  }
  for (const [index, item] of wanted.entries()) {
    if (list[index]?.key !== item.key) {
      const from = list.findIndex(({ key }) => key === item.key);
      if (from < 0) {
        list.splice(index, 0, item);
        steps.push({ kind: 'insert', index, item });
        continue;
      }
      list.splice(index, 0, list.splice(from, 1)[0]);
      steps.push({ kind: 'move', from, index, item });
    } else if (list[index] !== item) {
      steps.push({ kind: 'update', index, item });
    }
    list[index] = item;
  }
  return steps;
}

/** What of a channel is otherwise in a thread. */
class Thread {
  #channel;
  #parent;

  /** @param {Channel} channel @param {string} parent */
  constructor(channel, parent) {
    this.#channel = channel;
    this.#parent = parent;
  }

  /** The message that all is about. */
  get threadOf() {
    return this.#parent;
  }

  get items() {
    return this.#channel.items.filter(
      ({ timetoken, parent }) => timetoken === this.#parent || parent === this.#parent);
  }

  /** What is unread counts for the channel. */
  get unread() {
    return null;
  }

  /** Whether replies, or the message itself, may be before what is here. */
  get hasOlder() {
    return this.#channel.hasOlder && this.items[0]?.timetoken !== this.#parent;
  }

  /** As far back as the message, which is before all replies. */
  async older(count = 50) {
    for (;;) {
      const answer = await this.#channel.older(count);
      if (!this.hasOlder) return 'beginning';
      if (answer !== 'more') return answer;
    }
  }

  /** @param {any} payload @param {any} [fields] */
  publish(payload, fields = {}) {
    return this.#channel.publish(payload, { ...fields, parent: this.#parent });
  }

  /** @param {(changes: ListChange[], items: readonly Item[]) => void} callback */
  observe(callback) {
    /** @type {Item[]} */
    const list = [];
    let isFirst = true;
    return this.#channel.observe(() => {
      const steps = stepsTo(list, this.items);
      if (isFirst || steps.length > 0) callback(steps, list);
      isFirst = false;
    });
  }
}

/**
 * A thread, to be given to elements as their channel. Whatever a channel can do, it does; what is
 * written there is a reply. Nothing more is asked of the daemon for it.
 * @param {Channel} channel @param {string} parent The timetoken of the message.
 * @returns {Channel}
 */
export function threadOf(channel, parent) {
  const thread = new Thread(channel, parent);
  return /** @type {any} */ (new Proxy(channel, {
    get(_, name) {
      const owner = /** @type {any} */ (name in thread ? thread : channel);
      const value = owner[name];
      return typeof value === 'function' ? value.bind(owner) : value;
    },
  }));
}
