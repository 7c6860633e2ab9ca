// Who types in a channel now, by the convention of docs/PROTOCOL.md (signal).
// @ts-check

/** Milliseconds: how often one says so, and how long it is believed. */
export const typingEvery = 3000;
export const typingLasts = 6000;

/**
 * Whether a signal is about typing, and what it says; null: it is not.
 * @param {any} event
 */
export function typingOf(event) {
  if (event.e !== 1 || typeof event.d?.typing !== 'boolean' || !event.i) return null;
  return { id: /** @type {string} */ (event.i), isTyping: /** @type {boolean} */ (event.d.typing) };
}

/** Those who type, each until it is too long ago. */
export class Typists {
  /** @type {Map<string, number>} Until when. */ #until = new Map();

  /** @param {string} id @param {boolean} isTyping @param {number} now */
  say(id, isTyping, now) {
    if (isTyping) this.#until.set(id, now + typingLasts);
    else this.#until.delete(id);
  }

  /**
   * Those who type, in the order in which they began.
   * @param {number} now
   */
  at(now) {
    for (const [id, until] of this.#until) if (until <= now) this.#until.delete(id);
    return [...this.#until.keys()];
  }

  /**
   * Milliseconds until somebody's typing is too long ago; null: nobody types.
   * @param {number} now
   */
  wait(now) {
    const until = [...this.#until.values()];
    return until.length === 0 ? null : Math.max(0, Math.min(...until) - now);
  }
}
