// What elements say, in English; a page gives its own.
// @ts-check

/**
 * What each is for, and its type.
 * @typedef {{[word in keyof typeof usualWords]:
 *   (typeof usualWords)[word] extends string ? string : (typeof usualWords)[word]}} Words
 */

/** Each is a text, or makes one. */
export const usualWords = Object.freeze({
  messages: 'Messages',
  somebody: 'Somebody',
  you: 'You',
  edited: 'edited',
  deleted: 'This message was deleted.',
  sending: 'Sending…',
  empty: 'No messages yet.',
  loading: 'Loading older messages…',
  beginning: 'The beginning',
  full: 'Older messages are not kept here.',
  newest: /** @param {number} count */ (count) =>
    count > 0 ? `${count} new ${count === 1 ? 'message' : 'messages'}` : 'To the newest message',
  replies: /** @param {number} count */ (count) => `${count} ${count === 1 ? 'reply' : 'replies'}`,
  actions: 'What to do with the message',
  copy: 'Copy text',
  edit: 'Edit',
  reply: 'Reply',
  repliedTo: 'In reply to',
  earlier: 'An earlier message',
  past: 'Older messages, as they are now',
  gone: 'That message is not here any more.',
  remove: 'Delete',
  confirm: /** @param {string} label */ (label) => `Really? ${label}`,
  cancel: 'Cancel',
  flag: 'Report',
  unflag: 'Take the report back',
  flagged: 'you reported this',
  whoReacted: 'Who reacted',
  reactions: 'Reactions',
  react: 'Add a reaction',
  moreReactions: 'More emoji',
  pick: 'Pick a reaction',
  search: 'Search emoji',
  found: /** @param {number} count */ (count) =>
    count === 0 ? 'No emoji found' : `${count} emoji found`,
  tones: 'Skin tone',
  tone: /** @param {number} tone */ (tone) =>
    ['No skin tone', 'Light', 'Medium-light', 'Medium', 'Medium-dark', 'Dark'][tone],
  toggle: /** @param {string} value */ (value) => `React with ${value}`,
  authors: /** @param {string} count @param {string} value */ (count, value) =>
    `${count}: who reacted with ${value}`,
  /** @param {string[]} names @param {number} others */
  people: (names, others) =>
    names.join(', ') + (others > 0 ? ` and ${others} ${others === 1 ? 'other' : 'others'}` : ''),
  all: 'All',
  takeBack: 'Remove',
  nobody: 'Nobody reacted yet.',
  more: 'Show more',
  close: 'Close',
  message: 'Message',
  send: 'Send',
  save: 'Save',
  editing: 'Editing a message',
  typing: /** @param {string[]} names */ (names) =>
    names.length === 1 ? `${names[0]} is typing…` : `${names.join(', ')} are typing…`,
  starting: 'Starting',
  connecting: 'Connecting',
  online: 'Catching up',
  verified: 'Up to date',
  waiting: 'Offline',
  refused: 'Refused',
  closed: 'Closed',
  unsent: /** @param {number} count */ (count) => `${count} unsent`,
});
