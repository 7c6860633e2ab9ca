// Channels, tenants, sessions and queues of the daemon, live, as operators may see them.
// @ts-check
import { make, setText } from '../../web/ui/base/dom.js';
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
 * cells may act; what they ask first names `about`, else the action's fields. One that is
 * `isOfKeyset` is always of one keyset, and asks by its name; one with a `limit` comes in pages of
 * so many.
 * @typedef {{title: string, words: string, fields: string[], columns: Column[],
 *   rows: (answer: any, act: (text: string, act: Act, about?: Record<string, any>) => Node,
 *     keyset?: string) => any[][],
 *   isOfKeyset?: boolean, limit?: number, figures?: [string, string, string][]}} Kind
 */

/** @type {Kind[]} */
export const kinds = [{
  title: 'Channels', words: 'channels', fields: ['prefix', 'keyset'],
  isOfKeyset: true, limit: 20,
  columns: [{ title: 'keyset' }, { title: 'channel' }, number('messages'), number('actions'),
    { title: 'first' }, { title: 'last' }, number('followers'), { title: 'digest' },
    { title: 'act' }],
  // The same name may be another tenant's, too: what is purged is purged by its keyset.
  rows: ({ channels }, act, keyset) => channels.map((/** @type {any} */ it) => [keyset ?? '',
    it.channel, it.messages, it.actions, it.first ?? '', it.last ?? '', it.followers,
    it.digest ?? '', act('Purge', { admin: 'channels purge', isChange: true,
      fields: { ...keyset === undefined ? {} : { keyset }, channel: it.channel } })]),
}, {
  title: 'Sessions', words: 'sessions', fields: ['user', 'channel', 'keyset', 'address'], limit: 50,
  columns: [{ title: 'id' }, { title: 'kind' }, { title: 'keyset' }, { title: 'user' },
    { title: 'device' }, { title: 'address' }, { title: 'since' }, number('channels'),
    number('queued bytes'), { title: 'act' }],
  rows: ({ sessions }, act) => sessions.map((/** @type {any} */ it) => [it.id, it.kind,
    it.keyset ?? '', it.user ?? '', it.device ?? '', it.address ?? '', it.since ?? '',
    it.subscriptions ?? 0, it.queuedBytes ?? 0,
    act('Kick', { admin: 'sessions kick', isChange: true, fields: { id: it.id } },
      { keyset: it.keyset, user: it.user, id: it.id })]),
}, {
  title: 'Tenants', words: 'tenants', fields: [],
  columns: [{ title: 'keyset' }, { title: 'removed' }, ...['connections', 'subscriptions',
    'memberships', 'groups', 'channels', 'stored bytes', 'rate limited'].map(number)],
  rows: ({ tenants }) => tenants.map((/** @type {any} */ it) => [it.keyset,
    it.removed ? 'yes' : '', share(it.connections), share(it.subscriptions),
    share(it.memberships), share(it.groups), share(it.channels), share(it.stored_bytes),
    it.rateLimited]),
}, {
  title: 'Queues', words: 'webhooks', fields: [],
  columns: [{ title: 'whose' }, { title: 'what' }, number('waiting'), number('dead letters'),
    { title: 'reason' }, { title: 'act' }],
  rows: ({ webhooks = [], interceptors = [] }, act) => {
    const retry = (/** @type {string} */ name) =>
      act('Retry', { admin: 'webhooks retry', isChange: true, fields: { name } });
    return [
      ...webhooks.map((/** @type {any} */ it) => [it.name,
        `events for a webhook${it.removed ? ' that was removed' : ''}`, it.waiting,
        it.deadLetters, it.reason ?? '', retry(it.name)]),
      ...interceptors.map((/** @type {any} */ it) => [it.name, 'writes for an interceptor',
        it.waiting, '', it.reason ?? '', retry(it.name)]),
    ];
  },
  figures: [['ledger', 'writes', 'ledger_backlog'], ['readers', 'queries', 'reader_backlog'],
    ['sockets', 'bytes', 'unsent_bytes']],
}];

/**
 * What an action came to, in words.
 * @param {string} admin @param {any} answer
 */
