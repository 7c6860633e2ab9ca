// The element <sync-composer>: where a message is written, or one's own is written anew.
// @ts-check
import { SyncElement, define } from './base/element.js';
import { make, setAttribute, setText } from './base/dom.js';
import { textOf } from './model/days.js';
import { typingEvery } from './model/typists.js';
import { composerStyle } from './styles/composer.js';

/** @typedef {import('../core/types.js').Item} Item */

const fitsItself = globalThis.CSS?.supports?.('field-sizing', 'content') ?? false;

export class SyncComposer extends SyncElement {
  static styles = [composerStyle];
  static properties = ['editing', 'parent', 'payloadOf', 'value', 'list'];
  static observedAttributes = ['placeholder', 'disabled', 'silent'];

  /** @type {Item|null} */ #editing = null;
  /** @type {Item|null} */ #parent = null;
  /** @type {any} */ #list = null;
  /** Milliseconds; when it was said last that one types. */ #said = -Infinity;
  #field = make('textarea', { part: 'field', rows: '1', dir: 'auto', enterkeyhint: 'send' });
  #send = make('button', { part: 'send', type: 'submit' });
  #sendText = make('span');
  #cancel = make('button', { part: 'cancel', type: 'button',
    on: { click: () => this.cancel() } });
  #about = make('div', { part: 'about' });
  #aboutText = make('span', { part: 'about-text' });
  #form = make('form', { part: 'form', on: {
    submit: (/** @type {Event} */ it) => {
      it.preventDefault();
      this.send();
    } } });

  /** What is published of a text; for pages whose messages are otherwise. */
  payloadOf = (/** @type {string} */ text) => /** @type {any} */ ({ text });

  constructor() {
    super();
    this.#send.append(make('slot', { name: 'send' }, this.#sendText));
    this.#about.append(this.#aboutText, this.#cancel);
    this.#form.append(make('slot', { name: 'before' }), this.#field,
      make('slot', { name: 'after' }), this.#send);
    this.root.append(this.#about, this.#form);
    this.#field.addEventListener('keydown', (event) => this.#typed(event));
    this.#field.addEventListener('input', () => this.#changed());
  }

  /** The text that is there. */
  get value() {
    return this.#field.value;
  }

  set value(value) {
    this.#field.value = value;
    this.update();
  }

  /** One's own message that is written anew; null: a new one. */
  get editing() {
    return this.#editing;
  }

  set editing(item) {
    if (item === this.#editing) return;
    this.#editing = item;
    this.value = item ? textOf(item.payload) : '';
    if (item) this.focus();
  }

  /** The message that is replied to; null: none. */
  get parent() {
    return this.#parent;
  }

  set parent(item) {
    this.#parent = item;
    this.update();
    if (item) this.focus();
  }

  /** The `<sync-messages>` whose replies and edits it writes. */
  get list() {
    return this.#list;
  }

  set list(list) {
    if (this.#list?.composer === this) this.#list.composer = null;
    this.#list = list;
    if (list) list.composer = this;
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#field.focus(options);
  }

  render() {
    const { words } = this;
    const isOff = this.hasAttribute('disabled') || !this.channel;
    this.#field.disabled = isOff;
    // A button that is disabled loses the focus: what is empty is not sent all the same.
    this.#send.disabled = isOff;
    setAttribute(this.#send, 'aria-disabled', String(this.value.trim() === ''));
    const label = this.getAttribute('placeholder') ?? words.message;
    setAttribute(this.#field, 'placeholder', label);
    setAttribute(this.#field, 'aria-label', label);
    // Where a browser does not fit the field to its text, lines do.
    this.#field.rows = fitsItself ? 1 : Math.min(8, this.value.split('\n').length);
    setText(this.#sendText, this.#editing ? words.save : words.send);
    this.#about.hidden = !this.#editing && !this.#parent;
    setText(this.#aboutText, this.#editing ? words.editing
      : this.#parent ? `${this.nameOf(this.#parent.uuid)}: ${textOf(this.#parent.payload)}` : '');
    setText(this.#cancel, words.cancel);
  }

  /** @param {KeyboardEvent} event */
  #typed(event) {
    if (event.key === 'Escape' && (this.#editing || this.#parent)) {
      event.preventDefault();
      this.cancel();
    }
    // Enter may only end a word that is being composed.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.send();
  }

  #changed() {
    this.update();
    const now = performance.now();
    if (this.value === '') this.#tellTyping(false);
    else if (now - this.#said >= typingEvery) this.#tellTyping(true);
  }

  /** @param {boolean} isTyping */
  #tellTyping(isTyping) {
    const wasTyping = this.#said !== -Infinity;
    this.#said = isTyping ? performance.now() : -Infinity;
    if (this.hasAttribute('silent') || (!isTyping && !wasTyping) || this.#editing) return;
    if (this.client && this.client.status !== 'online') return;
    // Nobody misses one that does not arrive.
    this.channel?.signal?.({ typing: isTyping }).catch(() => {});
  }

  /** Writes a new message after all, and leaves the other as it was. */
  cancel() {
    [this.#editing, this.#parent] = [null, null];
    this.value = '';
  }

  /** Sends what is there; what is refused comes back, unless something else was written. */
  async send() {
    const [text, channel, editing, parent] =
      [this.value.trim(), this.channel, this.#editing, this.#parent];
    if (text === '' || !channel || this.hasAttribute('disabled')) return;
    const payload = editing && typeof editing.payload === 'object'
      ? { ...editing.payload, ...this.payloadOf(text) } : this.payloadOf(text);
    if (!this.say('sync-send', { text, payload, editing, parent })) return;
    this.cancel();
    // The message says that nobody types any more.
    this.#said = -Infinity;
    const wish = editing?.timetoken ? channel.edit(editing.timetoken, payload)
      : channel.publish(payload, parent?.timetoken ? { parent: parent.timetoken } : {});
    try {
      await wish;
    } catch (error) {
      if (this.value === '') this.value = text;
      this.settle(Promise.reject(error));
    }
  }
}

define('sync-composer', SyncComposer);
