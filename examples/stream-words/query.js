// What Stream's queryReactions asks for, as the daemon is asked for it.
// @ts-check

/** @typedef {import('../../clients/web/syncclient.js').ActionsQuery} ActionsQuery */
/** @typedef {string|{$in?: string[], $eq?: string}} Condition */
/** @typedef {{type?: Condition, user_id?: Condition}} Filter */
/** @typedef {{created_at?: 1|-1, score?: 1|-1}} Sort */

/**
 * Throws what is no object of these members: what is not known is not passed over.
 * @param {string} what @param {any} it @param {string[]} known
 */
function check(what, it, known) {
  const isObject = typeof it === 'object' && it !== null && !Array.isArray(it);
  const other = isObject ? Object.keys(it).find((name) => !known.includes(name)) : undefined;
  if (isObject && other === undefined) return;
  const found = other ?? JSON.stringify(it);
  throw new Error(`queryReactions: ${what} is by ${known.join(' or ')} here, not ${found}.`);
}

/**
 * @param {string} name @param {Condition|undefined} condition
 * @returns {string|string[]|undefined}
 */
function valuesOf(name, condition) {
  if (condition === undefined || typeof condition === 'string') return condition;
  check(`the filter ${name}`, condition, ['$eq', '$in']);
  const { $eq: one, $in: list } = condition;
  const isOne = typeof one === 'string' && list === undefined;
  const isList = one === undefined && Array.isArray(list) && list.length > 0 &&
    list.every((it) => typeof it === 'string');
  if (isOne || isList) return one ?? list;
  throw new Error(`queryReactions: the filter ${name} is a text, or one list of texts in $in.`);
}

/**
 * The order: by one of two, the newest first where nothing is said. Throws any other.
 * @param {Sort|Sort[]} sort @returns {{sort?: 'score', descending: boolean}}
 */
function orderOf(sort) {
  const [order = { created_at: -1 }, ...more] = [sort].flat();
  check('the order', order, ['created_at', 'score']);
  const [[name, direction] = ['created_at', -1], ...others] = Object.entries(order);
  if (more.length > 0 || others.length > 0) {
    throw new Error('queryReactions: the order is by one field; equal scores are in that of time.');
  }
  if (direction !== 1 && direction !== -1) {
    throw new Error(`queryReactions: the order ${name} is 1 or -1, not ${direction}.`);
  }
  return { ...name === 'score' ? { sort: 'score' } : {}, descending: direction === -1 };
}

/**
 * @param {string} messageTimetoken @param {Filter} filter @param {Sort|Sort[]} sort
 * @param {{limit?: number, next?: string}} options @returns {ActionsQuery}
 */
export function actionsQuery(messageTimetoken, filter, sort, options) {
  check('a filter', filter, ['type', 'user_id']);
  check('a page', options, ['limit', 'next']);
  const [value, userId] = [valuesOf('type', filter.type), valuesOf('user_id', filter.user_id)];
  const { limit = 10, next } = options;
  return { messageTimetoken, type: 'reaction', limit, ...orderOf(sort),
    ...value === undefined ? {} : { value }, ...userId === undefined ? {} : { userId },
    ...next === undefined ? {} : { after: next } };
}
