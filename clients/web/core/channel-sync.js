// The conversation about one channel: what is known of it, and what has to be asked.
// @ts-check
import { ChannelCache } from './cache.js';
import { isPart } from './events.js';
import { Exchange } from './exchange.js';
import { Hasher } from './hasher.js';
import { KeptSync } from './kept-sync.js';
import { affectedBy, outcomeOf } from './outcome.js';
import { isSameRules, usualRules } from './rules.js';
import { isLater } from './timetoken.js';
import { Unstored } from './unstored.js';

/** @typedef {import('./types.js').Outcome} Outcome */
/** @typedef {import('./types.js').Rules} Rules */

/** What a device knows of one channel, all of it, and what it has to ask. */
export class ChannelSync extends KeptSync {
  /** Subscriptions without a reply; only the last one counts. */
  asked = 0;
  /** What the next subscription has to bring. */
  wanted = /** @type {null|'repair'|'snapshot'} */ (null);
  /** Whether the server said that it has the same rows and messages at `cursor`. */
  isVerified = false;
  /** Disagreements since a push was right; the shell waits longer each time. */
  failures = 0;
  /** @type {Exchange|null} Of `repairing`. */ exchange = null;
  /** What is known of messages that nobody stores. */
  unstored = new Unstored();
  /** Before the subscription. */ since = '0';
  repairs = 0;
  snapshots = 0;

  /** @param {boolean} isSound */
  loaded(isSound) {
    const { epoch, rest: { isPart } } = this.cache;
    // A part of the channel cannot be made whole.
    this.wanted = isPart || !(isSound || epoch !== null) ? 'snapshot' : isSound ? null : 'repair';
  }

  /** Whether it waits for what it is to show first. */
  get isUnopened() {
    return this.cache.rest.isAll;
  }

  /** The connection is gone. */
  disconnect() {
    this.phase = 'idle';
    this.isVerified = false;
    this.asked = 0;
    this.staging = null;
    this.exchange = null;
  }

  /** @returns {Record<string, any>} This channel's part of a subscribe command. */
  request() {
    this.judge();
    this.phase = 'asked';
    this.isVerified = false;
    this.asked++;
    this.exchange = null;
    this.staging = null;
    const { cursor, epoch, tally: { hasher, digest } } = this.cache;
    if (this.wanted === 'snapshot' || cursor === '0') return { name: this.name, cursor: '0' };
    const known = hasher ? { count: digest.count, digest: digest.text } : {};
    const repair = this.wanted === 'repair' ? true : undefined;
    return { name: this.name, cursor, epoch: epoch ?? undefined, ...known, repair };
  }

  /** The subscription was refused: there is nothing to wait for. */
  refused() {
    this.asked--;
  }

  /**
   * @param {any} reply This channel's part of it. @param {string} epoch
   * @param {string} [since] A time of the daemon's before the subscription.
   * @param {Rules} [rules] @returns {Outcome}
   */
  subscribed(reply, epoch, since = '0', rules = usualRules) {
    if (--this.asked > 0) return outcomeOf();
    this.since = since;
    const isNew = !isSameRules(rules, this.cache.rules);
    // Before the beginning: what that changes is stored beside them.
    this.cache.rules = rules;
    const outcome = this.begin(reply, epoch);
    return isNew && !outcome.patch
      ? { ...outcome, patch: this.cache.takePatch(this.name) } : outcome;
  }

  /**
   * The daemon says what reactions there are from now on.
   * @param {Rules} rules @returns {Outcome}
   */
  ruled(rules) {
    const isNew = !isSameRules(rules, this.cache.rules);
    this.cache.rules = rules;
    if (this.staging) this.staging.rules = rules;
    return outcomeOf({ patch: isNew ? this.cache.takePatch(this.name) : null });
  }

  /** @param {any} reply @param {string} epoch @returns {Outcome} */
  begin(reply, epoch) {
    const { cache } = this;
    // Another run may know less than the last one: it was perhaps put back, if only a little.
    const isOtherRun = cache.epoch !== null && cache.epoch !== epoch;
    if (reply.mode === 'repair') return this.#startRepair(reply, epoch, isOtherRun);
    this.phase = 'live';
    if (reply.mode === 'snapshot' || this.wanted === 'snapshot' || cache.cursor === '0') {
      const outcome = this.#startSnapshot(reply, epoch);
      return { ...outcome, restored: outcome.restored || isOtherRun };
    }
    cache.epoch = epoch;
    cache.setKey(reply.key);
    return this.check(reply.s, outcomeOf({ restored: isOtherRun }), reply.cursor);
  }

