// Tells when the machine may have a network again, or this page its turn.
// @ts-check

/** @param {() => void} callback @returns {() => void} Ends it. */
export function onWakeup(callback) {
  const heard = (/** @type {any} */ event) => {
    const isHidden = globalThis.document?.visibilityState === 'hidden';
    if (event.type === 'visibilitychange' && isHidden) return;
    callback();
  };
  /** @type {[any, string[]][]} */
  const sources = [
    [globalThis, ['online', 'pageshow']],
    [globalThis.document, ['visibilitychange', 'resume']],
  ];
  for (const [source, kinds] of sources) {
    for (const kind of kinds) source?.addEventListener?.(kind, heard);
  }
  return () => {
    for (const [source, kinds] of sources) {
      for (const kind of kinds) source?.removeEventListener?.(kind, heard);
    }
  };
}
