// A WebSocket as a connection needs it: it tells once that it opened, and once that it is over.
// @ts-check

/** @typedef {import('./options.js').Options} Options */

/** What the surroundings have; throws where they have none. */
function ownWebSocket() {
  if (typeof WebSocket === 'function') return WebSocket;
  throw new Error('There is no WebSocket here, as in Node.js before 22: ' +
    'give SyncClient one as its option WebSocket, such as that of the package ws.');
}

/**
 * What becomes of a socket. `ended` comes once: with the code and the reason of its close, or with
 * 1006 when it could not be opened.
 * @typedef {{opened: () => void, received: (data: any) => void,
 *   ended: (code: number, reason: string) => void}} Told
 */

/**
 * Opens one; throws where there is no WebSocket, or none for this address.
 * @param {Options} options @param {Told} told @returns {WebSocket}
 */
export function openSocket({ url, WebSocket: given }, told) {
  /** @type {WebSocket} */
  const socket = new (given ?? ownWebSocket())(url, ['sync.v1.json']);
  let [isOpen, isOver] = [false, false];
  const end = (/** @type {number} */ code, reason = '') => {
    if (isOver) return;
    isOver = true;
    told.ended(code, reason);
  };
  socket.onopen = () => {
    isOpen = true;
    if (!isOver) told.opened();
  };
  socket.onmessage = ({ data }) => {
    if (!isOver) told.received(data);
  };
  socket.onclose = ({ code, reason }) => end(code, reason);
  // A close event follows; but not in Node.js 20 when an attempt failed, whose readyState goes on
  // to say that it connects. What was open closes everywhere, with a code that matters.
  socket.onerror = () => {
    if (!isOpen) end(1006);
  };
  return socket;
}
