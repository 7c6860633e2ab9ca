// What the other tabs tell, and what this one makes of it.
// @ts-check
import { ChannelCache } from '../core/cache.js';
import { affectedBy } from '../core/outcome.js';

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
   * The version of each channel that the tab which connects found right last: not before this one
   * shows it is it right here.
   * @type {Map<string, number>}
   */
  #verified = new Map();

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
    if (this.#device.isClosed) return;
    if (message.kind === 'outbox') this.#outbox.reread();
    if (message.kind === 'read') this.#marks.hear(message.marks);
    if (this.#device.isLeader) this.#hearFollower(message);
    else this.#hearLeader(message);
  }

  /** @param {any} message */
  #hearFollower(message) {
    const { kind, name, names, seen, windows, counted } = message;
    if (kind === 'follow') {
      this.#followed.hold(names, seen, windows, counted);
      this.#device.tellStatus();
    }
    if (kind === 'left') this.#followed.left(name);
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
      this.#followed.tell(this.#followed.names);
    }
    if (kind === 'who' && this.#followed.get(message.name)) this.#followed.tell([message.name]);
    if (kind === 'answer') this.#questions.answered(message);
    if (kind === 'status') {
      this.#device.setStatus(message.status);
      this.#verified = new Map(message.verified);
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
    if (isVerified) this.#verified.set(channel.name, version);
    if (!patch.clear && version !== sync.cache.version + 1) {
      this.#judge(channel);
      if (version > sync.cache.version) {
        this.#keeper.load(channel).then(() => this.#judge(channel));
      }
      return;
    }
    if (patch.clear) sync.cache = new ChannelCache();
    sync.cache.follow(patch);
    this.#outbox.settle(patch.settled);
    sync.isVerified = false;
    channel.refresh(affectedBy(patch));
    this.#judge(channel);
  }

  /** @param {Channel} channel Whether what it shows here is right. */
  #judge(channel) {
    if (this.#device.isLeader) return;
    channel.sync.isVerified = this.#verified.get(channel.name) === channel.sync.cache.version;
    channel.tellVerified();
  }
}
