// Channels, tenants, sessions and queues of the daemon, live, as operators may see them.
// @ts-check
import { make } from '../../web/ui/base/dom.js';
import { figuresOf } from '../model/admin.js';
import { Table, button, headOf } from './table.js';

/** @typedef {import('../model/admin.js').Admin} Admin */
/** @typedef {import('../model/snippets.js').Act} Act */
/** @typedef {import('./table.js').Column} Column */

const number = (/** @type {string} */ title) => ({ title, isNumber: true });
const share = (/** @type {any} */ { held, quota }) =>
  `${held.toLocaleString('en')} of ${quota.toLocaleString('en')}`;

/**
 * A list: what is asked, with which fields; its columns, and the rows of an answer, whose last
 * cells may act.
 * @typedef {{title: string, words: string, fields: string[], columns: Column[],
 *   rows: (answer: any, act: (text: string, act: Act) => Node) => any[][],
 *   figures?: [string, string, string][]}} Kind
 */

/** @type {Kind[]} */
export const kinds = [{
  title: 'Channels', words: 'channels', fields: ['prefix', 'keyset'],
  columns: [{ title: 'channel' }, number('messages'), number('actions'), { title: 'first' },
    { title: 'last' }, number('followers'), { title: 'digest' }, { title: 'act' }],
  rows: ({ channels }, act) => channels.map((/** @type {any} */ it) => [it.channel, it.messages,
    it.actions, it.first ?? '', it.last ?? '', it.followers, it.digest ?? '',
    act('Purge', { admin: 'channels purge', isChange: true, fields: { channel: it.channel } })]),
}, {
  title: 'Sessions', words: 'sessions', fields: ['user', 'channel', 'keyset', 'address'],
  columns: [{ title: 'id' }, { title: 'kind' }, { title: 'keyset' }, { title: 'user' },
    { title: 'device' }, { title: 'address' }, { title: 'since' }, number('channels'),
    number('queued bytes'), { title: 'act' }],
  rows: ({ sessions }, act) => sessions.map((/** @type {any} */ it) => [it.id, it.kind,
    it.keyset ?? '', it.user ?? '', it.device ?? '', it.address ?? '', it.since ?? '',
    it.subscriptions ?? 0, it.queuedBytes ?? 0,
    act('Kick', { admin: 'sessions kick', isChange: true, fields: { id: it.id } })]),
}, {
  title: 'Tenants', words: 'tenants', fields: [],
  columns: [{ title: 'keyset' }, ...['connections', 'subscriptions', 'memberships', 'groups',
    'channels', 'stored bytes', 'rate limited'].map(number)],
  rows: ({ tenants }) => tenants.map((/** @type {any} */ it) => [it.keyset, share(it.connections),
    share(it.subscriptions), share(it.memberships), share(it.groups), share(it.channels),
    share(it.stored_bytes), it.rateLimited]),
}, {
  title: 'Queues', words: 'webhooks', fields: [],
  columns: [{ title: 'whose' }, { title: 'what' }, number('waiting'), number('dead letters'),
    { title: 'reason' }, { title: 'act' }],
  rows: ({ webhooks = [], interceptors = [] }, act) => {
    const retry = (/** @type {string} */ name) =>
      act('Retry', { admin: 'webhooks retry', isChange: true, fields: { name } });
    return [
      ...webhooks.map((/** @type {any} */ it) => [it.name, 'events for a webhook', it.waiting,
        it.deadLetters, it.reason ?? '', retry(it.name)]),
      ...interceptors.map((/** @type {any} */ it) => [it.name, 'writes for an interceptor',
        it.waiting, '', it.reason ?? '', retry(it.name)]),
    ];
  },
  figures: [['ledger', 'writes', 'ledger_backlog'], ['readers', 'queries', 'reader_backlog'],
    ['sockets', 'bytes', 'unsent_bytes']],
}];

/** One of them on the page. */
export class List {
  element;
  #kind;
  #admin;
  #copy;
  #table;
  /** @type {HTMLInputElement[]} */ #inputs = [];
  #note = make('p', { class: 'empty', role: 'status' });

  /** @param {Kind} kind @param {Admin} admin @param {(act: Act) => void} copy */
  constructor(kind, admin, copy) {
    this.#kind = kind;
    this.#admin = admin;
    this.#copy = copy;
    this.#table = new Table(kind.title, kind.columns, 'Nothing is there.');
    this.#inputs = kind.fields.map((name) => make('input', { name, 'aria-label': name,
      placeholder: name, type: 'search' }));
    this.element = make('section', {}, make('div', { class: 'card' },
      headOf(kind.title, ...this.#inputs, button('Copy as', () => copy(this.#question))),
      this.#table.element, this.#note));
    this.#note.hidden = true;
  }

  /** @returns {Act} */
  get #question() {
    const fields = Object.fromEntries(this.#inputs.filter((it) => it.value !== '')
      .map((it) => [it.name, it.value]));
    return { admin: this.#kind.words, fields };
  }

  async refresh() {
    const { fields } = this.#question;
    try {
      const answer = await this.#admin.query(this.#kind.words, fields);
      const missing = answer.missingReactors?.length ?? 0;
      this.#tell(missing > 0 ? `${missing} reactors did not answer.` : '');
      // A button that somebody is about to press stays where it is.
      if (this.element.querySelector('td :focus, td :hover')) return;
      const rows = this.#kind.rows(answer, (text, act) => this.#action(text, act));
      this.#table.show([...await this.#figures(), ...rows]);
    } catch (error) {
      this.#tell(String(/** @type {any} */ (error).message));
    }
  }

  /** What the list has of the figures. */
  async #figures() {
    const { figures: wanted } = this.#kind;
    if (!wanted) return [];
    const figures = figuresOf(await this.#admin.metrics());
    return wanted.map(([whose, what, name]) =>
      [whose, what, figures.get(`syncdaemon_${name}`) ?? 0, '', '', '']);
  }

  /** @param {string} text @param {Act} act */
  #action(text, act) {
    return make('span', { class: 'form' }, button(text, async () => {
      if (!confirm(`${text}: ${Object.values(act.fields).join(', ')}?`)) return;
      try {
        await this.#admin.change(String(act.admin), act.fields);
      } catch (error) {
        this.#tell(String(/** @type {any} */ (error).message));
      }
    }), button('Copy as', () => this.#copy(act)));
  }

  /** @param {string} text */
  #tell(text) {
    this.#note.hidden = text === '';
    this.#note.textContent = text;
  }
}
