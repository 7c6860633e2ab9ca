// The conversation about the newest part of a channel: pages before it, and beginning anew.
// @ts-check
import { ChannelSync } from './channel-sync.js';
import { isPart } from './events.js';
import { affectedBy, outcomeOf } from './outcome.js';
import { Pages } from './pages.js';
import { isLater } from './timetoken.js';
import { cut, forgetUntold, grow, pageMax, settle, unopened } from './window.js';

/** @typedef {import('./types.js').ChannelWindow} ChannelWindow */
/** @typedef {import('./types.js').Outcome} Outcome */
/** @typedef {import('./types.js').State} State */

/**
 * What a device knows of a channel of which it holds a window: its newest messages, with everything
 * on them. What is wrong is not repaired: to begin anew with a page costs less.
 */
export class WindowSync extends ChannelSync {
  size;
  pages = new Pages();
  /** @type {{at: string, state: State}|null} What the channel came to last. */ told = null;

  /** @param {string} name @param {ChannelWindow} size */
  constructor(name, size) {
    super(name);
    this.size = size;
    this.cache = unopened();
  }

  /** What is compared with the daemon: what comes anew, if anything does. */
  get compared() {
    return this.staging ?? this.cache;
  }

  /** @param {boolean} isSound Whether the cache is what was stored. */
  loaded(isSound) {
    const { rest, cursor, isEmpty } = this.cache;
    // To repair what is damaged costs more than pages.
    this.wanted = isSound && !rest.isAll && cursor !== '0' ? null : 'snapshot';
    if (isEmpty && this.wanted) this.#startAnew();
  }

  /** The connection is gone. */
  disconnect() {
    super.disconnect();
    this.#forgetPage();
    this.pages.disconnect();
  }

  /** @returns {Record<string, any>} This channel's part of a subscribe command. */
  request() {
    this.judge();
    this.phase = 'asked';
    this.isVerified = false;
    this.asked++;
    this.told = null;
    this.pages.catchesUp = false;
    this.#forgetPage();
    if (this.wanted || this.isUnopened) this.#startAnew();
    const { name, compared: { cursor, epoch, state, tally, rest } } = this;
    this.pages.isEarly = rest.isAll;
    if (rest.isAll) return { name, window: {} };
    // Known so wrongly that less than nothing is left, it is not said: the next state tells.
    const known = state && state.n >= 0 && tally.hasher ? { count: state.n, digest: state.d } : {};
    return { name, cursor, epoch: epoch ?? undefined, ...known, window: { after: rest.after } };
  }

  /** The subscription was refused: so is the page behind it. */
  refused() {
    super.refused();
    this.#forgetPage();
  }

