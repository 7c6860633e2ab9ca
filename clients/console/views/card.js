// The card of one device: how it stands, what it shows, and what may happen to it.
// @ts-check
import { make, setAttribute, setText } from '../../web/ui/base/dom.js';

/** @typedef {import('../model/device.js').Device} Device */

/** What each state is like. */
const kinds = /** @type {Record<string, string>} */ ({
  verified: 'good', refused: 'bad', off: 'bad', offline: 'warn' });

/** How long a damaged row is left to be seen, in milliseconds. */
const seenFor = 1200;

export class Card {
  element;
  device;
  #pill = make('span', { class: 'pill warn', role: 'status' });
  #title;
  #offline;
  #slow;
  #kill;
  #damage;
  #wipe;
  #held;
  /** What is under way: a switch may be pressed meanwhile, and is done at once. */ #busy = 0;
  #refusal = make('p', { class: 'refusal refused', role: 'status', hidden: true });

  /**
   * @param {Device} device @param {Element} stage Where its page is.
   * @param {(error: unknown) => void} failed
   */
  constructor(device, stage, failed) {
    this.device = device;
    this.#title = device.title;
    const press = (/** @type {string} */ text, /** @type {() => any} */ act, isSwitch = false) =>
      make('button', { type: 'button', 'aria-pressed': isSwitch ? 'false' : null,
        on: { click: () => this.#do(act).catch(failed) } }, text);
    this.#offline = press('Offline', () => device.setOffline(!device.link.isOffline), true);
    this.#slow = press('Slow', () => device.setSlow(!device.isSlow), true);
    this.#kill = press('Kill', () => device.isRunning ? device.kill() : device.start());
    this.#damage = press('Damage a row', () => this.#harm());
    this.#wipe = press('Wipe', () => device.wipe());
    this.#held = make('select', { 'aria-label': `What ${device.userId} holds`,
      on: { change: () => this.#hold().catch(failed) } },
    make('option', { value: '0' }, 'holds all'),
    make('option', { value: '50' }, 'from newest 50'));
    this.element = make('section', { class: 'card device', 'aria-label': this.#title },
      make('div', { class: 'head' }, make('h2', {}, this.#title),
        make('span', { class: 'spacer' }), this.#pill),
      this.#refusal, stage, make('div', { class: 'switches' }, this.#offline, this.#slow,
        this.#kill, this.#damage, this.#wipe, this.#held));
  }

  /**
   * One thing after the other.
   * @param {() => any} act
   */
  async #do(act) {
    this.#busy++;
    this.render();
    try {
      await act();
    } finally {
      this.#busy--;
      this.render();
    }
  }

  async #harm() {
    const seen = () => new Promise((done) => setTimeout(() => done(undefined), seenFor));
    if (await this.device.damage(Math.random, seen)) return;
    this.device.refuse('There is no row to damage yet: write something first.');
  }

  /** What it holds is decided when a channel is followed first: so it begins anew. */
  async #hold() {
    this.device.held = Number(this.#held.value);
    await this.#do(() => this.device.wipe());
  }

  render() {
    const { device } = this;
    const { state, link, damaged } = device;
    const waiting = device.client?.waiting ?? 0;
    const word = damaged && state !== 'verified' ? `${state}, a row is damaged`
      : waiting > 0 ? `${state}, ${waiting} unsent` : state;
    setText(this.#pill, word);
    setAttribute(this.#pill, 'class', `pill ${damaged && !device.isRunning ? 'bad'
      : kinds[state] ?? 'warn'}`);
    setAttribute(this.#offline, 'aria-pressed', String(link.isOffline));
    setAttribute(this.#slow, 'aria-pressed', String(device.isSlow));
    this.#refusal.hidden = device.refusal === '';
    setText(this.#refusal, device.refusal);
    setText(this.#kill, device.isRunning ? 'Kill' : 'Start');
    for (const it of [this.#kill, this.#damage, this.#wipe, this.#held]) {
      it.disabled = this.#busy > 0;
    }
    this.#damage.disabled ||= !device.isRunning;
    if (!device.isRunning && !device.stage.querySelector('p')) {
      device.stage.replaceChildren(make('p', {},
        'Not running. What it has is on its disk: in this browser\'s IndexedDB.'));
    }
  }
}
