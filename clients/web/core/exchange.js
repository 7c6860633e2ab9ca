// A repair under way: which symbols the server has, and how many it wants.
// @ts-check
import { toBase64 } from './bytes.js';
import { SymbolStream } from './symbols.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./hasher.js').Hasher} Hasher */

/** Symbols that fit into one frame of 32 KiB, in base64. */
const symbolsPerCommand = 1024;
/** Symbols that a repair begins with. */
const firstSymbols = 32;
/** The daemon takes no more of one channel: then everything is cheaper. */
const symbolsMax = 16_384;

/** One comparison of a channel's reactions and messages with the server's. */
export class Exchange {
  /** @type {SymbolStream} */ #stream;
  #need = firstSymbols;
  /** Commands without a reply. */ #open = 0;

  /**
   * @param {Iterable<Row>} rows Kept as they are now. @param {Iterable<Message>} messages As well.
   * @param {Hasher} hasher
   */
  constructor(rows, messages, hasher) {
    this.#stream = new SymbolStream(rows, messages, hasher);
  }

  /** How many symbols were sent. */
  get sent() {
    return this.#stream.position;
  }

  /**
   * The commands that bring the server as many symbols as it needs.
   * @param {string} channel
   */
  commands(channel) {
    const commands = [];
    while (this.sent < this.#need) {
      const from = this.sent;
      const symbols = this.#stream.take(Math.min(symbolsPerCommand, this.#need - from));
      const { count } = this.#stream;
      commands.push({ op: 'repair', channel, from, count, symbols: toBase64(symbols) });
      this.#open++;
    }
    return commands;
  }

  /** One of the commands has its reply. */
  answered() {
    this.#open--;
  }

  /**
   * What to do when the server wants so many symbols in all.
   * @param {number} need @returns {'wait'|'send'|'giveUp'}
   */
  want(need) {
    this.#need = Math.max(this.#need, need);
    if (this.#open > 0) return 'wait';
    // A server that has all it wanted and still wants symbols gets a quarter more.
    if (this.#need <= this.sent) this.#need = this.sent + (this.sent >> 2) + 8;
    return this.#need <= symbolsMax ? 'send' : 'giveUp';
  }
}