  /** Everything comes anew; what shows stays until it is complete. */
  #startAnew() {
    const { cache } = this;
    const fresh = unopened();
    // With the epoch: another one says that answers may be lost.
    fresh.epoch = cache.epoch;
    fresh.rules = cache.rules;
    fresh.version = cache.version;
    this.wanted = 'snapshot';
    if (cache.isEmpty) [this.cache, this.staging] = [fresh, null];
    else this.staging = fresh;
    this.#forgetPage();
  }

  /** Whatever page comes now, it is of no use. */
  #forgetPage() {
    this.pages.asked = null;
    this.cache.seen = null;
    if (this.staging) this.staging.seen = null;
  }

  /** @param {any} reply @param {string} epoch @returns {Outcome} */
  begin(reply, epoch) {
    const known = this.cache.epoch;
    const restored = known !== null && known !== epoch;
    this.phase = 'live';
    this.pages.catchesUp = reply.mode === 'delta';
    // The daemon cannot say how the window differs.
    const isAnew = reply.mode !== 'current' && reply.mode !== 'delta';
    if (isAnew) this.#startAnew();
    const { compared } = this;
    [compared.rules, compared.epoch] = [this.cache.rules, epoch];
    compared.setKey(reply.key);
    if (isAnew) return outcomeOf({ restored });
    const { cursor } = compared;
    const outcome = this.check(reply.s, outcomeOf({ restored }), reply.cursor);
    return this.#cut() || cursor !== compared.cursor ? this.#kept(outcome) : outcome;
  }

  /** @param {any} push @returns {Outcome} */
  push(push) {
    if (this.phase !== 'live' && this.phase !== 'doubted') return outcomeOf();
    const { cache, compared } = this;
    const { cursor, tally: { digest: { text } } } = cache;
    const untold = forgetUntold(compared, push);
    const events = compared.apply(push);
    if (untold > 0) this.wantOlder(untold);
    const isUnproven = isLater(cache.cursor, cursor) && isPart(push);
    // What is summed up may lack a removal that was forgotten: as long as nothing is known of the
    // rest nothing can be compared.
    if (text !== cache.tally.digest.text || isUnproven || !cache.rest.digest) {
      this.isVerified = false;
    }
    const outcome = this.check(push.s, outcomeOf({ events }), push.t.t);
    this.#cut();
    return this.#kept(outcome);
  }

  /**
   * Gives up the oldest messages, if there are many more than are to be kept. Not amid a catch-up:
   * what is told to who holds all does not say what was before.
   */
  #cut() {
    const { cache, staging, pages, told, size } = this;
    return !staging && !pages.asked && told?.at === cache.cursor && cut(cache, size.keeping);
  }

  /**
   * Compares with the server's state at a position; decides what follows.
   * @param {any} state @param {Outcome} outcome @param {string} at @returns {Outcome}
   */
  check(state, outcome, at) {
    const { compared } = this;
    // A page told more already; the next one is compared with what was told last.
    if (!state || isLater(compared.cursor, at)) return outcome;
    const isSettled = settle(compared, state, at);
    this.told = { at: isSettled ? compared.cursor : at, state };
    this.pages.catchesUp = false;
    if (compared.cursor !== this.told.at || !compared.tally.hasher || !compared.state) {
      return outcome;
    }
    if (!compared.matches(state)) {
      return this.phase === 'doubted' ? outcome : this.distrust(outcome);
    }
    [this.phase, this.isVerified, this.wanted, this.failures] = ['live', true, null, 0];
    this.unstored.through = this.since;
    return this.adopt(outcome);
  }

  /**
   * With what changed, for the store and the page.
   * @param {Outcome} outcome @returns {Outcome}
   */
  #kept(outcome) {
    if (outcome.patch || this.staging || this.isUnopened) return outcome;
    const patch = this.cache.takePatch(this.name);
    return { ...outcome, patch, affected: affectedBy(patch) };
  }

  /**
   * Begins anew. If that did not help twice, what the server sends shows, and is not called
   * verified.
   * @param {Outcome} outcome @returns {Outcome}
   */
  distrust(outcome) {
    this.isVerified = false;
    this.failures++;
    this.wanted = 'snapshot';
    this.#forgetPage();
    this.phase = this.failures < 3 ? 'idle' : 'doubted';
    const isShown = this.phase === 'doubted' && !this.compared.rest.isAll;
    return { ...isShown ? this.adopt(outcome) : outcome, next: 'subscribe' };
  }

  /** Whether there are messages before those that are here; not before anything is known. */
  get hasOlder() {
    return this.cache.rest.mayHold;
  }

  /** @param {number} count Messages that somebody wants to have before those that are here. */
  wantOlder(count) {
    this.pages.older = Math.max(this.pages.older ?? 1, Math.min(count, pageMax));
  }

  /**
   * Has what is before the window compared: the sum cannot see what was filed on the wrong side of
   * where it starts.
   */
  verify() {
    this.pages.comparesRest = this.cache.rest.isPart;
  }

  /** Whether that is still to be done. */
  get isComparing() {
    return this.pages.comparesRest && this.cache.rest.isPart;
  }

  /** The question for the page that is needed most, if one is: from now on it is asked. */
  nextPage() {
    this.#answerOlder();
    const { name, pages, compared, phase } = this;
    const isOpening = phase === 'asked' && this.asked > 0 && pages.isEarly;
    if (!(phase === 'live' || isOpening) || pages.asked || pages.isRefused) return null;
    const needed =
      pages.needed(this.size, compared, this.staging ? this.cache : null, this.told);
    if (!needed) return null;
    pages.isEarly = false;
    compared.seen = [];
    const { isAll, after } = compared.rest;
    const through = isAll ? {} : { through: after };
    return { number: pages.ask(needed.reason),
      command: { op: 'older', channel: name, ...through, last: needed.last } };
  }

  /** Says so when a wish for older messages comes to nothing. */
  #answerOlder() {
    const { cache, pages, size } = this;
    if (pages.older === null || this.staging || cache.rest.isAll || pages.asked) return;
    if (!this.hasOlder) pages.answerOlder('beginning');
    else if (cache.messages.size >= size.keeping) pages.answerOlder('full');
  }

  /**
   * A page is there.
   * @param {any} page @param {number} number @returns {Outcome}
   */
  paged(page, number) {
    const { pages, compared, phase } = this;
    const { asked } = pages;
    if (asked?.number !== number) return outcomeOf();
    pages.asked = null;
    if (!compared.seen || phase !== 'live') {
      // It came before the subscription behind which it was sent, or something came that did not
      // say what happened before the window.
      this.#forgetPage();
      return outcomeOf();
    }
    const { after } = compared.rest;
    if (!grow(compared, page)) return this.distrust(outcomeOf());
    if (asked.reason === 'rest') pages.comparesRest = false;
    // One that leads nowhere is not asked for for ever.
    if (asked.reason === 'filling') pages.isUnfillable = page.after === after;
    this.isVerified = false;
    const told = compared.cursor === page.cursor ? { at: page.cursor, state: page.s } : this.told;
    const outcome = told ? this.check(told.state, outcomeOf(), told.at) : outcomeOf();
    if (asked.reason === 'older') this.#cameOlder(page, after);
    if (asked.reason === 'rest') this.#cut(); // What was sent while it lagged behind may be much.
    return this.#kept(outcome);
  }

  /**
   * A page is short where messages are large: the next one brings the rest of what is wished.
   * @param {any} page @param {string} start Where the window began before it.
   */
  #cameOlder(page, start) {
    const { pages } = this;
    const left = (pages.older ?? 0) - page.messages.length;
    if (left > 0 && this.hasOlder && page.after !== start) pages.older = left;
    else pages.answerOlder(this.hasOlder ? 'more' : 'beginning');
  }

  /**
   * The daemon refused a page.
   * @param {any} error @param {number} number @returns {Outcome}
   */
  pageRefused(error, number) {
    const { pages } = this;
    const { asked } = pages;
    if (asked?.number !== number) return outcomeOf();
    this.#forgetPage();
    pages.refused(asked.reason, error);
    if (pages.isRefused) return outcomeOf();
    // Where the rest is not known, nothing can be compared: the first page says what it comes to.
    const isUnknown = asked.reason === 'rest' && !this.cache.rest.digest;
    if (isUnknown) return this.distrust(outcomeOf());
    if (asked.reason !== 'opening') return outcomeOf();
    this.phase = 'idle';
    return outcomeOf({ refused: error });
  }

  /** There may be room again. */
  retryPages() {
    this.pages.isRefused = false;
  }
}
