// What devices and daemon told each other: pushes, modes and bytes; a click shows the frame.
// @ts-check
import { make } from '../../web/ui/base/dom.js';
import { FrameReader } from '../model/frames.js';
import { Table, clock, headOf } from './table.js';

/** @typedef {import('../model/device.js').Device} Device */
/** @typedef {import('../model/link.js').Frame} Frame */
/** @typedef {{frame: Frame, said: import('../model/frames.js').Said, device: Device}} Told */

/** Frames that are listed. */
const shownMax = 60;
const keptMax = 500;

export class Timeline {
  element;
  #select = make('select', { 'aria-label': 'Whose frames',
    on: { change: () => this.render(true) } });
  #table = new Table('Frames', [{ title: 'time' }, { title: 'device' }, { title: 'frame' },
    { title: 'events', isNumber: true }, { title: 'bytes', isNumber: true }],
  'No frame yet.');
  /** @type {Told[]} The newest first. */ #told = [];
  #isNew = false;
  #readers = new Map();
  #show;

  /** @param {(told: Told) => void} show What a click does. */
  constructor(show) {
    this.#show = show;
    this.#select.append(make('option', { value: '' }, 'all devices'));
    this.element = make('section', { class: 'card', 'aria-label': 'What it took' },
      headOf('What it took', this.#select), this.#table.element);
  }

  /** @param {Device} device */
  add(device) {
    this.#readers.set(device, new FrameReader());
    this.#select.append(make('option', { value: device.userId }, device.userId));
  }

  /** @param {Device} device @param {Frame} frame */
  take(device, frame) {
    this.#told.unshift({ frame, said: this.#readers.get(device).read(frame), device });
    if (this.#told.length > keptMax) this.#told.length = keptMax;
    this.#isNew = true;
  }

  render(isOther = false) {
    if (!this.#isNew && !isOther) return;
    this.#isNew = false;
    const { value } = this.#select;
    const shown = this.#told.filter(({ device }) => value === '' || device.userId === value);
    // What has the focus stays: the list is made anew when it has left.
    if (this.#table.element.contains(document.activeElement) && !isOther &&
      document.activeElement !== this.#table.element) return;
    this.#table.show(shown.slice(0, shownMax).map((it) => [
      clock(it.frame.at), it.device.userId,
      make('button', { type: 'button', class: it.said.kind, on: { click: () => this.#show(it) } },
        `${it.frame.isSent ? '→' : '←'} ${it.said.what}`),
      it.said.events, it.frame.bytes]));
  }
}
