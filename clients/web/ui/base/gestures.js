// The three ways to ask for more of something: a finger that stays, the right button, the keyboard.
// @ts-check
import { Press, pressMilliseconds } from '../model/press.js';

/**
 * Presses that somebody further inside waits for.
 * @type {WeakSet<Event>}
 */
const taken = new WeakSet();

/**
 * Calls back when somebody asks for more of what is inside an element. A click that ends a long
 * press is none.
 * @param {HTMLElement} element
 * @param {(asked: {target: HTMLElement, x: number, y: number, how: 'press'|'menu'|'key'})
 *   => boolean} asked Whether there is something to show.
 * @param {(target: HTMLElement) => unknown} [about] What a place shows: under a finger that stays
 *   it may become something else.
 * @returns {() => void} Ends it.
 */
export function onAsked(element, asked, about = () => null) {
  const ended = new AbortController();
  const { signal } = ended;
  /** @type {Press|null} */ let press = null;
  /** @type {any} */ let timer = 0;
  let wasLong = false;
  const over = () => {
    press?.end();
    press = null;
    clearTimeout(timer);
  };
  const targetOf = (/** @type {Event} */ event) =>
    /** @type {HTMLElement} */ (event.composedPath()[0]);
  element.addEventListener('pointerdown', (event) => {
    wasLong = false;
    over();
    // Who holds a mouse's button selects text.
    if (!event.isPrimary || event.pointerType === 'mouse' || taken.has(event)) return;
    taken.add(event);
    const target = targetOf(event);
    const what = about(target);
    const { clientX: x, clientY: y } = event;
    const mine = press = new Press({ x, y, at: event.timeStamp });
    timer = setTimeout(() => {
      if (!mine.isLong(event.timeStamp + pressMilliseconds)) return;
      wasLong = about(target) === what && asked({ target, x, y, how: 'press' });
    }, pressMilliseconds);
  }, { signal });
  element.addEventListener('pointermove', (event) => {
    press?.move({ x: event.clientX, y: event.clientY });
    if (press && !press.isOpen) over();
  }, { signal });
  for (const kind of ['pointerup', 'pointercancel', 'scroll']) {
    element.addEventListener(kind, over, { signal, capture: true });
  }
  element.addEventListener('click', (event) => {
    if (!wasLong) return;
    wasLong = false;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { signal, capture: true });
  element.addEventListener('contextmenu', (event) => {
    if (event.defaultPrevented) return;
    // The one that a long press, or a key, comes with.
    if (wasLong || press) {
      if (wasLong || isTouch(event)) event.preventDefault();
      if (wasLong) return;
    }
    const isKey = !(/** @type {any} */ (event).pointerType) && event.button === -1;
    if (isKey) return;
    const [x, y] = [event.clientX, event.clientY];
    if (asked({ target: targetOf(event), x, y, how: 'menu' })) event.preventDefault();
    over();
  }, { signal });
  element.addEventListener('keydown', (event) => {
    const isMenu = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    if (!isMenu || event.defaultPrevented) return;
    const target = targetOf(event);
    const { left: x, bottom: y } = target.getBoundingClientRect();
    if (asked({ target, x, y, how: 'key' })) event.preventDefault();
  }, { signal });
  return () => {
    over();
    ended.abort();
  };
}

const isTouch = (/** @type {any} */ event) => event.pointerType === 'touch';
