// Commands and their replies, on one connection after the other.
// @ts-check
import { UnreadableError } from '../core/errors.js';
import { frameRefusal } from '../core/frames.js';
import { unreadableReply } from '../core/replies.js';
import { isObject, isText } from '../core/shapes.js';

/**
 * What is done with a reply, and whether what is under `ok` can be read.
 * @typedef {(ok: any, error: any) => void} Reply
 * @typedef {{op: string, at: number, reply: Reply, isReply: (ok: any) => boolean}} Command
 */

/** Those without a reply. */
export class Commands {
  #last = 0;
  /** @type {Map<number, Command>} The oldest first. */ #open = new Map();
  #write;
  #now;

  /** @param {(text: string) => void} write @param {() => number} now Milliseconds. */
  constructor(write, now) {
    this.#write = write;
    this.#now = now;
  }

  get isEmpty() {
    return this.#open.size === 0;
  }

  /** @returns {Command|undefined} */
  get oldest() {
    const [oldest] = this.#open.values();
    return oldest;
  }

  /**
   * Sends a command. One that the daemon could never read is refused at once.
   * @param {Record<string, any>} command @param {Reply} reply
   * @param {(ok: any) => boolean} isReply
   */
  send(command, reply, isReply) {
    const id = ++this.#last;
    const text = JSON.stringify({ id, ...command });
    const refusal = frameRefusal(text);
    if (refusal) return reply(undefined, refusal);
    this.#open.set(id, { op: command.op, at: this.#now(), reply, isReply });
    this.#write(text);
  }

  /**
   * Takes a frame that is a reply; throws what cannot be read of it.
   * @param {any} frame
   */
  take(frame) {
    const { id, ok, error } = frame;
    const command = this.#open.get(id);
    this.#open.delete(id);
    if (!Number.isSafeInteger(id)) {
      const said = isText(error?.message) ? error.message : 'it does not say why.';
      throw new UnreadableError(`it belongs to no command: ${said}`, null, frame);
    }
    const isReply = isObject(error) ? Number.isInteger(error.status)
      : (error ?? null) === null && isObject(ok) && (command?.isReply(ok) ?? true);
    if (isReply) return command?.reply(isObject(error) ? undefined : ok, error ?? undefined);
    command?.reply(undefined, unreadableReply);
    throw new UnreadableError(`it is no reply to ${command?.op ?? 'a command'}.`, null, frame);
  }

  /** The connection is gone: no reply will come. */
  clear() {
    this.#open.clear();
  }
}
