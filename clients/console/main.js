// The console: devices beside what the daemon says, and what operators ask of it.
// @ts-check
import { make, setAttribute, setText } from '../web/ui/base/dom.js';
import {
  Admin, answersWithin, endAfter, figuresOf, whileVisible, whyNoFigures,
} from './model/admin.js';
import { findPlace } from './model/place.js';
import { findTab } from './model/tab.js';
import { Charts } from './views/charts.js';
import { Bench } from './views/bench.js';
import { Dialogs } from './views/dialogs.js';
import { List, kinds } from './views/lists.js';

const [found, tab] = await Promise.all([findPlace(), findTab()]);
const place = { ...found, tab };
const admin = new Admin();
if (place.key) admin.key = place.key;
const dialogs = new Dialogs({ ...place, admin: location.origin });

const bench = new Bench(place, dialogs);
const lists = kinds.map((kind) =>
  new List(kind, admin, (act) => dialogs.showSnippets(act), place.keyset));
const charts = new Charts(() => dialogs.showSnippets({ admin: 'metrics', fields: {} }));

/** @type {{title: string, element: HTMLElement, list?: List}[]} */
const views = [{ title: 'Devices', element: bench.element },
  ...kinds.map(({ title }, n) => ({ title, element: lists[n].element, list: lists[n] })),
  { title: 'Metrics', element: charts.element }];

const nav = /** @type {HTMLElement} */ (document.querySelector('nav'));
const main = /** @type {HTMLElement} */ (document.querySelector('main'));
const ready = /** @type {HTMLElement} */ (document.querySelector('#ready'));
const where = /** @type {HTMLElement} */ (document.querySelector('#place'));
let current = views[0];

/** @param {{title: string, element: HTMLElement, list?: List}} view */
function show(view) {
  current = view;
  for (const it of views) it.element.hidden = it !== view;
  for (const it of nav.children) {
    setAttribute(it, 'aria-current', it.textContent === view.title ? 'page' : null);
  }
  view.list?.refresh();
  if (view.element === charts.element) charts.open();
}

for (const view of views) {
  nav.append(make('button', { type: 'button', on: { click: () => show(view) } }, view.title));
  main.append(view.element);
}
setText(where, `${new URL(place.url).host} · ${place.channel}`);
where.addEventListener('click', () => {
  const { use, fault, ...known } = place;
  dialogs.askPlace({ ...known, key: admin.key }, (values) => {
    admin.key = values.key;
    use(values);
  });
});
show(current);

/** @param {string} text @param {string} kind */
function tellReady(text, kind) {
  setText(ready, text);
  setAttribute(ready, 'class', `pill ${kind}`);
}

whileVisible(async () => {
  let [why, isSilent] = ['', false];
  const figures = await admin.metrics().then(figuresOf, (error) => {
    [why, isSilent] = [whyNoFigures(error), error.status === undefined];
    return null;
  });
  if (figures) {
    const isReady = figures.get('syncdaemon_ready') === 1;
    tellReady(isReady ? 'ready' : 'not ready', isReady ? 'good' : 'bad');
  } else if (isSilent) {
    tellReady('no answer', 'bad');
  } else {
    const signal = endAfter(answersWithin.question);
    const answer = await fetch('/readyz', { signal }).catch(() => null);
    // Who serves this page may be no daemon, and says nothing of one.
    if (answer?.status === 404) tellReady('not known', 'warn');
    else tellReady(!answer ? 'no answer' : answer.ok ? 'ready' : 'not ready',
      answer?.ok ? 'good' : 'bad');
  }
  bench.tell(figures);
  charts.render(figures, current.element === charts.element, why);
  await current.list?.refresh();
});

// Another fragment is another place, and may have a key or a token that is not to stay there.
addEventListener('hashchange', () => location.reload());
if (place.fault) bench.warn(`Not used: ${place.fault}`);
await bench.start();
// For tests, and for who likes to look behind.
Object.assign(window, { bench, admin, dialogs, kinds, isReady: true });
