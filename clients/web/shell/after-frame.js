// The moment when a browser has shown what changed: for what would keep it from showing it.
// @ts-check

/** Milliseconds after which nobody waits any longer. */
const waitMax = 100;

/**
 * Resolves behind the next frame of a page that somebody sees; at once where there is none.
 * @returns {Promise<void>}
 */
export function afterFrame() {
  if (globalThis.document?.visibilityState !== 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMax);
    requestAnimationFrame(() => setTimeout(() => {
      clearTimeout(timer);
      resolve();
    }));
  });
}
