// When something was.
// @ts-check

/**
 * When a timetoken was given, to a millisecond.
 * @param {string} timetoken
 */
export function dateOf(timetoken) {
  return new Date(Number(BigInt(timetoken) / 10_000n));
}