export function outcomeOf(admin, answer) {
  const some = (/** @type {number} */ n, /** @type {string} */ word) =>
    `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
  if (admin === 'channels purge') {
    const files = answer.files > 0 ? ` and ${some(answer.files, 'file')}` : '';
    return `Purged ${some(answer.messages ?? 0, 'message')}${files}` +
      `${answer.moreFiles ? '; more files are there: purge it again' : ''}.`;
  }
  return admin === 'sessions kick' ? `Kicked ${some(answer.kicked ?? 0, 'session')}.` : 'Done.';
}

/** One of them on the page. */
export class List {
  element;
  #kind;
  #admin;
  #copy;
  #table;
  /** @type {HTMLInputElement[]} */ #inputs = [];
  #note = make('p', { class: 'empty', role: 'status', hidden: true });
  #done = make('p', { class: 'empty', role: 'status', hidden: true });
  #count = make('span', { class: 'soft' });
  #back = button('Previous', () => this.#turn(this.#places.slice(0, -1)), { hidden: true });
  #on = button('More', () => this.#turn([...this.#places, this.#next]), { hidden: true });
  /**
   * Behind what each page began, the one that shows last; the first begins behind nothing.
   * @type {string[]}
   */
  #places = [];
  /** Behind what the next one begins; '' where this is the last. */ #next = '';
  /** @type {string|undefined} Whose it is where nobody says it. */ #keyset;
  #preferred;

  /**
   * @param {Kind} kind @param {Admin} admin @param {(act: Act) => void} copy
   * @param {string} [keyset] Whose lists they are unless one asks for another's.
   */
  constructor(kind, admin, copy, keyset) {
    this.#kind = kind;
    this.#admin = admin;
    this.#copy = copy;
    this.#preferred = keyset;
    this.#table = new Table(kind.title, kind.columns, 'Not known yet.');
    this.#inputs = kind.fields.map((name) => make('input', { name, 'aria-label': name,
      placeholder: name, type: 'search', on: { input: () => this.#turn([]) } }));
    this.element = make('section', {}, make('div', { class: 'card' },
      headOf(kind.title, ...this.#inputs, button('Copy as', () => copy(this.#question))),
      this.#table.element, this.#note, this.#done,
      make('div', { class: 'form' }, this.#count, this.#back, this.#on)));
  }

  /** @returns {Act} */
  get #question() {
    const { isOfKeyset, words, limit } = this.#kind;
    /** @type {Record<string, string>} */ const fields = {};
    for (const { name, value } of this.#inputs) if (value !== '') fields[name] = value;
    if (isOfKeyset && this.#keyset !== undefined) fields.keyset ??= this.#keyset;
    if (limit !== undefined) fields.limit = String(limit);
    const after = this.#places.at(-1);
    return { admin: words, fields: after === undefined ? fields : { ...fields, after } };
  }

  /** @param {string[]} places Of the pages up to the one that shows then. */
  #turn(places) {
    this.#places = places;
    return this.refresh(true);
  }

  /** @param {boolean} [isForced] Also where a button has the focus. */
  async refresh(isForced = false) {
    let asked = '';
    // Somebody asked for something else meanwhile.
    const isOver = () => asked !== '' && asked !== JSON.stringify(this.#question.fields);
    try {
      await this.#findKeyset();
      const { fields } = this.#question;
      asked = JSON.stringify(fields);
      const answer = await this.#admin.query(this.#kind.words, fields);
      if (isOver()) return;
      const missing = answer.missingReactors?.length ?? 0;
      this.#tell(this.#note, missing > 0 ? `${missing} reactors did not answer.` : '');
      // A button that somebody is about to press stays where it is.
      if (!isForced && this.element.querySelector('td :focus, td :hover')) return;
      const rows = this.#kind.rows(answer, (text, act, about) =>
        this.#action(text, act, about), fields.keyset);
      const above = await this.#figures();
      this.#show([...above, ...rows], 'Nothing is there.');
      this.#tellPage(rows.length, answer.next ?? '', fields.keyset);
    } catch (error) {
      if (isOver()) return;
      // The keysets may be others after a reload.
      this.#keyset = undefined;
      this.#tell(this.#note, String(/** @type {any} */ (error).message));
      // What the question before had is not what this one asks for, nor need it still be there.
      this.#show([], 'Not known.');
      setText(this.#count, '');
      [this.#next, this.#on.hidden] = ['', true];
    }
  }

  /** @param {any[][]} rows @param {string} nothing Said where there are none. */
  #show(rows, nothing) {
    const hadFocus = this.#table.element.contains(document.activeElement);
    this.#table.show(rows, nothing);
    if (hadFocus) this.#table.element.focus({ preventScroll: true });
  }

  /** Whose channels they are has a name, also where nobody chose one. */
  async #findKeyset() {
    if (!this.#kind.isOfKeyset || this.#keyset !== undefined) return;
    this.#keyset = this.#preferred ?? (await this.#admin.keysets())[0];
    const input = this.#inputs.find((it) => it.name === 'keyset');
    if (input && this.#keyset !== undefined) input.placeholder = `keyset: ${this.#keyset}`;
  }

  /** @param {number} count @param {string} next @param {string|undefined} keyset */
  #tellPage(count, next, keyset) {
    const { limit, title, isOfKeyset } = this.#kind;
    this.#next = next;
    if (limit === undefined) return;
    const before = this.#places.length * limit;
    const whose = isOfKeyset && keyset !== undefined ? ` of keyset ${keyset}` : '';
    const which = before > 0 || next ? `${before + 1} to ${before + count}` : `${count}`;
    setText(this.#count, `${title}${whose}: ${which}${next ? ', and more' : ''}`);
    this.#back.hidden = this.#places.length === 0;
    this.#on.hidden = next === '';
  }

  /** What the list has of the figures. */
  async #figures() {
    const { figures: wanted } = this.#kind;
    if (!wanted) return [];
    const figures = figuresOf(await this.#admin.metrics());
    return wanted.map(([whose, what, name]) =>
      [whose, what, figures.get(`syncdaemon_${name}`) ?? 0, '', '', '']);
  }

  /** @param {string} text @param {Act} act @param {Record<string, any>} [said] */
  #action(text, act, said = act.fields) {
    return make('span', { class: 'form' }, button(text, async () => {
      const about = Object.entries(said).flatMap(([name, value]) =>
        (value ?? '') === '' ? [] : `${name} ${value}`);
      if (!confirm(`${text}: ${about.join(', ')}?`)) return;
      try {
        const answer = await this.#admin.change(String(act.admin), act.fields);
        this.#tell(this.#done, `${about.join(', ')}: ${outcomeOf(String(act.admin), answer)}`);
        await this.refresh(true);
      } catch (error) {
        this.#tell(this.#done, String(/** @type {any} */ (error).message));
      }
    }), button('Copy as', () => this.#copy(act)));
  }

  /** @param {HTMLElement} note @param {string} text */
  #tell(note, text) {
    note.hidden = text === '';
    note.textContent = text;
  }
}
