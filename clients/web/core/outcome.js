// What a step of a channel comes to.
// @ts-check

/** @typedef {import('./types.js').Outcome} Outcome */
/** @typedef {import('./types.js').Patch} Patch */

/** @param {Partial<Outcome>} [outcome] @returns {Outcome} */
export const outcomeOf = (outcome) =>
  ({ patch: null, next: null, affected: new Set(), events: [], restored: false, ...outcome });

/**
 * The messages that a patch concerns.
 * @param {Patch} patch @returns {Set<string>|'all'}
 */
export function affectedBy(patch) {
  if (patch.clear) return 'all';
  const timetokens = [...patch.rows, ...patch.gone].map((row) => row.messageTimetoken);
  return new Set([
    ...timetokens, ...patch.dropped, ...patch.messages.map((message) => message.timetoken)]);
}
