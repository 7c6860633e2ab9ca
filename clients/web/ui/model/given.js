// Calls what a page gave: where that fails there is what shows without it, and one warning.
// @ts-check

/**
 * What was warned of already: a list asks the same function for each of its rows.
 * @type {WeakSet<object>}
 */
const told = new WeakSet();

/**
 * Says once of each thing that a page gave that it failed.
 * @param {string} name @param {object} given @param {unknown} error
 */
function tell(name, given, error) {
  const key = Object(given) === given ? given : tell;
  if (told.has(key)) return;
  told.add(key);
  console.warn(`The page's ${name} failed; what shows without it is there instead.`, error);
}

/**
 * What comes of something that a page gave; where that throws, of what there is without it.
 * @template Result
 * @param {string} name For the warning. @param {object} given The page's function, or object.
 * @param {() => Result} ask @param {() => Result} otherwise
 * @returns {Result}
 */
export function ofPage(name, given, ask, otherwise) {
  try {
    return ask();
  } catch (error) {
    tell(name, given, error);
    return otherwise();
  }
}

/**
 * A page's words over the usual ones: what is no word, or throws, is as if it were not given.
 * @template {Record<string, any>} Words
 * @param {Words} usual @param {Record<string, any>} given
 * @returns {Words}
 */
export function wordsOver(usual, given) {
  /** @type {Record<string, any>} */
  const words = { ...usual };
  for (const [name, word] of Object.entries(given)) {
    const plain = usual[name];
    if (word === null || word === undefined || word === plain) continue;
    if (plain !== undefined && typeof word !== typeof plain) {
      tell(`words.${name}`, given, new TypeError(`It has to be a ${typeof plain}.`));
    } else if (typeof word === 'function') {
      words[name] = safeWord(name, word, plain ?? (() => ''));
    } else {
      words[name] = word;
    }
  }
  return /** @type {Words} */ (words);
}

/** @type {WeakSet<Function>} Words that cannot fail: elements hand theirs to those within. */
const safe = new WeakSet();

/** @param {string} name @param {any} word @param {any} plain */
function safeWord(name, word, plain) {
  if (safe.has(word)) return word;
  const made = (/** @type {any[]} */ ...values) =>
    ofPage(`words.${name}`, word, () => word(...values), () => plain(...values));
  safe.add(made);
  return made;
}
