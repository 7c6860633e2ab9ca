// What ui/sync-ui.js offers to a page, for TypeScript.
import type {
  Channel, Directory, DirectoryEntry, Item, Reaction, SyncClient,
} from '../syncclient.js';

/** A text, or what makes one, by what it is for; in English where a page says nothing else. */
export interface Words {
  messages: string;
  somebody: string;
  you: string;
  edited: string;
  deleted: string;
  sending: string;
  empty: string;
  loading: string;
  beginning: string;
  full: string;
  newest: (count: number) => string;
  replies: (count: number) => string;
  actions: string;
  copy: string;
  edit: string;
  reply: string;
  repliedTo: string;
  earlier: string;
  past: string;
  gone: string;
  remove: string;
  confirm: (label: string) => string;
  cancel: string;
  flag: string;
  unflag: string;
  flagged: string;
  whoReacted: string;
  reactions: string;
  react: string;
  moreReactions: string;
  pick: string;
  search: string;
  found: (count: number) => string;
  tones: string;
  tone: (tone: number) => string;
  toggle: (value: string) => string;
  authors: (count: string, value: string) => string;
  people: (names: string[], others: number) => string;
  all: string;
  takeBack: string;
  nobody: string;
  more: string;
  close: string;
  message: string;
  send: string;
  save: string;
  editing: string;
  typing: (names: string[]) => string;
  starting: string;
  connecting: string;
  online: string;
  verified: string;
  waiting: string;
  refused: string;
  closed: string;
  unsent: (count: number) => string;
}

/** What elements say in English. */
export const usualWords: Readonly<Words>;

/** Who is who: a `Directory`, or anything that answers as one. */
export interface Names {
  get(id: string): Pick<DirectoryEntry, 'name' | 'profileUrl'> | null;
  observe?(callback: (ids: Set<string>) => void): () => void;
}

/** A comparator, the name of one of `reactionOrders`, or values in their order. */
export type Order =
  | ((left: Reaction, right: Reaction) => number)
  | 'first' | 'latest' | 'count' | 'score' | 'value'
  | readonly string[] | null;

/**
 * Pictures by values: an emoji, the address of a picture, or a node that is copied. Only what these
 * say is an address: a value, which anybody may send, shows as a text, also when it is handed back.
 */
export type Icons =
  | Record<string, string | Node>
  | ((value: string) => string | Node | null | undefined)
  | null;

/** Something else that can be done with a message; what is dangerous is asked for twice. */
export interface Action {
  id: string;
  label: string;
  isDangerous?: boolean;
  run: () => void;
}

/** What makes the pieces of a message, where the page does; one that throws is as if not given. */
export type Pieces = {
  [piece in 'text' | 'author' | 'avatar' | 'time' | 'footer']?:
    (item: Item) => Node | string | number | null;
};

/** What all elements have. */
declare class SyncElement extends HTMLElement {
  client: SyncClient | null;
  channel: Channel | null;
  directory: Directory | Names | null;
  /** Whose reactions and messages are one's own: the client's user, unless it is said. */
  userId: string;
  get words(): Words;
  set words(words: Partial<Words>);
}

/** `<sync-reactions>`: what people said of a message, one bubble for each value. */
export class SyncReactions extends SyncElement {
  item: Item | null;
  /** Reactions without an item, as `reactionsOf` makes them. */
  reactions: readonly Reaction[] | null;
  order: Order | string;
  icons: Icons;
  /** Which actions they are: `reaction`. */
  type: string;
  /** Above it a count shows with a plus: 99. */
  readonly max: number;
  /** How many bubbles show before one asks for more, besides one's own: 24; 0: all. */
  readonly limit: number;
  /** What shows, in its order. */
  readonly shown: readonly Reaction[];
  toggle(value: string): void;
  pick(): void;
  showAuthors(value?: string | null): void;
}

/** `<sync-reaction-picker>`: what one may say of a message. */
export class SyncReactionPicker extends SyncElement {
  item: Item | null;
  values: readonly string[] | null;
  icons: Icons;
  actions: readonly Action[];
  readonly isOpen: boolean;
  readonly offered: { readonly values: readonly string[]; readonly canSearch: boolean };
  show(about: Element | { x: number; y: number }): void;
  hide(): void;
  search(): void;
  pick(value: string): void;
  /** Has it open by a long press, the right button, or the keyboard. Returns what ends it. */
  attach(
    element: HTMLElement, found: (target: HTMLElement) => { item: Item; about: Element } | null,
  ): () => void;
}

/** `<sync-reaction-authors>`: who reacted to a message, by value, the newest first. */
export class SyncReactionAuthors extends SyncElement {
  item: Item | null;
  /** Whose people show: those of a value, or all (null). */
  value: string | null;
  icons: Icons;
  order: Order | string;
  readonly page: number;
  readonly isOpen: boolean;
  show(about: Element): void;
  hide(): void;
  more(): void;
}

/** `<sync-messages>`: the messages of a channel as a log. */
export class SyncMessages extends SyncElement {
  readonly items: readonly Item[];
  order: Order | string;
  icons: Icons;
  pieces: Pieces;
  values: readonly string[] | null;
  actions: (item: Item, list: SyncMessages) => Action[];
  openPicker(item: Item, about: Element): boolean;
  openAuthors(item: Item, value?: string | null): void;
  toNewest(): void;
  /** Brings a message into sight; false: the list does not have it. */
  reveal(timetoken: string): boolean;
  /**
   * Goes to a message wherever in the channel it is; what the device does not hold shows as it is
   * now, does not change, and is left by `toNewest`. Whether it is there: of one that is gone that
   * is said, and the list stays where it is.
   */
  jump(timetoken: string): Promise<boolean>;
  /** Whether such a page shows. */
  readonly isInPast: boolean;
  /** What writes replies and edits; see `SyncComposer.list`. */
  composer: SyncComposer | null;
}

/** `<sync-composer>`: where a message is written, or one's own is written anew. */
export class SyncComposer extends SyncElement {
  value: string;
  editing: Item | null;
  parent: Item | null;
  payloadOf: (text: string) => any;
  /** The list whose replies and edits it writes; `connect` finds it. */
  list: SyncMessages | null;
  /** Ends an edit, for what was typed before; or replies to nobody. */
  cancel(): void;
  send(): Promise<void>;
}

/** `<sync-status>`: how the device stands, what is unsent, and who types. */
export class SyncStatus extends SyncElement {
  /**
   * `verified` when the channel is known to be as the daemon has it and nothing is unsent for long;
   * `waiting` also when the browser says that there is no network; else the client's status.
   */
  readonly state: string;
}

/**
 * One thread of a channel, to be given to elements as their channel: the message with this
 * timetoken and its replies. What is written there is a reply.
 */
export function threadOf(channel: Channel, parent: string): Channel;

/** Gives each of these elements that is inside a place, or is it, the same properties. */
export function connect(place: ParentNode & Node, properties: Record<string, unknown>): void;

declare global {
  interface HTMLElementTagNameMap {
    'sync-reactions': SyncReactions;
    'sync-reaction-picker': SyncReactionPicker;
    'sync-reaction-authors': SyncReactionAuthors;
    'sync-messages': SyncMessages;
    'sync-composer': SyncComposer;
    'sync-status': SyncStatus;
  }
}
