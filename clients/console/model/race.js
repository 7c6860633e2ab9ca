// Devices that do what chance says, all at once; then all have to hold the same.
// @ts-check
import { oneOf, seeded } from './seeded.js';

/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./witness.js').Witness} Witness */
/**
 * @typedef {{round: number, seed: number, isEqual: boolean, steps: number, why: string}} Verdict
 */

/** Steps of a round. */
const stepsOfRound = 24;
/** Reactions that are toggled, on the newest messages. */
const values = ['👍', '❤️', '😂', '😲', '😢', '🔥'];
const messagesInPlay = 6;
/** Milliseconds between two looks whether all are equal. */
const look = 20;
/** Looks at which nothing was otherwise, after which nothing more is expected. */
const idleDefault = 1500;

const pause = (/** @type {number} */ milliseconds) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What can happen in a step, and how often of a hundred times. */
const acts = /** @type {[number, (device: Device, random: () => number) => any][]} */ ([
  [66, (device, random) => toggle(device, random)],
  [6, (device, random) => say(device, random)],
  [12, (device) => device.setOffline(!device.link.isOffline)],
  [6, (device) => device.setSlow(!device.isSlow)],
  [5, (device) => device.kill().then(() => device.start())],
  [5, (device, random) => device.damage(random)],
]);

/** @param {Device} device @param {() => number} random */
async function toggle(device, random) {
  const value = oneOf(values, random);
  const place = random();
  const items = (device.room?.items ?? []).filter((/** @type {any} */ it) => it.timetoken)
    .slice(-messagesInPlay);
  if (items.length === 0) return;
  await device.room.toggle(items[Math.floor(place * items.length)].timetoken, value);
}

/** @param {Device} device @param {() => number} random */
async function say(device, random) {
  await device.room?.publish({ text: `Round and round: ${Math.floor(random() * 1e6)}` });
}

/** @param {Device} device @param {() => number} random */
async function step(device, random) {
  let chance = random() * 100;
  for (const [share, act] of acts) {
    chance -= share;
    if (chance < 0) return act(device, random);
  }
}

/** The state of all that a device holds, as a text; null: it does not know yet. */
function stateOf(/** @type {any} */ cache) {
  const state = cache?.state;
  return state ? `${state.n} ${state.d}` : null;
}

/** What people see of a channel. */
const shown = (/** @type {any} */ room) => JSON.stringify(room.items.map((/** @type {any} */ it) =>
  [it.timetoken, it.payload, it.actions.map((/** @type {any} */ { type, value, uuid }) =>
    [type, value, uuid].join()).sort()]));

/**
 * Waits until all hold what the daemon has, as long as anything happens.
 * @param {Device[]} devices @param {Witness} witness @param {number} [idleMax] Looks.
 * @returns {Promise<string>} Empty when all are equal; else what is not.
 */
export async function settle(devices, witness, idleMax = idleDefault) {
  let [seen, idle] = ['', 0];
  for (;;) {
    const own = stateOf(witness.cache);
    const unequal = devices.filter((it) => !it.isSettled || stateOf(it.cache) !== own);
    if (own !== null && unequal.length === 0) break;
    // A ping is no progress, but some KiB are: of what comes anew nothing shows before its end.
    const now = [own, ...[witness, ...devices].map(({ link }) => Math.floor(link.received / 4096)),
      ...devices.map((it) => [it.state, it.client?.waiting, stateOf(it.cache)])].join();
    idle = now === seen ? idle + 1 : 0;
    seen = now;
    if (idle > idleMax) {
      const names = unequal.map((it) => `${it.userId} is ${it.state}, ${stateOf(it.cache)}`);
      return `the daemon has ${own}; ${names.join('; ')}`;
    }
    await pause(look);
  }
  const expected = shown(witness.room);
  const other = devices.find((it) => it.held === 0 && shown(it.room) !== expected);
  return other ? `${other.userId} shows something else` : '';
}

/**
 * One round: steps at random, then everybody comes home.
 * @param {Device[]} devices @param {Witness} witness @param {number} round @param {number} seed
 * @returns {Promise<Verdict>}
 */
export async function runRound(devices, witness, round, seed) {
  const random = seeded(seed);
  /** @type {Map<Device, Promise<any>>} A device does one thing after the other. */
  const busy = new Map();
  /** @type {string[]} */
  const faults = [];
  for (let n = 0; n < stepsOfRound; n++) {
    const device = oneOf(devices, random);
    const own = seeded(Math.floor(random() * 2 ** 32));
    const begun = (busy.get(device) ?? Promise.resolve()).then(() => step(device, own));
    // One that is killed amid its wish takes the wish along.
    busy.set(device, begun.catch((error) => {
      if (device.isRunning && device.client) faults.push(String(error?.message ?? error));
    }));
    await pause(random() * 30);
  }
  await Promise.all(busy.values());
  for (const device of devices) {
    device.setSlow(false);
    device.setOffline(false);
    await device.start();
  }
  const why = await settle(devices, witness);
  return { round, seed, isEqual: why === '', steps: stepsOfRound, why: why || faults.join('; ') };
}
