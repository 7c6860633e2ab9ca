// Tabs with the same cache: one of them leads, all hear each other.
// @ts-check

/** A Web Lock says who leads, a BroadcastChannel carries what they tell. */
export class Tabs {
  #name;
  /** @type {BroadcastChannel|null} */ #channel;
  #waiting = new AbortController();
  #release = () => {};

  /** @param {string} name @param {(message: any) => void} hear */
  constructor(name, hear) {
    this.#name = name;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => hear(data);
  }

  /** @param {any} message */
  tell(message) {
    this.#channel?.postMessage(message);
  }

  /**
   * Leads as soon as no other tab does. Resolves when this tab leads, or another one does.
   * @param {() => Promise<void>} lead
   * @param {() => void} follow Another tab leads.
   * @param {(error: any) => void} fail
   * @returns {Promise<void>}
   */
  join(lead, follow, fail) {
    return new Promise((resolve) => {
      const held = () => new Promise((release) => {
        this.#release = () => release(null);
        if (this.#waiting.signal.aborted) this.#release();
        lead().then(resolve);
      });
      const { locks } = navigator;
      const asked = locks.request(this.#name, { ifAvailable: true }, (lock) => {
        if (lock) return held();
        follow();
        resolve();
        // It comes when the tab that connects is gone, however it went.
        const { signal } = this.#waiting;
        if (signal.aborted) return;
        locks.request(this.#name, { signal }, held).catch(() => {});
      });
      asked.catch((error) => {
        fail(error);
        resolve();
      });
    });
  }

  /** Does not want to lead any more, if it does not yet. */
  stopWaiting() {
    this.#waiting.abort();
  }

  /** Leaves: another tab leads, if this one did. */
  close() {
    this.#release();
    this.#channel?.close();
    this.#channel = null;
  }
}
