// What each element has, for the page that shows them and for the README's reader.
// @ts-check

/**
 * @typedef {{name: string, about: string, code: string, properties: [string, string][],
 *   events: [string, string][], slots: string, parts: string}} Reference
 */

/**
 * What all of them have.
 * @type {[string, string][]}
 */
export const shared = [
  ['client, channel, directory', 'a SyncClient, what client.channel() gave, a Directory'],
  ['userId', 'whose reactions are one’s own; the client’s'],
  ['words', 'texts in another language, as usualWords has them'],
  ['sync-problem', 'event: a wish was refused, or came to nothing; detail.error says why'],
];

/** @type {Reference[]} */
export const references = [
  { name: 'sync-reactions',
  about: 'What people said of a message: one bubble for each value. A tap '
      + 'on it makes it mine, its count or a long press says who reacted.',
  code: '<sync-reactions timetoken="17952187953729999" order="count"></sync-reactions>',
  properties: [['item', 'the message; or timetoken="…" with a channel'],
    ['reactions', 'groups without a client, as reactionsOf makes them'],
    ['order', 'a comparator, a name of reactionOrders, or values in their order'],
    ['icons', 'pictures by values: an emoji, an address, a node, or a function'],
    ['max', '99: above it a count has a plus'],
    ['limit', '24: so many bubbles, and one’s own; more on demand. 0: all'],
    ['counts', 'authors: a count opens who reacted; toggle: as the rest; by the pointer else'],
    ['add', 'always, filled (where there are some) or never'],
    ['axis', 'column: one below the other'], ['readonly', 'nothing can be changed']],
  events: [['sync-react', 'item, value, present; prevent it to act yourself'],
    ['sync-pick', 'item, about: the plus'], ['sync-authors', 'item, value']],
  slots: 'before, add, after',
  parts: 'bar, bubble (own, pending), toggle, icon, who, count, add, more' },
  { name: 'sync-reaction-picker',
  about: 'What one may say: the six usual ones, the channel’s, or '
      + 'those of the page, and behind the plus every emoji, with a search and skin tones.',
  code: 'picker.attach(element, (target) => ({ item, about: target })); // or by show(about)',
  properties: [['item', 'the message'], ['values', 'what is offered, where the channel allows all'],
    ['icons', 'as above'], ['actions', '[{ id, label, isDangerous, run }]: what else can be done'],
    ['inline', 'in the page, instead of above it'],
    ['show(about), hide(), attach(element, found)', '']],
  events: [['sync-react', 'item, value'], ['sync-open, sync-close', '']],
  slots: 'before, plus, actions',
  parts: 'picker, row, choice (own, word), plus, panel, search, grid, group, heading, tones, tone, '
    + 'actions, action (danger)' },
  { name: 'sync-reaction-authors',
  about: 'Who reacted, the newest first, by value, as it changes: '
      + 'with names and pictures, and page by page.',
  code: 'authors.item = item; authors.show(list);',
  properties: [['item', 'the message'], ['value', 'whose people show; null: all'],
    ['order', 'of the tabs, of which 24 show, more on demand'],
    ['page', '25: how many come at a time'], ['inline', 'as above']],
  events: [['sync-react', 'item, value, present: false'], ['sync-close', '']],
  slots: 'before, close',
  parts: 'sheet, top, tabs, tab, more-tabs, close, panel, people, person (own, pending), avatar, '
    + 'name, value, time, take-back, nobody, more' },
  { name: 'sync-messages',
  about: 'The messages of a channel: of however many only those in sight are '
      + 'there. Older ones come as one scrolls up; arrows go from message to message.',
  code: 'connect(document.body, { client, channel: client.channel(\'room\'), directory });',
  properties: [['order, icons, limit, counts, max', 'of the reactions'],
    ['values', 'of the picker'],
    ['pieces', '{ text, author, avatar, time, footer }: functions of an item'],
    ['actions', 'a function of an item: what can be done with it'],
    ['page', '50: older messages at a time'], ['readonly, no-reactions', ''],
    ['flags', 'what others wrote can be reported: an action of the type flag'],
    ['toNewest(), reveal(timetoken)', ''],
    ['jump(timetoken)', 'to a message anywhere in the channel; what is not held does not change, '
      + 'what is gone is said']],
  events: [['sync-reply, sync-edit, sync-delete, sync-thread', 'item'],
    ['sync-flag', 'item, present'],
    ['sync-pick, sync-authors', 'item']],
  slots: 'before, empty, notice, newest, after',
  parts: 'log, notice, message (own, pending, first, deleted, found), day, avatar, header, '
    + 'author, time, quote, text, state, reactions, footer, thread, react, newest, past, back, '
    + 'empty; reaction-…, picker-…, sheet-…' },
  { name: 'sync-composer',
  about: 'Where a message is written. Enter sends, Shift and Enter begins a '
      + 'line; who types says so.',
  code: '<sync-composer placeholder="Message"></sync-composer>',
  properties: [['value', 'the text'], ['editing', 'a message of one’s own that is written anew'],
    ['parent', 'a message that is replied to'],
    ['payloadOf', 'a function: what is published of a text'],
    ['list', 'the sync-messages whose replies and edits it writes; connect finds it'],
    ['cancel()', 'ends an edit, for what was typed before; or replies to nobody'],
    ['silent', 'nobody hears that one types'], ['disabled, placeholder', '']],
  events: [['sync-send', 'text, payload, editing, parent; prevent it to act yourself']],
  slots: 'before, after, send', parts: 'form, field, send, about, about-text, cancel' },
  { name: 'sync-status',
  about: 'How the device stands, what is unsent, and who types.',
  code: '<sync-status></sync-status>',
  properties: [['state', 'verified, online, connecting, waiting (also when the browser says that '
    + 'there is no network), refused, closed']],
  events: [], slots: 'dot, and what is inside',
  parts: 'status, pill (good, warn, bad, and the state), dot, word, unsent, typing' },
];
