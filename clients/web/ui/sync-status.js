// The element <sync-status>: how the device stands, what is unsent, and who types.
// @ts-check
import { SyncElement, define } from './base/element.js';
import { make, setAttribute, setText } from './base/dom.js';
import { isolated } from './model/isolated.js';
import { Typists, typingOf } from './model/typists.js';
import { statusStyle } from './styles/status.js';

/** What each state is like: good, something to wait for, or bad. */
const kinds = /** @type {Record<string, string>} */ ({
  starting: 'warn', connecting: 'warn', online: 'warn', verified: 'good', waiting: 'warn',
  refused: 'bad', closed: 'bad',
});

/** Milliseconds that a wish may be on its way before that is said. */
const unsentAfter = 1000;

/** States that only a network leads out of. */
const needsNetwork = ['starting', 'connecting', 'online'];

export class SyncStatus extends SyncElement {
  static styles = [statusStyle];
  static observedAttributes = ['typing'];

  /** When there was nothing unsent last, as `performance.now` has it. */ #unsentSince = Infinity;
  #typists = new Typists();
  /** @type {string|undefined} In which channel those type. */ #typedIn;
  /** @type {any} */ #timer = 0;
  /** Whether somebody waits for the channel to be verified. */ #isWaiting = false;
  #state = make('span', { class: 'pill' });
  #word = make('span', { part: 'word' });
  #unsent = make('span', { part: 'unsent' });
  #typing = make('span', { part: 'typing' });

  constructor() {
    super();
    this.#state.append(make('slot', { name: 'dot' },
      make('span', { part: 'dot', 'aria-hidden': 'true' })), this.#word);
    this.root.append(make('div', { part: 'status', role: 'status' },
      this.#state, this.#unsent, this.#typing, make('slot')));
  }

  /**
   * `verified` when the channel is known to be as the daemon has it, and the daemon what was wished
   * here; `waiting` also when the browser says that there is no network; else the client's status.
   */
  get state() {
    const status = this.client?.status ?? 'starting';
    // A connection may be gone long before anybody notices.
    if (navigator.onLine === false && needsNetwork.includes(status)) return 'waiting';
    const isEqual = status === 'online' && (this.channel?.isVerified ?? true);
    return isEqual && this.#unsentNow === 0 ? 'verified' : status;
  }

  /** What is unsent; with a connection, what is so for a while: each tap is for a moment. */
  get #unsentNow() {
    const waiting = this.client?.waiting ?? 0;
    if (waiting === 0) this.#unsentSince = Infinity;
    else this.#unsentSince = Math.min(this.#unsentSince, performance.now());
    const isNews = this.client?.status === 'online' && navigator.onLine !== false;
    return isNews && performance.now() - this.#unsentSince < unsentAfter ? 0 : waiting;
  }

  listen() {
    const ends = super.listen();
    const { client, channel } = this;
    if (channel?.name !== this.#typedIn) this.#typists = new Typists();
    this.#typedIn = channel?.name;
    if (client) {
      ends.push(client.on('status', () => this.update()));
      ends.push(client.on('refused', () => this.update()));
      ends.push(client.on('event', ({ channel: name, event }) => this.#heard(name, event)));
    }
    if (channel) {
      ends.push(channel.observe((changes) => {
        for (const { kind, item } of changes) {
          if (kind === 'insert') this.#typists.say(item.uuid, false, performance.now());
        }
        this.update();
      }));
    }
    for (const kind of ['online', 'offline']) {
      const changed = () => this.update();
      addEventListener(kind, changed);
      ends.push(() => removeEventListener(kind, changed));
    }
    ends.push(() => clearTimeout(this.#timer));
    return ends;
  }

  /** @param {string} name @param {any} event */
  #heard(name, event) {
    const said = typingOf(event);
    if (!said || name !== this.channel?.name || said.id === this.userId) return;
    this.#typists.say(said.id, said.isTyping, performance.now());
    this.update();
  }

  render() {
    const { state, words, client } = this;
    const unsent = this.#unsentNow;
    const kind = kinds[state] ?? 'warn';
    setAttribute(this.#state, 'part', `pill ${kind} ${state}`);
    setText(this.#word, String(words[/** @type {keyof typeof words} */ (state)] ?? state));
    setText(this.#unsent, unsent > 0 ? words.unsent(unsent) : '');
    const typists = this.#typists.at(performance.now()).map((id) => isolated(this.nameOf(id)));
    setText(this.#typing, typists.length > 0 ? words.typing(typists.slice(0, 3)) : '');
    this.#again(Math.min(this.#typists.wait(performance.now()) ?? Infinity,
      client?.waiting ? unsentAfter : Infinity));
    this.#awaitVerified();
  }

  /** @param {number} wait Milliseconds until there is something else to show; infinite: none. */
  #again(wait) {
    clearTimeout(this.#timer);
    if (wait < Infinity) this.#timer = setTimeout(() => this.update(), wait);
  }

  /** Nobody tells that it is verified but who is asked. */
  async #awaitVerified() {
    const { channel } = this;
    if (this.#isWaiting || this.state !== 'online' || !channel?.whenVerified) return;
    if (channel.isVerified) return;
    this.#isWaiting = true;
    try {
      await channel.whenVerified();
    } catch {
      // Left, or closed: then there is another state to show.
    }
    this.#isWaiting = false;
    if (this.channel === channel && channel.isVerified) this.update();
  }
}

define('sync-status', SyncStatus);
