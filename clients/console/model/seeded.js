// Chance that can be had again: the same seed, the same choices.
// @ts-check

/**
 * Numbers from 0 up to 1 (mulberry32).
 * @param {number} seed
 */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 0x6d2b79f5 >>> 0;
    let it = Math.imul(state ^ state >>> 15, state | 1);
    it ^= it + Math.imul(it ^ it >>> 7, it | 61);
    return ((it ^ it >>> 14) >>> 0) / 4294967296;
  };
}

/** @template It @param {readonly It[]} list @param {() => number} random */
export const oneOf = (list, random) => list[Math.floor(random() * list.length)];
