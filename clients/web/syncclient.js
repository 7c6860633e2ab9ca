// A device of the sync daemon in a web page, in one file without dependencies; see README.md.
// @ts-check
//
// The wire is docs/PROTOCOL.md, the mathematics docs/RECONCILIATION.md. The file has two halves:
//
//   Core   bytes, digest, coded symbols, packed rows, Base (the cache), outbox, list, ChannelState.
//          No I/O, no clock, no randomness: it runs wherever JavaScript runs.
//   Shell  stores (IndexedDB, memory), tabs (Web Locks, BroadcastChannel), socket, SyncClient.
//
// A timetoken is a string of decimal digits everywhere: it does not fit into a number.

/**
 * A reaction that stands: one per message, type, value and user.
 * @typedef {{messageTimetoken: string, type: string, value: string, uuid: string,
 *   actionTimetoken: string}} Row
 *
 * `uuid` is empty when nobody said who published it.
 * @typedef {{timetoken: string, uuid: string, payload: any, meta?: any,
 *   messageType?: string}} Message
 *
 * Where a cache stands: what of `epoch`, and its digest there. `actionsCursor` is ahead of `cursor`
 * from a repair until the messages have come. `deletion` is the newest deletion that was applied: a
 * server that was put back to before it has messages again that are missing here. `isPartial`:
 * more was to come, and what has come may lack what is deleted later.
 * @typedef {{cursor: string, actionsCursor: string, epoch: string|null, key: string|null,
 *   count: number, digest: string, messageCount: number, version: number, deletion: string,
 *   isPartial: boolean}} Head
 *
 * What one step changed in a cache. With `clear` everything was replaced.
 * @typedef {{channel: string, clear: boolean, rows: Row[], gone: Row[], messages: Message[],
 *   dropped: string[], head: Head, settled: number[]}} Patch
 *
 * A write on its way. `order` is its place, given by the store; `sent` says that the daemon may
 * have it; `observed` is the action that a removal is about (null: whatever the entry before it
 * adds), or what a message is later than (null: not known yet); `acknowledged` is the timetoken
 * from which on the cache reflects it; `again` says that the daemon may have lost it since, and has
 * to be asked.
 * @typedef {{kind: 'action'|'publish', channel: string, mutation: string, order?: number,
 *   sent: boolean, acknowledged: string|null, again?: boolean, messageTimetoken?: string,
 *   type?: string, value?: string, present?: boolean, observed?: string|null, payload?: any,
 *   meta?: any, messageType?: string}} Entry
 *
 * @typedef {{put: Entry[], remove: string[]}} Edits Entries to write, and mutations to forget.
 *
 * @typedef {{type: string, value: string, uuid: string, actionTimetoken: string|null,
 *   pending: boolean}} ItemAction
 *
 * A message as a list shows it. `key` stays when a message of this device gets its timetoken.
 * @typedef {{key: string, timetoken: string|null, uuid: string, payload: any, meta?: any,
 *   messageType?: string, pending: boolean, actions: ItemAction[]}} Item
 *
 * A step of a list; apply them in order. `move` takes the item from `from` to `index`.
 * @typedef {{kind: 'insert'|'update'|'move'|'remove', index: number, from?: number,
 *   item: Item}} ListChange
 *
 * What a channel wants next: `subscribe` anew, send symbols (`repair`), or nothing.
 * @typedef {{patch: Patch|null, next: null|'subscribe'|'repair', affected: Set<string>|'all',
 *   events: any[], restored: boolean}} Outcome
 */

// Core: numbers and bytes ------------------------------------------------------------------------

/** Whether one timetoken is after another. @param {string} left @param {string} right */
export function isLater(left, right) {
  return left.length === right.length ? left > right : left.length > right.length;
}

const isTimetoken = (/** @type {any} */ text) => typeof text === 'string' &&
  /^(0|[1-9][0-9]{0,18})$/.test(text) && (text.length < 19 || text <= timetokenMax);
const timetokenMax = '9223372036854775807';

// The halves of the last timetoken that `split` read; out parameters without garbage.
let low = 0;
let high = 0;

/** Reads a timetoken's 64 bits into `low` and `high`. @param {string} text */
function split(text) {
  // upper * 10^8 + lower; of upper the high and the low 16 bits, so that all stays below 2^53.
  const middle = text.length - 8;
  let upper = 0;
  let lower = 0;
  for (let i = 0; i < middle; i++) upper = upper * 10 + text.charCodeAt(i) - 48;
  for (let i = Math.max(0, middle); i < text.length; i++) {
    lower = lower * 10 + text.charCodeAt(i) - 48 | 0;
  }
  const head = Math.floor(upper / 65536);
  const part = (upper - head * 65536) * 1e8 + lower;
  const over = Math.floor(part / 65536);
  const sum = head * 1e8 + over;
  const top = Math.floor(sum / 65536);
  low = sum - top * 65536 << 16 | part - over * 65536;
  high = top | 0;
}

const hexadecimal = (/** @type {number} */ word) => (word >>> 0).toString(16).padStart(8, '0');

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return btoa(text);
}

/** @param {string} text */
export const fromBase64 = (text) => Uint8Array.from(atob(text), (digit) => digit.charCodeAt(0));

/** Reads varints and texts from the front; throws beyond the end. */
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.position = 0;
  }

  get isAtEnd() {
    return this.position >= this.bytes.length;
  }

  /** 64 bits, the lowest seven first. */
  long() {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.isAtEnd) break;
      const byte = this.bytes[this.position++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new Error('A repair cannot be read: a number has no end.');
  }

  number() {
    return Number(this.long());
  }

  text() {
    const start = this.position;
    const length = this.number();
    const from = this.position;
    if (from + length > this.bytes.length) {
      throw new Error(`A repair cannot be read: the text at ${start} has no end.`);
    }
    this.position += length;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      .decode(this.bytes.subarray(from, this.position));
  }
}

// Core: packed rows ------------------------------------------------------------------------------

/** Rows of a repair's reply. @param {Uint8Array} bytes @returns {Row[]} */
export function unpackRows(bytes) {
  const reader = new Reader(bytes);
  const texts = Array.from({ length: reader.number() }, () => reader.text());
  const text = () => {
    const index = reader.number();
    if (index >= texts.length) throw new Error(`A repair cannot be read: no text ${index}.`);
    return texts[index];
  };
  const rows = [];
  let added = 0n;
  while (!reader.isAtEnd) {
    added += reader.long();
    const age = reader.long();
    const message = added - ((age >> 1n) ^ -(age & 1n));
    rows.push({
      messageTimetoken: String(message), type: text(), value: text(), uuid: text(),
      actionTimetoken: String(added),
    });
  }
  return rows;
}

/** Timetokens to drop. @param {Uint8Array} bytes @returns {string[]} */
export function unpackTimetokens(bytes) {
  const reader = new Reader(bytes);
  const timetokens = [];
  for (let last = 0n; !reader.isAtEnd;) timetokens.push(String(last += reader.long()));
  return timetokens;
}

// Core: digest -----------------------------------------------------------------------------------

/** Hashes rows under a channel's key: SipHash-2-4 with 128 bits, in 32-bit arithmetic. */
export class Hasher {
  /** @param {string} key 32 hexadecimal digits. */
  constructor(key) {
    if (!/^[0-9a-f]{32}$/.test(key)) throw new Error(`A digest key is not "${key}".`);
    this.text = key;
    const word = (/** @type {number} */ at) => {
      const digits = key.slice(8 * at, 8 * at + 8);
      return parseInt(/** @type {string[]} */ (digits.match(/../g)).reverse().join(''), 16) | 0;
    };
    this.key = [word(0), word(1), word(2), word(3)];
    /** The last hash: four words, the lowest first. */
    this.hash = new Int32Array(4);
    this.#reserve(1024);
  }

  /** @type {Uint8Array} */ #bytes = new Uint8Array(0);
  /** @type {Int32Array} The same memory; every machine that browsers run on is little-endian. */
  #words = new Int32Array(0);
  #length = 0;

  /** @param {number} count */
  #reserve(count) {
    if (count <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.ceil(count / 1024) * 1024);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer);
  }

  /** Leaves the row's hash in `hash`. @param {Row} row */
  row(row) {
    this.#length = 0;
    this.#timetoken(row.messageTimetoken);
    this.#text(row.type);
    this.#text(row.value);
    this.#text(row.uuid);
    this.#timetoken(row.actionTimetoken);
    this.#sip();
  }

  /** The hash of a repair item. @param {number} lower @param {number} upper @param {number} tag */
  item(lower, upper, tag) {
    this.#words[0] = lower;
    this.#words[1] = upper;
    this.#words[2] = tag;
    this.#length = 12;
    this.#sip();
  }

  /** @param {number} word */
  #word(word) {
    this.#bytes[this.#length++] = word;
    this.#bytes[this.#length++] = word >> 8;
    this.#bytes[this.#length++] = word >> 16;
    this.#bytes[this.#length++] = word >> 24;
  }

  /** @param {string} text */
  #timetoken(text) {
    split(text);
    this.#word(low);
    this.#word(high);
  }

  /** Its count of bytes, then UTF-8; by hand, since TextEncoder is slow for a few letters. */
  #text(/** @type {string} */ text) {
    this.#reserve(this.#length + 32 + 3 * text.length);
    const bytes = this.#bytes;
    const start = this.#length;
    let at = start + 4;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      if (code < 0x80) {
        bytes[at++] = code;
        continue;
      }
      if (code >= 0xd800 && code < 0xe000) code = /** @type {number} */ (text.codePointAt(i));
      if (code < 0x800) {
        bytes[at++] = 0xc0 | code >> 6;
      } else {
        if (code < 0x10000) {
          // A surrogate without its other half reads as U+FFFD, as everywhere in UTF-8.
          if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
          bytes[at++] = 0xe0 | code >> 12;
        } else {
          bytes[at++] = 0xf0 | code >> 18;
          bytes[at++] = 0x80 | code >> 12 & 63;
          i++;
        }
        bytes[at++] = 0x80 | code >> 6 & 63;
      }
      bytes[at++] = 0x80 | code & 63;
    }
    this.#word(at - start - 4);
    this.#length = at;
  }

  /** Hashes the first `#length` bytes. Aumasson and Bernstein, "SipHash", 2012. */
  #sip() {
    const { 0: k0, 1: k1, 2: k2, 3: k3 } = this.key;
    const words = this.#words;
    const bytes = this.#bytes;
    const length = this.#length;
    for (let at = length; at < (length | 7); at++) bytes[at] = 0;
    bytes[length | 7] = length;
    // Four numbers of 64 bits: a, b, c, d are the low halves, e, f, g, h the high ones.
    let a = k0 ^ 0x70736575, e = k1 ^ 0x736f6d65;
    let b = k2 ^ 0x6e646f6d ^ 0xee, f = k3 ^ 0x646f7261;
    let c = k0 ^ 0x6e657261, g = k1 ^ 0x6c796765;
    let d = k2 ^ 0x79746573, h = k3 ^ 0x74656462;
    const body = ((length >> 3) + 1) * 2;
    for (let round = 0; round < body + 8; round++) {
      if (round < body) {
        if ((round & 1) === 0) {
          d ^= words[round];
          h ^= words[round + 1];
        }
      } else if (round === body) {
        c ^= 0xee;
      } else if (round === body + 4) {
        this.hash[0] = a ^ b ^ c ^ d;
        this.hash[1] = e ^ f ^ g ^ h;
        b ^= 0xdd;
      }
      a = a + b | 0;
      e = (e + f | 0) + (a >>> 0 < b >>> 0 ? 1 : 0) | 0;
      let kept = b;
      b = (b << 13 | f >>> 19) ^ a;
      f = (f << 13 | kept >>> 19) ^ e;
      kept = a;
      a = e;
      e = kept;
      c = c + d | 0;
      g = (g + h | 0) + (c >>> 0 < d >>> 0 ? 1 : 0) | 0;
      kept = d;
      d = (d << 16 | h >>> 16) ^ c;
      h = (h << 16 | kept >>> 16) ^ g;
      a = a + d | 0;
      e = (e + h | 0) + (a >>> 0 < d >>> 0 ? 1 : 0) | 0;
      kept = d;
      d = (d << 21 | h >>> 11) ^ a;
      h = (h << 21 | kept >>> 11) ^ e;
      c = c + b | 0;
      g = (g + f | 0) + (c >>> 0 < b >>> 0 ? 1 : 0) | 0;
      kept = b;
      b = (b << 17 | f >>> 15) ^ c;
      f = (f << 17 | kept >>> 15) ^ g;
      kept = c;
      c = g;
      g = kept;
      if (round < body && (round & 1) === 1) {
        a ^= words[round - 1];
        e ^= words[round];
      }
    }
    this.hash[2] = a ^ b ^ c ^ d;
    this.hash[3] = e ^ f ^ g ^ h;
  }
}

/** How many rows there are, and the sum of their hashes in two lanes modulo 2^64. */
export class Digest {
  count = 0;
  /** The lanes' halves, the lowest first. */
  #lanes = new Int32Array(4);

  /** Adds a hash, or takes it away. @param {Int32Array} hash @param {1|-1} sign */
  add(hash, sign) {
    const lanes = this.#lanes;
    this.count += sign;
    for (let at = 0; at < 4; at += 2) {
      const sum = (lanes[at] >>> 0) + sign * (hash[at] >>> 0);
      lanes[at] = sum | 0;
      lanes[at + 1] += sign * hash[at + 1] + (sum > 0xffffffff ? 1 : sum < 0 ? -1 : 0);
    }
  }

  get text() {
    const [a, b, c, d] = this.#lanes;
    return hexadecimal(b) + hexadecimal(a) + hexadecimal(d) + hexadecimal(c);
  }
}

// Core: coded symbols ----------------------------------------------------------------------------

/** Symbols that fit into one frame of 32 KiB, in base64. */
export const symbolsPerCommand = 1024;
const firstSymbols = 32;
/** The daemon takes no more of one channel: then everything is cheaper. */
const symbolsMax = 16_384;

/** The infinite sequence of a set's coded symbols, taken in order. */
export class SymbolStream {
  /** How many were taken. */
  position = 0;

