// What repairs took: symbols, rows and bytes, beside what a snapshot would have taken.
// @ts-check
import { make } from '../../web/ui/base/dom.js';
import { RepairWatch } from '../model/frames.js';
import { snapshotBytes } from '../model/witness.js';
import { Table, clock, headOf } from './table.js';

/** @typedef {import('../model/device.js').Device} Device */
/** @typedef {import('../model/device.js').Place} Place */

const keptMax = 20;

export class Repairs {
  element;
  /** @type {any[]} The newest first. */ all = [];
  /** Whether snapshots are measured beside: not while devices race. */ measures = true;
  #table = new Table('Repairs', [{ title: 'time' }, { title: 'device' },
    { title: 'symbols', isNumber: true }, { title: 'needed', isNumber: true },
    { title: 'rows', isNumber: true }, { title: 'drops', isNumber: true },
    { title: 'bytes', isNumber: true }, { title: 'a snapshot', isNumber: true }],
  'No repair yet. Damage a row of a device, and see it heal.');
  /** @type {Map<Device, RepairWatch>} */ #watches = new Map();
  #place;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
    this.element = make('section', { class: 'card', 'aria-label': 'Repairs' },
      headOf('Repairs'), this.#table.element);
    this.#render();
  }

  /** @param {Device} device */
  add(device) {
    this.#watches.set(device, new RepairWatch());
  }

  /** @param {Device} device @param {import('../model/link.js').Frame} frame */
  take(device, frame) {
    const found = this.#watches.get(device)?.take(frame);
    if (!found) return;
    const repair = { ...found, device, snapshot: null };
    this.all.unshift(repair);
    if (this.all.length > keptMax) this.all.length = keptMax;
    this.#render();
    if (this.measures) this.#measure(repair);
  }

  /** @param {any} repair */
  async #measure(repair) {
    repair.snapshot = await snapshotBytes(this.#place).catch(() => null);
    this.#render();
  }

  #render() {
    this.#table.show(this.all.map((it) => [clock(it.at), it.device.userId, it.symbols,
      it.needed ?? `≤ ${it.symbols}`, it.rows, it.drops, it.bytes, it.snapshot ?? '']));
  }
}
