// Writes that are refused for now for what they say: they wait by themselves, and let others pass.
// @ts-check

/** @typedef {import('../core/types.js').Entry} Entry */
/**
 * @typedef {{
 *   channel: string, tries: number, isResting: boolean, isAside: boolean, passed: number,
 * }} Held
 */

/** Refusals after which a message lets the next one of its channel pass. */
const triesBeforePassing = 5;
/** Refusals after which a write is given up that others have passed. */
const triesMax = 10;

/** Whether a refusal is about one write, and not about all. */
export const isAboutOne = (/** @type {any} */ error) => error.code === 'interceptor_failed';

/**
 * A server of the application has to allow writes, and does not answer: because it is down, or
 * because of what one of them says. Which of both, the message behind it tells: when that passes
 * and the first one does not, it is the first one's matter. Until then messages keep their order.
 */
export class HeldWrites {
  /** @type {Map<string, Held>} By mutation, in the order of their first refusal. */
  #held = new Map();

  /**
   * Notes a refusal.
   * @param {Entry} entry
   * @returns {{tries: number, isOver: boolean, isNews: boolean}} How often it was refused; whether
   *   it is to be given up; whether it is the first time that it lets others pass.
   */
  refused({ kind, channel, mutation }) {
    const first = this.#asideIn(channel).find(({ passed }) => passed === 0);
    if (first && !this.#held.has(mutation)) {
      // What it let pass fares no better: so it is the first again.
      first.isAside = false;
      return { tries: 0, isOver: false, isNews: false };
    }
    const held = this.#held.get(mutation) ??
      { channel, tries: 0, isResting: false, isAside: false, passed: 0 };
    this.#held.set(mutation, held);
    held.tries++;
    held.isResting = true;
    if (held.tries >= triesMax && held.passed > 0) {
      this.#held.delete(mutation);
      return { tries: held.tries, isOver: true, isNews: false };
    }
    held.isAside = kind === 'publish' && held.tries >= triesBeforePassing;
    return { tries: held.tries, isOver: false, isNews: held.tries === triesBeforePassing };
  }

  /** @param {Entry} entry It was answered. */
  answered({ kind, channel, mutation }) {
    this.#held.delete(mutation);
    if (kind === 'publish') for (const held of this.#asideIn(channel)) held.passed++;
  }

  /** @param {string} mutation It may be sent again. */
  rested(mutation) {
    const held = this.#held.get(mutation);
    if (held) held.isResting = false;
  }

  /** The connection is gone, and with it all that waits for a time. */
  restedAll() {
    for (const held of this.#held.values()) held.isResting = false;
  }

  /** @param {Entry} entry Whether it waits for its next try. */
  isResting({ mutation }) { return this.#held.get(mutation)?.isResting === true; }

  /** @param {Entry} entry Whether others of its channel may pass. */
  isAside({ mutation }) { return this.#held.get(mutation)?.isAside === true; }

  /** @param {string} name @returns {Held[]} */
  #asideIn(name) {
    return [...this.#held.values()].filter(({ channel, isAside }) => isAside && channel === name);
  }
}
