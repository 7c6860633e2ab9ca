// The element <sync-status>: how the device stands, what is unsent, and who types.
// @ts-check
import { SyncElement, define } from './base/element.js';
import { make, setAttribute, setText } from './base/dom.js';
import { Typists, typingOf } from './model/typists.js';
import { statusStyle } from './styles/status.js';

/** What each state is like: good, something to wait for, or bad. */
const kinds = /** @type {Record<string, string>} */ ({
  starting: 'warn', connecting: 'warn', online: 'warn', verified: 'good', waiting: 'warn',
  refused: 'bad', closed: 'bad',
});

export class SyncStatus extends SyncElement {
  static styles = [statusStyle];
  static observedAttributes = ['typing'];

  #typists = new Typists();
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

  /** `verified` when the channel is known to be as the daemon has it; else the client's status. */
  get state() {
    const status = this.client?.status ?? 'starting';
    return status === 'online' && (this.channel?.isVerified ?? true) ? 'verified' : status;
  }

  listen() {
    const ends = super.listen();
    const { client, channel } = this;
    if (client) {
      ends.push(client.on('status', () => this.update()));
      ends.push(client.on('refused', () => this.update()));
      ends.push(client.on('event', ({ channel: name, event }) => this.#heard(name, event)));
    }
    if (channel) {
      ends.push(channel.observe((changes) => {
        for (const { kind, item } of changes) {
          if (kind === 'insert') this.#typists.say(item.uuid, false, Date.now());
        }
        this.update();
      }));
    }
    ends.push(() => clearTimeout(this.#timer));
    return ends;
  }

  /** @param {string} name @param {any} event */
  #heard(name, event) {
    const said = typingOf(event);
    if (!said || name !== this.channel?.name || said.id === this.userId) return;
    this.#typists.say(said.id, said.isTyping, Date.now());
    this.update();
  }

  render() {
    const { state, words, client } = this;
    const kind = kinds[state] ?? 'warn';
    setAttribute(this.#state, 'part', `pill ${kind} ${state}`);
    setText(this.#word, String(words[/** @type {keyof typeof words} */ (state)] ?? state));
    const waiting = client?.waiting ?? 0;
    setText(this.#unsent, waiting > 0 ? words.unsent(waiting) : '');
    const typists = this.#typists.at(Date.now()).map((id) => this.nameOf(id));
    setText(this.#typing, typists.length > 0 ? words.typing(typists.slice(0, 3)) : '');
    clearTimeout(this.#timer);
    const wait = this.#typists.wait(Date.now());
    if (wait !== null) this.#timer = setTimeout(() => this.update(), wait);
    this.#awaitVerified();
  }

  /** Nobody tells that it is verified but who is asked. */
  async #awaitVerified() {
    const { channel } = this;
    if (this.#isWaiting || this.state !== 'online' || !channel?.whenVerified) return;
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