  /** @param {Iterable<Row>} rows Kept as they are now. @param {Hasher} hasher */
  constructor(rows, hasher) {
    const list = [...rows];
    const words = () => new Int32Array(list.length);
    this.count = list.length;
    this.lows = words();
    this.highs = words();
    this.tags = words();
    this.checksums = words();
    // Each item's next symbol, and the generator that finds the one after it.
    this.next = new Float64Array(list.length);
    this.firsts = words();
    this.seconds = words();
    list.forEach((row, i) => {
      hasher.row(row);
      const tag = hasher.hash[0];
      split(row.actionTimetoken);
      hasher.item(low, high, tag);
      this.lows[i] = low;
      this.highs[i] = high;
      this.tags[i] = tag;
      this.checksums[i] = hasher.hash[2];
      this.firsts[i] = hasher.hash[0];
      this.seconds[i] = hasher.hash[1];
    });
  }

  /** The next symbols, as bytes for the wire. @param {number} count */
  take(count) {
    const from = this.position;
    const to = this.position += count;
    const columns = Array.from({ length: 5 }, () => new Int32Array(count));
    const [lows, highs, tags, checksums, counts] = columns;
    for (let i = 0; i < this.count; i++) {
      let index = this.next[i];
      let first = this.firsts[i];
      let second = this.seconds[i];
      while (index < to) {
        const at = index - from;
        lows[at] ^= this.lows[i];
        highs[at] ^= this.highs[i];
        tags[at] ^= this.tags[i];
        checksums[at] ^= this.checksums[i];
        counts[at]++;
        // xoroshiro64**, then the inverse of the law of gaps.
        const product = Math.imul(first, 0x9e3779bb);
        const drawn = Math.imul(product << 5 | product >>> 27, 5) >>> 0;
        second ^= first;
        first = (first << 26 | first >>> 6) ^ second ^ second << 9;
        second = second << 13 | second >>> 19;
        const uniform = (drawn + 0.5) / 4294967296;
        index = Math.ceil(Math.sqrt((index + 1) * (index + 2) / uniform + 0.25) - 1.5);
      }
      this.next[i] = index;
      this.firsts[i] = first;
      this.seconds[i] = second;
    }
    /** @type {number[]} */
    const bytes = [];
    for (let at = 0; at < count; at++) {
      for (const word of [lows[at], highs[at], tags[at], checksums[at]]) {
        bytes.push(word & 255, word >> 8 & 255, word >> 16 & 255, word >>> 24);
      }
      const deviation = counts[at] - Math.floor(2 * this.count / (from + at + 2));
      let rest = deviation < 0 ? -2 * deviation - 1 : 2 * deviation;
      for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128);
      bytes.push(rest);
    }
    return Uint8Array.from(bytes);
  }
}

// Core: what a daemon takes ----------------------------------------------------------------------
//
// A frame that is not JSON has no reply: whatever else is in it would wait for ever. So names are
// checked where they come in, and each frame once more before it goes out.

const frameMax = 32_768;
const identifierMax = 255;
const typeMax = 64;

const bytesOf = (/** @type {string} */ text) => new TextEncoder().encode(text).length;

/** Throws unless it is a text that the daemon takes. @param {string} what @param {any} text */
function checkText(what, text, /** @type {number} */ max) {
  if (typeof text !== 'string') {
    throw new TypeError(`${what} is a text, not ${text === null ? 'null' : typeof text}.`);
  }
  const size = bytesOf(text);
  if (size < 1 || size > max) throw new RangeError(`${what} has 1 to ${max} bytes, not ${size}.`);
  if (/[\0\p{Cs}]/u.test(text)) {
    throw new TypeError(`${what} has no U+0000 and no half of a surrogate pair: ${text}`);
  }
}

/** Throws unless it is the name of a channel. @param {any} name */
function checkChannel(name) {
  checkText('A channel name', name, identifierMax);
  if (/[\x01-\x1f\x7f-\x9f,]/.test(name)) {
    throw new TypeError(`A channel name has no comma and no control character: ${name}`);
  }
  if (/^\*$|\.\*(-pnpres)?$/.test(name)) {
    throw new TypeError(`A channel name does not end in .*, which stands for many: ${name}`);
  }
}

const isChannelName = (/** @type {any} */ name) => {
  try {
    checkChannel(name);
    return true;
  } catch {
    return false;
  }
};

/** Why the daemon can never read a frame, as it would say it; null when it can. */
function frameRefusal(/** @type {string} */ text) {
  const status = 400;
  if (/(^|[^\\])(\\\\)*\\ud[89a-f]/.test(text)) {
    return { status, code: 'not_json', message: 'A name or a text in it has half a character.' };
  }
  if (text.length * 3 <= frameMax || bytesOf(text) <= frameMax) return null;
  return { status, code: 'frame_too_large', message: `It has more than ${frameMax} bytes.` };
}

// Core: reading what a daemon sends --------------------------------------------------------------
//
// Whatever cannot be read costs itself and nothing else: it is told, and all the rest goes on.

const isText = (/** @type {any} */ it) => typeof it === 'string';
const isCount = (/** @type {any} */ it) => Number.isSafeInteger(it) && it >= 0;
const isObject = (/** @type {any} */ it) =>
  typeof it === 'object' && it !== null && !Array.isArray(it);
const isKey = (/** @type {any} */ it) => isText(it) && /^[0-9a-f]{32}$/.test(it);
const isState = (/** @type {any} */ it) => isObject(it) && isCount(it.n) && isKey(it.d);

/** What came from the daemon and cannot be read: an event, or a whole frame. */
export class UnreadableError extends Error {
  name = 'UnreadableError';

  /** @param {string} reason @param {string|null} channel @param {any} content */
  constructor(reason, channel, content) {
    super(`${channel === null ? 'A frame of the daemon' : `An event in ${channel}`} ` +
      `cannot be read: ${reason}`);
    this.channel = channel;
    this.content = content;
  }
}

const presenceActions = ['join', 'leave', 'timeout', 'state-change', 'interval'];

/** What is wrong with a presence event's content; null when nothing is. @param {any} d */
function presenceFault(d) {
  if (!isObject(d) || !presenceActions.includes(d.action)) return 'd.action is unknown.';
  if (!isCount(d.occupancy) || !isCount(d.timestamp)) {
    return 'd.occupancy or d.timestamp is no number.';
  }
  const isNobody = d.action === 'interval' && (d.uuid ?? null) === null;
  if (!isNobody && !isText(d.uuid)) return 'd.uuid is no text.';
  if (d.data !== undefined && !isObject(d.data)) return 'd.data is no object.';
  const isUsers = (/** @type {any} */ it) => it === undefined ||
    (Array.isArray(it) && it.every(isText));
  return [d.join, d.leave, d.timeout].every(isUsers) ? null : 'A list of users is none.';
}

/**
 * What is wrong with an event of a push, in words; null when nothing is.
 * @param {any} event @param {string} channel The push's. @returns {string|null}
 */
export function faultOf(event, channel) {
  if (!isObject(event)) return 'it is no object.';
  const { f, d, e: kind } = event;
  const user = event.i ?? '';
  if (!isTimetoken(event.p?.t)) return 'p.t is no timetoken.';
  if (event.c !== channel) return 'c is another channel.';
  if (f !== 0 && f !== 1) return 'f is neither 0 nor 1.';
  if (!isText(user)) return 'i is no text.';
  if (kind === undefined || kind === null || kind === 0) {
    if (channel.endsWith('-pnpres')) return f === 1 ? presenceFault(d) : 'presence with f 0.';
    if (d === undefined) return 'a message without d.';
    return (event.cmt ?? null) === null || isText(event.cmt) ? null : 'cmt is no text.';
  }
  if (kind === 1) return f === 0 ? 'a signal with f 0.' : d === undefined ? 'no d.' : null;
  if (kind !== 3 && kind !== 5) return 'e is unknown: is the daemon newer than this client?';
  if (f === 1) return `e ${kind} with f 1.`;
  if (!isObject(d) || !isObject(d.data)) return 'd does not say what happened.';
  if (kind === 5) {
    return d.event === 'deleted' && isTimetoken(d.data.after) && isTimetoken(d.data.through)
      ? null : 'a deletion without its range.';
  }
  if (d.event !== 'added' && d.event !== 'removed') return 'd.event is unknown.';
  return isRow({ ...d.data, uuid: user }) ? null : 'd.data is no action.';
}

/**
 * A push without what cannot be read of it, and what that was. Without its cursor, its channel or
 * its list there is no push.
 * @param {any} frame @returns {{push: any, faults: UnreadableError[]}}
 */
export function readPush(frame) {
  const { t, c, m, s } = frame;
  const reason = !isTimetoken(t?.t) ? 't.t is no timetoken.' : !isText(c) ? 'c is no text.'
    : !Array.isArray(m) ? 'm is no list.' : null;
  if (reason !== null) return { push: null, faults: [new UnreadableError(reason, null, frame)] };
  /** @type {UnreadableError[]} */
  const faults = [];
  const events = m.filter((/** @type {any} */ event) => {
    const fault = faultOf(event, c);
    if (fault !== null) faults.push(new UnreadableError(fault, c, event));
    return fault === null;
  });
  const isReadable = (s ?? null) === null || isState(s);
  if (!isReadable) faults.push(new UnreadableError('s is no state.', null, frame));
  return { push: { t, c, m: events, s: isReadable ? s ?? undefined : undefined }, faults };
}

// Core: the cache of a channel -------------------------------------------------------------------

const rowKey = (/** @type {string} */ type, /** @type {string} */ value,
  /** @type {string} */ uuid) => `${type.length}:${type}${value.length}:${value}${uuid}`;
const isRow = (/** @type {any} */ row) => row && isTimetoken(row.messageTimetoken) &&
  isTimetoken(row.actionTimetoken) &&
  [row.type, row.value, row.uuid].every((text) => typeof text === 'string');

/** The messages and reactions of one channel, as the server had them at `cursor`. */
export class Base {
  cursor = '0';
  actionsCursor = '0';
  deletion = '0';
  isPartial = false;
  /** @type {string|null} */ epoch = null;
  /** @type {Hasher|null} Without one the server keeps no digests. */ hasher = null;
  digest = new Digest();
  version = 0;
  /** @type {Map<string, Map<string, Row>>} By message, also those of messages not here. */
  rows = new Map();
  /** @type {Map<string, Message>} */
  messages = new Map();
  /** @type {Map<string, Row>} */ #touchedRows = new Map();
  /** @type {Set<string>} */ #touchedMessages = new Set();
  #isReplaced = false;

  /**
   * What a store kept, row by row. `isSound` tells whether it is what was stored, as far as counts
   * and a digest can tell, and `isWhole` whether it has all of the messages.
   */
  static load(/** @type {any} */ head, /** @type {any[]} */ rows, /** @type {any[]} */ messages) {
    const base = new Base();
    const isHead = head && isTimetoken(head.cursor) && isTimetoken(head.actionsCursor) &&
      (head.key === null || /^[0-9a-f]{32}$/.test(head.key)) &&
      Number.isSafeInteger(head.version) &&
      (head.epoch === null || (isText(head.epoch) && /^[ -~]{1,64}$/.test(head.epoch)));
    if (!isHead) {
      const isNew = !head && rows.length + messages.length === 0;
      return { base, isSound: isNew, isWhole: isNew };
    }
    base.cursor = head.cursor;
    base.actionsCursor = head.actionsCursor;
    base.deletion = isTimetoken(head.deletion) ? head.deletion : '0';
    base.isPartial = head.isPartial === true;
    base.epoch = head.epoch;
    base.version = head.version;
    base.hasher = head.key === null ? null : new Hasher(head.key);
    for (const row of rows) if (isRow(row)) base.put(row);
    for (const message of messages) {
      if (message && isTimetoken(message.timetoken) && typeof message.uuid === 'string') {
        base.messages.set(message.timetoken, message);
      }
    }
    base.#forgetTouched();
    const isSound = base.digest.count === head.count && rows.length === head.count &&
      (base.hasher === null || base.digest.text === head.digest);
    // What is missing of the messages no digest tells. Earlier versions of this did not count them.
    const isWhole = base.messages.size === (head.messageCount ?? base.messages.size);
    return { base, isSound: isSound && isWhole, isWhole };
  }

  get isEmpty() {
    return this.rows.size === 0 && this.messages.size === 0;
  }

  /** @returns {Iterable<Row>} */
  * allRows() {
    for (const rows of this.rows.values()) yield* rows.values();
  }

  /** @param {string} message @param {string} type @param {string} value @param {string} uuid */
  row(message, type, value, uuid) {
    return this.rows.get(message)?.get(rowKey(type, value, uuid));
  }

  /** Takes the server's key; hashes anew when it is another. @param {string|undefined} key */
  setKey(key) {
    if (key === undefined || this.hasher?.text === key) return;
    this.hasher = new Hasher(key);
    this.digest = new Digest();
    for (const row of this.allRows()) this.#count(row, 1);
  }

  /** Whether the rows are those that a server's state speaks of; true when it says nothing. */
  matches(/** @type {{n: number, d: string}|undefined} */ state) {
    return !state || !this.hasher ||
      (state.n === this.digest.count && state.d === this.digest.text);
  }

