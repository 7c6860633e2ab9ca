// The race: devices do what chance says, and a verdict says whether all are equal at the end.
// @ts-check
import { make, setAttribute, setText } from '../../web/ui/base/dom.js';
import { runRound } from '../model/race.js';
import { button, headOf } from './table.js';

/** @typedef {import('../model/device.js').Device} Device */
/** @typedef {import('../model/race.js').Verdict} Verdict */
/** @typedef {import('../model/witness.js').Witness} Witness */

/** Rounds of a race, at most. */
const roundsMax = 10_000;
const seedMax = 2 ** 32 - 1;

/**
 * What is wrong with what was asked for, in words; '' when it can be run.
 * @param {number} rounds @param {number} seed
 */
export function faultIn(rounds, seed) {
  const isRounds = Number.isInteger(rounds) && rounds >= 1 && rounds <= roundsMax;
  const isSeed = Number.isInteger(seed) && seed >= 0 && seed <= seedMax;
  return [isRounds ? '' : 'Rounds are 1 to 10,000.',
    isSeed ? '' : 'A seed is 0 to 4,294,967,295, or left out.'].filter(Boolean).join(' ');
}

export class RacePanel {
  element;
  /** @type {Verdict[]} Of the race that runs, or ran last. */ verdicts = [];
  isRunning = false;
  #isStopped = false;
  #rounds = make('input', { type: 'number', min: '1', max: String(roundsMax), value: '100' });
  #seed = make('input', { type: 'number', min: '0', max: String(seedMax),
    placeholder: 'random' });
  #race = button('Race', () => this.isRunning ? this.#stop() : this.run());
  #pill = make('span', { class: 'pill warn', role: 'status', hidden: true });
  #verdict = make('p', { class: 'verdict soft' });
  /** @type {Device[]} */ #devices;
  /** @type {Witness} */ #witness;
  /** @type {() => void} */ #began;
  /** @type {() => void} */ #ended;

  /**
   * @param {Device[]} devices @param {Witness} witness
   * @param {() => void} began @param {() => void} ended
   */
  constructor(devices, witness, began, ended) {
    this.#devices = devices;
    this.#witness = witness;
    this.#began = began;
    this.#ended = ended;
    this.element = make('section', { class: 'card', 'aria-label': 'Race' },
      headOf('Race', this.#pill),
      make('div', { class: 'form' },
        make('label', {}, 'rounds', this.#rounds), make('label', {}, 'seed', this.#seed),
        this.#race), this.#verdict);
    setText(this.#verdict, 'Toggles, messages, cut and slow links, kills and damage, at random ' +
      'on all devices at once; after each round all have to hold what the daemon has.');
  }

  #stop() {
    this.#isStopped = true;
  }

  /** @param {number} [rounds] @param {number} [seed] Of the first round; each has the next one. */
  async run(rounds = Number(this.#rounds.value), seed = this.#chosenSeed()) {
    if (this.isRunning) return this.verdicts;
    const fault = faultIn(rounds, seed);
    if (fault !== '') {
      this.#tell('not run', 'bad');
      setText(this.#verdict, fault);
      return this.verdicts = [];
    }
    [this.isRunning, this.#isStopped, this.verdicts] = [true, false, []];
    setText(this.#race, 'Stop');
    this.#began();
    try {
      for (let round = 1; round <= rounds && !this.#isStopped; round++) {
        this.#tell(`round ${round} of ${rounds}, seed ${seed}`, 'warn');
        const verdict = await runRound(this.#devices, this.#witness, round, seed + round - 1);
        this.verdicts.push(verdict);
        if (!verdict.isEqual) break;
      }
    } finally {
      this.isRunning = false;
      setText(this.#race, 'Race');
      this.#ended();
    }
    this.#judge(seed);
    return this.verdicts;
  }

  /** One at random where nobody chose one: what is no number is '' as well. */
  #chosenSeed() {
    const { value, validity } = this.#seed;
    if (validity.badInput) return NaN;
    return value === '' ? Math.floor(Math.random() * (seedMax + 1)) : Number(value);
  }

  /** @param {number} seed */
  #judge(seed) {
    const unequal = this.verdicts.filter((it) => !it.isEqual);
    const faults = this.verdicts.filter((it) => it.why !== '').map((it) =>
      `Round ${it.round}, seed ${it.seed}: ${it.why}.`);
    const steps = this.verdicts.reduce((sum, it) => sum + it.steps, 0);
    this.#tell(`${unequal.length} unequal`, unequal.length === 0 ? 'good' : 'bad');
    setText(this.#verdict, `${this.verdicts.length} rounds of ${this.#devices.length} devices, ` +
      `${steps} steps, ${unequal.length} unequal. Seed ${seed}. ${faults.join(' ')}`);
  }

  /** @param {string} text @param {string} kind */
  #tell(text, kind) {
    this.#pill.hidden = false;
    setText(this.#pill, text);
    setAttribute(this.#pill, 'class', `pill ${kind}`);
  }
}
