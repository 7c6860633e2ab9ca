// The shapes of what the modules hand to each other; types only, nothing that runs.
// @ts-check

/**
 * A reaction that stands: one per message, type, value and user. It has a score where that is
 * not 1.
 * @typedef {{messageTimetoken: string, type: string, value: string, uuid: string,
 *   actionTimetoken: string, score?: number}} Row
 */

/**
 * A message of the cache. `uuid` is empty when nobody said who published it, `parent` the message
 * in whose thread it is a reply.
 * @typedef {{timetoken: string, uuid: string, payload: any, meta?: any,
 *   messageType?: string, parent?: string}} Message
 */

/** @typedef {'distinct'|'unique'|'flag'|'multiple'|'total'} Mode */

/**
 * What reactions there are in a channel: see docs/SEMANTICS.md.
 * @typedef {{reactions: boolean, mode: Mode, values: 'any'|'emoji'|string[],
 *   aliases: {name: string, value: string}[], types: string[], needsMessage: boolean,
 *   valuesMax: number, ownMax: number, actionsMax: number}} Rules
 */

/**
 * What rows come to: how many there are, and their digest.
 * @typedef {{n: number, d: string}} State
 */

/**
 * How much of a channel is held: the newest messages, `last` at least, `keeping` at most, more or
 * less.
 * @typedef {{last: number, keeping: number}} ChannelWindow
 */

/**
 * What became of a wish for older messages: there are more, the channel's first one is here, or no
 * more are kept; or what the daemon refused it with.
 * @typedef {'more'|'beginning'|'full'|{error: any}} OlderAnswer
 */

/**
 * Where a cache stands: what of `epoch`, and its digest there. `count` and `digest` are of
 * rows and messages. `rest` is there where it holds a part of its channel. Stores keep it as it is
 * here.
 * @typedef {{cursor: string, epoch: string|null, key: string|null, count: number, digest: string,
 *   version: number, rules?: Rules, rest?: {after: string, state: State|null, cursor: string,
 *   whole: State|null}}} Head
 */

/**
 * What one step changed in a cache. With `clear` everything was replaced. `settled` are the places
 * of entries that leave the outbox with it.
 * @typedef {{channel: string, clear: boolean, rows: Row[], gone: Row[], messages: Message[],
 *   dropped: string[], head: Head, settled: number[]}} Patch
 */

/**
 * A write on its way. `order` is its place, given by the store; `sent` says that the daemon may
 * have it; `observed` is the action that a removal is about (null: whatever the entry before it
 * adds), or what a message is later than (null: not known yet); `acknowledged` is the timetoken
 * from which on the cache reflects it, and `became` what the action counts for then; `takesOne` is
 * a removal that takes one off; `again` says that the daemon may have lost it since, and has
 * to be asked. An `edit` has its `payload` and, as the action that it becomes, its `value`; it and
 * a `delete` are about the message `messageTimetoken`. Stores keep it as it is here.
 * @typedef {{kind: 'action'|'publish'|'edit'|'delete', channel: string, mutation: string,
 *   order?: number, sent: boolean, acknowledged: string|null, again?: boolean,
 *   messageTimetoken?: string, type?: string, value?: string, present?: boolean, score?: number,
 *   became?: number, takesOne?: boolean, observed?: string|null, payload?: any,
 *   meta?: any, messageType?: string, parent?: string}} Entry
 */

/**
 * Entries to write, and mutations to forget.
 * @typedef {{put: Entry[], remove: string[]}} Edits
 */

/**
 * A reaction as a list shows it.
 * @typedef {{type: string, value: string, uuid: string, actionTimetoken: string|null,
 *   score: number, pending: boolean}} ItemAction
 */

/**
 * An action as the daemon has it.
 * @typedef {{messageTimetoken: string, type: string, value: string, uuid: string,
 *   actionTimetoken: string, score?: number}} StandingAction
 */

/**
 * Which actions are asked for: see `actions` in docs/PROTOCOL.md.
 * @typedef {{messageTimetoken?: string, type?: string|string[], value?: string|string[],
 *   userId?: string|string[], sort?: 'time'|'value'|'score', descending?: boolean, after?: string,
 *   limit?: number}} ActionsQuery
 */

/**
 * What people said of a message, summed up by the daemon as of the commit `position`: the groups
 * that most are in, 100 at most, and how many are `omitted`. `hash` is what all of them come to.
 * @typedef {{messageTimetoken: string, position: string, hash: string, omitted: number,
 *   reactions: {type: string, value: string, count: number, score: number, first: string,
 *     last: string, authors: string[], clipped: boolean}[]}} Summary
 */

/**
 * All reactions of a message with one value. `score` is what they count for, `ownScore` what the
 * user's own does, 0 without one. `first` and `last` are timetokens; null while only a
 * wish of this device is there. `authors` are the newest users, the newest first; `clipped` says
 * that there are more.
 * @typedef {{type: string, value: string, count: number, score: number, isMine: boolean,
 *   ownScore: number, isPending: boolean, first: string|null, last: string|null,
 *   authors: string[], clipped: boolean}} Reaction
 */

/**
 * A message as a list shows it. `key` stays when a message of this device gets its timetoken.
 * `payload` is that of its author's newest version, of which there are `versions`; `isDeleted`: its
 * author said that it is as good as deleted. `threadCount` is how many replies show here.
 * @typedef {{key: string, timetoken: string|null, uuid: string, payload: any, meta?: any,
 *   messageType?: string, parent?: string, pending: boolean, versions: number, isEdited: boolean,
 *   isDeleted: boolean, threadCount: number, actions: ItemAction[]}} Item
 */

/**
 * A step of a list; apply them in order. `move` takes the item from `from` to `index`.
 * @typedef {{kind: 'insert'|'update'|'move'|'remove', index: number, from?: number,
 *   item: Item}} ListChange
 */

/**
 * Somebody's reaction, in a list of people. `pending`: it is the user's own and on its way.
 * @typedef {{uuid: string, type: string, value: string, score: number,
 *   actionTimetoken: string|null, pending: boolean}} Person
 */

/**
 * A step of a list of people; apply them in order. `move` takes the person from `from` to `index`.
 * @typedef {{kind: 'insert'|'update'|'move'|'remove', index: number, from?: number,
 *   person: Person}} PersonChange
 */

/**
 * What a channel wants next: `subscribe` anew, send symbols (`repair`), or nothing. `affected` are
 * the messages that may show otherwise now, `events` what is not stored. `restored`: the server may
 * have lost what it acknowledged. `refused`: why the channel is not to be had.
 * @typedef {{patch: Patch|null, next: null|'subscribe'|'repair', affected: Set<string>|'all',
 *   events: any[], restored: boolean, refused?: any}} Outcome
 */

export {};
