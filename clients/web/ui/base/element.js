// What all elements are: properties, words, and a client and a channel that they listen to.
// @ts-check
import { ofPage, wordsOver } from '../model/given.js';
import { languageOf } from '../model/days.js';
import { isSeen } from '../model/icons.js';
import { inNextFrame } from './frames.js';
import { sheetOf, tokens } from './tokens.js';
import { usualWords } from './words.js';

/** @typedef {import('../../shell/client.js').SyncClient} SyncClient */
/** @typedef {import('../../shell/channel.js').Channel} Channel */
/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {import('./words.js').Words} Words */
/** @typedef {{name?: string, profileUrl?: string}} Known */

/**
 * Who is who: a `Directory`, or anything that answers as one.
 * @typedef {{get: (id: string) => Known|null,
 *   observe?: (callback: (ids: Set<string>) => void) => () => void}} Names
 */

/** In Node.js, where tests load modules, there are no elements. */
const Base = globalThis.HTMLElement ?? /** @type {any} */ (class {});

/** An element that renders itself once per frame, from its properties and what it listens to. */
export class SyncElement extends Base {
  /**
   * Its style sheets, as texts.
   * @type {readonly string[]}
   */
  static styles = [];
  /**
   * What a page may have set before the element was defined.
   * @type {readonly string[]}
   */
  static properties = [];

  root = this.attachShadow({ mode: 'open' });
  /** @type {SyncClient|null} */ #client = null;
  /** @type {Channel|null} */ #channel = null;
  /** @type {Names|null} */ #directory = null;
  /** @type {Words} */ #words = usualWords;
  /** @type {string|null} */ #userId = null;
  /** @type {(() => void)[]} What ends what it listens to. */ #ends = [];

  /** @type {[string, any][]} What a page set before the element was defined. */ #early = [];

  constructor() {
    super();
    const { styles, properties } = /** @type {typeof SyncElement} */ (this.constructor);
    this.root.adoptedStyleSheets = [tokens, ...styles].map(sheetOf);
    const self = /** @type {any} */ (this);
    for (const name of ['client', 'channel', 'directory', 'userId', 'words', ...properties]) {
      if (!Object.hasOwn(self, name)) continue;
      // They would hide the accessors.
      this.#early.push([name, self[name]]);
      delete self[name];
    }
  }

  /** The device; for who `mine` is, and for rules that change. */
  get client() {
    return this.#client;
  }

  set client(client) {
    this.#client = client;
    this.relisten();
  }

  /** The channel that is shown, and written to. */
  get channel() {
    return this.#channel;
  }

  set channel(channel) {
    this.#channel = channel;
    this.relisten();
  }

  /** Names and pictures of people. */
  get directory() {
    return this.#directory;
  }

  set directory(directory) {
    this.#directory = directory;
    this.relisten();
  }

  /** Whose reactions and messages are one's own: the client's user, unless it is said. */
  get userId() {
    return this.#userId ?? this.#client?.userId ?? '';
  }

  set userId(userId) {
    this.#userId = userId;
    this.reworded();
  }

  /**
   * What the element says, by what it is for; what is not given is in English.
   * @returns {Words}
   */
  get words() {
    return this.#words;
  }

  /** @param {Partial<Words>} words */
  set words(words) {
    this.#words = wordsOver(usualWords, words ?? {});
    this.reworded();
  }

  /** It says the same in other words. */
  reworded() {
    this.update();
  }

  /** In which language dates and numbers are written: that of the page around it. */
  get language() {
    const host = /** @type {HTMLElement|null} */ (this.closest('[lang]'));
    return languageOf(host?.lang || document.documentElement.lang);
  }

  /** Whether it is written from right to left. */
  get isRightToLeft() {
    return getComputedStyle(this).direction === 'rtl';
  }

  /**
   * What somebody is called.
   * @param {string} id
   */
  nameOf(id) {
    const name = String(this.knownOf(id)?.name ?? '');
    // One of spaces and marks would be nobody, and one of the viewer's would be the viewer.
    const isTheirs = isSeen(name) && name.trim().toLowerCase() !== this.words.you.toLowerCase();
    return (isTheirs && name) || id || this.words.somebody;
  }

  /**
   * What is known of somebody.
   * @param {string} id @returns {Known|null}
   */
  knownOf(id) {
    const directory = this.#directory;
    return directory && ofPage('directory', directory, () => directory.get(id), () => null);
  }

  connectedCallback() {
    const self = /** @type {any} */ (this);
    for (const [name, value] of this.#early.splice(0)) self[name] = value;
    this.relisten();
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
  }

  attributeChangedCallback() {
    this.update();
  }

  /** Has it rendered with the next frame. */
  update() {
    if (this.isConnected) inNextFrame(this);
  }

  /** Renders it as it is now; for those that change. */
  render() {}

  /** Listens anew, to what it has now. */
  relisten() {
    for (const end of this.#ends.splice(0)) end();
    if (!this.isConnected) return;
    this.#ends = this.listen();
    this.update();
  }

  /**
   * What it listens to; returns what ends each.
   * @returns {(() => void)[]}
   */
  listen() {
    const ends = [];
    const [client, directory] = [this.#client, this.#directory];
    const name = this.#channel?.name;
    if (client?.on) {
      ends.push(client.on('rules', (it) => it.channel === name && this.update()));
    }
    if (directory?.observe) ends.push(directory.observe((ids) => this.renamed(ids)));
    return ends;
  }

  /**
   * Hears of a message of the channel whenever it is another one.
   * @param {string|null|undefined} timetoken @param {(item: Item|null) => void} changed
   * @returns {() => void} Ends it.
   */
  follow(timetoken, changed) {
    if (!timetoken || !this.#channel?.observe) return () => {};
    return this.#channel.observe((changes) => {
      for (const { kind, item } of changes) {
        if (item.timetoken === timetoken) changed(kind === 'remove' ? null : item);
      }
    });
  }

  /**
   * Something else is known of somebody.
   * @param {Set<string>} _ids
   */
  renamed(_ids) {
    this.update();
  }

  /**
   * Says that something is about to happen, or did.
   * @param {string} name @param {any} detail
   * @returns {boolean} Whether nobody prevented it.
   */
  say(name, detail) {
    return this.dispatchEvent(new CustomEvent(
      name, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  /**
   * Says at once that a wish was refused, or came to nothing.
   * @param {unknown} error @returns {undefined}
   */
  problem(error) {
    if (this.say('sync-problem', { error })) console.warn(`<${this.localName}>`, error);
    return undefined;
  }

  /**
   * Waits for a wish; what is refused is said, and nobody has to catch it.
   * @param {Promise<any>|void} wish
   */
  async settle(wish) {
    try {
      return await wish;
    } catch (error) {
      return this.problem(error);
    }
  }
}

/**
 * Makes an element known under its name, once, where there are elements.
 * @param {string} name @param {any} constructor
 */
export function define(name, constructor) {
  if (!globalThis.customElements || customElements.get(name)) return;
  customElements.define(name, constructor);
}
