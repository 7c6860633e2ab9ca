// Commands that nothing keeps: the daemon answers them now or not at all, also for other tabs.
// @ts-check
import { isMessage } from '../core/messages.js';
import { isUnread } from '../core/read-marks.js';
import { isRow } from '../core/row.js';
import { isText } from '../core/shapes.js';
import { isSummary, readSummary, summariesOf } from '../core/summaries.js';
import { isTimetoken } from '../core/timetoken.js';
import { randomDigits } from './random.js';

/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('../core/types.js').Summary} Summary */
/** @typedef {{resolve: (ok: any) => void, reject: (error: any) => void}} Asker */

const isChange = (/** @type {any} */ { timetoken }) => isTimetoken(timetoken);

/** @type {Record<string, (ok: any) => boolean>} Whether what is under `ok` can be read. */
const isAnswer = {
  actions: ({ actions }) => Array.isArray(actions),
  summaries: ({ summaries, rest = [] }) => Array.isArray(summaries) &&
    summaries.every(isSummary) && Array.isArray(rest) && rest.every(isTimetoken),
  history: ({ messages, next }) => Array.isArray(messages) && messages.every(isMessage) &&
    messages.every(({ actions = [] }) => Array.isArray(actions) &&
      actions.every((it) => isRow({ ...it, uuid: it?.uuid ?? '' }))) &&
    (next === undefined || isTimetoken(next)),
  signal: isChange,
  setUser: isChange, removeUser: isChange, setChannel: isChange, removeChannel: isChange,
  setMembers: isChange, setMemberships: isChange,
  unread: isUnread,
  hereNow: ({ occupancy, users }) => Number.isInteger(occupancy) && Array.isArray(users),
};

const offline = {
  status: 503, code: 'offline', message: 'There is no connection to the daemon, or it ended.',
};

/** @param {any} refusal As a page gets it. */
export const errorOf = ({ status, code, message }) =>
  Object.assign(new Error(message), { status, code });

/** Asks through the tab that connects. */
export class Questions {
  #device;
  #connection;
  /** @type {Set<Asker>} What this tab's connection was asked. */ #open = new Set();
  /** @type {Map<string, Asker>} What another tab's was. */ #told = new Map();

  /** @param {Device} device @param {() => Connection} connection */
  constructor(device, connection) {
    this.#device = device;
    this.#connection = connection;
  }

  /**
   * Resolves with what is under `ok`; rejects with an Error that has the refusal's `status` and
   * `code`, which is `offline` without a connection.
   * @param {Record<string, any>} command @returns {Promise<any>}
   */
  ask(command) {
    const { isLeader, isClosed, tabs } = this.#device;
    return new Promise((resolve, reject) => {
      const asker = { resolve, reject: (/** @type {any} */ error) => reject(errorOf(error)) };
      if (isLeader) return this.#send(command, asker);
      if (isClosed || !tabs) return asker.reject(offline);
      const number = randomDigits(32);
      this.#told.set(number, asker);
      this.#device.tell({ kind: 'ask', number, command });
    });
  }

  /**
   * Has the tab that connects do something with a channel that it follows for this one; resolves
   * when this tab shows it. Rejects with the code `offline` when another tab connects by then: what
   * the one before had not stored is lost.
   * @param {string} name @param {any} wish
   * @param {(version: number) => Promise<void>} comesTo Resolves when this tab shows a version of
   *   the channel.
   * @returns {Promise<any>}
   */
  wish(name, wish, comesTo) {
    return new Promise((resolve, reject) => {
      const number = randomDigits(32);
      const fail = (/** @type {any} */ error) => reject(errorOf(error));
      const told = async (/** @type {{answer: any, version: number}} */ { answer, version }) => {
        this.#told.set(number, { resolve, reject: fail });
        await comesTo(version);
        this.#told.delete(number);
        resolve(answer);
      };
      this.#told.set(number, { resolve: told, reject: fail });
      this.#device.tell({ kind: 'wish', number, name, wish });
    });
  }

  /** @param {Record<string, any>} command @param {Asker} asker */
  #send(command, asker) {
    const connection = this.#connection();
    if (!connection.isOnline) return asker.reject(offline);
    this.#open.add(asker);
    connection.send(command, (ok, error) => {
      this.#open.delete(asker);
      if (error) asker.reject(error);
      else asker.resolve(ok);
    }, isAnswer[command.op]);
  }

  /**
   * Another tab asks, and this one connects.
   * @param {any} message
   */
  answer({ number, command }) {
    const tell = (/** @type {any} */ answer) =>
      this.#device.tell({ kind: 'answer', number, ...answer });
    this.#send(command, { resolve: (ok) => tell({ ok }), reject: (error) => tell({ error }) });
  }

  /**
   * Another tab wants something of a channel that this one follows for it.
   * @param {any} message
   * @param {{grant: (wish: any) => Promise<any>, sync: {cache: {version: number}}}} [channel]
   */
  async grant({ number, wish }, channel) {
    const tell = (/** @type {any} */ answer) =>
      this.#device.tell({ kind: 'answer', number, ...answer });
    try {
      if (!channel) throw Object.assign(new Error('Nobody follows it.'), { status: 404 });
      const answer = await channel.grant(wish);
      tell({ ok: { answer, version: channel.sync.cache.version } });
    } catch (error) {
      const { status = 503, code = 'not_followed', message } = /** @type {any} */ (error);
      // Who closes leaves it to the next tab that connects, which tells when it does.
      if (!this.#device.isClosed) tell({ error: { status, code, message } });
    }
  }

  /**
   * The tab that connects has the answer, for one of the others.
   * @param {any} message
   */
  answered({ number, ok, error }) {
    const asker = this.#told.get(number);
    this.#told.delete(number);
    if (error) asker?.reject(error);
    else asker?.resolve(ok);
  }

  /** The connection ended, or another tab connects now: no answer will come. */
  disconnect() {
    const askers = [...this.#open, ...this.#told.values()];
    this.#open.clear();
    this.#told.clear();
    for (const asker of askers) asker.reject(offline);
  }
}

/**
 * The summaries of all messages that are named, however many replies that takes: each has one at
 * least, and says of which messages there was no room.
 * @param {any} messages @param {(named: any[]) => Promise<any>} ask
 */
export async function allSummaries(messages, ask) {
  /** @type {Summary[]} */
  const found = [];
  let named = summariesOf(messages);
  for (let left = Infinity; named.length > 0 && named.length < left;) {
    left = named.length;
    const { summaries, rest = [] } = await ask(named);
    found.push(...summaries.map(readSummary));
    named = named.filter((it) => rest.includes(isText(it) ? it : it.m));
  }
  return found;
}
