// A device of the sync daemon in a web page: what a page imports; see README.md.
// @ts-check
//
// The wire is docs/PROTOCOL.md, the mathematics docs/RECONCILIATION.md. Behind this there are two
// folders:
//
//   core/   what is decided: bytes, digest, coded symbols, cache, outbox, list, the conversation
//           about a channel. No I/O, no clock, no randomness: it runs wherever JavaScript runs.
//   shell/  what acts: stores (IndexedDB, memory), tabs (Web Locks, BroadcastChannel), the
//           connection, and the client that is made of them. It starts at client.js.
//
// A timetoken is a string of decimal digits everywhere: it does not fit into a number.

export { canonicalEmoji } from './core/emoji.js';
export {
  countText, reactionOrders, reactionsOf, usualReactions,
} from './core/reactions.js';
export {
  CacheOwnerError, LostWritesError, OutboxFullError, RefusedError, UnreadableError,
} from './core/errors.js';
export { Channel } from './shell/channel.js';
export { SyncClient } from './shell/client.js';
export { dateOf } from './shell/dates.js';
export { Directory } from './shell/directory.js';
