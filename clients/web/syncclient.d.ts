// What syncclient.js offers to a page, for TypeScript.

/** A position in the daemon's one order: decimal digits, never a number. */
export type Timetoken = string;

export type Status = 'starting' | 'connecting' | 'online' | 'waiting' | 'refused' | 'closed';

export interface SyncClientOptions {
  /** As in ws://HOST:PORT/v1/sync; /v1/sync where the page's own host has the daemon. */
  url: string;
  userId: string;
  /** Names the device for ever; made and kept in the cache when it is not given. */
  deviceId?: string;
  /** The tenant, where the daemon has keysets configured. */
  keyset?: string;
  /** What the tenant's owner asks of those who publish, if anything. */
  publishKey?: string;
  /**
   * What the tenant's backend gave the user, where the tenant admits nobody without a token; or
   * what gets one from there: it is called before each connection, and again before the token's
   * time is over. When it gives none within 15 seconds, or no token, it is called again later.
   */
  token?: string | (() => string | Promise<string>);
  /**
   * The IndexedDB database, one for each user, keyset and server; without it nothing outlives the
   * page.
   */
  cache?: string | null;
  /** Milliseconds that events may wait for more. */
  batch?: number;
  /** Whether a batch may be only its net effect. */
  coalesce?: boolean;
  /** How long the daemon may be silent while it owes a reply; 15. */
  replySeconds?: number;
  /** How many writes may wait; 1000. */
  outboxMax?: number;
  /** For other surroundings than a page, such as tests. */
  store?: object;
  /** Node.js before 22 has none of its own. */
  WebSocket?: new (url: string, protocols: string[]) => object;
  random?: () => number;
}

export interface ItemAction {
  readonly type: string;
  readonly value: string;
  readonly uuid: string;
  /** Null while it is on its way. */
  readonly actionTimetoken: Timetoken | null;
  /** What it counts for: 1, unless somebody said otherwise or adds count. */
  readonly score: number;
  readonly pending: boolean;
}

/** All reactions of a message with one value. */
export interface Reaction {
  readonly type: string;
  readonly value: string;
  readonly count: number;
  /** What they count for together. */
  readonly score: number;
  readonly isMine: boolean;
  /** What the user's own counts for; 0 without one. */
  readonly ownScore: number;
  readonly isPending: boolean;
  /** Null while only a wish of this device is there. */
  readonly first: Timetoken | null;
  readonly last: Timetoken | null;
  /** The newest users, ten at most, the newest first; this one while its reaction is on its way. */
  readonly authors: readonly string[];
  /** Whether there are more than those. */
  readonly clipped: boolean;
}

type ReactionOrder = (left: Reaction, right: Reaction) => number;

/**
 * The reactions of a message, one for each type and value, in the order of `first`; what its author
 * made of it (actions of the types `edited` and `deleted`) is none. With the client's
 * user it costs as much as there are values, however many reactions there are.
 */
export function reactionsOf(item: Item, userId: string): Reaction[];
/** Orders for `Array.prototype.sort`; each is total, so that nothing changes places by itself. */
export const reactionOrders: {
  readonly first: ReactionOrder;
  readonly latest: ReactionOrder;
  readonly count: ReactionOrder;
  readonly score: ReactionOrder;
  readonly value: ReactionOrder;
  readonly fixed: (values: readonly string[]) => ReactionOrder;
};
/** What people are offered where nobody decided otherwise. */
export const usualReactions: readonly string[];
/** A count as it is shown: 99+ for more than `most`. */
export function countText(count: number, most?: number): string;
/**
 * When a timetoken was given, to a millisecond; null where there is none yet (`null`, an empty text),
 * as of what is on its way.
 */
export function dateOf<T extends Timetoken | null | undefined>(
  timetoken: T,
): T extends Timetoken ? Date : null;

