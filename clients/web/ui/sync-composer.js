// The element <sync-composer>: where a message is written, or one's own is written anew.
// @ts-check
import { SyncElement, define } from './base/element.js';
import { make, setAttribute, setText } from './base/dom.js';
import { hasText, textOf } from './model/days.js';
import { OwnTyping } from './model/own-typing.js';
import { SentTexts } from './model/sent-texts.js';
import { showQuote } from './parts/quote.js';
import { composerStyle } from './styles/composer.js';

/** @typedef {import('../core/types.js').Item} Item */
/** @typedef {import('../core/types.js').ListChange} ListChange */
/** @typedef {import('./model/sent-texts.js').Sent} Sent */

/** @param {Item} item @param {Item|undefined} other */
const isBefore = (item, other) =>
  !other?.timetoken || BigInt(item.timetoken ?? 0) < BigInt(other.timetoken);

/** @param {...string} texts */
const joined = (...texts) => texts.filter((it) => it.trim() !== '').join('\n');

const fitsItself = globalThis.CSS?.supports?.('field-sizing', 'content') ?? false;

export class SyncComposer extends SyncElement {
  static styles = [composerStyle];
  static properties = ['editing', 'parent', 'payloadOf', 'value', 'list'];
  static observedAttributes = ['placeholder', 'disabled', 'silent'];

