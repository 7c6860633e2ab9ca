// What is known of users, channels and members: a channel's messages as entries by their ids.
// @ts-check
import { isObject, isText } from './shapes.js';
import { isLater } from './timetoken.js';

/** @typedef {import('./types.js').Entry} Wish */
/** @typedef {import('./types.js').Item} Item */
/** @typedef {import('./types.js').ListChange} ListChange */

/**
 * What is known of one: its fields, and since when it is so.
 * @typedef {{id: string, timetoken: string} & Record<string, any>} DirectoryEntry
 */

/** What the messages of a directory say that they are. */
const entryType = '$entry';

/** The entries that a list of messages is. */
export class Entries {
  /** @type {Map<string, DirectoryEntry>} */ #byId = new Map();

  /** @param {string} id @returns {DirectoryEntry|null} */
  get(id) {
    return this.#byId.get(id) ?? null;
  }

  get size() {
    return this.#byId.size;
  }

  /** In no order. */
  values() {
    return this.#byId.values();
  }

  /**
   * Follows the list, in whatever order one content goes and the next one comes.
   * @param {ListChange[]} changes
   * @returns {Set<string>} Of whom something else is known now.
   */
  apply(changes) {
    /** @type {Set<string>} */
    const changed = new Set();
    for (const { kind, item } of changes) {
      const entry = entryOf(item);
      if (!entry || kind === 'move') continue;
      const standing = this.#byId.get(entry.id);
      if (kind === 'remove') {
        if (standing?.timetoken !== entry.timetoken) continue;
        this.#byId.delete(entry.id);
      } else if (!standing || !isLater(standing.timetoken, entry.timetoken)) {
        this.#byId.set(entry.id, entry);
      }
      changed.add(entry.id);
    }
    return changed;
  }
}

/** @param {Item} item @returns {DirectoryEntry|null} */
function entryOf({ timetoken, messageType, payload }) {
  if (messageType !== entryType || timetoken === null || !isObject(payload)) return null;
  return isText(payload.id) ? Object.freeze({ ...payload, timetoken }) : null;
}

/** Whether a channel is a directory, which is changed by commands of its own alone. */
export const isDirectory = (/** @type {string} */ name) =>
  /^\$(users|channels|(members|memberships):.+)$/s.test(name);

/**
 * The command that changes an entry.
 * @param {string} name Of a directory. @param {string} id
 * @param {Record<string, any>|null} fields Those that are to be others; null: the entry goes.
 */
export function entryCommand(name, id, fields) {
  const [, kind, of] = /^\$(users|channels|members:|memberships:)(.*)$/s.exec(name) ?? [];
  const own = kind === 'users' || kind === 'memberships:' ? 'userId' : 'channel';
  if (kind === 'users' || kind === 'channels') {
    const word = kind === 'users' ? 'User' : 'Channel';
    if (of === '') {
      return fields ? { op: `set${word}`, [own]: id, set: fields }
        : { op: `remove${word}`, [own]: id };
    }
  } else if (kind && of) {
    const other = own === 'userId' ? 'channel' : 'userId';
    const op = kind === 'members:' ? 'setMembers' : 'setMemberships';
    return fields ? { op, [own]: of, set: [{ ...fields, [other]: id }] }
      : { op, [own]: of, remove: [id] };
  }
  throw new TypeError(
    `A directory is $users, $channels, $members:CHANNEL or $memberships:USER, not ${name}.`);
}
