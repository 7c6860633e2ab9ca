// The bench: devices side by side, whether they are equal, what they said, and the race.
// @ts-check
import { make, setText } from '../../web/ui/base/dom.js';
import { Device } from '../model/device.js';
import { fill, filling } from '../model/fill.js';
import { Witness } from '../model/witness.js';
import { Card } from './card.js';
import { Inspector } from './inspector.js';
import { RacePanel } from './race-panel.js';
import { Repairs } from './repairs.js';
import { Strip } from './strip.js';
import { button } from './table.js';
import { Timeline } from './timeline.js';

/** @typedef {import('../model/device.js').Place} Place */
/** @typedef {import('./dialogs.js').Dialogs} Dialogs */

/** Who has which device. The first two are there from the start. */
const people = [['ada', 'phone'], ['bob', 'tablet'], ['eve', 'laptop'], ['zoe', 'watch']];
const atStart = 2;

/** A keyset may be gone, or have another name, with a reload of the daemon. */
const whatToDo = 'Load the page again, or choose another keyset or token: a click on the address ' +
  'in the head takes them.';

/** Milliseconds between two looks at what changed. */
const look = 150;

export class Bench {
  element;
  /** @type {Device[]} */ devices = [];
  /** @type {Card[]} */ #cards = [];
  witness;
  inspector;
  repairs;
  race;
  timeline;
  #strip = new Strip();
  #place;
  #stages = make('div', { class: 'devices', role: 'group', 'aria-label': 'Side by side',
    tabindex: '0' });
  #said = make('span');
  #problem = make('p', { class: 'empty refused', role: 'alert', hidden: true }, this.#said, ' ',
    button('Dismiss', () => this.#calm()));
  /** Whether what is said goes when all is well again. */ #isPassing = false;
  /** Whether something was not well since it was said. */ #wasUnwell = false;
  /** @type {Device|undefined} The one that the daemon refuses, once that was said. */ #refused;
  #more = button('Add a device', () => this.add().catch((it) => this.#fail(it)));
  #fill = button('Fill', () => this.fill().catch((it) => this.#fail(it)),
    { title: `Publishes ${filling.messages} messages with reactions` });
  #isDrawn = true;

  /** @param {Place} place @param {Dialogs} dialogs */
  constructor(place, dialogs) {
    this.#place = place;
    this.witness = new Witness(place);
    this.witness.room.observe(() => this.#changed());
    this.witness.client.on('status', () => this.#changed());
    this.inspector = new Inspector(this.devices, this.witness, [this.#more, this.#fill]);
    this.repairs = new Repairs(place);
    this.timeline = new Timeline((told) => dialogs.showFrame(told));
    this.race = new RacePanel(this.devices, this.witness,
      () => this.repairs.measures = false, () => this.repairs.measures = true);
    this.element = make('section', { 'aria-label': 'Devices' }, this.#problem,
      make('div', { class: 'bench' },
        make('div', { class: 'side' }, this.#stages, this.race.element),
        make('div', { class: 'side' }, this.inspector.element, this.timeline.element,
          this.repairs.element)),
      this.#strip.element);
    setInterval(() => this.render(), look);
  }

  async start() {
    for (let n = 0; n < atStart; n++) await this.add();
  }

  /** Add a device, of the next person. */
  async add() {
    const [userId, name] = people[this.devices.length] ?? [];
    if (!userId) return;
    const stage = make('div', { class: 'stage' });
    const device = new Device(name, userId, this.#place, stage);
    const card = new Card(device, stage, (error) => this.#fail(error));
    this.timeline.add(device);
    this.repairs.add(device);
    device.onchange = () => this.#changed();
    device.link.onframe = (frame) => {
      this.timeline.take(device, frame);
      this.repairs.take(device, frame);
      this.#strip.take(frame, device.state === 'verified');
      this.#changed();
    };
    this.devices.push(device);
    this.#cards.push(card);
    this.#stages.append(card.element);
    this.#more.hidden = this.devices.length === people.length;
    await device.start();
  }

  /** Enough messages for several segments, by the first device that can. */
  async fill() {
    this.#calm();
    const device = this.devices.find((it) => it.client && !it.link.isOffline) ??
      this.devices.find((it) => it.client);
    if (!device) throw new Error('Fill needs a device that runs.');
    this.#fill.disabled = true;
    try {
      await fill(device);
    } finally {
      this.#fill.disabled = false;
    }
  }

  #changed() {
    this.#isDrawn = false;
  }

  render() {
    if (this.#isDrawn || document.visibilityState !== 'visible') return;
    this.#isDrawn = true;
    for (const device of this.devices) if (device.state === 'verified') device.damaged = null;
    for (const card of this.#cards) card.render();
    this.inspector.render();
    this.timeline.render();
    const refused = this.devices.find((it) => it.state === 'refused');
    if (refused && refused !== this.#refused) {
      const why = refused.problems.at(-1) ?? 'The daemon refused a device.';
      this.#fail(new Error(`${why} ${whatToDo}`));
    }
    this.#refused = refused;
    const isWell = this.devices.every((it) => it.isSettled) && this.witness.cache !== null;
    if (isWell && this.#wasUnwell && this.#isPassing) this.#calm();
    this.#wasUnwell ||= !isWell;
    // That a repair ended, or a wish was fulfilled, nobody tells.
    if (this.devices.some((it) => !it.isSettled) || !this.witness.cache) this.#isDrawn = false;
  }

  /** @param {Map<string, number>|null} figures */
  tell(figures) {
    this.#strip.render(figures);
  }

  /** @param {unknown} error */
  #fail(error) {
    this.warn(String(/** @type {any} */ (error)?.message ?? error), true);
  }

  /** @param {string} text @param {boolean} [isPassing] Else it stays until it is dismissed. */
  warn(text, isPassing = false) {
    setText(this.#said, text);
    [this.#problem.hidden, this.#isPassing, this.#wasUnwell] = [false, isPassing, false];
    this.#changed();
  }

  #calm() {
    this.#problem.hidden = true;
  }
}
