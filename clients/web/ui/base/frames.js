// Renders what changed once per frame, and what that changes in the same one.
// @ts-check

/** How long a page that nobody sees may wait for what changed, in milliseconds. */
const hiddenDelay = 200;

/** @type {Set<{render: () => void}>} */
const changed = new Set();
let isAsked = false;

/**
 * Has something rendered with the next frame, however often it is said.
 * @param {{render: () => void}} element
 */
export function inNextFrame(element) {
  changed.add(element);
  if (isAsked) return;
  isAsked = true;
  // Frames of a page that nobody sees may never come.
  if (document.visibilityState === 'hidden') setTimeout(renderChanged, hiddenDelay);
  else requestAnimationFrame(renderChanged);
}

/** What is rendered may say that more changed: the loop comes to that, too. */
export function renderChanged() {
  isAsked = true;
  for (const element of changed) {
    changed.delete(element);
    try {
      element.render();
    } catch (error) {
      // As an error in a callback of the page's own would be.
      queueMicrotask(() => { throw error; });
    }
  }
  isAsked = false;
}
