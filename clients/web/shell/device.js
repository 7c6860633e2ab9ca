// What the parts of a client share: whose device it is, how it stands, and who hears of it.
// @ts-check
import { CacheOwnerError } from '../core/errors.js';
import { callSafely } from './callbacks.js';

/** @typedef {import('./options.js').Options} Options */
/** @typedef {import('./tabs.js').Tabs} Tabs */

/**
 * A channel that the server confirmed, for other tabs: its version, what that comes to, and whether
 * they were told all that led to it.
 * @typedef {[name: string, version: number, seal: string, isTold: boolean]} Verified
 */

/** A device as its parts see it: one object that all of them have. */
export class Device {
  userId;
  /** Empty until the store is open. */
  deviceId = '';
  status = 'starting';
  /** Nobody wants to hear anything any more. */
  isClosed = false;
  /** @type {Error|null} Why nothing may be done with the cache. */ refusal = null;
  /** Whether this tab is the one that connects. */
  isLeader = false;
  /** @type {Tabs|null} The other tabs, where there may be some. */
  tabs = null;
  /** Whose it is, for other tabs. */ owner;
  /** Nothing may be done with the cache any more: set by whoever ends what is under way. */
  refused = (/** @type {Error} */ _refusal) => {};
  #verified;
  /** @type {Set<string>} Channels that the other tabs take for confirmed. */ #told = new Set();
  #random;
  /** @type {Map<string, Set<(value: any) => void>>} */ #listeners = new Map();

  /**
   * @param {Options} options With whose it is, and `random` for tests.
   * @param {() => Verified[]} verified The channels that the server confirmed.
   */
  constructor({ userId, keyset, random = Math.random }, verified) {
    this.userId = userId;
    this.owner = JSON.stringify([userId, keyset ?? null]);
    this.#verified = verified;
    this.#random = random;
  }

  /** From 0 to 1, to spread what many devices would do at once. */
  random() {
    return this.#random();
  }

  /** @param {string} kind @param {(value: any) => void} callback @returns {() => void} Ends it. */
  on(kind, callback) {
    const callbacks = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, callbacks.add(callback));
    return () => callbacks.delete(callback);
  }

  /** @param {string} kind @param {any} value */
  emit(kind, value) {
    for (const callback of this.#listeners.get(kind) ?? []) callSafely(() => callback(value));
  }

  /**
   * Says what went wrong, unless nobody wants to know any more.
   * @param {any} error
   */
  problem(error) {
    if (this.isClosed) return;
    const isNews = error instanceof CacheOwnerError && !this.refusal;
    this.emit('problem', error);
    // Somebody else began the cache anew, under this tab.
    if (isNews) this.#leave(error);
  }

  /** @param {Error} refusal Nothing will come of this device. */
  refuse(refusal) {
    this.refusal = refusal;
    if (!this.isClosed) this.setStatus('refused');
  }

  /** @param {Error} refusal The other tabs are somebody else's by now, or refused as well. */
  #leave(refusal) {
    this.isLeader = false;
    this.refuse(refusal);
    this.refused(refusal);
    this.tabs?.stopWaiting();
    this.tabs?.close();
    this.tabs = null;
  }

  /** @param {string} status */
  setStatus(status) {
    if (status === this.status) return;
    this.status = status;
    this.emit('status', status);
    if (this.isLeader && !this.isClosed) this.tellStatus();
  }

  /** Tells the other tabs how this one stands. */
  tellStatus() {
    const { status, deviceId } = this;
    const verified = this.#verified();
    this.#told = new Set(verified.map(([name]) => name));
    this.tell({ kind: 'status', status, deviceId, verified });
  }

  /**
   * Tells the other tabs whether a channel is confirmed, if they take it for something else.
   * @param {string} name @param {boolean} isVerified
   */
  tellVerified(name, isVerified) {
    if (isVerified !== this.#told.has(name)) this.tellStatus();
  }

  /**
   * Notes what the other tabs are told with a patch.
   * @param {string} name @param {boolean} isVerified
   */
  tellsWithPatch(name, isVerified) {
    if (isVerified) this.#told.add(name);
    else this.#told.delete(name);
  }

  /**
   * Tells the other tabs.
   * @param {any} message
   */
  tell(message) {
    this.tabs?.tell({ ...message, owner: this.owner });
  }
}
