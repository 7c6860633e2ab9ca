// The metrics strip: four figures with their last minutes.
// @ts-check
import { make, setAttribute, setText } from '../../web/ui/base/dom.js';

/** Values of a plot: one a second. */
export const keptMax = 300;

/** A figure with a small plot of its own: a library would be larger than the console. */
export class Tile {
  element;
  /** @type {number[]} */ values = [];
  #value = make('p', { class: 'big' }, '–');
  #path;
  #format;

  /** @param {string} name @param {(value: number) => string} format */
  constructor(name, format) {
    this.#format = format;
    const space = 'http://www.w3.org/2000/svg';
    const plot = document.createElementNS(space, 'svg');
    for (const [key, value] of Object.entries({ class: 'spark', viewBox: '0 0 300 30',
      preserveAspectRatio: 'none', 'aria-hidden': 'true' })) plot.setAttribute(key, value);
    this.#path = document.createElementNS(space, 'path');
    plot.append(this.#path);
    this.element = make('section', { class: 'card tile', 'aria-label': name },
      make('p', { class: 'soft' }, name), this.#value, plot);
  }

  /** @param {number|null} value null: nobody knows it now. */
  put(value) {
    setText(this.#value, value === null ? '–' : this.#format(value));
    if (value === null) return;
    this.values.push(value);
    if (this.values.length > keptMax) this.values.shift();
    const top = Math.max(...this.values, 1e-9);
    const start = keptMax - this.values.length;
    const points = this.values.map((it, n) => `${start + n} ${(28 - 26 * it / top).toFixed(1)}`);
    setAttribute(this.#path, 'd', `M${points.join(' L')}`);
  }
}

const whole = (/** @type {number} */ it) => Math.round(it).toLocaleString('en');
const inTime = (/** @type {number} */ it) => `${it < 10 ? it.toFixed(1) : Math.round(it)} ms`;

export class Strip {
  element;
  #writes = new Tile('writes/s', whole);
  #across = new Tile('p99 across', inTime);
  #sessions = new Tile('sessions', whole);
  #mismatches = new Tile('repairs, all devices', whole);
  /**
   * Milliseconds from commit to a device, of the last pushes.
   * @type {number[]}
   */
  #delays = [];
  /** @type {{writes: number, at: number}|null} */ #last = null;

  constructor() {
    this.element = make('div', { class: 'strip' }, this.#writes.element, this.#across.element,
      this.#sessions.element, this.#mismatches.element);
  }

  /**
   * A push came: how long ago its newest event was committed, where both have one clock.
   * @param {import('../model/link.js').Frame} frame
   * @param {boolean} isLive Whether the device had all before; else it catches up.
   */
  take({ isSent, at, text }, isLive) {
    if (isSent || !isLive || !text.startsWith('{"t":')) return;
    const event = JSON.parse(text).m?.at(-1);
    if (event) this.#delays.push(Math.max(0, at - Number(BigInt(event.p.t) / 1000n) / 10));
    if (this.#delays.length > keptMax) this.#delays.shift();
  }

  /** @param {Map<string, number>|null} figures null: they are not to be had here. */
  render(figures) {
    const sorted = [...this.#delays].sort((left, right) => left - right);
    this.#across.put(sorted.length > 0 ? sorted[Math.floor((sorted.length - 1) * 0.99)] : null);
    const now = performance.now();
    const writes = figures?.get('syncdaemon_writes_committed_total');
    const before = this.#last;
    const isRate = writes !== undefined && before !== null && writes >= before.writes;
    this.#writes.put(isRate ? (writes - before.writes) * 1000 / (now - before.at) : null);
    this.#last = writes === undefined ? null : { writes, at: now };
    this.#sessions.put(figures?.get('syncdaemon_sessions') ?? null);
    const repairs = ['repairs', 'segment_repairs', 'windows_renewed'].reduce((sum, it) =>
      sum + (figures?.get(`syncdaemon_${it}_total`) ?? 0), 0);
    this.#mismatches.put(figures ? repairs : null);
  }
}
