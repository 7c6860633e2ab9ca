// Small words for making and changing what a page shows, touching it only where it changes.
// @ts-check

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, any>} [attributes] A member `on` has its listeners.
 * @param {...(Node|string|null)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [kind, listener] of Object.entries(value)) {
        element.addEventListener(kind, /** @type {any} */ (listener));
      }
    } else {
      setAttribute(element, name, value);
    }
  }
  element.append(...children.flatMap((it) => it ?? []));
  return element;
}

/**
 * Null and false take an attribute away.
 * @param {Element} element @param {string} name @param {string|number|boolean|null|undefined} value
 */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? '' : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/**
 * A whole number that an attribute says; of one that is none, or too small, the usual one.
 * @param {Element} element @param {string} name @param {number} usual @param {number} [least]
 */
export function wholeOf(element, name, usual, least = 1) {
  const text = element.getAttribute(name)?.trim() ?? '';
  const number = Number(text);
  return text !== '' && Number.isSafeInteger(number) && number >= least ? number : usual;
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Has an element exactly these children, moving no one that is in its place: so that what has the
 * focus, or a finger on it, keeps it.
 * @param {Element} parent @param {readonly Node[]} children
 */
export function setChildren(parent, children) {
  const wanted = new Set(children);
  for (const it of [...parent.childNodes]) if (!wanted.has(it)) it.remove();
  for (const [index, child] of children.entries()) {
    const there = parent.childNodes[index] ?? null;
    if (there !== child) parent.insertBefore(child, there);
  }
}

/**
 * What a renderer of the page made, or what there is otherwise.
 * @param {Element} place @param {Node|string|number|null|undefined} made
 */
export function fill(place, made) {
  if (typeof made === 'number') made = String(made);
  if (made === null || made === undefined) setChildren(place, []);
  else if (typeof made !== 'string') setChildren(place, [made]);
  else if (place.childElementCount > 0 || place.textContent !== made) place.textContent = made;
}

/**
 * The one among siblings that an arrow key goes to: left and right, or up and down by where they
 * are on the screen.
 * @param {string} key @param {readonly HTMLElement[]} items @param {Element|null} current
 * @param {boolean} isRightToLeft
 * @returns {HTMLElement|null}
 */
export function neighbour(key, items, current, isRightToLeft) {
  const at = items.indexOf(/** @type {HTMLElement} */ (current));
  const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight';
  const back = isRightToLeft ? 'ArrowRight' : 'ArrowLeft';
  if (key === 'Home') return items[0] ?? null;
  if (key === 'End') return items[items.length - 1] ?? null;
  if (at < 0) return key.startsWith('Arrow') ? items[0] ?? null : null;
  if (key === forward) return items[at + 1] ?? items[at];
  if (key === back) return items[at - 1] ?? items[at];
  if (key === 'ArrowDown') return above(items.slice(at + 1), items[at], 1);
  if (key === 'ArrowUp') return above(items.slice(0, at).reverse(), items[at], -1);
  return null;
}

/**
 * The nearest in the next line of a grid.
 * @param {HTMLElement[]} rest Behind the current one, or before it, the nearest first.
 * @param {HTMLElement} current @param {1|-1} way
 */
function above(rest, current, way) {
  const { left, top, height } = current.getBoundingClientRect();
  let best = null;
  let [line, distance] = [0, Infinity];
  for (const it of rest) {
    const place = it.getBoundingClientRect();
    const down = (place.top - top) * way;
    if (down < height / 2) continue;
    if (best && down > line + height / 2) break;
    line = down;
    const away = Math.abs(place.left - left);
    if (away < distance) [best, distance] = [it, away];
  }
  return best;
}
