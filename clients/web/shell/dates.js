// When something was.
// @ts-check

/**
 * When a timetoken was given, to a millisecond; null where there is none yet.
 * @param {string|null|undefined} timetoken
 */
export function dateOf(timetoken) {
  // Not 1970: nothing is that old.
  return timetoken ? new Date(Number(BigInt(timetoken) / 10_000n)) : null;
}
