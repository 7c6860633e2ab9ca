// The shapes of JSON values: what a member of a frame has to be.
// @ts-check

export const isText = (/** @type {any} */ it) => typeof it === 'string';
export const isCount = (/** @type {any} */ it) => Number.isSafeInteger(it) && it >= 0;
export const isObject = (/** @type {any} */ it) =>
  typeof it === 'object' && it !== null && !Array.isArray(it);

/** Whether it is an object of nothing but its members, of whatever window. */
export const isPlain = (/** @type {any} */ it) => isObject(it) &&
  Object.getPrototypeOf(Object.getPrototypeOf(it) ?? Object.prototype) === null;

/**
 * Whether two JSON values are the same, in whatever order their members are.
 * @param {any} left @param {any} right @returns {boolean}
 */
export function isEqual(left, right) {
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object' ||
    Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  const isSame = (/** @type {string} */ name) =>
    Object.hasOwn(right, name) && isEqual(left[name], right[name]);
  return names.length === Object.keys(right).length && names.every(isSame);
}

/** Whether it is a digest, or the key of one. */
export const isKey = (/** @type {any} */ it) => isText(it) && /^[0-9a-f]{32}$/.test(it);
/** Whether it is the `s` of a push or a reply: how many rows there are, and their digest. */
export const isState = (/** @type {any} */ it) => isObject(it) && isCount(it.n) && isKey(it.d);
