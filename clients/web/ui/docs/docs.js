// The page that shows the elements: each beside its knobs, on messages that are made up.
// @ts-check
import { usualReactions } from '../../core/reactions.js';
import { usualRules } from '../../core/rules.js';
import { make } from '../base/dom.js';
import { connect } from '../sync-ui.js';
import {
  DemoClient, DemoRoom, actionsOf, directory, minutesAgo, people,
} from './demo-room.js';
import { attribute, check, choice, field, press } from './knobs.js';
import { references, shared } from './reference.js';

const client = new DemoClient('ada');
const day = 24 * 60;
const texts = ['Has anybody seen the agenda?', 'It is in the folder.', 'Thanks!', 'See you there.'];
const older = Array.from({ length: 120 }, (_, n) => ({
  timetoken: minutesAgo(5 * day - n * 30), uuid: people[n % 7].id,
  payload: { text: `${texts[n % texts.length]} (${n + 1})` },
  actions: n % 3 === 0 ? actionsOf({ '👍': n % 5 + 1, '🔥': 1 }) : [],
}));
const room = new DemoRoom(client, [
  { timetoken: minutesAgo(day + 90), uuid: 'u1', payload: { text: 'Who brings the cake tomorrow?' },
    actions: actionsOf({ '😂': 2 }), threadCount: 2 },
  { timetoken: minutesAgo(125), uuid: 'ada', payload: { text: 'Shall we meet at noon?' },
    actions: actionsOf({ '👍': 3, '❤️': 140, '🔥': 1 }, '👍') },
  { timetoken: minutesAgo(124), uuid: 'u1', isEdited: true, versions: 1, payload: {
    text: 'Yes, at the usual place. I bring the printouts, and the cake if there is any left.' },
  actions: actionsOf({ '😂': 2 }) },
  { timetoken: minutesAgo(123), uuid: 'u1', payload: { text: 'Cake!' }, actions: [] },
  { timetoken: minutesAgo(60), uuid: 'u7', payload: { text: 'مرحبا، هل الاجتماع في موعده؟' },
    actions: actionsOf({ '👏': 12, '🎉': 9, '😲': 1, '😢': 1, '🙏': 104 }, '👏') },
  { timetoken: minutesAgo(3), uuid: 'ada', payload: { text: 'Yes, see you there.' }, actions: [] },
], older);

/** @type {Record<string, HTMLElement>} */
const stages = {};
/** @type {Record<string, HTMLElement>} */
const logs = {};

/** @param {string} name @param {HTMLElement} stage @param {HTMLElement[]} knobs */
function piece(name, stage, knobs) {
  const reference = references.find((it) => it.name === name);
  if (!reference) throw new Error(name);
  const { about, code, properties, events, slots, parts } = reference;
  logs[name] = make('div', { class: 'log', role: 'status', 'aria-label': `Events of ${name}` });
  const rows = [...properties, ...events, ['Slots', slots], ['Parts', parts]];
  stages[name] = stage;
  document.querySelector('main')?.append(make('section', { class: 'piece', id: name },
    make('div', { class: 'about' }, make('h2', {}, `<${name}>`), make('p', {}, about)),
    stage,
    make('form', { class: 'knobs', 'aria-label': `Knobs of ${name}` }, ...knobs, logs[name]),
    make('details', {}, make('summary', {}, 'Markup, properties, events, slots and parts'),
      make('pre', { tabindex: '0' }, make('code', {}, code)), make('table', {}, make('tbody', {},
        ...rows.map(([key, text]) => make('tr', {}, make('td', {}, make('code', {}, key)),
          make('td', {}, text))))))));
}

/** @param {string} tag @param {Record<string, any>} [attributes] @returns {any} */
const element = (tag, attributes = {}) => make(/** @type {any} */ (tag), attributes);
const orders = ['first', 'latest', 'count', 'score', 'value', '🔥 ❤️ 👍'];
const sizes = ['', '3', '5'];

const bar = element('sync-reactions', { timetoken: room.items[1].timetoken });
piece('sync-reactions', make('div', { class: 'stage' }, bar), [
  choice('order', orders, attribute(bar, 'order')),
  choice('max', ['99', '9', '999'], attribute(bar, 'max')),
  choice('limit', sizes, attribute(bar, 'limit')),
  choice('counts', ['authors', 'toggle'], attribute(bar, 'counts')),
  choice('add', ['always', 'filled', 'never'], attribute(bar, 'add')),
  choice('axis', ['', 'column'], attribute(bar, 'axis')),
  check('readonly', attribute(bar, 'readonly')),
  check('icons: a word and a picture', (isOn) => {
    bar.icons = isOn ? { '👍': 'Like', '🔥': 'docs/spark.svg' } : null;
  }),
  field('--sync-own', 'color', '#2457e6', (it) => bar.style.setProperty('--sync-own', it)),
  press('Somebody reacts', () => room.react(String(room.items[1].timetoken),
    usualReactions[Math.floor(Math.random() * 6)], true, 'reaction',
    people[Math.floor(Math.random() * 200) + 1].id)),
]);

