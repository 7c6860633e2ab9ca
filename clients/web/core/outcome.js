// What a step of a channel comes to.
// @ts-check

/** @typedef {import('./types.js').Outcome} Outcome */

/** @param {Partial<Outcome>} [outcome] @returns {Outcome} */
export const outcomeOf = (outcome) =>
  ({ patch: null, next: null, affected: new Set(), events: [], restored: false, ...outcome });
