// Sends what waits in the outbox, as the tab that connects.
// @ts-check
import { commandDelay } from '../core/delays.js';
import { commandOf } from '../core/entry.js';
import { acknowledge, edited, refuse, sendable } from '../core/outbox.js';
import { outcomeOf } from '../core/outcome.js';
import { isWorthRetrying, isWritten } from '../core/replies.js';
import { countsTaps, unknownRules } from '../core/rules.js';
import { isLater } from '../core/timetoken.js';
import { HeldWrites, isAboutOne } from './held-writes.js';

/** @typedef {import('../core/types.js').Entry} Entry */
/** @typedef {import('../core/types.js').Outcome} Outcome */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./connection.js').Connection} Connection */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./followed.js').Followed} Followed */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */

const entriesInFlightMax = 256;

/** Which entries are under way, and whether they have to wait. */
export class Sender {
  #device;
  #connection;
  #outbox;
  #followed;
  #take;
  #isMarking = false;
  #isPaused = false;
  #endPause = () => {};
  /** Pauses since a write was answered. */ #pauses = 0;
  /** @type {Set<string>} Mutations without a reply on this connection. */ #inFlight = new Set();
  #held = new HeldWrites();

  /**
   * @param {Device} device @param {Connection} connection @param {StoredOutbox} outbox
   * @param {Followed} followed
   * @param {(channel: Channel, outcome: Outcome) => void} take Does what a channel's step asks for.
   */
  constructor(device, connection, outbox, followed, take) {
    this.#device = device;
    this.#connection = connection;
    this.#outbox = outbox;
    this.#followed = followed;
    this.#take = take;
  }

  /** Sends what may be sent. That it may be there is stored first: then no wish cancels it. */
  flush() {
    if (!this.#connection.isOnline || this.#isPaused) return;
    const ready = sendable(this.#outbox.entries, (name) => this.#followed.rules(name),
      (entry) => this.#held.isAside(entry))
      .filter((entry) => entry.order !== undefined && !this.#inFlight.has(entry.mutation) &&
        !this.#held.isResting(entry))
      .slice(0, entriesInFlightMax - this.#inFlight.size);
    const fresh = new Set(ready.filter(({ sent }) => !sent).map(({ mutation }) => mutation));
    if (fresh.size > 0 && !this.#isMarking) this.#mark(fresh);
    for (const entry of ready) if (entry.sent) this.#send(entry);
  }

  /** @param {Set<string>} fresh Mutations that were not sent yet. */
  #mark(fresh) {
    this.#isMarking = true;
    this.#outbox.change((entries) => entries.map((entry) => !fresh.has(entry.mutation) ? entry
      : { ...entry, sent: true, ...this.#observed(entries, entry) }), false)
      .catch((error) => {
        this.#device.problem(error);
        this.#pause();
      })
      .finally(() => {
        this.#isMarking = false;
        this.flush();
      });
  }

  /**
   * What a message is later than that was not sent yet, and what stands before a wish that counts;
   * another removal knows what it is about.
   * @param {Entry[]} entries @param {Entry} entry @returns {Partial<Entry>}
   */
  #observed(entries, entry) {
    const { kind, channel, observed, messageTimetoken = '', type, value = '', present } = entry;
    const sync = this.#followed.get(channel)?.sync;
    if (kind !== 'publish') {
      const { rules, rows } = sync?.cache ?? {};
      // An add that is perhaps counted, too: the rules may come before its reply.
      const mayCount = rules === unknownRules && kind === 'action' && present;
      if (!rules || !(mayCount || countsTaps(rules, type))) return {};
      if (!present && rules.mode !== 'total') return {};
      const row = rows?.find(messageTimetoken, type ?? '', value, this.#device.userId);
      return { observed: row?.actionTimetoken ?? '0', ...present ? {} : { takesOne: true } };
    }
    let latest = observed ?? '0';
    const take = (/** @type {string|null|undefined} */ it) => {
      if (it && isLater(it, latest)) latest = it;
    };
    take(sync?.cache.cursor);
    for (const it of entries) {
      if (it.kind === 'publish' && it.channel === channel) take(it.acknowledged);
    }
    return { observed: latest };
  }

  /** @param {Entry} entry */
  #send(entry) {
    const { mutation } = entry;
    this.#inFlight.add(mutation);
    this.#connection.send(commandOf(entry), (ok, error) => {
      if (error && isWorthRetrying(error) && !this.#isGivenUp(entry, error)) {
        this.#inFlight.delete(mutation);
        if (isAboutOne(error)) this.flush();
        else this.#pause(error);
        return;
      }
      this.#held.answered(entry);
      this.#answered(entry, ok, error);
      if (!error) return;
      this.#device.emit('refused', { entry, error });
      this.#device.tell({ kind: 'refused', value: { entry, error } });
    }, (ok) => isWritten(entry, ok));
  }

  /**
   * Has a write wait by itself that was refused for what it says, unless that was often enough.
   * @param {Entry} entry @param {any} error
   */
  #isGivenUp(entry, error) {
    if (!isAboutOne(error)) return false;
    const { mutation, channel } = entry;
    const { tries, isOver, isNews } = this.#held.refused(entry);
    if (isOver) return true;
    if (isNews) {
      this.#device.problem(new Error(
        `A write to the channel ${channel} is refused again and again: ${error.message}`));
    }
    if (tries > 0) {
      this.#connection.later(() => {
        this.#held.rested(mutation);
        this.flush();
      }, commandDelay(error, tries - 1, this.#device.random()));
    }
    return false;
  }

  /**
   * Notes a reply. It is stored before anything goes on: else a push could settle the entry first,
   * and what waits behind it would never hear of the reply.
   * @param {Entry} entry @param {any} ok @param {any} error
   */
  #answered({ mutation, channel: name }, ok, error) {
    const channel = this.#followed.get(name);
    this.#outbox.change((list) => {
      if (error) return edited(list, refuse(list, mutation));
      const noted = edited(list, acknowledge(list, mutation, ok));
      // Where nobody follows the channel, no cache will ever show it.
      return channel ? noted : edited(noted, { put: [], remove: [mutation] });
    }, false)
      .then(() => {
        this.#pauses = 0;
      }, (problem) => {
        this.#device.problem(problem);
        this.#pause();
      })
      .then(() => {
        this.#inFlight.delete(mutation);
        if (this.#device.isClosed) return;
        if (channel) this.#take(channel, outcomeOf());
        this.flush();
      });
  }

  /**
   * The daemon or the store has no room, or the token is over: all writes wait.
   * @param {any} [error] The daemon's.
   */
  #pause(error) {
    if (this.#isPaused || !this.#connection.isOnline) return;
    this.#isPaused = true;
    this.#endPause = this.#connection.later(() => this.resume(),
      commandDelay(error, this.#pauses++, this.#device.random()));
  }

  /** What made writes wait may be over. */
  resume() {
    this.#endPause();
    this.#isPaused = false;
    this.flush();
  }

  /** The connection is gone. */
  disconnect() {
    this.#isPaused = false;
    this.#inFlight.clear();
    this.#held.restedAll();
  }
}
