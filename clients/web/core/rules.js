// What reactions there are in a channel, as the daemon says it.
// @ts-check
import { canonicalEmoji } from './emoji.js';
import { isCount, isObject, isText } from './shapes.js';

/** @typedef {import('./types.js').Rules} Rules */

/**
 * What holds in a channel of which nothing else is said.
 * @type {Rules}
 */
export const usualRules = {
  reactions: true, mode: 'distinct', values: 'any', aliases: [], types: [], needsMessage: false,
  valuesMax: 5000, ownMax: 0, actionsMax: 0,
};

/**
 * The same, for a channel of which the daemon has not said anything yet.
 * @type {Rules}
 */
export const unknownRules = { ...usualRules };

const modes = ['unique', 'flag', 'multiple', 'total'];

/**
 * Rules of which every member is there and is one; what a newer daemon says otherwise is left out.
 * @param {any} said @returns {Rules}
 */
export function readRules(said) {
  if (!isObject(said)) return usualRules;
  const texts = (/** @type {any} */ it) => Array.isArray(it) ? it.filter(isText) : [];
  const aliases = (Array.isArray(said.aliases) ? said.aliases : []).filter(
    (/** @type {any} */ it) => isObject(it) && isText(it.name) && isText(it.value));
  return {
    reactions: said.reactions !== false,
    mode: modes.includes(said.mode) ? said.mode : 'distinct',
    values: Array.isArray(said.values) ? texts(said.values)
      : said.values === 'emoji' ? 'emoji' : 'any',
    aliases, types: texts(said.types), needsMessage: said.needsMessage === true,
    valuesMax: isCount(said.valuesMax) ? said.valuesMax : usualRules.valuesMax,
    ownMax: isCount(said.ownMax) ? said.ownMax : 0,
    actionsMax: isCount(said.actionsMax) ? said.actionsMax : 0,
  };
}

/**
 * The rules that a channel of a frame names by their place in the frame's list.
 * @param {any} channel @param {any} list @returns {Rules}
 */
export const rulesOf = (channel, list) =>
  isCount(channel.rules) && Array.isArray(list) ? readRules(list[channel.rules]) : usualRules;

/** @param {Rules} left @param {Rules} right */
export const isSameRules = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/**
 * The type and the value under which the daemon stores an action, whatever somebody calls it.
 * @param {Rules} rules @param {string} type @param {string} value
 */
export function canonicalKey(rules, type, value) {
  if (rules.types.includes(type)) type = 'reaction';
  if (type !== 'reaction') return { type, value };
  if (rules.mode === 'flag' || rules.mode === 'total') return { type, value: rules.mode };
  const alias = rules.aliases.find(({ name }) => name === value);
  value = alias ? alias.value : value;
  return { type, value: rules.values === 'any' ? value : canonicalEmoji(value) };
}

/**
 * Whether a reaction takes the place of the user's others.
 * @param {Rules} rules @param {{type?: string}} action
 */
export const takesPlace = (rules, { type }) =>
  (rules.mode === 'unique' || rules.mode === 'flag') && type === 'reaction';

/**
 * Whether each add of such an action counts.
 * @param {Rules} rules @param {string|undefined} type
 */
export const countsTaps = (rules, type) =>
  (rules.mode === 'multiple' || rules.mode === 'total') && type === 'reaction';

/**
 * Why the daemon would refuse an action that does not stand, as far as the rules tell; null when
 * they do not.
 * @param {Rules} rules @param {string} type @param {string} value Its name here.
 */
export function refusalOf(rules, type, value) {
  if (type !== 'reaction') return null;
  if (!rules.reactions) {
    return { status: 403, code: 'reactions_off', message: 'There are no reactions here.' };
  }
  const isAny = rules.mode === 'flag' || rules.mode === 'total' || !Array.isArray(rules.values);
  return isAny || rules.values.includes(value) ? null
    : { status: 400, code: 'value_not_allowed', message: `There is no reaction ${value} here.` };
}
