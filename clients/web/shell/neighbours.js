// What the other tabs tell, and what this one makes of it.
// @ts-check
import { ChannelCache } from '../core/cache.js';
import { affectedBy } from '../core/outcome.js';
import { sealOf } from '../core/seal.js';
import { isText } from '../core/shapes.js';

/** @typedef {import('../core/types.js').Patch} Patch */
/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./followed.js').Followed} Followed */
/** @typedef {import('./keeper.js').Keeper} Keeper */
/** @typedef {import('./questions.js').Questions} Questions */
/** @typedef {import('./read-marks.js').ReadMarks} ReadMarks */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */

/** Hears the other tabs. */
export class Neighbours {
  #device;
  #followed;
  #keeper;
  #outbox;
  #questions;
  #marks;
  #renewToken;
  /**
   * The version of each channel that the tab which connects found right last, and what it comes to:
   * not before this one shows that, and it comes to the same, is it right here. `isTold` says that
   * all that leads to it was told before, and was stored before that.
   * @type {Map<string, {version: number, seal: string, isTold: boolean}>}
   */
  #verified = new Map();
  /** Channels that differ even when all of them was told: asking again would not help. */
  #hopeless = new Set();

  /**
   * @param {Device} device @param {Followed} followed @param {Keeper} keeper
   * @param {StoredOutbox} outbox @param {Questions} questions @param {ReadMarks} marks
   * @param {() => void} renewToken Gets another token, as the tab that connects.
   */
  constructor(device, followed, keeper, outbox, questions, marks, renewToken) {
    this.#device = device;
    this.#followed = followed;
    this.#keeper = keeper;
    this.#outbox = outbox;
    this.#questions = questions;
    this.#marks = marks;
    this.#renewToken = renewToken;
  }

  /** @param {any} message */
  hear(message) {
    const { isClosed, isLeader, owner } = this.#device;
    if (isClosed) return;
    if (message.owner !== undefined && message.owner !== owner) {
      // The browser deleted the cache, and one of them began it anew: who reads it finds out whose
      // it is. Until then neither shows the other what is its own, nor does anything for it.
      this.#outbox.reread();
      return;
    }
    if (message.kind === 'outbox') this.#outbox.reread();
    if (message.kind === 'read') this.#marks.hear(message.marks);
    if (isLeader) this.#hearFollower(message);
    else this.#hearLeader(message);
  }

  /**
   * The tab that connects does not answer, or does again: until then nobody knows what is right.
   * @param {boolean} isThere
   */
  heardLeader(isThere) {
    const { isClosed, isLeader } = this.#device;
    if (isClosed || isLeader) return;
    if (isThere) return this.#followed.tell(this.#followed.names);
    this.#device.setStatus('waiting');
    this.#verified.clear();
    this.#followed.hearRefused([]);
    for (const channel of this.#followed) this.#judge(channel);
  }

  /** @param {any} message */
  #hearFollower(message) {
    const { kind, name, names, seen, windows, counted } = message;
    if (kind === 'follow') {
      this.#followed.hold(names, seen, windows, counted);
      if (counted?.length > 0) this.#marks.tell(counted);
      this.#device.tellStatus();
      this.#followed.tellRefused();
    }
    if (kind === 'left') this.#followed.left(name);
    if (kind === 'differs') {
      const channel = this.#followed.get(name);
      if (channel) this.#keeper.differs(channel, message.version);
    }
    if (kind === 'renew') this.#renewToken();
    if (kind === 'ask') this.#questions.answer(message);
    if (kind === 'wish') this.#questions.grant(message, this.#followed.get(name));
  }

  /** @param {any} message */
  #hearLeader(message) {
    const { kind } = message;
    if (kind === 'leader') {
      // What the one before was asked is lost.
      this.#questions.disconnect();
      this.#hopeless.clear();
      this.#followed.hearRefused([]);
      this.#followed.tell(this.#followed.names);
    }
    if (kind === 'who' && this.#followed.get(message.name)) this.#followed.tell([message.name]);
    if (kind === 'answer') this.#questions.answered(message);
    if (kind === 'denied') this.#followed.hearRefused(message.channels);
    if (kind === 'status') {
      this.#device.setStatus(message.status);
      // One device, also where the store was begun anew: mutations are under its id.
      if (isText(message.deviceId)) this.#device.deviceId = message.deviceId;
      this.#verified = new Map(message.verified.map(
        (/** @type {import('./device.js').Verified} */ [name, version, seal, isTold]) =>
          [name, { version, seal, isTold }]));
      for (const channel of this.#followed) this.#judge(channel);
    }
    if (kind === 'event' || kind === 'refused') this.#device.emit(kind, message.value);
    if (kind === 'patch') this.#followPatch(message.patch, message.isVerified);
  }

  /** @param {Patch} patch @param {boolean} isVerified */
  #followPatch(patch, isVerified) {
    const channel = this.#followed.get(patch.channel);
    if (!channel) return;
    const { sync } = channel;
    const { version } = patch.head;
    this.#keeper.heard(channel, version);
    this.#noteVerified(patch, isVerified);
    if (!patch.clear && version !== sync.cache.version + 1) {
      if (version > sync.cache.version) {
        this.#keeper.load(channel).then(() => this.#judge(channel));
      }
      this.#judge(channel);
      return;
    }
    if (patch.clear) sync.cache = new ChannelCache();
    sync.cache.follow(patch);
    this.#outbox.settle(patch.settled);
    sync.isVerified = false;
    channel.refresh(affectedBy(patch));
    if (patch.clear && sealOf(sync.cache.head) !== sealOf(patch.head)) {
      this.#hopeless.add(channel.name);
    }
    this.#judge(channel);
  }

  /** @param {Patch} patch @param {boolean} isVerified */
  #noteVerified({ channel, head }, isVerified) {
    const { version } = head;
    if (isVerified) this.#verified.set(channel, { version, seal: sealOf(head), isTold: true });
    // It may have been found right after it was on its way.
    else if (this.#verified.get(channel)?.version !== version) this.#verified.delete(channel);
  }

  /**
   * Finds out whether what a channel shows here is right. If it is not, though all was told that
   * leads to it, the store has lost it or has something else.
   * @param {Channel} channel
   */
  #judge(channel) {
    // Whoever closed shows nothing new.
    if (this.#device.isLeader || this.#device.isClosed) return;
    const { name, sync } = channel;
    const { cache } = sync;
    const right = this.#verified.get(name);
    // What is being read does not show yet, and is judged when it does.
    const isHere = !this.#keeper.isLoading(channel);
    sync.isVerified = isHere && cache.version === right?.version &&
      sealOf(cache.head) === right.seal;
    if (sync.isVerified) this.#hopeless.delete(name);
    channel.tellVerified();
    const isBehind = !sync.isVerified && right?.isTold && cache.version <= right.version;
    if (!isHere || !isBehind || this.#hopeless.has(name)) return;
    this.#device.tell({ kind: 'differs', name, version: right.version });
  }
}
