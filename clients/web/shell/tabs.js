// Tabs with the same cache: one of them leads, all hear each other.
// @ts-check

/** Milliseconds between two looks whether any tab leads. */
const lookTime = 3000;
/** Looks in a row without an answer of the tab that leads: one may be when this tab wakes up. */
const unansweredMax = 2;

/** A Web Lock says who leads, a BroadcastChannel carries what they tell. */
export class Tabs {
  #name;
  /** @type {BroadcastChannel|null} */ #channel;
  #waiting = new AbortController();
  #release = () => {};
  /** @type {(() => void)|null} Asks for the lock again, where another tab leads. */ #ask = null;
  /** Whether it does not want to lead any more. */ #isOver = false;
  /** @type {ReturnType<typeof setInterval>|undefined} */ #watch;
  #isLeading = false;
  /** Chromium lets a frozen page hear other tabs, and nothing of the network. */ #isFrozen = false;
  #freeze = () => { this.#isFrozen = true; };
  #resume = () => { this.#isFrozen = false; };
  /** Looks since the tab that leads has answered; null: it never has, as in earlier releases. */
  #unanswered = /** @type {number|null} */ (null);
  #heard;
  // A page that a browser keeps for the way back must not wait for the lock: Chromium would give it
  // to that one, which is frozen, and no tab would lead.
  #hidden = () => this.#waiting.abort();
  #shown = (/** @type {any} */ { persisted }) => {
    if (persisted && !this.#isOver) this.#ask?.();
  };

  /**
   * @param {string} name @param {(message: any) => void} hear
   * @param {(isThere: boolean) => void} [heard] Nothing comes of the tab that leads any more, as a
   *   browser may freeze it; or it is there again.
   */
  constructor(name, hear, heard = () => {}) {
    this.#name = name;
    this.#heard = heard;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => {
      if (data.kind === 'there') {
        if (this.#isLeading && !this.#isFrozen) this.tell({ kind: 'here' });
      } else if (data.kind === 'here') {
        this.#answered();
      } else {
        hear(data);
      }
    };
    globalThis.addEventListener?.('pagehide', this.#hidden);
    globalThis.addEventListener?.('pageshow', this.#shown);
    globalThis.document?.addEventListener?.('freeze', this.#freeze);
    globalThis.document?.addEventListener?.('resume', this.#resume);
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
        this.#ask = null;
        this.#isLeading = true;
        clearInterval(this.#watch);
        this.#release = () => release(null);
        if (this.#isOver) this.#release();
        lead().then(resolve);
      });
      const { locks } = navigator;
      /** @type {any} Where it is not a number it must keep no process alive. */
      const watch = setInterval(() => this.#look(), lookTime);
      watch.unref?.();
      this.#watch = watch;
      // It comes when the tab that connects is gone, however it went.
      const ask = () => {
        this.#waiting = new AbortController();
        locks.request(this.#name, { signal: this.#waiting.signal }, held).catch(() => {});
      };
      const asked = locks.request(this.#name, { ifAvailable: true }, (lock) => {
        if (lock) return held();
        follow();
        resolve();
        if (this.#isOver) return;
        this.#ask = ask;
        ask();
      });
      asked.catch((error) => {
        fail(error);
        resolve();
      });
    });
  }

  /**
   * Chromium may leave a lock with nobody, and all who want it waiting, when pages go one after the
   * other: until a request for it ends.
   */
  async #look() {
    const { locks } = navigator;
    const { held } = await locks.query();
    if (this.#isOver) return;
    if (held?.some((it) => it.name === this.#name)) return this.#askLeader();
    const nudge = new AbortController();
    locks.request(this.#name, { signal: nudge.signal }, () => {}).catch(() => {});
    nudge.abort();
  }

  /** Whoever leads may not run, and holds the lock all the same. */
  #askLeader() {
    if (this.#unanswered !== null && this.#unanswered++ === unansweredMax) this.#heard(false);
    this.tell({ kind: 'there' });
  }

  #answered() {
    if (this.#isLeading) return;
    const wasSilent = this.#unanswered !== null && this.#unanswered > unansweredMax;
    this.#unanswered = 0;
    if (wasSilent) this.#heard(true);
  }

  /** Does not want to lead any more, if it does not yet. */
  stopWaiting() {
    this.#isOver = true;
    clearInterval(this.#watch);
    this.#waiting.abort();
  }

  /** Leaves: another tab leads, if this one did. */
  close() {
    clearInterval(this.#watch);
    globalThis.removeEventListener?.('pagehide', this.#hidden);
    globalThis.removeEventListener?.('pageshow', this.#shown);
    globalThis.document?.removeEventListener?.('freeze', this.#freeze);
    globalThis.document?.removeEventListener?.('resume', this.#resume);
    this.#release();
    this.#channel?.close();
    this.#channel = null;
  }
}
