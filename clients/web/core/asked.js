// Questions about reactions: what can be one, and the names by which what it asks for may stand.
// @ts-check
import { canonicalEmoji } from './emoji.js';
import { checkMembers, checkText, typeMax } from './names.js';
import { canonicalKey } from './rules.js';
import { isCount, isText } from './shapes.js';

/** @typedef {import('./types.js').Rules} Rules */
/** @typedef {{value?: string|string[], type?: string, limit?: number}} PeopleQuery */

/** People of a list that shows them, unless the page says otherwise. */
const peopleShown = 25;

/**
 * Whose reactions are asked for: each has the type and one of the values, where there are any.
 * Throws what can be no such list.
 * @param {PeopleQuery} query @returns {{type: string, values: string[]|null, limit: number}}
 */
export function peopleOf(query) {
  checkMembers('The options of people', query, ['value', 'type', 'limit']);
  const { value, type = 'reaction', limit = peopleShown } = query;
  checkText('The type of a reaction', type, typeMax);
  if (!isCount(limit) || limit < 1) throw new RangeError('limit is a whole number from 1 on.');
  if (value === undefined) return { type, values: null, limit };
  const values = [value].flat();
  if (!values.every(isText)) throw new TypeError('A value is a text, or a list of texts.');
  if (values.length === 0 || values.includes('')) {
    throw new RangeError('One value at least is asked for, and none is empty.');
  }
  return { type, values, limit };
}

/**
 * Types by every name that they may stand under: what was there before the rules has its own still.
 * @param {Rules} rules @param {readonly string[]} types
 */
export const askedTypes = (rules, types) =>
  [...new Set(types.flatMap((it) => [it, canonicalKey(rules, it, '').type]))];

/**
 * Values of reactions by every name that they may stand under: the one that is asked for, what it
 * means, and as `react` would spell it.
 * @param {Rules} rules @param {readonly string[]} values
 */
export const askedValues = (rules, values) => [...new Set(values.flatMap((it) => {
  const { value } = canonicalKey(rules, 'reaction', it);
  return [it, value, canonicalEmoji(value)];
}))];

/**
 * A question for the daemon, which knows all names of a value but not that another client wrote an
 * emoji in another spelling: by both. What the daemon does not take it says itself.
 * @param {Rules} rules @param {Record<string, any>} query @returns {Record<string, any>}
 */
export function spelled(rules, query) {
  const { type, value } = query;
  const [types, values] = [[type ?? []].flat(), [value ?? []].flat()];
  if (![...types, ...values].every(isText)) return query;
  if (types.length > 0 && !askedTypes(rules, types).includes('reaction')) return query;
  const all = [...new Set(values.flatMap((it) => [it, canonicalEmoji(it)]))];
  return all.every((it) => values.includes(it)) ? query : { ...query, value: all };
}