const picker = element('sync-reaction-picker', { inline: true });
const target = make('button', { type: 'button', class: 'knob' }, 'Long press, right-click or F10');
target.addEventListener('click', () => floating.show(target));
const floating = element('sync-reaction-picker');
const both = [picker, floating];
const offered = { usual: null, twelve: [...usualReactions, '🎉', '👀', '🙏', '🚀', '💯', '🤔'],
  words: ['like', 'love', 'Agreed'] };
piece('sync-reaction-picker', make('div', { class: 'stage' }, picker, make('p', {}, target),
  floating), [
  choice('values', Object.keys(offered), (it) => {
    for (const one of both) one.values = offered[/** @type {keyof typeof offered} */ (it)];
  }),
  check('actions below', (isOn) => {
    const actions = [{ id: 'copy', label: 'Copy text', run: () => {} },
      { id: 'delete', label: 'Delete', isDangerous: true, run: () => {} }];
    for (const one of both) one.actions = isOn ? actions : [];
  }),
  choice('--sync-picker-max-width', ['300px', '200px'], (it) => {
    for (const one of both) one.style.setProperty('--sync-picker-max-width', it);
  }),
]);

const authors = element('sync-reaction-authors', { inline: true });
const sheet = element('sync-reaction-authors');
piece('sync-reaction-authors', make('div', { class: 'stage' }, authors, sheet), [
  choice('page', ['25', '5'], attribute(authors, 'page')),
  choice('order of tabs', orders, (it) => { authors.order = it; }),
  choice('--sync-authors-max-height', ['320px', '200px'], (it) =>
    authors.style.setProperty('--sync-authors-max-height', it)),
  press('Open it as a sheet', () => sheet.show(stages['sync-reaction-authors'])),
]);

const messages = element('sync-messages');
piece('sync-messages', make('div', { class: 'stage tall' }, messages), [
  choice('order', orders, (it) => { messages.order = it; }),
  choice('limit', sizes, attribute(messages, 'limit')),
  check('readonly', attribute(messages, 'readonly')),
  check('no-reactions', attribute(messages, 'no-reactions')),
  check('flags', attribute(messages, 'flags')),
  check('pieces: text in capitals', (isOn) => {
    messages.pieces = isOn
      ? { text: (/** @type {any} */ it) => String(it.payload.text).toUpperCase() } : {};
  }),
  press('Somebody writes', () => room.say('u1', { text: 'One more thing.' })),
  press('To the newest', () => messages.toNewest()),
]);

const composer = element('sync-composer');
piece('sync-composer', make('div', { class: 'stage' }, composer), [
  field('placeholder', 'text', 'Message', attribute(composer, 'placeholder')),
  check('disabled', attribute(composer, 'disabled')),
  press('Edit my last message', () => {
    composer.editing = room.items.filter(({ uuid }) => uuid === 'ada').at(-1);
  }),
  press('Reply', () => { composer.parent = room.items[1]; }),
]);
const status = element('sync-status');
piece('sync-status', make('div', { class: 'stage' }, status), [
  choice('status', ['online', 'connecting', 'waiting', 'refused', 'closed'], (it) => {
    client.status = it;
  }),
  field('unsent', 'number', '0', (it) => {
    client.waiting = Number(it);
    client.status = client.status;
  }),
  press('Bob types', () => client.emit('event',
    { channel: room.name, event: { e: 1, i: 'u1', d: { typing: true } } })),
]);

for (const name of ['sync-react', 'sync-pick', 'sync-authors', 'sync-edit', 'sync-reply',
  'sync-delete', 'sync-send', 'sync-thread']) {
  document.addEventListener(name, (event) => {
    const place = /** @type {HTMLElement} */ (event.target).closest('section')?.id ?? '';
    const { value, text, item } = /** @type {any} */ (event).detail;
    const what = value ?? text ?? item?.payload?.text ?? '';
    if (logs[place]) logs[place].textContent = `${name} ${what}`;
  });
}

connect(document.body, { client, channel: room, directory, item: room.items[1] });
floating.attach(target, () => ({ item: room.items[1], about: target }));
const root = document.documentElement;
document.querySelector('#page-knobs')?.append(
  choice('Colours', ['of the system', 'light', 'dark'], (it) => { root.dataset.scheme = it; }),
  choice('Direction', ['ltr', 'rtl'], (it) => { root.dir = it; }),
  choice('Language', ['en', 'de', 'ar', 'ja'], (it) => {
    root.lang = it;
    connect(document.body, { words: {} });
  }),
  check('Reactions are off here', (isOn) => { room.rules = { ...usualRules, reactions: !isOn }; }),
  choice('Values of the channel', ['any', '👍 👎', 'flag'], (it) => {
    room.rules = { ...usualRules, ...it === 'flag' ? { mode: 'flag' }
      : it === 'any' ? {} : { values: it.split(' ') } };
  }));
const all = make('table', {}, make('tbody', {},
  ...shared.map(([key, text]) => make('tr', {},
    make('td', {}, make('code', {}, key)), make('td', {}, text)))));
document.querySelector('header')?.append(all);
const docs = { client, room, messages, bar, picker, composer, status };
Object.assign(window, { docs, isReady: true });
