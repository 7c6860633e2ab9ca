// What somebody sent, until it is known that the daemon takes it: what it refuses comes back.
// @ts-check

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {{channel: string, text: string, payload: any, editing: Item|null,
 *   parent: Item|null}} Sent */

/** Texts that are remembered; of those before them nobody waits for an answer any more. */
const sentMax = 50;

/** The last texts that a composer sent. */
export class SentTexts {
  /** @type {Set<Sent>} */ #sent = new Set();

  /** @param {Sent} sent */
  add(sent) {
    this.#sent.add(sent);
    for (const oldest of this.#sent) {
      if (this.#sent.size <= sentMax) break;
      this.#sent.delete(oldest);
    }
    return sent;
  }

  /** @param {Sent} sent */
  delete(sent) {
    this.#sent.delete(sent);
  }

  /**
   * The one that a refused write was made of, which is none of them any more.
   * @param {any} entry @returns {Sent|null}
   */
  take({ kind, channel, messageTimetoken, payload }) {
    const written = JSON.stringify(payload);
    for (const sent of this.#sent) {
      const { editing } = sent;
      const isIt = kind === (editing ? 'edit' : 'publish') && sent.channel === channel &&
        (!editing || editing.timetoken === messageTimetoken) &&
        JSON.stringify(sent.payload) === written;
      if (!isIt) continue;
      this.#sent.delete(sent);
      return sent;
    }
    return null;
  }
}
