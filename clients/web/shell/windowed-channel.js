// A channel that a page follows: its older messages, where the device holds a window of it.
// @ts-check
import { pageMax } from '../core/window.js';
import { isCount } from '../core/shapes.js';
import { errorOf } from './questions.js';
import { ShownChannel } from './shown-channel.js';

/** @typedef {import('../core/types.js').ChannelWindow} ChannelWindow */
/** @typedef {import('../core/types.js').OlderAnswer} OlderAnswer */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./questions.js').Questions} Questions */
/** @typedef {import('./stored-outbox.js').StoredOutbox} StoredOutbox */

/** What a page asks for of older messages. */
export class WindowedChannel extends ShownChannel {
  #device;
  #questions;
  /** @type {{resolve: (answer: any) => void, reject: (error: Error) => void}[]} */ #askers = [];

  /**
   * @param {string} name @param {Device} device @param {StoredOutbox} outbox
   * @param {Questions} questions
   * @param {(channel: ShownChannel) => void} left Ends following it.
   * @param {ChannelWindow|null} size How much of it is held; null: all.
   */
  constructor(name, device, outbox, questions, left, size) {
    super(name, device, outbox, left, size);
    this.#device = device;
    this.#questions = questions;
  }

  /** Whether there are messages before those of the list; where all are held, never. */
  get hasOlder() {
    return this.sync.cache.rest.isPart;
  }

  /**
   * Brings messages into the list that are before those of its window: resolves with `more`, with
   * `beginning` when the list has the channel's first message, and with `full` when it has as many
   * as are to be kept. Without a connection it waits for one.
   * @param {number} [count] At least, where there are so many.
   * @returns {Promise<'more'|'beginning'|'full'>}
   */
  async older(count = 50) {
    if (!isCount(count) || count < 1 || count > pageMax) {
      throw new RangeError(`Older messages are asked for by 1 to ${pageMax}.`);
    }
    await this.ready;
    const { window: sync } = this;
    if (!sync) return 'beginning';
    return new Promise((resolve, reject) => {
      this.#askers.push({ resolve, reject });
      sync.wantOlder(count);
      this.asked();
    });
  }

  /** Somebody wants something of the window: set by whoever asks the daemon. */
  asked = () => {};

  /** @param {OlderAnswer} answer */
  answerOlder(answer) {
    for (const { resolve, reject } of this.#askers.splice(0)) {
      if (typeof answer === 'string') resolve(answer);
      else reject(errorOf(answer.error));
    }
  }

  /** @param {Error} error */
  fail(error) {
    super.fail(error);
    for (const { reject } of this.#askers.splice(0)) reject(error);
  }
}