/** A message as a list shows it. */
export interface Item<Payload = any> {
  /** Stays when a message of this device gets its timetoken. */
  readonly key: string;
  /** Null while it is on its way. */
  readonly timetoken: Timetoken | null;
  /** Empty when nobody said who published it. */
  readonly uuid: string;
  /** As its author's newest version has it. */
  readonly payload: Payload;
  readonly meta?: any;
  readonly messageType?: string;
  /** The message in whose thread this one is a reply. */
  readonly parent?: Timetoken;
  readonly pending: boolean;
  /** How often its author gave it another payload, an edit on its way included. */
  readonly versions: number;
  /** Whether its author did. */
  readonly isEdited: boolean;
  /** Whether its author said that it is as good as deleted: an action of the type `deleted`. */
  readonly isDeleted: boolean;
  /** Replies in its thread that show here, those on their way included. */
  readonly threadCount: number;
  /** One by one, as they were added; made when it is asked for. */
  readonly actions: readonly ItemAction[];
}

/** A step of a list; apply them in order. */
export type ListChange<Payload = any> =
  | {
    readonly kind: 'insert' | 'update' | 'remove';
    readonly index: number;
    readonly item: Item<Payload>;
  }
  | {
    readonly kind: 'move';
    readonly from: number;
    readonly index: number;
    readonly item: Item<Payload>;
  };

/** What is not stored, as docs/PROTOCOL.md has it: a signal, presence, a message with store=0. */
export interface WireEvent {
  /** 1 for a signal; absent for presence and messages. */
  readonly e?: number;
  readonly f: 1;
  readonly i?: string;
  readonly p: { readonly t: Timetoken };
  readonly c: string;
  readonly d: any;
  readonly u?: any;
  readonly cmt?: string;
}

/** A write that the daemon will never take. */
export interface Refusal {
  readonly entry: {
    readonly kind: 'action' | 'publish' | 'edit' | 'delete';
    readonly channel: string;
    readonly mutation: string;
    readonly messageTimetoken?: Timetoken;
    readonly type?: string;
    readonly value?: string;
    readonly present?: boolean;
    readonly payload?: any;
    readonly meta?: any;
    readonly messageType?: string;
    readonly parent?: Timetoken;
  };
  readonly error: { readonly status: number; readonly code: string; readonly message: string };
}

/** An action as the daemon has it. */
export interface StandingAction {
  readonly messageTimetoken: Timetoken;
  readonly type: string;
  readonly value: string;
  readonly uuid: string;
  readonly actionTimetoken: Timetoken;
  /** Where it is not 1. */
  readonly score?: number;
}

/** A reaction that is wished. */
export interface Reacting {
  value: string;
  /** 1 to 1,000,000,000: what it counts for, or how much it adds where adds count. */
  score?: number;
  present?: boolean;
  type?: string;
}

/** Which actions are asked for: see `actions` in docs/PROTOCOL.md. */
export interface ActionsQuery {
  messageTimetoken?: Timetoken;
  type?: string | string[];
  value?: string | string[];
  userId?: string | string[];
  sort?: 'time' | 'value' | 'score';
  descending?: boolean;
  after?: string;
  limit?: number;
}

/** What reactions there are in a channel: see docs/SEMANTICS.md. */
export interface Rules {
  /** False: none is added. */
  readonly reactions: boolean;
  readonly mode: 'distinct' | 'unique' | 'flag' | 'multiple' | 'total';
  readonly values: 'any' | 'emoji' | readonly string[];
  readonly aliases: readonly { readonly name: string; readonly value: string }[];
  /** Other types of actions that mean `reaction`. */
  readonly types: readonly string[];
  readonly needsMessage: boolean;
  readonly valuesMax: number;
  /** 0: no bound. */
  readonly ownMax: number;
  readonly actionsMax: number;
}

/** What people said of a message, summed up by the daemon. */
export interface Summary {
  readonly messageTimetoken: Timetoken;
  /** The commit that it is of: one of an earlier commit says nothing new. */
  readonly position: Timetoken;
  /** What all groups come to: equal for two who count the same. */
  readonly hash: string;
  /** Groups that are left out: those that fewest are in, beyond 100. */
  readonly omitted: number;
  readonly reactions: readonly {
    readonly type: string;
    readonly value: string;
    readonly count: number;
    readonly score: number;
    readonly first: Timetoken;
    readonly last: Timetoken;
    /** The newest users, ten at most, the newest first. */
    readonly authors: readonly string[];
    readonly clipped: boolean;
  }[];
}

