// Which reactions a person is offered: what the channel's rules allow, or what the page says.
// @ts-check
import { usualReactions } from '../../core/reactions.js';

/** @typedef {import('../../core/types.js').Rules} Rules */

/**
 * @param {Rules|null|undefined} rules What there is in the channel; null: nobody knows.
 * @param {readonly string[]|null} [values] What the page offers, where the rules leave a choice.
 * @returns {{values: readonly string[], canSearch: boolean}} No values: there are no reactions.
 */
export function offeredBy(rules, values) {
  if (rules && !rules.reactions) return { values: [], canSearch: false };
  // There is one reaction, whatever it is called.
  if (rules?.mode === 'flag' || rules?.mode === 'total') {
    return { values: [rules.mode], canSearch: false };
  }
  if (!rules || !Array.isArray(rules.values)) {
    return { values: values ?? usualReactions, canSearch: true };
  }
  const allowed = new Set(rules.values);
  const chosen = (values ?? []).filter((it) => allowed.has(it));
  return { values: chosen.length > 0 ? chosen : rules.values, canSearch: false };
}
