// The web components of the sync client: what a page imports to have all of them; see README.md.
// @ts-check
//
// Each `sync-….js` beside this defines one element, and may be imported alone. Behind them:
//
//   base/    what all share: properties, frames, tokens, words, what floats, gestures
//   model/   what is decided: orders, heights, days, emoji; without a page, so that Node.js runs it
//   parts/   what elements are made of: rows, faces, the emoji panel, the viewport
//   styles/  how each looks

export { SyncComposer } from './sync-composer.js';
export { SyncMessages } from './sync-messages.js';
export { SyncReactionAuthors } from './sync-reaction-authors.js';
export { SyncReactionPicker } from './sync-reaction-picker.js';
export { SyncReactions } from './sync-reactions.js';
export { SyncStatus } from './sync-status.js';
export { connect } from './base/connect.js';
export { usualWords } from './base/words.js';
export { threadOf } from './model/thread.js';
