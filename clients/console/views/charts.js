// The daemon's figures over the last minutes, drawn by Debian's Chart.js where it is installed.
// @ts-check
import { make, setText } from '../../web/ui/base/dom.js';
import { button, headOf } from './table.js';
import { Tile, keptMax } from './strip.js';

/** What is drawn: a counter as its change in a second, anything else as it is. */
const plots = [
  ['Writes a second', 'syncdaemon_writes_committed_total'],
  ['Commits a second', 'syncdaemon_commits_total'],
  ['Deliveries a second', 'syncdaemon_deliveries_total'],
  ['Commands a second', 'syncdaemon_commands_total'],
  ['Bytes to sockets a second', 'syncdaemon_socket_bytes_total'],
  ['Reads a second', 'syncdaemon_reads_total'],
  ['Sessions', 'syncdaemon_sessions'],
  ['Subscriptions', 'syncdaemon_subscriptions'],
  ['Writes that wait', 'syncdaemon_ledger_backlog'],
  ['Queries that wait', 'syncdaemon_reader_backlog'],
  ['Bytes that wait for sockets', 'syncdaemon_unsent_bytes'],
  ['Memory, bytes', 'syncdaemon_memory_bytes'],
];

/** Where the library is: a link to what libjs-chart.js of Debian installs. */
const library = new URL('../lib/chart.min.js', import.meta.url).href;

/** @returns {Promise<any>} Chart.js, or null where it is not installed. */
const loadLibrary = () => new Promise((resolve) => {
  const script = make('script', { src: library,
    on: { load: () => resolve(/** @type {any} */ (window).Chart ?? null),
      error: () => resolve(null) } });
  document.head.append(script);
});

/**
 * The colour of a class, as it is now: a canvas knows no variables.
 * @param {string} name
 */
function colourOf(name) {
  const probe = make('span', { class: name });
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export class Charts {
  element;
  /**
   * What is drawn, by its name: the last values.
   * @type {Map<string, number[]>}
   */
  #values = new Map(plots.map(([, name]) => [name, []]));
  /** @type {Map<string, number>|null} */ #last = null;
  #lastAt = 0;
  /** @type {{name: string, update: () => void}[]} */ #drawn = [];
  /** @type {Promise<void>|null} */ #opening = null;
  #charts = make('div', { class: 'charts' });
  #note = make('p', { class: 'soft' });

  /** @param {() => void} copy */
  constructor(copy) {
    this.element = make('section', { 'aria-label': 'Metrics' },
      headOf('Metrics', button('Copy as', copy)), this.#note, this.#charts);
  }

  /** Draws, from when somebody looks. */
  open() {
    this.#opening ??= loadLibrary().then((Chart) => {
      setText(this.#note, Chart ? ''
        : 'Plots are small: libjs-chart.js of Debian is not installed.');
      this.#drawn = plots.map(([title, name]) => Chart
        ? this.#chart(Chart, title, name) : this.#tile(title, name));
    });
  }

  /** @param {any} Chart @param {string} title @param {string} name */
  #chart(Chart, title, name) {
    const canvas = make('canvas', { role: 'img', 'aria-label': title });
    this.#charts.append(make('section', { class: 'card' }, headOf(title),
      make('div', { class: 'plot' }, canvas)));
    const values = this.#values.get(name) ?? [];
    const seconds = (/** @type {number} */ n) => `${n - keptMax + 1} s`;
    const [borderColor, color] = ['mode', 'soft'].map(colourOf);
    const chart = new Chart(canvas, {
      type: 'line',
      data: { labels: Array.from({ length: keptMax }, (_, n) => n),
        datasets: [{ data: [], borderColor, borderWidth: 1.5, pointRadius: 0 }] },
      options: {
        animation: false, maintainAspectRatio: false, plugins: { legend: { display: false } },
        scales: {
          x: { ticks: { color, maxTicksLimit: 6, callback: seconds }, grid: { display: false } },
          y: { beginAtZero: true, ticks: { color, maxTicksLimit: 5, precision: 0 } },
        },
      },
    });
    return { name, update: () => {
      chart.data.datasets[0].data = [...Array(keptMax - values.length).fill(null), ...values];
      chart.update();
    } };
  }

  /** @param {string} title @param {string} name */
  #tile(title, name) {
    const tile = new Tile(title, (it) => Math.round(it).toLocaleString('en'));
    this.#charts.append(tile.element);
    return { name, update: () => tile.put(this.#values.get(name)?.at(-1) ?? null) };
  }

  /** @param {Map<string, number>|null} figures @param {boolean} isSeen */
  render(figures, isSeen) {
    if (!figures) {
      setText(this.#note, 'The daemon shows its figures where operators ask: at admin_listen.');
      return;
    }
    const now = performance.now();
    const last = this.#last;
    for (const [name, values] of this.#values) {
      const value = figures.get(name) ?? 0;
      const isRate = name.endsWith('_total');
      if (isRate && !last) continue;
      values.push(isRate
        ? Math.max(0, value - (last?.get(name) ?? value)) * 1000 / (now - this.#lastAt) : value);
      if (values.length > keptMax) values.shift();
    }
    [this.#last, this.#lastAt] = [figures, now];
    if (isSeen) for (const it of this.#drawn) it.update();
  }
}
