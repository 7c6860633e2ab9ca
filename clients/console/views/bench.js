// The bench: devices side by side, whether they are equal, what they said, and the race.
// @ts-check
import { make } from '../../web/ui/base/dom.js';
import { Device } from '../model/device.js';
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

/** Milliseconds between two looks at what changed. */
const look = 150;

/** Messages that make a channel of several segments, and how many get a reaction. */
const filling = { messages: 400, reactions: 200 };

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
  #problem = make('p', { class: 'empty refused', role: 'alert', hidden: true });
  #more = button('Add a device', () => this.add().catch((it) => this.#fail(it)));
  #fill = button('Fill', () => this.fill().catch((it) => this.#fail(it)),
    { title: `Publishes ${filling.messages} messages with reactions` });
  #isDrawn = true;

  /** @param {Place} place @param {Dialogs} dialogs */
  constructor(place, dialogs) {
    this.#place = place;
    this.witness = new Witness(place);
    this.witness.room.observe(() => this.#changed());
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

  /** Enough messages for several segments, by the first device. */
  async fill() {
    this.#fill.disabled = true;
    try {
      const [{ room }] = this.devices;
      for (let n = 1; n <= filling.messages; n++) {
        await room.publish({ text: `One of many: ${n}` });
        // What is on its way has room for 1,000 wishes.
        if (n % 100 === 0) await room.whenVerified();
      }
      const messages = room.items.filter((/** @type {any} */ it) => it.timetoken)
        .slice(-filling.reactions);
      for (const { timetoken } of messages) await room.react(timetoken, '👍');
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
    if (refused) this.#fail(new Error(refused.problems.at(-1) ?? 'The daemon refused a device.'));
    // That a repair ended, or a wish was fulfilled, nobody tells.
    if (this.devices.some((it) => !it.isSettled) || !this.witness.cache) this.#isDrawn = false;
  }

  /** @param {Map<string, number>|null} figures */
  tell(figures) {
    this.#strip.render(figures);
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#problem.hidden = false;
    this.#problem.textContent = String(/** @type {any} */ (error)?.message ?? error);
  }
}