  /** @type {Item|null} */ #editing = null;
  /** @type {Item|null} */ #parent = null;
  /** Whether that one is not among the channel's messages any more. */ #isParentGone = false;
  /** Has that one followed no more. */ #endParent = () => {};
  /** What was typed before somebody began to write another message anew. */ #draft = '';
  /** What the daemon may still refuse. */ #sent = new SentTexts();
  /** @type {any} */ #list = null;
  #typing = new OwnTyping();
  #field = make('textarea', { part: 'field', rows: '1', dir: 'auto', enterkeyhint: 'send' });
  #send = make('button', { part: 'send', type: 'submit' });
  #sendText = make('span');
  #cancel = make('button', { part: 'cancel', type: 'button',
    on: { click: () => { this.cancel(); this.focus(); } } });
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

  get channel() {
    return super.channel;
  }

  /** Another channel has nothing of this one to reply to or to edit; what is typed stays. */
  set channel(channel) {
    const place = (/** @type {any} */ it) => `${it?.threadOf ?? ''}\n${it?.name ?? ''}`;
    if (super.channel && place(channel) !== place(super.channel)) {
      if (this.#editing) this.#edit(null, '');
      this.#replyTo(null);
    }
    super.channel = channel;
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
    this.#edit(item, item && hasText(item.payload) ? textOf(item.payload) : '');
    if (item) this.focus();
  }

  /** The message that is replied to; null: none. */
  get parent() {
    return this.#parent;
  }

  set parent(item) {
    this.#replyTo(item);
    if (item) this.focus();
  }

  /** @param {Item|null} item */
  #replyTo(item) {
    [this.#parent, this.#isParentGone] = [item, false];
    this.#followParent();
    this.update();
  }

  /** What is quoted is what it says now. Apart from the rest, whose place among others stays. */
  #followParent() {
    this.#endParent();
    this.#endParent = !this.isConnected ? () => {} :
      this.follow(this.#parent?.timetoken, (item) => {
        this.#isParentGone = item === null;
        this.#parent = item ?? this.#parent;
        this.update();
      });
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

  /**
   * Writes a message anew, or goes on with what was typed before.
   * @param {Item|null} item @param {string} text
   */
  #edit(item, text) {
    if (!this.#editing) this.#draft = this.value;
    this.#editing = item;
    this.value = item ? text : this.#draft;
    if (!item) this.#draft = '';
    this.relisten();
  }

  listen() {
    const ends = super.listen();
    const { client, channel } = this;
    if (client?.on) {
      ends.push(client.on('refused', (it) => this.#refused(it)),
        client.on('event', (it) => this.#passed(it)));
    }
    if (this.#editing && channel?.observe) {
      ends.push(channel.observe((changes, items) => this.#changedUnder(changes, items)));
    }
    this.#followParent();
    ends.push(() => this.#endParent());
    return ends;
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#field.focus(options);
  }

  render() {
    const [words, parent] = [this.words, this.#parent];
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
    if (this.#editing || !parent) setText(this.#aboutText, this.#editing ? words.editing : '');
    else showQuote(this.#aboutText, this.#isParentGone ? null : parent, this);
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
    const isTyping = this.#typing.changed(this.value === '', performance.now());
    if (isTyping === null || this.hasAttribute('silent') || this.#editing) return;
    if (this.client && this.client.status !== 'online') return;
    // Nobody misses one that does not arrive.
    this.channel?.signal?.({ typing: isTyping }).catch(() => {});
  }

  /** Leaves the edited message as it was, for what was typed before; or replies to nobody. */
  cancel() {
    if (this.#editing) return this.#edit(null, '');
    this.#replyTo(null);
  }

  /** @param {readonly ListChange[]} changes @param {readonly Item[]} items */
  #changedUnder(changes, items) {
    const edited = this.#editing;
    const change = changes.find(({ item }) => item.timetoken === edited?.timetoken);
    if (!edited || !change) return;
    // The oldest of a window may have gone by itself: whether it is still there the daemon says.
    const isOldest = this.channel?.hasOlder && isBefore(edited, items[0]);
    if (!change.item.isDeleted && (change.kind !== 'remove' || isOldest)) return;
    const text = this.value === textOf(edited.payload) ? '' : this.value;
    this.#edit(null, '');
    this.value = joined(this.value, text);
    this.problem(new Error('The message that was edited is deleted; what was typed is a new one.'));
  }

  /** @param {{entry: any, error: any}} refused By the daemon, for good. */
  #refused({ entry, error }) {
    const sent = this.#sent.take(entry);
    if (!sent) return;
    this.#takeBack(sent);
    this.problem(Object.assign(new Error(error.message), error));
  }

  /**
   * What is not stored is told as an event: so is one's own message, which no list shows then.
   * @param {{channel: string, event: any}} told
   */
  #passed({ channel, event: { e: kind, i: user, d: payload } }) {
    if (kind || user !== this.userId) return;
    if (!this.#sent.take({ kind: 'publish', channel, payload })) return;
    this.problem(new Error(`The channel ${channel} keeps no messages: this one went to those who ` +
      'follow it now, and does not show.'));
  }

  /**
   * What is refused comes back; as a new message, unless something else was written.
   * @param {Sent} sent
   */
  #takeBack({ text, editing, parent }) {
    const isThere = editing && this.channel?.items.some((it) => it.timetoken === editing.timetoken);
    if (isThere && !this.#editing) {
      this.#edit(editing, text);
    } else if (this.#editing) {
      if (editing || this.#draft === '') this.#draft = joined(this.#draft, text);
    } else if (editing || this.value === '') {
      this.value = joined(this.value, text);
      if (!this.#parent) this.#replyTo(parent);
    }
    this.update();
  }

  /** Sends what is there; what is refused comes back, unless something else was written. */
  async send() {
    const [text, channel, editing, parent] =
      [this.value.trim(), this.channel, this.#editing, this.#editing ? null : this.#parent];
    if (text === '' || !channel || this.hasAttribute('disabled')) return;
    let payload;
    try {
      payload = editing && typeof editing.payload === 'object'
        ? { ...editing.payload, ...this.payloadOf(text) } : this.payloadOf(text);
    } catch (error) {
      return this.problem(error);
    }
    if (!this.say('sync-send', { text, payload, editing, parent })) return;
    const sent = this.#sent.add({ channel: channel.name, text, payload, editing, parent });
    if (editing) {
      this.#edit(null, '');
    } else {
      this.value = '';
      this.parent = null;
    }
    this.#typing.sent();
    const wish = editing?.timetoken ? channel.edit(editing.timetoken, payload)
      : channel.publish(payload, parent?.timetoken ? { parent: parent.timetoken } : {});
    try {
      await wish;
    } catch (error) {
      this.#sent.delete(sent);
      this.#takeBack(sent);
      this.problem(error);
    }
  }
}

define('sync-composer', SyncComposer);
