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
  /** Said while there are figures. */ #hint = '';
  /** @type {{name: string, update: () => void}[]} */ #drawn = [];
  /** @type {Promise<void>|null} */ #opening = null;
  #charts = make('div', { class: 'charts' });
  #note = make('p', { class: 'soft' });

  /** @param {() => void} copy */
  constructor(copy) {
    this.element = make('section', { 'aria-label': 'Metrics' },
      make('div', { class: 'card plain' }, headOf('Metrics', button('Copy as', copy))),
      this.#note, this.#charts);
  }

  /** Draws, from when somebody looks. */
  open() {
    this.#opening ??= loadLibrary().then((Chart) => {
      this.#hint = Chart ? '' : 'Plots are small: libjs-chart.js of Debian is not installed.';
      if (this.#last) setText(this.#note, this.#hint);
      this.#drawn = plots.map(([title, name]) => Chart
        ? this.#chart(Chart, title, name) : this.#tile(title, name));
      for (const it of this.#drawn) it.update();
    });
  }

  /** @param {any} Chart @param {string} title @param {string} name */
  #chart(Chart, title, name) {
    const canvas = make('canvas', { role: 'img', 'aria-label': title });
    this.#charts.append(make('section', { class: 'card' }, headOf(title),
      make('div', { class: 'plot' }, canvas)));
    const values = this.#values.get(name) ?? [];
    const [borderColor, color, line] = ['mode', 'soft', 'line'].map(colourOf);
    const grid = { color: line, borderColor: line };
    const chart = new Chart(canvas, {
      type: 'line',
      data: { datasets: [{ data: [], borderColor, borderWidth: 1.5, pointRadius: 0 }] },
      options: {
        animation: false, parsing: false, maintainAspectRatio: false,
        plugins: { legend: { display: false } },
        scales: {
          x: { type: 'linear', min: -keptMax, max: 0, grid: { ...grid, display: false },
            ticks: { color, stepSize: 60, callback: (/** @type {number} */ it) => `${it} s` } },
          y: { beginAtZero: true, grid, ticks: { color, maxTicksLimit: 5, precision: 0 } },
        },
      },
    });
    return { name, update: () => {
      chart.data.datasets[0].data = values.map((y, n) => ({ x: n + 1 - values.length, y }));
      chart.update();
    } };
  }

  /** @param {string} title @param {string} name */
  #tile(title, name) {
    const tile = new Tile(title, (it) => Math.round(it).toLocaleString('en'));
    this.#charts.append(tile.element);
    return { name, update: () => tile.put(this.#values.get(name)?.at(-1) ?? null) };
  }

  /**
   * @param {Map<string, number>|null} figures @param {boolean} isSeen
   * @param {string} why There are none.
   */
  render(figures, isSeen, why) {
    if (!figures) {
      setText(this.#note, why);
      return;
    }
    setText(this.#note, this.#hint);
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
