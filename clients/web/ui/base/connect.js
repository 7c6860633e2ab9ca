// Gives elements of a page their client, channel and names, in one line.
// @ts-check
import { SyncElement } from './element.js';

/**
 * Gives each element of these that is inside a place, or is it, the same properties.
 * @param {ParentNode & Node} place @param {Record<string, any>} properties `client`, `channel`,
 *   `directory`, `words`, and whatever else elements have.
 */
export function connect(place, properties) {
  const inside = [...place.querySelectorAll('*')];
  for (const element of place instanceof SyncElement ? [place, ...inside] : inside) {
    if (!(element instanceof SyncElement)) continue;
    for (const [name, value] of Object.entries(properties)) {
      if (name in element) /** @type {any} */ (element)[name] = value;
    }
  }
  // One list and one place to write belong together.
  const [lists, composers] = ['sync-messages', 'sync-composer']
    .map((name) => /** @type {any[]} */ ([...place.querySelectorAll(name)]));
  if (lists.length !== 1 || composers.length !== 1) return;
  // The one before may have been replaced.
  if (!composers[0].list?.isConnected) [composers[0].list] = lists;
}
