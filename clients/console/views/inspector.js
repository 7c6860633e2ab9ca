// Whether all hold the same: the state of the daemon and of each device, segment by segment.
// @ts-check
import { make, setAttribute, setChildren, setText } from '../../web/ui/base/dom.js';
import { compared, cutsOf, segmentsOf } from '../model/segments.js';
import { headOf } from './table.js';

/** @typedef {import('../model/device.js').Device} Device */
/** @typedef {import('../model/witness.js').Witness} Witness */
/** @typedef {import('../model/segments.js').Segment} Segment */

/** Cells that are drawn of one device; segments before them are told in words. */
const cellsMax = 128;

/** A state in groups of eight digits. */
const spelled = (/** @type {{n: number, d: string}|null} */ state) =>
  state ? `${state.n} · ${state.d.match(/.{8}/g)?.join(' ')}` : '…';

export class Inspector {
  element;
  #pill = make('span', { class: 'pill warn', role: 'status' });
  #list = make('dl');
  #cells = make('div', { class: 'segments' });
  #devices;
  #witness;
  /** What was looked at last: nothing is hashed twice. */ #seen = '';
  /** @type {{cuts: string[], segments: Segment[], state: any, version: string}|null} */
  #daemon = null;

  /** @param {Device[]} devices @param {Witness} witness @param {Node[]} buttons */
  constructor(devices, witness, buttons) {
    this.#devices = devices;
    this.#witness = witness;
    this.element = make('section', { class: 'card', 'aria-label': 'Equal?' },
      headOf('Equal?', ...buttons, this.#pill), this.#list, this.#cells);
  }

  /** Looks at all anew, if anything changed. */
  render() {
    const { cache } = this.#witness;
    const seen = [cache?.version, ...this.#devices.map((it) =>
      [it.state, it.isSettled, it.cache?.version, it.cache?.cursor,
        it.cache?.tally.digest.text])].join();
    if (seen === this.#seen) return;
    this.#seen = seen;
    // What it had before is no answer of one that is away.
    if (!cache) this.#daemon = null;
    else if (this.#daemon?.version !== `${cache.version} ${cache.cursor}`) {
      const cuts = cutsOf(cache.messages.keys());
      this.#daemon = { cuts, segments: segmentsOf(cache, cuts) ?? [], state: cache.state,
        version: `${cache.version} ${cache.cursor}` };
    }
    const daemon = this.#daemon;
    const found = this.#devices.map((device) => ({ device, ...this.#compare(device) }));
    this.#renderList(found);
    const differing = found.filter((it) => it.differing.length > 0).length;
    const isEqual = daemon !== null && found.every((it) => it.isEqual);
    setText(this.#pill, !daemon ? 'not known: no answer' : isEqual ? 'all equal'
      : differing > 0 ? `${differing} ${differing === 1 ? 'device differs' : 'devices differ'}`
        : 'not known yet');
    setAttribute(this.#pill, 'class', `pill ${isEqual ? 'good' : differing > 0 ? 'bad' : 'warn'}`);
    setChildren(this.#cells, found.flatMap(({ device, cells }) => cells.length === 0 ? [] : [
      make('span', {}, device.userId), cellsOf(`Segments of ${device.userId}`, cells)]));
  }

  /** @param {Device} device */
  #compare(device) {
    const { cache } = device;
    const daemon = this.#daemon;
    const segments = cache && daemon ? segmentsOf(cache, daemon.cuts) : null;
    if (!cache || !daemon || !segments) {
      return { state: cache?.state ?? null, isKnown: false, isEqual: false, cells: [],
        differing: [] };
    }
    const cells = compared(daemon.segments, segments, cache.rest.after);
    const { state } = cache;
    const differing = cells.flatMap(({ kind }, n) => kind === 'differs' ? [n + 1] : []);
    // Rows that are the daemon's by now say nothing of one that has something unsent, or that the
    // daemon has not confirmed; rows that are not its do.
    return {
      state, cells, differing, isKnown: device.isSettled || differing.length > 0,
      isEqual: device.isSettled && state !== null && state.n === daemon.state?.n &&
        state.d === daemon.state.d,
    };
  }

  /** @param {{device: Device, state: any, isKnown: boolean, isEqual: boolean,
   *   differing: number[]}[]} found */
  #renderList(found) {
    const rows = [make('dt', {}, 'daemon'),
      make('dd', { class: 'mono' }, spelled(this.#daemon?.state)), make('dd')];
    for (const { device, state, isKnown, isEqual, differing } of found) {
      const word = isEqual ? 'equal' : !isKnown ? 'not known'
        : differing.length > 0 ? `segment ${differing.slice(0, 3).join(', ')}` : 'differs';
      const kind = isEqual ? 'good' : isKnown ? 'bad' : 'warn';
      rows.push(make('dt', {}, device.title),
        make('dd', { class: 'mono' }, spelled(state)),
        make('dd', {}, make('span', { class: `pill ${kind}` }, word)));
    }
    setChildren(this.#list, rows);
  }
}

/** @param {string} name @param {{kind: string, n: number}[]} all */
function cellsOf(name, all) {
  const cells = all.slice(-cellsMax);
  const first = all.length - cells.length;
  const differing = all.filter(({ kind }) => kind === 'differs').length;
  const label = `${name}: ${all.length}, of which ${differing} differ`;
  return make('div', { class: 'cells', role: 'img', 'aria-label': label },
    ...cells.map(({ kind, n }, at) => make('i', { class: kind.replace(' ', '-'),
      title: `segment ${first + at + 1}: ${n} rows, ${kind}` })));
}
