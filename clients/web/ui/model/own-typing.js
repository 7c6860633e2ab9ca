// When to say that one types, and that one does no more.
// @ts-check
import { typingEvery } from './typists.js';

/** What others were told of one's own typing. */
export class OwnTyping {
  /** Milliseconds; when it was said last that one types. */ #said = -Infinity;

  /**
   * What is written has changed.
   * @param {boolean} isEmpty @param {number} now In milliseconds.
   * @returns {boolean|null} What to say: whether one types; null: nothing.
   */
  changed(isEmpty, now) {
    if (!isEmpty && now - this.#said < typingEvery) return null;
    const wasTyping = this.#said !== -Infinity;
    this.#said = isEmpty ? -Infinity : now;
    return isEmpty && !wasTyping ? null : !isEmpty;
  }

  /** A message went, which says that nobody types any more. */
  sent() {
    this.#said = -Infinity;
  }
}
