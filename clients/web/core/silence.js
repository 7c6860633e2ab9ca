// What it means that the daemon is silent.
// @ts-check

/** How many times longer a reply may take while other frames come: it may be behind them. */
const busyFactor = 4;
/** Seconds that the daemon has to say something after it was asked. */
const answerSeconds = 10;

/**
 * A network that swallows everything closes nothing: silence has to be noticed, and so has a
 * daemon that takes commands and does not answer. All times are in seconds.
 * @param {number} silence Since the last frame.
 * @param {number} waited For the oldest reply that is owed; 0 when none is.
 * @param {number} limit How long a reply may take, and a connection to open.
 * @param {number} heartbeat Silence after which to ask; infinite: the connection is not open yet.
 * @returns {'fine'|'ask'|'gone'|'unanswered'}
 */
export function silenceMeans(silence, waited, limit, heartbeat) {
  if ((waited >= limit && silence >= limit) || waited >= busyFactor * limit) return 'unanswered';
  if (silence > (heartbeat === Infinity ? limit : heartbeat + answerSeconds)) return 'gone';
  return silence > heartbeat ? 'ask' : 'fine';
}