/** A page of a channel's users. */
export interface HereNow {
  /** All of them, however many are listed. */
  readonly occupancy: number;
  readonly users: readonly { readonly userId: string; readonly state?: any }[];
  /** The `offset` of the next page; absent on the last. */
  readonly next?: number;
}

/** Why the daemon did not do something; `code` is `offline` without a connection. */
export interface CommandError extends Error {
  readonly status: number;
  readonly code: string;
}

/** Somebody's reaction, in a list of people. */
export interface Person {
  readonly uuid: string;
  readonly type: string;
  readonly value: string;
  readonly score: number;
  /** Null while it is on its way. */
  readonly actionTimetoken: Timetoken | null;
  readonly pending: boolean;
}

/** A step of a list of people; apply them in order. */
export interface PersonChange {
  readonly kind: 'insert' | 'update' | 'move' | 'remove';
  readonly index: number;
  /** Of a `move`. */
  readonly from?: number;
  readonly person: Person;
}

/** The newest people of a message. Made by `Channel.people`. */
export interface People {
  /** The newest first, those on their way before all. */
  readonly people: readonly Person[];
  /** Whether there are more than are shown. */
  readonly isMore: boolean;
  /** Calls back at once, and with each batch of changes. Returns what ends it. */
  observe(callback: (changes: PersonChange[], people: readonly Person[]) => void): () => void;
  /** Shows so many more, as far as there are. */
  more(count: number): void;
  /** Nobody wants to know any more. */
  end(): void;
}

/** How much of a channel a device holds: its newest messages, with everything on them. */
export interface ChannelWindow {
  /**
   * Messages at least, where there are so many: 1 to 1000; 50. More than are stored from an earlier
   * visit come behind those, after `whenVerified`.
   */
  last?: number;
  /** Messages at most, more or less; 1000. */
  keeping?: number;
}

