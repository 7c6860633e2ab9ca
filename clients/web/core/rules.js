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
    mode: said.mode === 'unique' || said.mode === 'flag' ? said.mode : 'distinct',
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
  if (rules.mode === 'flag') return { type, value: 'flag' };
  const alias = rules.aliases.find(({ name }) => name === value);
  value = alias ? alias.value : value;
  return { type, value: rules.values === 'any' ? value : canonicalEmoji(value) };
}

/**
 * Whether a reaction takes the place of the user's others.
 * @param {Rules} rules @param {{type?: string}} action
 */
export const takesPlace = (rules, { type }) => rules.mode === 'unique' && type === 'reaction';
