// Runs code of the page.
// @ts-check

/**
 * What it throws is reported there, and stops nothing here.
 * @param {() => void} callback
 */
export function callSafely(callback) {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