  /** @param {any} reply @param {string} epoch @param {boolean} isOtherRun @returns {Outcome} */
  #startRepair(reply, epoch, isOtherRun) {
    const { cache } = this;
    const isBehind = isLater(cache.cursor, reply.cursor);
    // What came later was lost: no write of then is fulfilled. What is here of it goes with the
    // repair, or is told by the digest.
    if (isBehind) cache.cursor = reply.cursor;
    cache.epoch = epoch;
    cache.setKey(reply.key);
    this.phase = 'repairing';
    this.repairs++;
    const { rows, messages, tally } = cache;
    const hasher = tally.hasher ?? new Hasher('0'.repeat(32));
    this.exchange = new Exchange(rows, messages.values(), hasher);
    return outcomeOf({ next: 'repair', restored: isBehind || isOtherRun });
  }

  /** @param {any} reply @param {string} epoch @returns {Outcome} */
  #startSnapshot(reply, epoch) {
    const fresh = new ChannelCache();
    fresh.epoch = epoch;
    fresh.rules = this.cache.rules;
    fresh.setKey(reply.key);
    this.snapshots++;
    const restored = reply.mode === 'snapshot';
    if (!this.cache.isEmpty && reply.key !== undefined) {
      this.staging = fresh;
      return { ...this.check(reply.s, outcomeOf(), reply.cursor), restored };
    }
    // Nothing to go on showing: what comes shows at once.
    fresh.version = this.cache.version;
    fresh.replaceAll();
    this.cache = fresh;
    this.wanted = null;
    const outcome = outcomeOf({ affected: 'all' });
    return { ...this.check(reply.s, outcome, reply.cursor), restored };
  }

  /** @param {any} push @returns {Outcome} */
  push(push) {
    if (this.phase !== 'live' && this.phase !== 'doubted') return outcomeOf();
    if (this.staging) {
      const events = this.staging.apply(push);
      return this.check(push.s, outcomeOf({ events }), push.t.t);
    }
    const { cursor } = this.cache;
    const events = this.cache.apply(push);
    const patch = this.cache.takePatch(this.name);
    const affected = affectedBy(patch);
    const isUnproven = isLater(this.cache.cursor, cursor) && isPart(push);
    if (affected === 'all' || affected.size > 0 || isUnproven) this.isVerified = false;
    const outcome = outcomeOf({ patch, affected, events });
    return this.check(push.s, outcome, push.t.t);
  }

  /**
   * Compares with the server's state at a position; decides what follows.
   * @param {any} state @param {Outcome} outcome @param {string} at @returns {Outcome}
   */
  check(state, outcome, at) {
    if (state === undefined || state === null) return outcome;
    const compared = this.staging ?? this.cache;
    // An earlier state may well be another one.
    if (isLater(compared.cursor, at)) return outcome;
    if (!compared.tally.matches(state)) {
      return this.phase === 'doubted' ? outcome : this.distrust(outcome);
    }
    this.phase = 'live';
    this.isVerified = this.cache.tally.hasher !== null || this.staging !== null;
    this.wanted = null;
    this.failures = 0;
    this.unstored.through = this.since;
    return this.adopt(outcome);
  }

  /**
   * What came anew takes the place of what was shown.
   * @param {Outcome} outcome @returns {Outcome}
   */
  adopt(outcome) {
    if (!this.staging) return outcome;
    this.staging.version = this.cache.version;
    this.staging.replaceAll();
    this.cache = this.staging;
    this.staging = null;
    return { ...outcome, patch: this.cache.takePatch(this.name), affected: 'all' };
  }

  /**
   * The next rung: a repair, and if that was it, a snapshot. If that was it, too, the server
   * contradicts itself, or has what cannot be read here: what it sends shows, and is not called
   * verified.
   * @param {Outcome} outcome @returns {Outcome}
   */
  distrust(outcome) {
    this.isVerified = false;
    this.failures++;
    const isHopeless =
      this.wanted || this.staging || !this.cache.tally.hasher || this.failures > 1;
    this.wanted = isHopeless ? 'snapshot' : 'repair';
    if (this.failures < 3 || this.phase === 'repairing') {
      this.phase = 'idle';
      return { ...outcome, next: 'subscribe' };
    }
    this.phase = 'doubted';
    return { ...this.adopt(outcome), next: 'subscribe' };
  }

  /** The commands that bring the server as many symbols as it needs. */
  symbols() {
    const { exchange } = this;
    return { exchange, commands: exchange?.commands(this.name) ?? [] };
  }

  /**
   * @param {Exchange|null} exchange The one that was asked in. @param {any} ok Or nothing: refused.
   * @returns {Outcome}
   */
  repairReply(exchange, ok) {
    if (!exchange || exchange !== this.exchange || this.phase !== 'repairing') return outcomeOf();
    exchange.answered();
    if (ok && ok.rows !== undefined) return this.#repaired(ok);
    if (ok && Number.isSafeInteger(ok.need)) {
      const next = exchange.want(ok.need);
      if (next === 'wait') return outcomeOf();
      if (next === 'send') return outcomeOf({ next: 'repair' });
    }
    this.failures++;
    this.wanted = 'snapshot';
    this.phase = 'idle';
    return outcomeOf({ next: 'subscribe' });
  }

  /**
   * A repair was refused for now; a subscription begins it anew.
   * @param {Exchange|null} exchange The one that was asked in.
   * @returns {boolean} Whether it was under way.
   */
  repairRefused(exchange) {
    if (exchange !== this.exchange) return false;
    this.exchange = null;
    return true;
  }

  /** @param {any} ok What the server found. @returns {Outcome} */
  #repaired(ok) {
    this.exchange = null;
    // One repair has to do: whatever differs now is for a snapshot.
    this.wanted = 'repair';
    try {
      this.cache.repair(ok);
    } catch {
      return this.distrust(outcomeOf());
    }
    if (!this.cache.tally.matches(ok.s)) return this.distrust(outcomeOf());
    this.phase = 'live';
    const patch = this.cache.takePatch(this.name);
    // The failures stand until a push agrees, too: else the two could disagree for ever.
    this.isVerified = !!ok.s && this.cache.tally.hasher !== null;
    this.wanted = null;
    this.unstored.through = this.since;
    return outcomeOf({ patch, affected: affectedBy(patch) });
  }
}
