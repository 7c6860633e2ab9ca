// What floats above a page: beside what it is about, until people turn elsewhere.
// @ts-check
import { make } from './dom.js';

/** CSS pixels between what floats, what it is about, and the edges of the page. */
const gap = 8;

/**
 * Where something of a size opens: above a place, or below it where there is no room, inside the
 * page.
 * @param {{left: number, right: number, top: number, bottom: number}} about
 * @param {{width: number, height: number}} size
 * @param {{width: number, height: number}} page @param {boolean} isRightToLeft
 * @returns {{left: number, top: number}}
 */
export function placeFor(about, { width, height }, page, isRightToLeft) {
  const start = isRightToLeft ? about.right - width : about.left;
  const left = Math.max(gap, Math.min(start, page.width - width - gap));
  const isRoomAbove = about.top - height - gap >= 0;
  const below = Math.min(about.bottom + gap, page.height - height - gap);
  return { left, top: isRoomAbove ? about.top - height - gap : Math.max(gap, below) };
}

/**
 * The one that is open.
 * @type {Float|null}
 */
let open = null;

/** A panel of an element that floats while it is open. */
export class Float {
  /** What it shows is put in here. */
  panel;
  /** @type {HTMLElement|null} Who had the focus. */ #before = null;
  #element;
  #closed;
  #place = () => {};
  #isOpen = false;
  #listening = new AbortController();

  /**
   * @param {import('./element.js').SyncElement} element Whose root it is in.
   * @param {string} part @param {() => void} closed It is not open any more.
   */
  constructor(element, part, closed) {
    this.#element = element;
    this.#closed = closed;
    // Not "auto": that one would go when the finger goes that opened it.
    this.panel = make('div', { part, role: 'dialog', class: 'float', popover: 'manual' });
    element.root.append(this.panel);
  }

  get isOpen() {
    return this.#isOpen;
  }

  /**
   * Opens it, or moves it.
   * @param {() => {left: number, right: number, top: number, bottom: number}|null} about
   * @param {'beside'|'sheet'} how Beside what it is about, or at the foot of it.
   */
  open(about, how = 'beside') {
    const { panel } = this;
    // The element went meanwhile.
    if (!panel.isConnected) return;
    if (!this.isOpen) {
      open?.close();
      open = this;
      this.#before = focused();
      this.#isOpen = true;
      /** @type {any} */ (panel).showPopover();
      this.#listen();
    }
    this.#place = () => {
      const place = about();
      if (!place) return;
      if (how === 'sheet') this.#atFoot(place);
      else this.#beside(place);
    };
    this.move();
  }

  /** Whoever turns elsewhere closes it. */
  #listen() {
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    addEventListener('resize', () => this.move(), { signal });
    addEventListener('scroll', () => this.move(), { signal, capture: true, passive: true });
    const isOutside = (/** @type {Event} */ event) => !event.composedPath().includes(this.panel);
    addEventListener('pointerdown', (event) => {
      if (isOutside(event)) this.close();
    }, { signal, capture: true });
    addEventListener('focusin', (event) => {
      if (isOutside(event)) this.close();
    }, { signal });
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
    }, { signal, capture: true });
  }

  /** Puts it where it belongs, after its size or the page's is another. */
  move() {
    if (this.isOpen) this.#place();
  }

  /** @param {{left: number, right: number, top: number, bottom: number}} about */
  #beside(about) {
    const { panel } = this;
    const size = { width: panel.offsetWidth, height: panel.offsetHeight };
    const page = { width: document.documentElement.clientWidth, height: innerHeight };
    const { left, top } = placeFor(about, size, page, this.#element.isRightToLeft);
    Object.assign(panel.style, { left: `${left}px`, top: `${top}px` });
  }

  /** @param {{left: number, right: number, bottom: number}} about */
  #atFoot({ left, right, bottom }) {
    const page = document.documentElement.clientWidth;
    const end = Math.min(bottom, innerHeight);
    const isNarrow = page < 480;
    Object.assign(this.panel.style, {
      left: `${isNarrow ? 0 : left}px`, width: `${isNarrow ? page : right - left}px`,
      bottom: `${isNarrow ? 0 : innerHeight - end}px`, top: 'auto',
    });
  }

  close() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#listening.abort();
    if (open === this) open = null;
    const before = this.#before;
    this.#before = null;
    // Who went elsewhere by themselves stay there.
    const now = focused();
    const isLost = !now || now === document.body || this.panel.contains(now);
    // What was removed with its element is closed already.
    if (this.panel.isConnected) /** @type {any} */ (this.panel).hidePopover();
    if (isLost && before?.isConnected) before.focus({ preventScroll: true });
    this.#closed();
  }
}

/**
 * What has the focus, in whatever shadow.
 * @returns {HTMLElement|null}
 */
export function focused() {
  let it = /** @type {any} */ (document.activeElement);
  while (it?.shadowRoot?.activeElement) it = it.shadowRoot.activeElement;
  return it;
}

/**
 * Whether an element, or what is in it in whatever shadow, has the focus.
 * @param {HTMLElement} element
 */
export function focusIsIn(element) {
  /** @type {any} */ let it = focused();
  while (it && !element.contains(it)) it = it.getRootNode().host ?? null;
  return it !== null;
}

/**
 * Has what changes children that may have the focus leave it to the next one of them, or to what
 * there is instead.
 * @param {HTMLElement} parent @param {() => void} change @param {() => HTMLElement|null} instead
 */
export function keepingFocus(parent, change, instead) {
  const buttons = () => [...parent.querySelectorAll('button')].filter((it) => !it.hidden);
  const before = focused();
  const index = parent.contains(before) ? buttons().indexOf(/** @type {any} */ (before)) : -1;
  change();
  if (index < 0 || (before?.isConnected && !before.hidden)) return;
  const left = buttons();
  (left[index] ?? left.at(-1) ?? instead())?.focus({ preventScroll: true });
}

/** The style of what floats. */
export const floatStyle = `
.float {
  position: fixed; inset: auto; margin: 0; padding: var(--_step); border: 1px solid var(--_line);
  border-radius: var(--_radius); background: var(--_raised); color: var(--_ink);
  box-shadow: var(--_shadow); overflow: hidden auto; max-inline-size: calc(100vw - 16px);
  max-block-size: calc(100dvh - 16px);
  opacity: 1; transition: opacity var(--_motion), translate var(--_motion);
  font: var(--_size) / 1.45 var(--_font);
}
/* A page may dim or blur what is behind. */
.float::backdrop {
  background: var(--sync-backdrop, transparent);
  backdrop-filter: var(--sync-backdrop-filter, none);
}
@starting-style { .float:popover-open { opacity: 0; translate: 0 4px; } }
`;
