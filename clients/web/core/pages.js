// What a device asks of the messages before those that it holds: one page at a time.
// @ts-check
import { isWorthRetrying } from './replies.js';
import { pageMax } from './window.js';

/** @typedef {import('./cache.js').ChannelCache} ChannelCache */
/** @typedef {import('./types.js').ChannelWindow} ChannelWindow */
/** @typedef {import('./types.js').OlderAnswer} OlderAnswer */
/** @typedef {import('./types.js').State} State */

/**
 * Why a page is asked for: nothing is held yet; what is before is not known, or to be looked at
 * again; a person looks for older messages; or there are fewer than are to show.
 * @typedef {'opening'|'rest'|'older'|'filling'} Reason
 */

/** The page that a channel waits for, and the wishes for others. */
export class Pages {
  /** @type {{number: number, reason: Reason}|null} What is on its way. */ asked = null;
  /** @type {number|null} How many older messages somebody waits for. */ older = null;
  /** Whether what is before is to be compared, whatever is known of it. */ comparesRest = false;
  /** The daemon had no room: nothing more is asked for a while. */ isRefused = false;
  /** It refused to fill the window, or it cannot be filled: not again on this connection. */
  isUnfillable = false;
  /** The first page need not wait for the reply to the subscription behind which it is asked. */
  isEarly = false;
  /** What was missed is still to come. */ catchesUp = false;
  #last = 0;
  /** @type {OlderAnswer|null} To who waits for older messages. */ #answer = null;
  /** Why what is before was not compared. */ #refusal = /** @type {any} */ (null);

  disconnect() {
    [this.asked, this.isRefused, this.isUnfillable] = [null, false, false];
  }

  /**
   * Notes a question.
   * @param {Reason} reason
   */
  ask(reason) {
    this.asked = { number: ++this.#last, reason };
    return this.asked.number;
  }

  /**
   * A wish for older messages is over.
   * @param {OlderAnswer} answer
   */
  answerOlder(answer) {
    [this.#answer, this.older] = [answer, null];
  }

  /** To who waits for older messages; once. */
  takeAnswer() {
    const answer = this.#answer;
    this.#answer = null;
    return answer;
  }

  /**
   * The daemon refused a page.
   * @param {Reason} reason @param {any} error
   */
  refused(reason, error) {
    if (isWorthRetrying(error)) this.isRefused = true;
    else if (reason === 'older') this.answerOlder({ error });
    else if (reason === 'filling') this.isUnfillable = true;
    else if (reason === 'rest') [this.#refusal, this.comparesRest] = [error, false];
    else this.giveUp();
  }

  /** Why what is before was not compared, to who waits for that; once. */
  takeRefusal() {
    const refusal = this.#refusal;
    this.#refusal = null;
    return refusal;
  }

  /** The channel is not to be had: nobody waits for pages any more. */
  giveUp() {
    [this.older, this.comparesRest] = [null, false];
  }

  /**
   * Which page is needed most, if one is.
   * @param {ChannelWindow} size @param {ChannelCache} compared
   * @param {ChannelCache|null} shown Where it is not compared itself.
   * @param {{at: string, state: State}|null} told What the channel came to last.
   * @returns {{reason: Reason, last: number}|null}
   */
  needed(size, compared, shown, told) {
    const { rest, cursor, messages } = compared;
    if (rest.isAll) {
      const last = Math.max(size.last, shown?.messages.size ?? 0);
      return { reason: 'opening', last: Math.min(last, pageMax) };
    }
    // What was missed is told of the window as it was asked for: what a page brings before that
    // might lack some of it.
    if (!rest.isPart || shown || this.catchesUp) return null;
    // While it catches up, the last push says it.
    if (rest.digest === null) return told?.at === cursor ? { reason: 'rest', last: 0 } : null;
    if (this.comparesRest) return { reason: 'rest', last: 0 };
    if (this.older !== null) return { reason: 'older', last: this.older };
    if (messages.size >= size.last || this.isUnfillable || !compared.state) return null;
    return { reason: 'filling', last: size.last - messages.size };
  }
}