  /** @param {Row} row @param {1|-1} sign */
  #count(row, sign) {
    if (!this.hasher) {
      this.digest.count += sign;
      return;
    }
    this.hasher.row(row);
    this.digest.add(this.hasher.hash, sign);
  }

  /** Adds a row, unless a later action stands under its key. @param {Row} row */
  put(row) {
    const rows = this.rows.get(row.messageTimetoken) ?? new Map();
    const key = rowKey(row.type, row.value, row.uuid);
    const standing = rows.get(key);
    if (standing && !isLater(row.actionTimetoken, standing.actionTimetoken)) return;
    if (standing) this.#count(standing, -1);
    rows.set(key, row);
    this.rows.set(row.messageTimetoken, rows);
    this.#count(row, 1);
    this.#touchedRows.set(`${row.messageTimetoken} ${key}`, row);
  }

  /** Drops what stands under a row's key. @param {Row} row */
  drop(row) {
    const rows = this.rows.get(row.messageTimetoken);
    const key = rowKey(row.type, row.value, row.uuid);
    const standing = rows?.get(key);
    if (!rows || !standing) return;
    rows.delete(key);
    if (rows.size === 0) this.rows.delete(row.messageTimetoken);
    this.#count(standing, -1);
    this.#touchedRows.set(`${row.messageTimetoken} ${key}`, standing);
  }

  /** @param {string} timetoken */
  dropMessage(timetoken) {
    if (this.messages.delete(timetoken)) this.#touchedMessages.add(timetoken);
  }

  /** Applies a push; returns the events that nobody stores. @param {any} push */
  apply(push) {
    const unstored = [];
    for (const event of push.m) {
      if (event.f === 1) unstored.push(event);
      else if (!event.e) this.#publish(event);
      else if (event.e === 3) this.#act(event);
      else if (event.e === 5) this.#delete(event);
    }
    // Who comes with nothing is not told what was deleted before.
    const isFilled = push.s && (this.isPartial || this.cursor === '0');
    if (isFilled && isLater(push.t.t, this.deletion)) this.deletion = push.t.t;
    if (push.s) this.isPartial = false;
    else if (this.hasher && isLater(push.t.t, this.cursor)) this.isPartial = true;
    if (isLater(push.t.t, this.cursor)) this.cursor = push.t.t;
    if (isLater(this.cursor, this.actionsCursor)) this.actionsCursor = this.cursor;
    return unstored;
  }

  /** @param {any} event */
  #publish(event) {
    /** @type {Message} */
    const message = { timetoken: event.p.t, uuid: event.i ?? '', payload: event.d };
    if ((event.u ?? null) !== null) message.meta = event.u;
    if ((event.cmt ?? null) !== null) message.messageType = event.cmt;
    this.messages.set(message.timetoken, message);
    this.#touchedMessages.add(message.timetoken);
  }

  /** @param {any} event */
  #act(event) {
    const { messageTimetoken, type, value, actionTimetoken } = event.d.data;
    // Stores have actions that nobody signed: they count in the digest like all others.
    const uuid = event.i ?? '';
    const row = { messageTimetoken, type, value, uuid, actionTimetoken };
    if (event.d.event === 'added') {
      this.put(row);
    } else {
      // A later action under the key is known when a repair ran ahead of the messages.
      const standing = this.row(messageTimetoken, type, value, uuid);
      if (standing && !isLater(standing.actionTimetoken, actionTimetoken)) this.drop(standing);
    }
  }

  /** @param {any} event */
  #delete(event) {
    const { after, through } = event.d.data;
    if (isLater(event.p.t, this.deletion)) this.deletion = event.p.t;
    const isIn = (/** @type {string} */ at) => isLater(at, after) && !isLater(at, through);
    for (const timetoken of this.messages.keys()) if (isIn(timetoken)) this.dropMessage(timetoken);
    for (const [timetoken, rows] of this.rows) {
      if (!isIn(timetoken)) continue;
      // What was added after the deletion stands, also when a repair brought it before.
      for (const row of [...rows.values()]) {
        if (!isLater(row.actionTimetoken, event.p.t)) this.drop(row);
      }
    }
  }

  /** Applies a repair's reply. @param {{cursor: string, rows: string, drop: string}} reply */
  repair(reply) {
    const gone = new Set(unpackTimetokens(fromBase64(reply.drop)));
    const rows = unpackRows(fromBase64(reply.rows));
    if (!isTimetoken(reply.cursor) || !rows.every(isRow)) {
      throw new Error('A repair cannot be read: it has no timetokens.');
    }
    for (const row of [...this.allRows()]) if (gone.has(row.actionTimetoken)) this.drop(row);
    for (const row of rows) this.put(row);
    this.actionsCursor = reply.cursor;
  }

  /** @returns {Head} */
  get head() {
    const { cursor, actionsCursor, deletion, isPartial, epoch, version, digest } = this;
    const key = this.hasher?.text ?? null;
    const { count, text } = digest;
    return {
      cursor, actionsCursor, deletion, isPartial, epoch, version, key, count, digest: text,
      messageCount: this.messages.size,
    };
  }

  /** From now on everything counts as changed: a store writes all of it. */
  replaceAll() {
    this.#isReplaced = true;
  }

  /** What changed since the last patch, for a store and for other tabs. @param {string} channel */
  takePatch(channel) {
    const clear = this.#isReplaced;
    this.version++;
    /** @type {Patch} */
    const patch = {
      channel, clear, rows: [], gone: [], messages: [], dropped: [], head: this.head, settled: [],
    };
    if (clear) {
      patch.rows = [...this.allRows()];
      patch.messages = [...this.messages.values()];
    } else {
      for (const row of this.#touchedRows.values()) {
        const standing = this.row(row.messageTimetoken, row.type, row.value, row.uuid);
        if (standing) patch.rows.push(standing);
        else patch.gone.push(row);
      }
      for (const timetoken of this.#touchedMessages) {
        const message = this.messages.get(timetoken);
        if (message) patch.messages.push(message);
        else patch.dropped.push(timetoken);
      }
    }
    this.#forgetTouched();
    return patch;
  }

  #forgetTouched() {
    this.#isReplaced = false;
    this.#touchedRows.clear();
    this.#touchedMessages.clear();
  }

  /** Does what a patch says, as another tab. @param {Patch} patch */
  follow(patch) {
    for (const row of patch.gone) this.drop(row);
    for (const row of patch.rows) {
      // Also where a damaged row seems to be later.
      this.drop(row);
      this.put(row);
    }
    for (const timetoken of patch.dropped) this.messages.delete(timetoken);
    for (const message of patch.messages) this.messages.set(message.timetoken, message);
    this.cursor = patch.head.cursor;
    this.actionsCursor = patch.head.actionsCursor;
    this.deletion = patch.head.deletion;
    this.isPartial = patch.head.isPartial;
    this.epoch = patch.head.epoch;
    this.version = patch.head.version;
    this.setKey(patch.head.key ?? undefined);
    this.#forgetTouched();
  }
}

/** The messages that a patch concerns. @param {Patch} patch @returns {Set<string>|'all'} */
function affectedBy(patch) {
  if (patch.clear) return 'all';
  const timetokens = [...patch.rows, ...patch.gone].map((row) => row.messageTimetoken);
  return new Set([
    ...timetokens, ...patch.dropped, ...patch.messages.map((message) => message.timetoken)]);
}

// Core: outbox -----------------------------------------------------------------------------------
//
// Functions of the entries in their order. An action key has at most one entry that the daemon may
// have and that is not acknowledged, and one behind it that it does not have: opposite wishes
// cancel there. A view is the cache, overlaid with the last entry of each key.

/** @param {Entry} entry */
const laneOf = (entry) => entry.kind === 'publish' ? entry.channel : JSON.stringify(
  [entry.channel, entry.messageTimetoken, entry.type, entry.value]);

/** A timetoken after every other one: the place of what has none yet. */
const never = '9'.repeat(19);

/** Whether the daemon has answered, and still stands by it. @param {Entry} entry */
const isAnswered = (entry) => entry.acknowledged !== null && !entry.again;

/**
 * How a reaction stands after a wish: since an action, since `never` (its timetoken is to come),
 * or not at all.
 * @param {string|null} standing Before it. @param {Entry} entry @returns {string|null}
 */
function after(standing, { present, observed, acknowledged }) {
  if (present) {
    const since = acknowledged ?? never;
    return standing && (isLater(standing, since) || !acknowledged) ? standing : since;
  }
  const isOther = standing && standing !== never && isLater(standing, observed ?? never);
  return isOther ? standing : null;
}

/**
 * Makes a reaction stand or not, whatever was wished before.
 * @param {Entry[]} entries @param {Entry} wish @param {Row|undefined} row What the cache has.
 * @returns {Edits}
 */
export function wishAction(entries, wish, row) {
  const lane = laneOf(wish);
  const own = entries.filter((entry) => entry.kind === 'action' && laneOf(entry) === lane);
  const standing = () => own.reduce(after, row ? row.actionTimetoken : null);
  if ((standing() !== null) === wish.present) return { put: [], remove: [] };
  const remove = [];
  if (own.length > 0 && !own[own.length - 1].sent) {
    remove.push(/** @type {Entry} */ (own.pop()).mutation);
  }
  const left = standing();
  if ((left !== null) === wish.present) return { put: [], remove };
  // What is on its way may replace what stands: the reply to it tells what a removal is about.
  const observed = wish.present || left === never ? null : left;
  return { put: [{ ...wish, observed }], remove };
}

/**
 * The entries that may be sent now: the first of each lane that is not answered, so that
 * writes to one thing keep their order while others overtake them.
 * @param {Entry[]} entries
 */
export function sendable(entries) {
  const lanes = new Set();
  return entries.filter((entry) => {
    const lane = laneOf(entry);
    if (isAnswered(entry) || lanes.has(lane)) return false;
    lanes.add(lane);
    return true;
  });
}

/** The command of an entry. @param {Entry} entry @returns {Record<string, any>} */
export function commandOf(entry) {
  const { channel, mutation } = entry;
  if (entry.kind === 'publish') {
    const { payload, meta, messageType } = entry;
    return { op: 'publish', channel, mutation, payload, meta, messageType };
  }
  const { messageTimetoken, type, value, present, observed } = entry;
  const key = { channel, mutation, messageTimetoken, type, value };
  if (present) return { op: 'addAction', ...key };
  return { op: 'removeAction', ...key, actionTimetoken: observed ?? undefined };
}

/**
 * Notes a reply, and tells the removal behind an add what it is about.
 * @param {Entry[]} entries @param {string} mutation @param {any} ok @returns {Edits}
 */
export function acknowledge(entries, mutation, ok) {
  const entry = entries.find((it) => it.mutation === mutation);
  if (!entry) return { put: [], remove: [] };
  // Another action stands than the one that was seen: the wish is about nothing. Timetokens do not
  // tell which came first when the server was put back in between.
  if (ok.applied === 'stale') return { put: [], remove: [mutation] };
  const timetoken = ok.timetoken ?? ok.action?.actionTimetoken ?? entry.observed ?? '0';
  const put = [{ ...entry, acknowledged: timetoken, again: false }];
  const lane = laneOf(entry);
  const behind = entries.find((it) => it !== entry && it.kind === 'action' &&
    laneOf(it) === lane && !it.present && (!it.sent || !it.observed));
  if (entry.present && behind && isLater(timetoken, behind.observed ?? '0')) {
    put.push({ ...behind, observed: timetoken });
  }
  return { put, remove: [] };
}

/** Forgets a write that the daemon will never take, and a removal of what it did not add. */
export function refuse(/** @type {Entry[]} */ entries, /** @type {string} */ mutation) {
  const entry = entries.find((it) => it.mutation === mutation);
  const remove = [mutation];
  if (entry?.kind === 'action' && entry.present) {
    const lane = laneOf(entry);
    for (const it of entries) {
      if (it.kind === 'action' && laneOf(it) === lane && !it.present && !it.observed) {
        remove.push(it.mutation);
      }
    }
  }
  return { put: [], remove };
}

/**
 * The entries when the daemon may have lost what it acknowledged in a channel: it is asked again,
 * under the same ids, which keep this from doing harm.
 * @param {Entry[]} entries @param {string} channel @returns {Entry[]}
 */
export function reopened(entries, channel) {
  const added = new Set();
  return entries.map((entry) => {
    if (entry.channel !== channel) return entry;
    const lane = laneOf(entry);
    if (entry.kind === 'action' && !entry.present && entry.observed && added.has(lane)) {
      // The add before it may get another timetoken: whatever becomes of this removal is about the
      // lost action. It is another wish now, about whatever that add adds.
      return { ...entry, mutation: successorOf(entry.mutation), observed: null, sent: true,
        acknowledged: null, again: false };
    }
    if (!entry.acknowledged) return entry;
    if (entry.kind === 'action' && entry.present) added.add(lane);
    return { ...entry, again: true };
  });
}

/** The id of the wish that takes the place of another one: "m7~1" after "m7", then "m7~2". */
function successorOf(/** @type {string} */ mutation) {
  const found = /^(.*)~(\d+)$/.exec(mutation);
  return found ? `${found[1]}~${Number(found[2]) + 1}` : `${mutation}~1`;
}

/** Whether the cache shows what an acknowledged entry did, or what became of it since. */
export function isSettled(/** @type {Entry} */ entry, /** @type {Base} */ base,
  /** @type {string} */ user) {
  if (entry.acknowledged === null || entry.again) return false;
  if (entry.kind === 'publish') return !isLater(entry.acknowledged, base.cursor);
  if (isLater(entry.acknowledged, base.actionsCursor)) return false;
  if (entry.present) return true;
  const row = base.row(entry.messageTimetoken ?? '', entry.type ?? '', entry.value ?? '', user);
  return !row || isLater(row.actionTimetoken, entry.acknowledged);
}

/**
 * The entries that can go: settled ones, but none about a reaction before those that were wished
 * earlier. A cache that does not show an add yet would take its removal for done.
 * @param {Entry[]} entries Those of one channel. @param {Base} base @param {string} user
 */
export function settledOf(entries, base, user) {
  const open = new Set();
  return entries.filter((entry) => {
    const lane = entry.kind === 'action' ? laneOf(entry) : null;
    const isGone = entry.order !== undefined && isSettled(entry, base, user) && !open.has(lane);
    if (!isGone && lane !== null) open.add(lane);
    return isGone;
  });
}

/** @param {Entry[]} entries @param {Edits} edits @returns {Entry[]} In order; new ones last. */
export function edited(entries, edits) {
  const put = new Map(edits.put.map((entry) => [entry.mutation, entry]));
  const kept = [];
  for (const entry of entries) {
    if (!edits.remove.includes(entry.mutation)) kept.push(put.get(entry.mutation) ?? entry);
    put.delete(entry.mutation);
  }
  return [...kept, ...put.values()];
}

/**
 * A text without white space around it and, when it is one emoji, in the spelling of Unicode's list
 * (fully qualified, UTS 51): ❤ becomes ❤️, and two people who mean the same are one group.
 * @param {string} text
 */
