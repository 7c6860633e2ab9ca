// How long to wait before something is tried again.
// @ts-check

/** Milliseconds. */
const commandDelayMax = 30_000;

/**
 * Milliseconds to wait before the next connection; null when the client has to be mended first.
 * @param {number} code The close code. @param {number} attempt From 0. @param {number} random
 */
export function retryDelay(code, attempt, random) {
  if ([1003, 1007, 1008, 1009].includes(code)) return null;
  if (code === 1001 && attempt === 0) return 1000 * random;
  return random * Math.min(30_000, 500 * 2 ** attempt);
}

/**
 * Milliseconds to wait before a command is sent again that was refused for now: longer each time,
 * and not less than the daemon asks for.
 * @param {any} error @param {number} attempt From 0. @param {number} random
 */
export function commandDelay(error, attempt, random) {
  const own = Math.min(commandDelayMax, 500 * 2 ** attempt) * (0.5 + random / 2);
  const { retryAfter } = error ?? {};
  if (!(typeof retryAfter === 'number' && retryAfter > 0)) return own;
  return Math.max(own, Math.min(commandDelayMax, 1000 * retryAfter) * (1 + random / 4));
}
