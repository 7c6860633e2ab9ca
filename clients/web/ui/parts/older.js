// The older messages of a channel, fetched as somebody scrolls up to them.
// @ts-check

/** @typedef {import('../../shell/channel.js').Channel} Channel */

/** How far back a channel's list goes. */
export class Older {
  #channel;
  #changed;
  #isLoading = false;
  #isFull = false;

  /** @param {Channel|null} channel @param {() => void} changed */
  constructor(channel, changed) {
    this.#channel = channel;
    this.#changed = changed;
  }

  /**
   * Whether there are more, whether they are on their way, or why there are none.
   * @returns {'more'|'loading'|'beginning'|'full'}
   */
  get state() {
    // Those that the device has come first, of themselves.
    if (this.#isLoading || this.#channel?.isLoaded === false) return 'loading';
    if (this.#isFull) return 'full';
    return this.#channel?.hasOlder ? 'more' : 'beginning';
  }

  /** @param {number} count @returns {Promise<boolean>} Whether there are still more. */
  async load(count) {
    this.#isLoading = true;
    this.#changed();
    try {
      const answer = await this.#channel?.older(count);
      this.#isFull = answer === 'full';
      return answer === 'more';
    } finally {
      this.#isLoading = false;
      this.#changed();
    }
  }
}
