// What tells a copy of a channel from one that differs, in a line.
// @ts-check

/** @typedef {import('./types.js').Head} Head */

/**
 * What a cache comes to: two that have the same hold the same rows of the same part of the channel.
 * @param {Head} head
 */
export const sealOf = ({ version, key, count, digest, rest }) =>
  [version, key, count, digest, rest?.after ?? '0'].join(' ');