/** Messages that somebody looks at: as they were when they were asked for, in their order. */
export interface MessagesPage<Payload = any> {
  readonly items: readonly Item<Payload>[];
  /** Whether there are messages before these, or after them. Large ones make a short page. */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

/** What a page shows as unread in a channel. */
export interface UnreadMessages {
  /** Messages of others in the list that are behind the read mark; deleted ones count no more. */
  readonly count: number;
  /** Whether there may be more, before the list's first message: as in `50+`. */
  readonly atLeast: boolean;
  /** Up to where the user has read, on whatever device; null where nothing is read. */
  readonly through: Timetoken | null;
}

/** What the daemon says is unread in a channel. */
export interface UnreadChannel {
  readonly name: string;
  /** Null where nothing is read. */
  readonly through: Timetoken | null;
  /** Messages of others behind it, 1,000 at most. */
  readonly count: number;
  /** Whether there are more than those. */
  readonly more: boolean;
}

/** How a channel is followed. */
export interface ChannelOptions {
  /** Whether the user is in the channel as long as a tab follows it. */
  presence?: boolean;
  /** Whether what is unread there counts. */
  unread?: boolean;
  /** The newest messages are held, instead of all. */
  window?: ChannelWindow;
}

/** A channel that is followed. Made by `SyncClient.channel`. */
export interface Channel<Payload = any> {
  readonly name: string;
  /** The messages in their order, those on their way last. */
  readonly items: readonly Item<Payload>[];
  /** Whether the server said that the cache has the same messages and reactions. */
  readonly isVerified: boolean;
  /** What reactions there are, as far as the daemon has said so. */
  readonly rules: Rules;
  /**
   * Whether there are messages before those of the list; where all are held, never, and not before
   * the first page is there. Also where only reactions are left of messages that are gone: then
   * `older` answers `beginning`, or `full`, and brings nothing.
   */
  readonly hasOlder: boolean;
  /**
   * The messages of others that the user has not read, of those in the list, also without a
   * connection; null without the option `unread`, and until the daemon has said where the mark is.
   */
  readonly unread: UnreadMessages | null;
  /**
   * The person has read the channel up to a message: the newest of the list, unless another one is
   * named; nothing happens while the list is empty. Shows at once in all tabs; resolves when it is stored here, also without a connection,
   * and reaches the user's other devices later. A mark never goes back. Rejects without the option
   * `unread`, and when the channel is left or the client closed.
   */
  markRead(timetoken?: Timetoken): Promise<void>;
  /** Resolved when what the cache kept is there. */
  readonly ready: Promise<void>;
  /**
   * Resolves when `isVerified` is true: then messages, reactions and rules are those of the daemon,
   * and what shows is stored, if it can be: a page that is loaded anew fetches nothing again (where
   * others write all the time, but for what came in that moment). Without
   * a connection it waits for one. Rejects with the daemon's error when it refuses the channel or the
   * device (`RefusedError`), or has refused it and was not asked again, and when it is left or the
   * client closed.
   */
  whenVerified(): Promise<void>;
  /** Calls back at once, and with each batch of changes. Returns what ends it. */
  observe(
    callback: (changes: ListChange<Payload>[], items: readonly Item<Payload>[]) => void,
  ): () => void;
  /**
   * Brings messages into the list that are before those of its window, `count` (50) at least where
   * there are so many: 1 to 1000. Calls of one moment share a page, of the largest `count`. Without
   * a connection it waits for one. `beginning`: the list has the channel's first message, and of one
   * that is followed whole once it has; `full`: it has as many as are to be kept, and `page` shows
   * what is before them. Rejects with a `CommandError` when the daemon refuses them, and when the
   * channel is left or the client closed. A channel that was refused is asked for again.
   */
  older(count?: number): Promise<'more' | 'beginning' | 'full'>;
  /**
   * Compares what is before the window with the daemon's, which pushes cannot do; the client does so
   * about once an hour. Resolves when all is as the daemon has it; without a connection it waits for
   * one, and rejects, as `older` does. What shows, and whether it `isVerified`, stays as it is when
   * the daemon refuses to compare.
   */
  verify(): Promise<void>;
  /**
   * Looks at the messages around one, 50 unless `around` says otherwise (2 to 200), which the device
   * need not have; nothing keeps them. A message brings its oldest 1,000 reactions. Rejects as
   * `signal` does.
   */
  jump(timetoken: Timetoken, options?: { around?: number }): Promise<MessagesPage<Payload>>;
  /** Looks at the messages before one or after one, `count` (50, up to 100) of them, as `jump`. */
  page(
    query: { before: Timetoken; count?: number } | { after: Timetoken; count?: number },
  ): Promise<MessagesPage<Payload>>;
  /**
   * Resolves when the message is stored here. Rejects other fields, such as `store` and `ttl`.
   * With `parent` it is a reply in that message's thread.
   */
  publish(
    payload: Payload, fields?: { meta?: any; messageType?: string; parent?: Timetoken },
  ): Promise<void>;
  /**
   * Gives a message of the user's own another payload: shows at once, and is taken back when the
   * daemon refuses it. Resolves when the wish is stored here. Rejects with a `CommandError`
   * (`not_owner`) another user's message, as far as it is known whose it is.
   */
  edit(messageTimetoken: Timetoken, payload: Payload): Promise<void>;
  /** Deletes a message of the user's own, with the actions on it; otherwise as `edit`. */
  delete(messageTimetoken: Timetoken): Promise<void>;
  /**
   * A small message for whoever follows the channel now: up to 64 bytes of JSON, kept nowhere, and
   * not sent later. Resolves with its timetoken; rejects with a `CommandError` when it was not sent.
   */
  signal(payload: any, fields?: { messageType?: string }): Promise<Timetoken>;
  /** Who is in the channel, in the order of their ids; rejects as `signal` does. */
  hereNow(query?: { states?: boolean; limit?: number; offset?: number }): Promise<HereNow>;
  /**
   * Who said what: a page of the actions that stand in the channel, from the daemon. Each filter is
   * one text or a list; `next`, where there is more, is the `after` of the next page. `sort` is by
   * `time`, or of one message by `value` or `score`. Rejects as `signal` does.
   */
  actions(query?: ActionsQuery): Promise<{ actions: StandingAction[]; next?: string }>;
  /**
   * What people said of 1 to 100 messages, summed up by the daemon. One that is named with the
   * `hash` of its summary comes only if it is another now. Rejects as `signal` does.
   */
  summaries(
    messages: readonly (Timetoken | { messageTimetoken: Timetoken; hash: string })[],
  ): Promise<Summary[]>;
  /**
   * Who reacted to a message, `limit` (25) of them, with certain values or any, by whatever name: a
   * list that says how it changes, also without a connection. Throws what can be no such list
   * (TypeError, RangeError): no text, an empty text, an empty list.
   */
  people(
    messageTimetoken: Timetoken,
    query?: { value?: string | string[]; type?: string; limit?: number },
  ): People;
  /**
   * Makes a reaction of this user stand, or not; resolves when the wish is stored here. Rejects with
   * a `CommandError` what the rules do not allow, as far as they are known.
   */
  react(
    messageTimetoken: Timetoken, value: string | Reacting, present?: boolean, type?: string,
  ): Promise<void>;
  /**
   * Makes it stand where it does not, and the other way round; resolves with whether it does. In the
   * mode `total` one is taken off.
   */
  toggle(
    messageTimetoken: Timetoken, value: string | Omit<Reacting, 'present'>, type?: string,
  ): Promise<boolean>;
  /**
   * What a reaction is called here: the type and the value under which `react` has it on a message,
   * whatever a person calls it (an alias, another spelling of an emoji, another type). So `value` is
   * that of a group of `reactionsOf`. Throws as `react` rejects. Rules have to be known for it.
   */
  named(
    messageTimetoken: Timetoken, value: string, type?: string,
  ): { type: string; value: string };
  /** Ends following it; its cache and what waits in the outbox stay. */
  leave(): void;
}

/** A device: one connection, the channels it follows, and the writes that wait. */
export class SyncClient {
  constructor(options: SyncClientOptions);
  readonly status: Status;
  readonly userId: string;
  /** Empty until the cache is open. */
  readonly deviceId: string;
  readonly stats: {
    readonly connections: number;
    readonly received: number;
    readonly sent: number;
    /** Events and frames that could not be read; each was a `problem`. */
    readonly unreadable: number;
  };
  /** How many writes wait for the daemon. */
  readonly waiting: number;
  /** Each of these returns what ends it. */
  on(kind: 'status', callback: (status: Status) => void): () => void;
  on(
    kind: 'event',
    callback: (value: { readonly channel: string; readonly event: WireEvent }) => void,
  ): () => void;
  /** What reactions there are in a channel, whenever it is not what the page was told before. */
  on(
    kind: 'rules',
    callback: (value: { readonly channel: string; readonly rules: Rules }) => void,
  ): () => void;
  /** What is unread in a channel with the option `unread`, whenever it is something else. */
  on(
    kind: 'unread',
    callback: (value: { readonly channel: string; readonly unread: UnreadMessages | null }) => void,
  ): () => void;
  on(kind: 'refused', callback: (refusal: Refusal) => void): () => void;
  /**
   * What went wrong and is no `refused` write. Three attempts to connect that came to nothing are
   * one, once, unless there was a connection before.
   */
  on(kind: 'problem', callback: (problem: Error) => void): () => void;
  /**
   * Follows a channel, from the beginning of its history; throws unless its name is one: 1 to 255
   * bytes, no comma, no control character, not `*`, no end in `.*` or `.*-pnpres`. With `presence`
   * the user is in it as long as a tab follows it, and who comes and goes is an `event` of
   * `NAME-pnpres`. With `window` the device holds only the newest messages: who follows the channel
   * first decides, in whatever tab, as long as the tab that connects is there. With `unread` it
   * counts what others said behind the user's read mark.
   */
  channel<Payload = any>(name: string, options?: ChannelOptions): Channel<Payload>;
  /**
   * Asks the daemon what is unread in 1 to 100 channels, which need not be followed: for a list of
   * conversations. Rejects with a `CommandError`, whose code is `offline` without a connection.
   */
  unread(names: readonly string[]): Promise<UnreadChannel[]>;
  /**
   * Calls the option `token` now, and shows the daemon what it gives; for example when the user was
   * let into another channel. Throws when `token` is no function.
   */
  renewToken(): void;
  /** Resolves when all that was wished and seen is stored. */
  close(): Promise<void>;
}

/** Too many writes wait for the daemon. */
export class OutboxFullError extends Error {
  constructor(max: number);
  readonly max: number;
}

/** A `problem`: writes that waited were damaged where they were stored, and are not made. */
export class LostWritesError extends Error {
  constructor(count: number);
  readonly count: number;
}

/**
 * The cache is of another user or keyset: a `problem`, and what every write rejects with. Nothing
 * of it was shown, and nothing written into it.
 */
export class CacheOwnerError extends Error {
  readonly owner: { readonly userId: string; readonly keyset: string | null };
}

/**
 * The daemon does not let the device in, and another attempt would come to the same: a `problem`,
 * and what whoever waits for a channel is rejected with.
 */
export class RefusedError extends Error {
  constructor(what: string, why: { status?: number; code?: string; message: string });
  static ofClose(number: number, reason: string): RefusedError;
  readonly status: number | undefined;
  /** Undefined when a connection was closed and no reason said. */
  readonly code: string | undefined;
}

/** What came from the daemon and cannot be read; it cost itself and nothing else. */
export class UnreadableError extends Error {
  constructor(reason: string, channel: string | null, content: any);
  /** Null when it was a whole frame. */
  readonly channel: string | null;
  readonly content: any;
}

/** A text without white space around it; when it is one emoji, in Unicode's own spelling. */
export function canonicalEmoji(text: string): string;

/** What is known of a user, a channel or a membership: its fields, and since when it is so. */
export interface DirectoryEntry {
  readonly id: string;
  readonly timetoken: Timetoken;
  readonly name?: string;
  readonly profileUrl?: string;
  readonly externalId?: string;
  readonly email?: string;
  readonly description?: string;
  readonly status?: string;
  readonly type?: string;
  readonly custom?: any;
}

/** Fields of an entry that are to be others; null takes one away. */
export type DirectoryFields = {
  [Field in Exclude<keyof DirectoryEntry, 'id' | 'timetoken'>]?: DirectoryEntry[Field] | null;
};

/**
 * Names and pictures: what is known of users (`client.channel('$users')`), of channels (`$channels`),
 * of who is in a channel (`$members:room`) and of where a user is (`$memberships:ada`), also without
 * a connection, and proven equal as any channel.
 */
export class Directory {
  /** Throws (TypeError) unless the channel is a directory. */
  constructor(channel: Channel);
  readonly channel: Channel;
  readonly size: number;
  /** What is known of one; null: nothing, or not here. */
  get(id: string): DirectoryEntry | null;
  /** All entries, in no order. */
  values(): IterableIterator<DirectoryEntry>;
  /** Calls back with the ids of whom something else is known. Returns what ends it. */
  observe(callback: (ids: Set<string>) => void): () => void;
  /**
   * Makes an entry, or changes these fields of it and leaves the others. Resolves with its timetoken
   * when the daemon has it. Rejects as `Channel.signal` does, also without a connection, and with the
   * code `entry_modified` when the entry has another timetoken than `expected`; what is no plain
   * object with a TypeError. `get` has it once its event has come, as on all other devices.
   */
  set(id: string, fields: DirectoryFields, options?: { expected?: Timetoken }): Promise<Timetoken>;
  /** Takes an entry away; nothing happens when there is none. Rejects as `set` does. */
  remove(id: string, options?: { expected?: Timetoken }): Promise<void>;
  /** Nobody looks at it any more; the channel is followed on, until it is left. */
  end(): void;
}
