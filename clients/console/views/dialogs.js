// What opens over the console: a frame, an action in five languages, and where the daemon is.
// @ts-check
import { make, setAttribute, setChildren, setText } from '../../web/ui/base/dom.js';
import { indented } from '../model/frames.js';
import { faultOf } from '../model/place.js';
import { languages, snippetsOf } from '../model/snippets.js';
import { button } from './table.js';

/** @typedef {import('../model/snippets.js').Act} Act */
/** @typedef {import('../model/snippets.js').Where} Where */
/** @typedef {import('./timeline.js').Told} Told */

/** Characters of a frame that are shown. */
const shownMax = 100_000;

/** One window over the page, with a heading, gone by Escape. */
class Window {
  #body = make('div');
  #title = make('h2', {});
  /** @type {HTMLDialogElement} */
  element = make('dialog', {}, make('div', { class: 'head' }, this.#title,
    make('span', { class: 'spacer' }), button('Close', () => this.element.close())), this.#body);

  constructor() {
    document.body.append(this.element);
  }

  /** @param {string} title @param {Node[]} content */
  open(title, content) {
    setText(this.#title, title);
    setAttribute(this.element, 'aria-label', title);
    setChildren(this.#body, content);
    if (!this.element.open) this.element.showModal();
  }
}

export class Dialogs {
  #window = new Window();
  #where;
  /** The language that was looked at last. */ #language = 'JavaScript';

  /** @param {Where} where */
  constructor(where) {
    this.#where = where;
  }

  /** @param {Told} told */
  showFrame({ frame, said, device }) {
    const act = actOf(frame, device.userId);
    const text = indented(frame.text);
    const cut = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
    const title = `${device.userId} ${frame.isSent ? 'sent' : 'received'}: ${said.what}, ` +
      `${frame.bytes.toLocaleString('en')} bytes`;
    this.#window.open(title, [
      ...act ? [make('div', { class: 'form' },
        button('Copy as', () => this.showSnippets(act)))] : [],
      make('pre', { class: 'mono', tabindex: '0' }, cut)]);
  }

  /** @param {Act} act */
  showSnippets(act) {
    const snippets = snippetsOf(act, this.#where);
    const code = make('pre', { class: 'mono', tabindex: '0' });
    const said = make('span', { class: 'soft', role: 'status' });
    const choices = languages.map((language) => button(language, () => show(language)));
    const show = (/** @type {string} */ language) => {
      this.#language = language;
      for (const it of choices) {
        setAttribute(it, 'aria-pressed', String(it.textContent === language));
      }
      setText(code, snippets[language]);
      setText(said, '');
    };
    const copy = button('Copy', async () => {
      await navigator.clipboard.writeText(code.textContent ?? '');
      setText(said, 'Copied.');
    });
    show(this.#language);
    this.#window.open(`${act.admin ?? act.op} as code`, [
      make('div', { class: 'form' }, make('div', { class: 'languages', role: 'group',
        'aria-label': 'Languages' }, ...choices), copy, said), code]);
  }

  /**
   * Asks where the daemon is, and begins anew there.
   * @param {Record<string, string>} values @param {(values: Record<string, string>) => void} use
   */
  askPlace(values, use) {
    const names = { channel: 'Channel', keyset: 'Keyset (its subscribe key)',
      publishKey: 'Publish key', token: 'Token of a user', url: 'Address of the daemon',
      key: 'Operators\' key (admin_key_file)' };
    const fields = Object.entries(names).map(([name, title]) => make('label', {}, title,
      make('input', { name, value: values[name] ?? '', autocomplete: 'off',
        type: name === 'key' || name === 'token' ? 'password' : 'text' })));
    const [url, token] = ['url', 'token'].map((name) => /** @type {HTMLInputElement} */ (
      fields[Object.keys(names).indexOf(name)].querySelector('input')));
    // A token that was given for one daemon is not taken along to another.
    url.addEventListener('input', () => {
      if (token.value === values.token) token.value = '';
    });
    const said = make('p', { class: 'refused', role: 'alert' });
    /** @type {HTMLFormElement} */
    const form = make('form', { class: 'fields', method: 'dialog', on: {
      submit: (/** @type {Event} */ event) => {
        const given = new FormData(form);
        const wanted = Object.fromEntries(Object.keys(names).map((it) =>
          [it, String(given.get(it) ?? '')]));
        // What is left out is as the daemon says, but a channel has a name.
        const faults = Object.entries(wanted).map(([name, value]) =>
          value === '' && name !== 'channel' ? '' : faultOf(name, value)).filter(Boolean);
        setText(said, faults.join(' '));
        if (faults.length > 0) event.preventDefault();
        else use(wanted);
      } } }, ...fields, said, make('button', { class: 'button', type: 'submit' }, 'Use'));
    this.#window.open('Where', [form]);
  }
}

/**
 * What a frame did that somebody might want to do, too.
 * @param {import('../model/link.js').Frame} frame @param {string} user @returns {Act|null}
 */
export function actOf({ isSent, text }, user) {
  if (!isSent) return null;
  const { op, id, mutation, ...fields } = JSON.parse(text);
  const { channel, type, channels } = fields;
  // All that it says, but not by which number: a copy is another wish.
  if (['publish', 'editMessage', 'deleteMessage'].includes(op)) return { op, as: user, fields };
  if (op === 'addAction' || op === 'removeAction') {
    const { type: _, actionTimetoken, ...rest } = fields;
    const usual = (type ?? 'reaction') === 'reaction' ? {} : { type };
    return { op, as: user, fields: { ...rest, ...usual } };
  }
  if (op === 'subscribe') return { op: 'follow', as: user, fields: { channel: channels[0].name } };
  return op === 'history' ? { op, fields: { channel } } : null;
}