export function canonicalEmoji(text) {
  const trimmed = text.trim();
  if (/^[0-9#*]\uFE0F?\u20E3$/u.test(trimmed)) return `${trimmed[0]}\uFE0F\u20E3`;
  if (!oneEmoji.test(trimmed) || /^[0-9#*]/.test(trimmed)) return trimmed;
  return trimmed.replace(/(\p{Emoji})\uFE0F?(\p{Emoji_Modifier})?/gu,
    (_, base, modifier) => modifier ? base + modifier
      : /\p{Emoji_Presentation}/u.test(base) ? base : `${base}\uFE0F`);
}

/** Pictures joined to one; not those that a person asked to be shown as text. */
const oneEmoji =
  /^\p{Emoji}\uFE0F?\p{Emoji_Modifier}?(?:\u200D\p{Emoji}\uFE0F?\p{Emoji_Modifier}?)*$/u;

// Core: what is shown ----------------------------------------------------------------------------

/** @param {Item} left @param {Item} right */
function isSameItem(left, right) {
  // Not by ===: an own message is told once, also when the cache's copy takes its place.
  return isEqual(left.payload, right.payload) && left.pending === right.pending &&
    left.timetoken === right.timetoken && left.actions.length === right.actions.length &&
    left.actions.every((action, i) => {
      const other = right.actions[i];
      return action.uuid === other.uuid && action.value === other.value &&
        action.type === other.type && action.pending === other.pending &&
        action.actionTimetoken === other.actionTimetoken;
    });
}

/** Whether two JSON values are the same, in whatever order their members are. */
function isEqual(/** @type {any} */ left, /** @type {any} */ right) {
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object' ||
    Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  /** @returns {boolean} */
  const isSame = (/** @type {string} */ name) =>
    Object.hasOwn(right, name) && isEqual(left[name], right[name]);
  return names.length === Object.keys(right).length && names.every(isSame);
}

/** Whether two messages say the same. @param {any} left @param {any} right */
const isSameContent = (left, right) => isEqual(left.payload, right.payload) &&
  isEqual(left.meta ?? null, right.meta ?? null) &&
  (left.messageType ?? null) === (right.messageType ?? null);

/** A message of the cache as it shows, overlaid with the outbox. */
function itemOf(/** @type {Base} */ base, /** @type {Message} */ message,
  /** @type {Entry[]} */ wishes, /** @type {string} */ user) {
  /** @type {Map<string, ItemAction>} */
  const actions = new Map();
  for (const [key, row] of base.rows.get(message.timetoken) ?? []) {
    const { type, value, uuid, actionTimetoken } = row;
    actions.set(key, { type, value, uuid, actionTimetoken, pending: false });
  }
  for (const wish of wishes) {
    const { type = '', value = '', acknowledged } = wish;
    const key = rowKey(type, value, user);
    const shown = actions.get(key);
    const before = shown ? shown.actionTimetoken ?? never : null;
    const standing = after(before, wish);
    if (standing === null) {
      actions.delete(key);
    } else if (standing !== before) {
      const actionTimetoken = acknowledged;
      actions.set(key, { type, value, uuid: user, actionTimetoken, pending: !acknowledged });
    }
  }
  // Those without a timetoken last, as they were wished.
  const place = (/** @type {ItemAction} */ it) => (it.actionTimetoken ?? never).padStart(19, '0');
  const sorted = [...actions.values()].sort((left, right) =>
    Number(place(left) > place(right)) - Number(place(left) < place(right)));
  return { ...message, key: message.timetoken, pending: false, actions: sorted };
}

/** The messages of a channel in their order, and how they changed. */
export class ItemList {
  /** @type {Item[]} */ items = [];
  /** @type {Map<string, string>} Where each item sorts, by its key. */ #places = new Map();
  /** @type {Map<string, string>} Keys that own messages had before their timetoken. */
  #keys = new Map();
  /** @type {Map<string, string|null>} The message that each entry shows at, by its mutation. */
  #overlaid = new Map();
  #serial = 0;
  /** @type {Set<string>} Messages of this user that may be those under way. */ #held = new Set();

  /**
   * Brings messages up to date with cache and outbox.
   * @param {Base} base @param {Entry[]} entries Those of this channel. @param {string} user
   * @param {Set<string>|'all'} affected Timetokens; own messages on their way are always looked at.
   * @returns {ListChange[]}
   */
  refresh(base, entries, user, affected) {
    /** @type {ListChange[]} */
    const changes = [];
    const looked = new Set(affected === 'all' ? base.messages.keys() : affected);
    if (affected === 'all') for (const item of this.items) looked.add(item.timetoken ?? '');
    const before = this.#overlaid;
    this.#overlaid = new Map();
    for (const timetoken of this.#held) looked.add(timetoken);
    this.#held.clear();
    const unanswered = entries.filter((it) => it.kind === 'publish' && !isAnswered(it));
    const isPerhapsOwn = (/** @type {Message} */ message) => message.uuid === user &&
      !this.#keys.has(message.timetoken) && unanswered.some((it) => it.observed &&
        isLater(message.timetoken, it.observed) && isSameContent(message, it));
    const wishes = new Map();
    for (const entry of entries) {
      const { kind, mutation, messageTimetoken = '', acknowledged } = entry;
      if (kind === 'action') {
        wishes.set(messageTimetoken, [...wishes.get(messageTimetoken) ?? [], entry]);
        this.#overlaid.set(mutation, messageTimetoken);
      } else {
        this.#overlaid.set(mutation, acknowledged);
        if (acknowledged !== null) {
          this.#keys.set(acknowledged, mutation);
          // It may have been taken for another one's: by a guess, or by another tab.
          this.#remove(acknowledged, changes);
        }
        if (!base.messages.has(acknowledged ?? '')) this.#setOwn(entry, user, changes);
      }
    }
    for (const timetoken of [...before.values(), ...this.#overlaid.values()]) {
      if (timetoken !== null) looked.add(timetoken);
    }
    for (const [mutation, timetoken] of before) {
      if (timetoken !== null || this.#overlaid.has(mutation)) continue;
      // Refused; or another tab got the reply, and it is among the messages already.
      const item = this.#item(mutation);
      const found = item && [...looked].find((it) => !this.#places.has(it) && !this.#keys.has(it) &&
        base.messages.get(it)?.uuid === user && isSameContent(base.messages.get(it), item));
      if (found) this.#keys.set(found, mutation);
      else this.#remove(mutation, changes);
    }
    for (const timetoken of looked) {
      const message = base.messages.get(timetoken);
      const key = this.#keys.get(timetoken) ?? timetoken;
      if (message && !this.#places.has(key) && isPerhapsOwn(message)) {
        // Perhaps the one that this device has sent, which shows already: the reply will tell.
        this.#held.add(timetoken);
      } else if (message) {
        const item = { ...itemOf(base, message, wishes.get(timetoken) ?? [], user), key };
        this.#set(key, timetoken.padStart(19, '0'), item, changes);
      } else if (!this.#overlaid.has(key)) {
        this.#remove(key, changes);
      }
    }
    return changes;
  }

  /** A message of this device that the cache does not have yet; without a timetoken it is last. */
  #setOwn(/** @type {Entry} */ entry, /** @type {string} */ user, /** @type {ListChange[]} */ to) {
    const { mutation: key, acknowledged: timetoken, payload, meta, messageType } = entry;
    const old = this.#places.get(key);
    const last = () => `~${String(++this.#serial).padStart(9, '0')}`;
    const place = timetoken?.padStart(19, '0') ?? old ?? last();
    const pending = timetoken === null;
    const item = { key, timetoken, uuid: user, payload, meta, messageType, pending, actions: [] };
    this.#set(key, place, item, to);
  }

  /** @param {string} key @returns {Item|undefined} */
  #item(key) {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.items[this.#find(place)];
  }

  /** The reactions that show on a message. @param {string} timetoken */
  actionsOf(timetoken) {
    return this.#item(this.#keys.get(timetoken) ?? timetoken)?.actions ?? [];
  }

  /** The index at which a place is or would be. @param {string} place */
  #find(place) {
    let [start, end] = [0, this.items.length];
    while (start < end) {
      const middle = (start + end) >> 1;
      if (/** @type {string} */ (this.#places.get(this.items[middle].key)) < place) {
        start = middle + 1;
      } else {
        end = middle;
      }
    }
    return start;
  }

  #set(/** @type {string} */ key, /** @type {string} */ place, /** @type {Item} */ item,
    /** @type {ListChange[]} */ changes) {
    const old = this.#places.get(key);
    if (old === place) {
      const index = this.#find(place);
      if (isSameItem(this.items[index], item)) return;
      this.items[index] = item;
      changes.push({ kind: 'update', index, item });
      return;
    }
    const from = old === undefined ? -1 : this.#find(old);
    if (from >= 0) this.items.splice(from, 1);
    const index = this.#find(place);
    this.#places.set(key, place);
    this.items.splice(index, 0, item);
    if (from < 0) changes.push({ kind: 'insert', index, item });
    else if (from === index) changes.push({ kind: 'update', index, item });
    else changes.push({ kind: 'move', from, index, item });
  }

  #remove(/** @type {string} */ key, /** @type {ListChange[]} */ changes) {
    const place = this.#places.get(key);
    if (place === undefined) return;
    const index = this.#find(place);
    const [item] = this.items.splice(index, 1);
    this.#places.delete(key);
    changes.push({ kind: 'remove', index, item });
  }
}

// Core: the conversation about one channel --------------------------------------------------------

/** @param {Partial<Outcome>} [outcome] @returns {Outcome} */
const outcomeOf = (outcome) =>
  ({ patch: null, next: null, affected: new Set(), events: [], restored: false, ...outcome });

/** What a device knows of one channel, and what it has to ask. */
export class ChannelState {
  base = new Base();
  /** @type {Base|null} A snapshot on its way; the old cache shows until it is complete. */
  staging = null;
  /** `asked`: pushes still belong to the subscription before. */
  phase = /** @type {'idle'|'asked'|'live'|'repairing'} */ ('idle');
  /** Subscriptions without a reply; only the last one counts. */
  asked = 0;
  /** What the next subscription has to bring. */
  wanted = /** @type {null|'repair'|'snapshot'} */ (null);
  /** Whether the server said that it has the same rows at `cursor`. */
  isVerified = false;
  /** Disagreements since a push was right; the shell waits longer each time. */
  failures = 0;
  /** @type {{stream: SymbolStream, need: number, open: number}|null} */ exchange = null;
  repairs = 0;
  snapshots = 0;

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  /** Takes what a store kept. @param {any} stored */
  load(stored) {
    const { base, isSound, isWhole } =
      Base.load(stored?.head, stored?.rows ?? [], stored?.messages ?? []);
    this.base = base;
    this.staging = null;
    this.phase = 'idle';
    const isRepairable = isWhole && base.epoch !== null;
    this.wanted = isSound ? null : isRepairable ? 'repair' : 'snapshot';
    if (!isSound) base.replaceAll();
  }

  /** The connection is gone. */
  disconnect() {
    this.phase = 'idle';
    this.isVerified = false;
    this.asked = 0;
    this.staging = null;
    this.exchange = null;
  }

  /** This channel's part of a subscribe command. */
  request() {
    this.phase = 'asked';
    this.isVerified = false;
    this.asked++;
    this.exchange = null;
    this.staging = null;
    const { cursor, epoch, hasher, digest } = this.base;
    if (this.wanted === 'snapshot' || cursor === '0') return { name: this.name, cursor: '0' };
    const known = hasher ? { count: digest.count, digest: digest.text } : {};
    const repair = this.wanted === 'repair' ? true : undefined;
    return { name: this.name, cursor, epoch: epoch ?? undefined, ...known, repair };
  }

  /** @param {any} reply This channel's part of it. @param {string} epoch @returns {Outcome} */
  subscribed(reply, epoch) {
    if (--this.asked > 0) return outcomeOf();
    const { base } = this;
    // Another run may know less than the last one: it was perhaps put back, if only a little.
    const isOtherRun = base.epoch !== null && base.epoch !== epoch;
    if (isOtherRun && base.isPartial && this.wanted !== 'snapshot' && reply.mode !== 'snapshot') {
      // What was missed came without messages that a later deletion takes. If the store was put
      // back to before that deletion, they are there again, and no digest tells.
      return { ...this.#startOver(), restored: true };
    }
    if (reply.mode === 'repair') {
      const isBehind = isLater(base.cursor, reply.cursor);
      const restored = isBehind || isOtherRun;
      if (isBehind && isLater(base.deletion, reply.cursor)) {
        // Messages that a deletion took may be there again, and no digest tells.
        return { ...this.#startOver(), restored };
      }
      if (isBehind) {
        for (const timetoken of [...base.messages.keys()]) {
          if (isLater(timetoken, reply.cursor)) base.dropMessage(timetoken);
        }
        base.cursor = reply.cursor;
        base.actionsCursor = reply.cursor;
      }
      base.epoch = epoch;
      base.setKey(reply.key);
      this.phase = 'repairing';
      this.repairs++;
      const stream = new SymbolStream(base.allRows(), base.hasher ?? new Hasher('0'.repeat(32)));
      this.exchange = { stream, need: firstSymbols, open: 0 };
      const patch = isBehind ? base.takePatch(this.name) : null;
      const affected = patch ? affectedBy(patch) : new Set();
      return outcomeOf({ patch, affected, next: 'repair', restored });
    }
    this.phase = 'live';
    if (reply.mode === 'snapshot' || this.wanted === 'snapshot' || base.cursor === '0') {
      const outcome = this.#startSnapshot(reply, epoch);
      return { ...outcome, restored: outcome.restored || isOtherRun };
    }
    base.epoch = epoch;
    base.setKey(reply.key);
    return this.#check(reply.s, outcomeOf({ restored: isOtherRun }), reply.cursor);
  }

  /** Everything is to come anew. @returns {Outcome} */
  #startOver() {
    this.wanted = 'snapshot';
    this.phase = 'idle';
    return outcomeOf({ next: 'subscribe' });
  }

  /** @param {any} reply @param {string} epoch @returns {Outcome} */
  #startSnapshot(reply, epoch) {
    const fresh = new Base();
    fresh.epoch = epoch;
    fresh.setKey(reply.key);
    this.snapshots++;
    const restored = reply.mode === 'snapshot';
    if (!this.base.isEmpty && reply.key !== undefined) {
      this.staging = fresh;
      return { ...this.#check(reply.s, outcomeOf(), reply.cursor), restored };
    }
    // Nothing to go on showing: what comes shows at once.
    fresh.version = this.base.version;
    fresh.replaceAll();
    this.base = fresh;
    this.wanted = null;
    const outcome = outcomeOf({ affected: 'all' });
    return { ...this.#check(reply.s, outcome, reply.cursor), restored };
  }

  /** @param {any} push @returns {Outcome} */
  push(push) {
    if (this.phase !== 'live') return outcomeOf();
    if (this.staging) {
      const events = this.staging.apply(push);
      return this.#check(push.s, outcomeOf({ events }), push.t.t);
    }
    const events = this.base.apply(push);
    const patch = this.base.takePatch(this.name);
    if (patch.rows.length + patch.gone.length > 0) this.isVerified = false;
    const outcome = outcomeOf({ patch, affected: affectedBy(patch), events });
    return this.#check(push.s, outcome, push.t.t);
  }

  /** Compares with the server's state at a position; decides what follows. @returns {Outcome} */
  #check(/** @type {any} */ state, /** @type {Outcome} */ outcome, /** @type {string} */ at) {
    if (state === undefined || state === null) return outcome;
    const compared = this.staging ?? this.base;
    if (!compared.matches(state)) {
      // After a repair the actions are ahead: an earlier state may well be another one.
      return isLater(compared.actionsCursor, at) ? outcome : this.#distrust(outcome);
    }
    this.isVerified = this.base.hasher !== null || this.staging !== null;
    this.wanted = null;
    this.failures = 0;
    if (!this.staging) return outcome;
    this.staging.version = this.base.version;
    this.staging.replaceAll();
    this.base = this.staging;
    this.staging = null;
    return { ...outcome, patch: this.base.takePatch(this.name), affected: 'all' };
  }

  /** The next rung: a repair, and if that was it, a snapshot. @param {Outcome} outcome */
  #distrust(outcome) {
    this.isVerified = false;
    this.failures++;
    const isHopeless = this.wanted || this.staging || !this.base.hasher || this.failures > 1;
    this.wanted = isHopeless ? 'snapshot' : 'repair';
    this.phase = 'idle';
    return { ...outcome, next: /** @type {'subscribe'} */ ('subscribe') };
  }

  /** The commands that bring the server as many symbols as it needs. */
  symbols() {
    const { exchange } = this;
    const commands = [];
    while (exchange && exchange.stream.position < exchange.need) {
      const from = exchange.stream.position;
      const symbols = exchange.stream.take(Math.min(symbolsPerCommand, exchange.need - from));
      const count = exchange.stream.count;
      commands.push({ op: 'repair', channel: this.name, from, count, symbols: toBase64(symbols) });
      exchange.open++;
    }
    return { exchange, commands };
  }

  /** @param {any} exchange The one that was asked in. @param {any} ok Or nothing: refused. */
  repairReply(exchange, ok) {
    if (exchange !== this.exchange || this.phase !== 'repairing') return outcomeOf();
    exchange.open--;
    if (ok && ok.rows !== undefined) {
      this.exchange = null;
      this.phase = 'live';
      // One repair has to do: whatever differs now is for a snapshot.
      this.wanted = 'repair';
      try {
        this.base.repair(ok);
      } catch {
        return this.#distrust(outcomeOf());
      }
      if (!this.base.matches(ok.s)) return this.#distrust(outcomeOf());
      const patch = this.base.takePatch(this.name);
      // The failures stand until a push agrees, too: else the two could disagree for ever.
      this.isVerified = !!ok.s && this.base.hasher !== null;
      this.wanted = null;
      return outcomeOf({ patch, affected: affectedBy(patch) });
    }
    if (ok && Number.isSafeInteger(ok.need)) {
      exchange.need = Math.max(exchange.need, ok.need);
      if (exchange.open > 0) return outcomeOf();
      // A server that has all it wanted and still wants symbols gets a quarter more.
      const taken = exchange.stream.position;
      if (exchange.need <= taken) exchange.need = taken + (taken >> 2) + 8;
      if (exchange.need <= symbolsMax) return outcomeOf({ next: 'repair' });
    }
    this.failures++;
    return this.#startOver();
  }
}

// Shell: stores ----------------------------------------------------------------------------------

/** @param {number} count */
function randomDigits(count) {
  const bytes = crypto.getRandomValues(new Uint8Array(count / 2));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Keeps the outbox as long as the page lives: where there is no IndexedDB, and in tests. */
export class MemoryStore {
  /** @type {Entry[]} */ #entries = [];
  #order = 0;

  async deviceId() {
    return randomDigits(32);
  }

  /** @param {string} _channel @returns {Promise<any>} */
  async load(_channel) {
    return null;
  }

  /** @param {Patch} patch */
  async write(patch) {
    this.#entries = this.#entries.filter(({ order = 0 }) => !patch.settled.includes(order));
  }

  /** @param {(entries: Entry[]) => Entry[]} transform */
  async change(transform) {
    const before = this.#entries;
    this.#entries = transform(before).map((it) => it.order ? it : { ...it, order: ++this.#order });
    return { entries: this.#entries, isChanged: before.some((it) => !this.#entries.includes(it)) ||
      before.length !== this.#entries.length };
  }

  close() {}
}

/** @template Result @param {IDBRequest<Result>} request @returns {Promise<Result>} */
const answerTo = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
const endOf = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  // A failed request aborts it; so does a disk that is full, when all requests were good.
  transaction.onabort = () => reject(transaction.error ?? new Error(
    'The browser aborted a transaction of the cache: is the database being deleted?'));
});

/** The cache is of another user or keyset: nothing of it was shown, and nothing written into it. */
export class CacheOwnerError extends Error {
  name = 'CacheOwnerError';

  /** @param {string} cache @param {{userId: string, keyset: string|null}} owner */
  constructor(cache, owner) {
    const keyset = owner.keyset === null ? 'first keyset' : `keyset ${owner.keyset}`;
    super(`The cache "${cache}" belongs to the user ${owner.userId} of the ${keyset}. ` +
      'Name another cache: each user and keyset has one of its own.');
    this.owner = owner;
  }
}

/** Keeps everything in IndexedDB; each patch is one transaction. */
class IndexedStore {
  /** @param {string} name @param {{userId: string, keyset: string|null}} owner */
  constructor(name, owner) {
    this.name = name;
    this.owner = owner;
  }

  /** @type {IDBDatabase|null} */ #database = null;
  #isClosed = false;

  #use(/** @type {IDBDatabase} */ database) {
    this.#database = database;
    // Somebody deletes it, or a newer version of this module wants it.
    database.onversionchange = () => {
      database.close();
      if (this.#database === database) this.#database = null;
    };
    // Its disk is gone, or the person cleared the site's data.
    database.onclose = () => {
      if (this.#database === database) this.#database = null;
    };
  }

  async open() {
    this.#use(await this.#openDatabase());
  }

  /** Opens it, as its owner or as the first who comes. @returns {Promise<IDBDatabase>} */
  async #openDatabase() {
    const request = indexedDB.open(this.name, 1);
    request.onupgradeneeded = () => {
      const database = request.result;
      database.createObjectStore('meta');
      database.createObjectStore('channels');
      database.createObjectStore('rows');
      database.createObjectStore('messages');
      database.createObjectStore('outbox', { keyPath: 'order', autoIncrement: true });
    };
    const database = await answerTo(request);
    try {
      const transaction = database.transaction('meta', 'readwrite');
      const meta = transaction.objectStore('meta');
      const known = await answerTo(meta.get('owner'));
      const { userId, keyset } = this.owner;
      if (!isObject(known)) meta.put({ userId, keyset }, 'owner');
      await endOf(transaction);
      if (isObject(known) && (known.userId !== userId || known.keyset !== keyset)) {
        throw new CacheOwnerError(this.name, known);
      }
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }

  /**
   * Begins a transaction; opens the database anew when the browser closed it. One that lost its
   * rows meanwhile is found out by the digest when it is read again.
   * @param {string|string[]} names @param {'readonly'|'readwrite'} [mode] @param {any} [options]
   * @returns {Promise<IDBTransaction>}
   */
  async #begin(names, mode = 'readonly', options) {
    if (this.#isClosed) throw new Error('The cache is closed.');
    try {
      // @ts-ignore Older descriptions of the DOM have no third parameter.
      if (this.#database) return this.#database.transaction(names, mode, options);
    } catch (error) {
      if (/** @type {any} */ (error).name !== 'InvalidStateError') throw error;
    }
    const database = await (this.#opening ??= this.#openAgain());
    // @ts-ignore
    return database.transaction(names, mode, options);
  }

  /** @type {Promise<IDBDatabase>|null} */ #opening = null;

  async #openAgain() {
    try {
      const database = await this.#openDatabase();
      this.#use(database);
      if (this.#isClosed) database.close();
      return database;
    } finally {
      this.#opening = null;
    }
  }

  async deviceId() {
    const transaction = await this.#begin('meta', 'readwrite');
    const meta = transaction.objectStore('meta');
    const known = await answerTo(meta.get('deviceId'));
    const id = typeof known === 'string' ? known : randomDigits(32);
    if (id !== known) meta.put(id, 'deviceId');
    await endOf(transaction);
    return id;
  }

  /** Everything whose key starts with the channel. @param {string} channel */
  #range(channel) {
    return IDBKeyRange.bound([channel], [channel, []]);
  }

  /** @param {string} channel */
  async load(channel) {
    const transaction = await this.#begin(['channels', 'rows', 'messages']);
    const [head, rows, messages] = await Promise.all([
      answerTo(transaction.objectStore('channels').get(channel)),
      answerTo(transaction.objectStore('rows').getAll(this.#range(channel))),
      answerTo(transaction.objectStore('messages').getAll(this.#range(channel))),
    ]);
    return { head, rows, messages };
  }

  /** @param {Patch} patch */
  async write(patch) {
    const { channel } = patch;
    const names = ['channels', 'rows', 'messages', 'outbox'];
    const transaction = await this.#begin(names, 'readwrite');
    const [heads, rows, messages, outbox] = names.map((name) => transaction.objectStore(name));
    const keyOf = (/** @type {Row} */ it) =>
      [channel, it.messageTimetoken, it.type, it.value, it.uuid];
    if (patch.clear) {
      rows.delete(this.#range(channel));
      messages.delete(this.#range(channel));
    }
    for (const row of patch.gone) rows.delete(keyOf(row));
    for (const row of patch.rows) rows.put(row, keyOf(row));
    for (const timetoken of patch.dropped) messages.delete([channel, timetoken]);
    for (const message of patch.messages) messages.put(message, [channel, message.timetoken]);
    for (const order of patch.settled) outbox.delete(order);
    heads.put(patch.head, channel);
    await endOf(transaction);
  }

  /** Changes the outbox in one transaction over all tabs. */
  async change(/** @type {(entries: Entry[]) => Entry[]} */ transform) {
    const transaction = await this.#begin('outbox', 'readwrite', { durability: 'strict' });
    const outbox = transaction.objectStore('outbox');
    const before = await answerTo(outbox.getAll());
    const after = transform(before);
    const kept = new Set(after.map(({ order }) => order));
    for (const { order } of before) if (!kept.has(order)) outbox.delete(order);
    const known = new Set(before);
    const changed = after.filter((entry) => !known.has(entry));
    for (const entry of changed) outbox.put(entry);
    const entries = await answerTo(outbox.getAll());
    await endOf(transaction);
    return { entries, isChanged: changed.length > 0 || entries.length !== before.length };
  }

  close() {
    this.#isClosed = true;
    this.#database?.close();
  }
}

// Shell: connection ------------------------------------------------------------------------------

/** Whether an error says: not applied, as far as the daemon knows; try again later. */
const isForNow = (/** @type {any} */ error) => error.status === 429 || error.status >= 500;
const commandDelayMax = 30_000;
const entriesInFlightMax = 256;
/** Milliseconds that other tabs have to say that they follow a channel, too. */
const leavingTime = 1000;
/** Milliseconds after which a session was a good one: the next back-off starts anew. */
const goodSession = 10_000;
/** Milliseconds after which a cache is stored again that could not be stored. */
const keepAgain = 60_000;
/** Milliseconds between two looks at a connection, at most. */
const lookMax = 5000;
/** How many times longer a reply may take while other frames come: it may be behind them. */
const busyFactor = 4;

/**
 * Milliseconds to wait before the next connection; null when the client has to be mended first.
 * @param {number} code The close code. @param {number} attempt From 0. @param {number} random
 */
export function retryDelay(code, attempt, random) {
  if ([1003, 1007, 1008, 1009].includes(code)) return null;
  if (code === 1001 && attempt === 0) return 1000 * random;
  return random * Math.min(30_000, 500 * 2 ** attempt);
}

/**
 * Milliseconds to wait before a command is sent again that was refused for now: longer each time,
 * and not less than the daemon asks for.
 * @param {any} error @param {number} attempt From 0. @param {number} random
 */
export function commandDelay(error, attempt, random) {
  const own = Math.min(commandDelayMax, 500 * 2 ** attempt) * (0.5 + random / 2);
  const { retryAfter } = error ?? {};
  if (!(typeof retryAfter === 'number' && retryAfter > 0)) return own;
  return Math.max(own, Math.min(commandDelayMax, 1000 * retryAfter) * (1 + random / 4));
}

/**
 * The fields of a write as JSON has them. A frame that the daemon cannot read has no reply, or ends
 * the connection, and would so for ever: it must not get into the outbox.
 * @param {any} fields @param {string} channel
 */
export function frameable(fields, channel) {
  const text = JSON.stringify(fields);
  // 150 bytes are enough for all that is beside them: op, ids and names.
  const size = bytesOf(text + JSON.stringify(channel)) + 150;
  if (size > frameMax) throw new RangeError(`A write has ${size} bytes; the daemon takes 32,768.`);
  if (/(^|[^\\])(\\\\)*\\u(d[89a-f]|0000)/.test(text)) {
    throw new TypeError('A text of a write has half a character, or U+0000.');
  }
  const check = (/** @type {any} */ value, /** @type {number} */ depth) => {
    if (Number.isInteger(value) && Math.abs(value) > 2 ** 63 - 1025 && Math.abs(value) < 1e21) {
      throw new RangeError(`${value} has more than 64 bits: make it a text.`);
    }
    if (value === null || typeof value !== 'object') return;
    if (depth > 31) throw new RangeError('A write may be nested 31 levels deep.');
    for (const it of Object.values(value)) check(it, depth + 1);
  };
  const kept = JSON.parse(text);
  check(kept, 0);
  return kept;
}

/** Whether the reply to a subscribe is one. @param {any} ok @param {string[]} names Those asked. */
function isSubscribed(ok, names) {
  const isGood = Array.isArray(ok.channels) && ok.channels.every(
    (/** @type {any} */ it) => isObject(it) && isText(it.name) && isText(it.mode) &&
      isTimetoken(it.cursor) && (it.key === undefined || isKey(it.key)) &&
      ((it.s ?? null) === null || isState(it.s)));
  const told = new Set(isGood ? ok.channels.map((/** @type {any} */ it) => it.name) : []);
  return names.every((name) => told.has(name));
}

/** Whether the reply to a write is one. @param {Entry} entry @param {any} ok */
const isWritten = ({ kind, present }, ok) => kind === 'publish' ? isTimetoken(ok.timetoken)
  : present ? isTimetoken(ok.action?.actionTimetoken) : isText(ok.applied);

/** What stands for a reply that cannot be read: the command is tried again, later each time. */
const unreadableReply = { status: 500, code: 'unreadable', message: 'The reply cannot be read.' };

/** A frame's JSON; throws unless it is an object. @param {string} text */
function parsed(text) {
  let frame;
  try {
    frame = JSON.parse(text);
  } catch {
    throw new UnreadableError('it is not JSON.', null, text);
  }
  if (!isObject(frame)) throw new UnreadableError('it is no object.', null, text);
  return frame;
}

/** Writes that may wait in an outbox, unless the options say otherwise. */
const outboxMaxDefault = 1000;

/** So many writes wait for the daemon that no other is taken: wishes can be taken back, though. */
export class OutboxFullError extends Error {
  name = 'OutboxFullError';

  /** @param {number} max How many may wait. */
  constructor(max) {
    super(`${max} writes wait for the daemon. Wait for a connection before you write more.`);
    this.max = max;
  }
}

/** Runs code of the page: what it throws is reported there, and stops nothing here. */
function callSafely(/** @type {() => void} */ callback) {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * A channel that is followed: its messages, with the reactions that stand, this device's wishes
 * included. Made by `SyncClient.channel`.
 */
export class Channel {
  state;
  list = new ItemList();
  /** The newest version that another tab spoke of. */
  heard = 0;
  /** Whether the store has what this page has. */
  isStored = true;
  /** Entries that can go once it has. @type {number[]} */ unsettled = [];
  isLoaded = false;
  /** Whether this tab follows it, or another one. */
  isWanted = false;
  isHeld = false;
  /** @type {Promise<void>|null} */ loading = null;
  wasVerified = false;
  /** @type {Promise<void>} Resolved when what the cache kept is there. */
  ready = Promise.resolve();
  /** @type {Set<(changes: ListChange[], items: readonly Item[]) => void>} */
  #observers = new Set();
  /** Steps that observers do not know yet. @type {(() => void)[]} */ #news = [];
  #isTelling = false;

  /** @param {SyncClient} client @param {string} name */
  constructor(client, name) {
    this.client = client;
    this.name = name;
    this.state = new ChannelState(name);
  }

  /** The messages in their order, those on their way last. @returns {readonly Item[]} */
  get items() {
    return this.list.items;
  }

  /** Whether the server said that the cache has the same reactions. */
  get isVerified() {
    return this.state.isVerified;
  }

  /**
   * Calls back with each batch of changes, and at once with an `insert` for each item there is.
   * `items` is the list as it is; a callback that makes a wish hears of it after this batch.
   * @param {(changes: ListChange[], items: readonly Item[]) => void} callback
   * @returns {() => void} Ends it.
   */
  observe(callback) {
    /** @type {typeof callback} Its own, so that one function can observe twice. */
    const observer = (changes, items) => callback(changes, items);
    const all = this.items.map((item, index) =>
      ({ kind: /** @type {'insert'} */ ('insert'), index, item }));
    this.#observers.add(observer);
    this.#tell([observer], all);
    return () => {
      this.#observers.delete(observer);
    };
  }

  /** One batch after the other, also when a callback causes the next one. */
  #tell(/** @type {((changes: ListChange[], items: readonly Item[]) => void)[]} */ observers,
    /** @type {ListChange[]} */ changes) {
    this.#news.push(() => {
      for (const observer of observers) {
        if (this.#observers.has(observer)) callSafely(() => observer(changes, this.items));
      }
    });
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next; (next = this.#news.shift());) next();
    this.#isTelling = false;
  }

  /** @param {Entry[]} entries @param {Set<string>|'all'} affected */
  refresh(entries, affected) {
    // Whoever closed does not want to hear any more.
    if (this.client.status === 'closed') return;
    const own = entries.filter((entry) => entry.channel === this.name);
    const { userId } = this.client;
    const changes = this.list.refresh(this.state.base, own, userId, affected);
    if (changes.length > 0) this.#tell([...this.#observers], changes);
  }

  /**
   * Ends following the channel: no callback comes any more, and the daemon sends nothing. What the
   * cache has stays for the next `client.channel`, and what waits in the outbox is sent all the
   * same. Other tabs go on.
   */
  leave() {
    this.#observers.clear();
    this.client.leave(this);
  }

  /**
   * Publishes, now or when there is a connection again. Shows at once; resolves when the wish is
   * stored here. Rejects what the daemon could never read (TypeError, RangeError), with
   * OutboxFullError when too much waits already, and with what the store says when it fails.
   * @param {any} payload Any JSON value. @param {{meta?: any, messageType?: string}} [fields]
   * @returns {Promise<void>}
   */
  async publish(payload, fields = {}) {
    const { meta, messageType } = fields;
    this.#checkWritable();
    if ((messageType ?? null) !== null) checkText('A messageType', messageType, typeMax);
    const written = frameable({ payload, meta, messageType }, this.name);
    if (!('payload' in written)) throw new TypeError('A payload is a JSON value.');
    return this.client.wish(this, { kind: 'publish', ...written });
  }

  /**
   * Makes a reaction of this user stand, or not. Shows at once; resolves when the wish is stored
   * here, and rejects as `publish` does. What is so already needs no wish. An emoji that does not
   * stand on the message in just this spelling is taken as `canonicalEmoji` has it.
   * @param {string} messageTimetoken @param {string} value For example 👍.
   * @param {boolean} [present] @param {string} [type]
   * @returns {Promise<void>}
   */
  async react(messageTimetoken, value, present = true, type = 'reaction') {
    this.#checkWritable();
    if (!isTimetoken(messageTimetoken)) {
      const is = isText(messageTimetoken) ? `"${messageTimetoken}"` : typeof messageTimetoken;
      throw new TypeError(messageTimetoken === null ? 'The message has no timetoken yet.'
        : `A timetoken is a text of 1 to 19 digits, up to ${timetokenMax}, not ${is}.`);
    }
    if (typeof value !== 'string' || typeof type !== 'string' || typeof present !== 'boolean') {
      throw new TypeError('A reaction has texts for value and type, and is present or not.');
    }
    const isPlain = type === 'reaction';
    checkText('The type of a reaction', type, typeMax);
    if ((isPlain ? value.trim() : value) === '') {
      throw new RangeError('The value of a reaction is empty.');
    }
    const fields = frameable({ messageTimetoken, type, value }, this.name);
    // What stands there decides how the value is spelled.
    if (isPlain && !this.isLoaded) await this.ready;
    if (isPlain && !this.#shows(messageTimetoken, value)) fields.value = canonicalEmoji(value);
    return this.client.wish(this, { kind: 'action', ...fields, present });
  }

  #checkWritable() {
    if (!this.name.endsWith('-pnpres')) return;
    throw new TypeError("Channels that end in -pnpres are the daemon's own: write to others.");
  }

  /** Whether anybody's reaction stands on a message in just this spelling. */
  #shows(/** @type {string} */ messageTimetoken, /** @type {string} */ value) {
    const isIt = (/** @type {Row|ItemAction} */ it) => it.type === 'reaction' && it.value === value;
    const rows = this.state.base.rows.get(messageTimetoken)?.values() ?? [];
    return [...rows].some(isIt) || this.list.actionsOf(messageTimetoken).some(isIt);
  }
}

/**
 * A change of the outbox that waits for its transaction.
 * @typedef {{transform: (entries: Entry[]) => Entry[], isShown: boolean, resolve: () => void,
 *   reject: (error: any) => void, error?: any}} Change
 */

/**
 * A device: one connection, the channels it follows, and the writes that wait. Tabs with the same
 * `cache` are one device: one of them connects, all show the same.
 */
export class SyncClient {
  /** `starting`, `connecting`, `online`, `waiting` to connect again, `refused`, or `closed`. */
  status = 'starting';
  /**
   * Traffic of this tab's connections; characters are bytes but for texts beyond ASCII.
   * `unreadable` counts what came and could not be read: each was a `problem`.
   */
  stats = { connections: 0, received: 0, sent: 0, unreadable: 0 };
  userId;
  deviceId = '';
  #options;
  #replySeconds;
  #outboxMax;
  /** Milliseconds between two looks at the connection. */ #look;
  /** @type {MemoryStore|IndexedStore} */ #store = new MemoryStore();
  /** @type {Map<string, Channel>} */ #channels = new Map();
  /** @type {Map<string, Set<(value: any) => void>>} */ #listeners = new Map();
  /** Why nothing can be done with the cache. @type {CacheOwnerError|null} */ #refusal = null;
  /** Resolved when the store is the one to use. @type {Promise<void>} */ #opened;
  /** @type {Promise<void>} */ #started;
  #isLeader = false;
  #isClosed = false;
  /** @type {Promise<void>|null} */ #closing = null;
  /** @type {BroadcastChannel|null} */ #tabs = null;
  #locks = new AbortController();
  #release = () => {};

  /** @type {WebSocket|null} */ #socket = null;
  #isOnline = false;
  #epoch = '';
  #attempt = 0;
  #commands = 0;
  /** Commands without a reply, the oldest first.
   * @type {Map<number, {op: string, at: number, reply: (ok: any, error: any) => void,
   *   isReply: (ok: any) => boolean}>} */
  #replies = new Map();
  /** Milliseconds that this page was awake, at the last look at the clock; and that look. */
  #awake = 0;
  #lookedAt = performance.now();
  /** In that time. */ #heardAt = 0;
  #welcomedAt = Infinity;
  /** @type {Set<any>} Timers that end with the connection. */ #timers = new Set();
  /** @type {Set<any>} Those of channels that this tab has left. */ #leaving = new Set();
  /** @type {any} */ #keeping;
  /** @type {any} */ #retrying;
  /** @type {any} */ #watching;

  /** @type {Entry[]} The outbox, with what is being stored. */ #entries = [];
  /** @type {Entry[]} What the store has of it, as far as is known. */ #kept = [];
  /** @type {Change[]} */ #changes = [];
  #isChanging = false;
  /** @type {Promise<void>} The changes under way. */ #changed = Promise.resolve();
  /** @type {Promise<void>} The last patch under way. */ #stored = Promise.resolve();
  #isMarking = false;
  #isPaused = false;
  /** Pauses since a write was answered. */ #pauses = 0;
  /** Subscribes that were refused for now, one after the other. */ #subscribeRetries = 0;
  /** @type {Set<string>} Mutations without a reply on this connection. */ #inFlight = new Set();
  /** @type {Set<number>} Entries that a patch took away. */ #settled = new Set();

  /**
   * @param {{url: string, userId: string, deviceId?: string, keyset?: string, cache?: string|null,
   *   batch?: number, coalesce?: boolean, replySeconds?: number, outboxMax?: number, store?: any,
   *   WebSocket?: any, random?: () => number}} options
   *   `url` as in ws://HOST:PORT/v1/sync. `cache` names the IndexedDB database (one for each user,
   *   keyset and server); without it nothing outlives the page. `batch` (milliseconds) and `coalesce` go
   *   to subscribe. `replySeconds` (15) is how long the daemon may be silent while it owes a reply,
   *   or the connection takes to open; then another one is tried. `outboxMax` (1000) is how many
   *   writes may wait. `store`, `WebSocket` and `random` are for other surroundings than a page,
   *   such as tests.
   */
  constructor(options) {
    const { userId, deviceId, keyset, replySeconds = 15, outboxMax = outboxMaxDefault } = options;
    checkText('A userId', userId, identifierMax);
    if ((deviceId ?? null) !== null) checkText('A deviceId', deviceId, identifierMax);
    if ((keyset ?? null) !== null) checkText('A keyset', keyset, identifierMax);
    const { batch, coalesce } = options;
    if (!(isCount(batch ?? 0) && (batch ?? 0) <= 1000)) {
      throw new RangeError('batch is a whole number of milliseconds, up to 1000.');
    }
    if (typeof (coalesce ?? false) !== 'boolean') throw new TypeError('coalesce is true or false.');
    if (!(replySeconds > 0)) throw new RangeError('replySeconds is a number above 0.');
    if (!(outboxMax >= 1)) throw new RangeError('outboxMax is a number from 1 on.');
    this.#options = options;
    this.#replySeconds = replySeconds;
    this.#outboxMax = outboxMax;
    this.#look = Math.min(lookMax, replySeconds * 1000 / 3);
    this.userId = userId;
    this.#opened = this.#open();
    this.#started = this.#opened.then(() => this.#start())
      .catch((error) => this.#problem(error));
    this.#listen(true);
  }

  /**
   * Listens for `status`; `event` ({channel, event}: what is not stored, such as a signal, presence
   * in `NAME-pnpres`, a message with store=0); `refused` ({entry, error}: a write that the daemon
   * will never take) and `problem` (an Error). Returns what ends it.
   * @param {'status'|'event'|'refused'|'problem'} kind @param {(value: any) => void} callback
   */
  on(kind, callback) {
    const callbacks = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, callbacks.add(callback));
    return () => callbacks.delete(callback);
  }

  #emit(/** @type {string} */ kind, /** @type {any} */ value) {
    for (const callback of this.#listeners.get(kind) ?? []) callSafely(() => callback(value));
  }

  #setStatus(/** @type {string} */ status) {
    if (status === this.status) return;
    this.status = status;
    this.#emit('status', status);
    if (this.#isLeader && !this.#isClosed) this.#tellStatus();
  }

  /**
   * Follows a channel, from the beginning of its history. Throws (TypeError, RangeError) unless its
   * name is one: well-formed, of 1 to 255 bytes, without a comma and control characters, and with
   * no `.*` at its end.
   * @param {string} name
   */
  channel(name) {
    checkChannel(name);
    const channel = this.#follow(name);
    channel.isWanted = true;
    return channel;
  }

  #follow(/** @type {string} */ name) {
    let channel = this.#channels.get(name);
    if (!channel) {
      const opened = channel = new Channel(this, name);
      this.#channels.set(name, channel);
      channel.ready = this.#started.then(async () => {
        if (opened.isLoaded) return;
        await this.#load(opened);
        if (this.#isLeader) this.#subscribe([opened]);
        else this.#tell({ kind: 'follow', names: [name] });
      });
    }
    return channel;
  }

  /** What `Channel.leave` does. @param {Channel} channel */
  leave(channel) {
    if (!channel.isWanted) return;
    channel.isWanted = false;
    if (this.#isLeader) {
      this.#review(channel);
      return;
    }
    this.#channels.delete(channel.name);
    this.#tell({ kind: 'left', name: channel.name });
  }

  /** Leaves a channel for good, as the tab that connects, unless another tab follows it. */
  #review(/** @type {Channel} */ channel) {
    const { name } = channel;
    if (channel.isWanted) return;
    channel.isHeld = false;
    if (!this.#tabs) {
      this.#forget(channel);
      return;
    }
    this.#tell({ kind: 'who', name });
    const timer = setTimeout(() => {
      this.#leaving.delete(timer);
      if (!channel.isWanted && !channel.isHeld) this.#forget(channel);
    }, leavingTime);
    this.#leaving.add(timer);
  }

  #forget(/** @type {Channel} */ channel) {
    const { name } = channel;
    if (this.#channels.get(name) !== channel) return;
    this.#channels.delete(name);
    this.#unsubscribe(name);
    // No cache will show any longer what was answered.
    if (!this.#entries.some((entry) => entry.channel === name && isAnswered(entry))) return;
    this.#change((entries) => entries.filter((entry) =>
      entry.channel !== name || !isAnswered(entry)), false).catch((it) => this.#problem(it));
  }

  /** How many writes wait for the daemon. */
  get waiting() {
    return this.#entries.filter((entry) => !isAnswered(entry)).length;
  }

  /**
   * Leaves; what waits in the outbox stays there. Resolves when all that was wished and seen is
   * stored: then another client may have the cache.
   * @returns {Promise<void>}
   */
  close() {
    return this.#closing ??= this.#close();
  }

  async #close() {
    this.#isClosed = true;
    this.#listen(false);
    clearTimeout(this.#retrying);
    clearTimeout(this.#keeping);
    for (const timer of this.#leaving) clearTimeout(timer);
    this.#drop();
    this.#locks.abort();
    this.#setStatus('closed');
    await this.#opened;
    // A wish of this very moment is stored, too, and the other tabs hear of it.
    while (this.#isChanging) await this.#changed;
    await this.#stored;
    this.#release();
    this.#tabs?.close();
    this.#tabs = null;
    this.#store.close();
  }

  // Tabs

  async #open() {
    const { cache, deviceId, store, keyset = null } = this.#options;
    try {
      // Without locks two tabs could not share a cache, so there is none.
      if (store) this.#store = store;
      else if (cache && typeof indexedDB !== 'undefined' && globalThis.navigator?.locks) {
        const indexed = new IndexedStore(cache, { userId: this.userId, keyset });
        await indexed.open();
        this.#store = indexed;
      }
      this.deviceId = deviceId ?? await this.#store.deviceId();
    } catch (error) {
      this.#store.close();
      this.#store = new MemoryStore();
      this.deviceId = deviceId ?? await this.#store.deviceId();
      if (error instanceof CacheOwnerError) {
        this.#refusal = error;
        if (!this.#isClosed) this.#setStatus('refused');
      }
      this.#emit('problem', error);
    }
  }

  async #start() {
    if (this.#isClosed || this.#refusal) return;
    if (!(this.#store instanceof IndexedStore)) return this.#lead();
    const name = `syncclient:${this.#options.cache}`;
    this.#tabs = new BroadcastChannel(name);
    this.#tabs.onmessage = ({ data }) => this.#hear(data);
    await new Promise((resolve) => {
      const lead = () => new Promise((release) => {
        this.#release = () => release(null);
        if (this.#isClosed) this.#release();
        this.#lead().then(resolve);
      });
      const { locks } = navigator;
      const ask = locks.request(name, { ifAvailable: true }, (held) => {
        if (held) return lead();
        this.#reread();
        resolve(null);
        // It comes when the tab that connects is gone, however it went.
        if (this.#isClosed) return;
        locks.request(name, { signal: this.#locks.signal }, lead).catch(() => {});
      });
      ask.catch((error) => {
        this.#problem(error);
        resolve(null);
      });
    });
  }

  async #lead() {
    if (this.#isClosed) return;
    await this.#reread();
    for (const channel of this.#channels.values()) await this.#load(channel);
    if (this.#isClosed) return;
    this.#isLeader = true;
    this.#tell({ kind: 'leader' });
    this.#connect();
  }

  /** Takes what the store has of the outbox. */
  #reread() {
    return this.#change((entries) => entries, false).catch((error) => this.#problem(error));
  }

  /** Says what went wrong, unless nobody wants to know any more. */
  #problem(/** @type {any} */ error) {
    if (!this.#isClosed) this.#emit('problem', error);
  }

  #tellStatus() {
    const verified = [...this.#channels.values()].filter((it) => it.isVerified);
    this.#tell({ kind: 'status', status: this.status, verified: verified.map(({ name }) => name) });
  }

  #tell(/** @type {any} */ message) {
    this.#tabs?.postMessage(message);
  }

  #hear(/** @type {any} */ message) {
    const { kind } = message;
    if (this.#isClosed) return;
    if (kind === 'outbox') this.#reread();
    if (kind === 'follow' && this.#isLeader) {
      for (const name of message.names) if (isChannelName(name)) this.#follow(name).isHeld = true;
      this.#tellStatus();
    }
    if (kind === 'left' && this.#isLeader) {
      const channel = this.#channels.get(message.name);
      if (channel) this.#review(channel);
    }
    if (this.#isLeader) return;
    if (kind === 'leader') this.#tell({ kind: 'follow', names: [...this.#channels.keys()] });
    if (kind === 'who' && this.#channels.has(message.name)) {
      this.#tell({ kind: 'follow', names: [message.name] });
    }
    if (kind === 'status') {
      this.#setStatus(message.status);
      for (const { name, state } of this.#channels.values()) {
        state.isVerified = message.verified.includes(name);
      }
    }
    if (kind === 'event' || kind === 'refused') this.#emit(kind, message.value);
    if (kind === 'patch') this.#followPatch(message.patch, message.isVerified);
  }

  #followPatch(/** @type {Patch} */ patch, /** @type {boolean} */ isVerified) {
    const channel = this.#channels.get(patch.channel);
    if (!channel) return;
    const { state } = channel;
    channel.heard = Math.max(channel.heard, patch.head.version);
    state.isVerified = isVerified;
    if (!patch.clear && patch.head.version !== state.base.version + 1) {
      if (patch.head.version > state.base.version) this.#load(channel);
      return;
    }
    if (patch.clear) state.base = new Base();
    state.base.follow(patch);
    // Also out of what was read before they were taken away.
    for (const order of patch.settled) this.#settled.add(order);
    this.#entries = this.#entries.filter(({ order = 0 }) => !patch.settled.includes(order));
    channel.refresh(this.#entries, affectedBy(patch));
  }

  /** Takes what the store has; never while the channel is subscribed. @param {Channel} channel */
  #load(channel) {
    return channel.loading ??= this.#loadNow(channel).finally(() => channel.loading = null);
  }

  /** @param {Channel} channel */
  async #loadNow(channel) {
    try {
      do {
        channel.state.load(await this.#store.load(channel.name));
      } while (channel.state.base.version < channel.heard && !this.#isLeader);
      channel.isStored = true;
    } catch (error) {
      channel.isStored = false;
      this.#problem(error);
      this.#keepLater();
    }
    channel.isLoaded = true;
    channel.refresh(this.#entries, 'all');
  }

  // Outbox

  /** @param {Channel} channel @param {any} fields */
  async wish(channel, fields) {
    if (this.#isClosed) throw new Error('The client is closed: nothing can be wished any more.');
    if (!channel.isWanted) throw new Error(`The channel ${channel.name} was left: follow it anew.`);
    // What the cache shows decides what a wish about a reaction means.
    if (!channel.isLoaded && fields.kind === 'action') await channel.ready;
    const { base } = channel.state;
    /** @type {Entry} */
    const entry = {
      ...fields, channel: channel.name, mutation: randomDigits(32), sent: false,
      acknowledged: null,
      observed: fields.kind === 'publish' && channel.isLoaded ? base.cursor : null,
    };
    const { messageTimetoken = '', type = '', value = '' } = entry;
    const row = () => channel.state.base.row(messageTimetoken, type, value, this.userId);
    /** @type {Edits|null} */
    let first = null;
    return this.#change((entries) => {
      if (entry.kind === 'publish') return this.#bounded(entries, [...entries, entry]);
      const edits = wishAction(entries, entry, row());
      first ??= edits;
      const lane = laneOf(entry);
      if (entries.some((it) => laneOf(it) === lane)) {
        return this.#bounded(entries, edited(entries, edits));
      }
      // The tab that connects may have settled what this tab's cache does not show yet: then the
      // wish is about what the person saw.
      const put = first.put.length > 0 || first.remove.length === 0 ? first.put : [entry];
      return this.#bounded(entries, edited(entries, { put, remove: [] }));
    });
  }

  /** Throws when there would be more in the outbox than there may be. */
  #bounded(/** @type {Entry[]} */ before, /** @type {Entry[]} */ after) {
    if (after.length > before.length && after.length > this.#outboxMax) {
      throw new OutboxFullError(this.#outboxMax);
    }
    return after;
  }

  /**
   * Changes the stored outbox. `transform` runs on what the store has, so it is right whatever
   * other tabs did; with `isShown` also at once on what is shown.
   * @param {(entries: Entry[]) => Entry[]} transform @param {boolean} [isShown]
   * @returns {Promise<void>}
   */
  #change(transform, isShown = true) {
    return new Promise((resolve, reject) => {
      if (isShown) this.#show(transform(this.#entries));
      this.#changes.push({ transform, isShown, resolve, reject });
      if (!this.#isChanging) this.#changed = this.#runChanges();
    });
  }

  async #runChanges() {
    this.#isChanging = true;
    await this.#opened; // What is wished in one turn shares a transaction.
    while (this.#changes.length > 0) await this.#runBatch(this.#changes.splice(0));
    this.#isChanging = false;
    this.#flush();
  }

  async #runBatch(/** @type {Change[]} */ batch) {
    try {
      if (this.#refusal) throw this.#refusal;
      const { entries, isChanged } = await this.#store.change((before) =>
        batch.reduce((list, change) => {
          try {
            return change.transform(list);
          } catch (error) {
            change.error = error;
            return list;
          }
        }, before));
      this.#kept = entries;
      if (isChanged) this.#tell({ kind: 'outbox' });
    } catch (error) {
      for (const change of batch) change.error = error;
    }
    // What was not stored does not show any longer.
    const stored = this.#kept.filter(({ order = 0 }) => !this.#settled.has(order));
    this.#settled = new Set([...this.#settled].filter(
      (order) => this.#kept.some((entry) => entry.order === order)));
    const shown = this.#changes.filter(({ isShown }) => isShown);
    this.#show(shown.reduce((list, { transform }) => {
      try {
        return transform(list);
      } catch {
        return list;
      }
    }, stored));
    for (const { resolve, reject, error } of batch) {
      if (error) reject(error);
      else resolve();
    }
  }

  #show(/** @type {Entry[]} */ entries) {
    const names = new Set([...this.#entries, ...entries].map(({ channel }) => channel));
    this.#entries = entries;
    for (const name of names) this.#channels.get(name)?.refresh(entries, new Set());
  }

  /** Sends what may be sent. That it may be there is stored first: then no wish cancels it. */
  #flush() {
    if (!this.#isOnline || this.#isPaused) return;
    const ready = sendable(this.#entries)
      .filter(({ order, mutation }) => order !== undefined && !this.#inFlight.has(mutation))
      .slice(0, entriesInFlightMax - this.#inFlight.size);
    const fresh = new Set(ready.filter(({ sent }) => !sent).map(({ mutation }) => mutation));
    if (fresh.size > 0 && !this.#isMarking) {
      this.#isMarking = true;
      this.#change((entries) => entries.map((entry) => !fresh.has(entry.mutation) ? entry
        : { ...entry, sent: true, observed: this.#observed(entries, entry) }), false)
        .catch((error) => {
          this.#problem(error);
          this.#pause();
        })
        .finally(() => {
          this.#isMarking = false;
          this.#flush();
        });
    }
    for (const entry of ready) if (entry.sent) this.#sendEntry(entry);
  }

  /** What a message is later than that was not sent yet; a removal knows what it is about. */
  #observed(/** @type {Entry[]} */ entries, /** @type {Entry} */ { kind, channel, observed }) {
    if (kind !== 'publish') return observed;
    let latest = observed ?? '0';
    const take = (/** @type {string|null|undefined} */ it) => {
      if (it && isLater(it, latest)) latest = it;
    };
    take(this.#channels.get(channel)?.state.base.cursor);
    for (const it of entries) {
      if (it.kind === 'publish' && it.channel === channel) take(it.acknowledged);
    }
    return latest;
  }

  #sendEntry(/** @type {Entry} */ entry) {
    const { mutation } = entry;
    this.#inFlight.add(mutation);
    this.#send(commandOf(entry), (ok, error) => {
      if (error && isForNow(error)) {
        this.#inFlight.delete(mutation);
        this.#pause(error);
        return;
      }
      const channel = this.#channels.get(entry.channel);
      // Stored before anything goes on: else a push could settle the entry first, and what waits
      // behind it would never hear of the reply.
      this.#change((list) => {
        if (error) return edited(list, refuse(list, mutation));
        const noted = edited(list, acknowledge(list, mutation, ok));
        // Where nobody follows the channel, no cache will ever show it.
        return channel ? noted : edited(noted, { put: [], remove: [mutation] });
      }, false)
        .then(() => {
          this.#pauses = 0;
        }, (problem) => {
          this.#problem(problem);
          this.#pause();
        })
        .then(() => {
          this.#inFlight.delete(mutation);
          if (this.#isClosed) return;
          if (channel) this.#take(channel, outcomeOf());
          this.#flush();
        });
      if (!error) return;
      this.#emit('refused', { entry, error });
      this.#tell({ kind: 'refused', value: { entry, error } });
    }, (ok) => isWritten(entry, ok));
  }

  /** The daemon or the store has no room: all writes wait. @param {any} [error] The daemon's. */
  #pause(error) {
    if (this.#isPaused || !this.#isOnline) return;
    this.#isPaused = true;
    this.#later(() => {
      this.#isPaused = false;
      this.#flush();
    }, commandDelay(error, this.#pauses++, this.#random()));
  }

  // Connection

  #random() {
    return (this.#options.random ?? Math.random)();
  }

  /** Milliseconds while this page was awake: a machine that slept has not waited. */
  #now() {
    const passed = performance.now() - this.#lookedAt;
    return this.#awake + Math.max(0, Math.min(passed, 2 * this.#look));
  }

  /** Does something later, unless the connection ends before. */
  #later(/** @type {() => void} */ callback, /** @type {number} */ delay) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, delay);
    this.#timers.add(timer);
  }

  #connect() {
    if (this.#isClosed || this.#socket) return;
    this.#setStatus('connecting');
    this.stats.connections++;
    const { url, userId, keyset } = this.#options;
    /** @type {WebSocket} */
    let socket;
    try {
      socket = new (this.#options.WebSocket ?? WebSocket)(url, ['sync.v1.json']);
    } catch (error) {
      // No address, or one that this page may not call: the next time would be the same.
      this.#setStatus('refused');
      this.#emit('problem', error);
      return;
    }
    this.#socket = socket;
    this.#heardAt = this.#now();
    this.#watch(Infinity);
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#watch(25);
      const { deviceId } = this;
      this.#send({ op: 'hello', userId, deviceId, keyset }, (ok, error) => {
        if (ok) this.#welcome(ok);
        else if (isForNow(error)) this.#lose(1013);
        else this.#lose(1008, new Error(`The daemon refused the device: ${error.message}`));
      }, ({ epoch }) => isText(epoch));
    };
    socket.onmessage = (/** @type {any} */ { data }) => {
      if (socket === this.#socket) this.#receive(data);
    };
    // It says nothing about why, and a close event follows.
    socket.onerror = () => {};
    socket.onclose = (/** @type {any} */ { code }) => {
      if (socket === this.#socket) this.#lose(code);
    };
  }

  /**
   * A network that swallows everything closes nothing: silence has to be noticed, and so has a
   * daemon that takes commands and does not answer.
   * @param {number} heartbeat Seconds of silence after which to ask; infinite: it is not open yet.
   */
  #watch(heartbeat) {
    clearInterval(this.#watching);
    this.#watching = setInterval(() => {
      const now = this.#awake = this.#now();
      this.#lookedAt = performance.now();
      const silence = (now - this.#heardAt) / 1000;
      const limit = this.#replySeconds;
      const [oldest] = this.#replies.values();
      const waited = oldest ? (now - oldest.at) / 1000 : 0;
      if ((waited >= limit && silence >= limit) || waited >= busyFactor * limit) {
        // However long it lasted, this session was no good one: the next attempt waits longer.
        this.#welcomedAt = Infinity;
        this.#lose(1006, new Error(
          `The daemon has not answered the command ${oldest.op} for ${Math.floor(waited)} s.`));
      } else if (silence > (heartbeat === Infinity ? limit : heartbeat + 10)) {
        this.#lose(1006);
      } else if (silence > heartbeat && this.#isOnline) {
        this.#send({ op: 'ping' }, () => {});
      }
    }, this.#look);
  }

  #welcome(/** @type {any} */ ok) {
    this.#isOnline = true;
    this.#welcomedAt = this.#now();
    this.#epoch = ok.epoch;
    this.#watch(ok.heartbeat > 0 ? ok.heartbeat : 25);
    this.#setStatus('online');
    this.#subscribe([...this.#channels.values()].filter(({ isLoaded }) => isLoaded));
    this.#flush();
  }

  /** What tells that the machine has a network, or this page its turn, again. */
  #listen(/** @type {boolean} */ isOn) {
    for (const [target, kinds] of [
      [globalThis, ['online', 'pageshow']],
      [globalThis.document, ['visibilitychange', 'resume']],
    ]) {
      for (const kind of kinds) {
        if (isOn) target?.addEventListener?.(kind, this.#hurry);
        else target?.removeEventListener?.(kind, this.#hurry);
      }
    }
  }

  /** Tries at once, or asks whether the daemon is still there: nobody may have noticed its end. */
  #hurry = (/** @type {any} */ event) => {
    const isHidden = globalThis.document?.visibilityState === 'hidden';
    if (event.type === 'visibilitychange' && isHidden) return;
    if (this.status === 'waiting' && this.#isLeader) {
      clearTimeout(this.#retrying);
      this.#retrying = setTimeout(() => this.#connect(), 500 * this.#random());
    } else if (this.#isOnline && this.#replies.size === 0) {
      this.#send({ op: 'ping' }, () => {});
    }
  };

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#isOnline = false;
    this.#isPaused = false;
    clearInterval(this.#watching);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#replies.clear();
    this.#inFlight.clear();
    for (const channel of this.#channels.values()) channel.state.disconnect();
    socket?.close();
  }

  /** The connection is over. @param {number} code @param {Error|null} problem Why, if not that. */
  #lose(code, problem = null) {
    this.#drop();
    // Who only greets and hangs up is not called again at once.
    if (this.#now() - this.#welcomedAt >= goodSession) this.#attempt = 0;
    this.#welcomedAt = Infinity;
    const delay = retryDelay(code, this.#attempt++, this.#random());
    this.#setStatus(delay === null ? 'refused' : 'waiting');
    if (delay === null) {
      const reason = `The daemon closed the connection for good, with code ${code}.`;
      this.#emit('problem', problem ?? new Error(reason));
      return;
    }
    this.#retrying = setTimeout(() => this.#connect(), delay);
    if (problem) this.#emit('problem', problem);
  }

  /**
   * @param {Record<string, any>} command @param {(ok: any, error: any) => void} reply
   * @param {(ok: any) => boolean} [isReply] Whether what is under `ok` can be read.
   */
  #send(command, reply, isReply = () => true) {
    const id = ++this.#commands;
    const text = JSON.stringify({ id, ...command });
    const refusal = frameRefusal(text);
    if (refusal) return reply(undefined, refusal);
    this.#replies.set(id, { op: command.op, at: this.#now(), reply, isReply });
    this.stats.sent += text.length;
    this.#socket?.send(text);
  }

  /** Takes a frame. Whatever it is, the connection and all the other frames go on. */
  #receive(/** @type {any} */ text) {
    this.#heardAt = this.#now();
    try {
      if (!isText(text)) throw new UnreadableError('it is not a text.', null, text);
      this.stats.received += text.length;
      const frame = parsed(text);
      if ((frame.t ?? null) === null) this.#takeReply(frame);
      else this.#takePush(frame);
    } catch (error) {
      if (error instanceof UnreadableError) this.stats.unreadable++;
      this.#problem(error);
    }
  }

  #takePush(/** @type {any} */ frame) {
    const { push, faults } = readPush(frame);
    // Told first: nothing that they cause comes before them.
    for (const fault of faults) {
      this.stats.unreadable++;
      this.#problem(fault);
    }
    const channel = push && this.#channels.get(push.c);
    if (channel) this.#take(channel, channel.state.push(push));
  }

  #takeReply(/** @type {any} */ frame) {
    const { id, ok, error } = frame;
    const command = this.#replies.get(id);
    this.#replies.delete(id);
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

  /** @param {Channel[]} channels Split into commands that fit. */
  #subscribe(channels) {
    if (!this.#isOnline) return;
    const { batch, coalesce } = this.#options;
    let [start, size] = [0, 0];
    channels = channels.filter((it) => this.#channels.get(it.name) === it);
    const requests = channels.map((it) => ({ ...it.state.request(), batch, coalesce }));
    requests.forEach((request, i) => {
      size += JSON.stringify(request).length * 3;
      const isFull = size > 28_000 || i - start >= 999;
      if (!isFull && i < requests.length - 1) return;
      this.#subscribeSome(channels.slice(start, i + 1), requests.slice(start, i + 1));
      [start, size] = [i + 1, 0];
    });
  }

  #subscribeSome(/** @type {Channel[]} */ channels, /** @type {any[]} */ requests) {
    this.#send({ op: 'subscribe', channels: requests }, (ok, error) => {
      // Who was left meanwhile, and perhaps followed anew, has nothing to do with this reply.
      const followed = channels.filter((it) => this.#channels.get(it.name) === it);
      if (error) for (const { state } of followed) state.asked--;
      if (error && !isForNow(error) && followed.length > 1) {
        // One of them is to blame.
        for (const channel of followed) this.#subscribe([channel]);
      } else if (error && !isForNow(error)) {
        for (const { name } of followed) {
          this.#problem(new Error(`The channel ${name}: ${error.message}`));
        }
      } else if (error) {
        this.#subscribeLater(followed, error);
      } else {
        this.#subscribeRetries = 0;
        for (const reply of ok.channels) {
          const channel = followed.find(({ name }) => name === reply.name);
          if (channel) this.#take(channel, channel.state.subscribed(reply, this.#epoch));
        }
      }
    }, (ok) => isSubscribed(ok, channels.map(({ name }) => name)));
  }

  /** @param {Channel[]} channels @param {any} error Why not now. */
  #subscribeLater(channels, error) {
    this.#later(() => this.#subscribe(channels.filter(({ state }) => state.asked === 0)),
      commandDelay(error, this.#subscribeRetries++, this.#random()));
  }

  #unsubscribe(/** @type {string} */ name) {
    if (!this.#isOnline || this.#channels.has(name)) return;
    this.#send({ op: 'unsubscribe', channels: [name] }, (ok, error) => {
      if (!error) return;
      if (!isForNow(error)) this.#problem(new Error(`The channel ${name}: ${error.message}`));
      else {
        this.#later(() => this.#unsubscribe(name),
          commandDelay(error, this.#subscribeRetries++, this.#random()));
      }
    });
  }

  /** Does what a channel's step asks for. @param {Channel} channel @param {Outcome} outcome */
  #take(channel, outcome) {
    const { state, name } = channel;
    if (this.#channels.get(name) !== channel) return;
    if (outcome.restored) {
      this.#change((entries) => reopened(entries, name)).catch((it) => this.#problem(it));
    }
    const own = this.#entries.filter((entry) => entry.channel === name);
    const settled = settledOf(own, state.base, this.userId);
    const orders = settled.map(({ order = 0 }) => order);
    for (const order of orders) this.#settled.add(order);
    if (orders.length > 0) this.#entries = this.#entries.filter((it) => !settled.includes(it));
    const patch = outcome.patch ?? (orders.length > 0 ? state.base.takePatch(name) : null);
    if (patch) this.#keep(channel, { ...patch, settled: orders });
    else if (state.isVerified !== channel.wasVerified) this.#tellStatus();
    channel.wasVerified = state.isVerified;
    channel.refresh(this.#entries, outcome.affected);
    for (const event of outcome.events) {
      this.#emit('event', { channel: name, event });
      this.#tell({ kind: 'event', value: { channel: name, event } });
    }
    if (outcome.next === 'subscribe') {
      // A repair and a snapshot at once; whoever disagrees after that is asked seldom.
      const delay = state.failures > 2 ? 1000 * 2 ** Math.min(6, state.failures - 2) : 0;
      if (delay === 0) this.#subscribe([channel]);
      else this.#later(() => this.#subscribe([channel]), delay * (0.5 + this.#random()));
    }
    if (outcome.next === 'repair') {
      const { exchange, commands } = state.symbols();
      for (const command of commands) {
        this.#send(command, (ok, error) => {
          if (!error || !isForNow(error)) {
            this.#take(channel, state.repairReply(exchange, ok));
          } else if (state.exchange === exchange) {
            state.exchange = null;
            this.#subscribeLater([channel], error);
          }
        });
      }
    }
    if (orders.length > 0) this.#flush();
  }

  /** Stores channels whole that could not be stored: the disk may have room by then. */
  #keepLater() {
    clearTimeout(this.#keeping);
    if (this.#isClosed) return;
    this.#keeping = setTimeout(() => {
      for (const channel of this.#channels.values()) {
        const { isStored, isLoaded, state: { base }, name } = channel;
        if (isStored || !isLoaded || !this.#isLeader) continue;
        // What is there may be better than a cache that could not be read and has only begun.
        if (base.cursor === '0' || base.isPartial) {
          this.#keepLater();
          continue;
        }
        channel.isStored = true;
        base.replaceAll();
        const settled = channel.unsettled.splice(0);
        this.#keep(channel, { ...base.takePatch(name), settled });
      }
    }, keepAgain);
  }

  /** @param {Channel} channel @param {Patch} patch */
  #keep(channel, patch) {
    if (!channel.isStored) {
      channel.unsettled.push(...patch.settled);
      return;
    }
    const { isVerified } = channel.state;
    const tell = () => this.#tell({ kind: 'patch', patch, isVerified });
    this.#stored = this.#store.write(patch).then(tell, (error) => {
      // What is stored stays as it was: an older state, and a true one.
      channel.isStored = false;
      channel.unsettled.push(...patch.settled);
      this.#problem(error);
      this.#keepLater();
    });
  }
}
