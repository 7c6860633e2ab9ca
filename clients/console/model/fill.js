// Enough messages for several segments, with reactions, by one device as long as it runs.
// @ts-check

/** @typedef {import('./device.js').Device} Device */

/** Messages that make a channel of several segments, and how many get a reaction. */
export const filling = { messages: 400, reactions: 200 };

/** Messages that are on their way at a time: there is room for 1,000 wishes. */
const atOnce = 100;

/** Milliseconds between two looks at the device. */
const look = 25;

/**
 * Rejects when the device is killed meanwhile: what its page owes then never comes.
 * @param {Device} device @param {{messages: number, reactions: number}} [count]
 */
export async function fill(device, count = filling) {
  const { client, room } = device;
  if (!client || !room) throw new Error('Fill needs a device that runs.');
  /** @type {any} */ let timer;
  const gone = new Promise((_, reject) => {
    timer = setInterval(() => {
      if (device.client !== client) reject(new Error(`${device.title} was killed amid Fill.`));
    }, look);
  });
  const orGone = (/** @type {Promise<any>} */ wish) => Promise.race([wish, gone]);
  /** All that was wished is answered, and here. */
  const answered = async () => {
    while (client.waiting > 0 || !room.isVerified) {
      await orGone(new Promise((resolve) => setTimeout(resolve, look)));
    }
  };
  try {
    const before = new Set(room.items.map((/** @type {any} */ it) => it.timetoken));
    for (let n = 1; n <= count.messages; n++) {
      await orGone(room.publish({ text: `One of many: ${n}` }));
      if (n % atOnce === 0) await answered();
    }
    await answered();
    // A message that has no timetoken yet can have no reaction.
    const own = room.items.filter((/** @type {any} */ it) => it.timetoken &&
      it.uuid === device.userId && !before.has(it.timetoken)).slice(-count.reactions);
    for (const { timetoken } of own) await orGone(room.react(timetoken, '👍'));
    await answered();
  } finally {
    clearInterval(timer);
    gone.catch(() => {});
  }
}
