// What a frame says, in a few words: for people who read what two sides told each other.
// @ts-check
import { fromBase64 } from '../../web/core/bytes.js';
import { unpackRows, unpackTimetokens } from '../../web/core/packed.js';

/** @typedef {import('./link.js').Frame} Frame */
/**
 * What it says, how many events or rows it has, and which kind of step it is.
 * @typedef {{what: string, events: number|null, kind: ''|'push'|'mode'|'repair'|'refused'}} Said
 */

/** Reads the frames of one link, in their order. */
export class FrameReader {
  /** @type {Map<number, any>} Commands without a reply. */ #open = new Map();

  /** @param {Frame} frame @returns {Said} */
  read(frame) {
    let json;
    try {
      json = JSON.parse(frame.text);
    } catch {
      return { what: 'not JSON', events: null, kind: 'refused' };
    }
    if (frame.isSent) return this.#sent(json);
    if (json.t) return pushed(json);
    if (json.id === undefined || json.id === null) return said(Object.keys(json).join(', '));
    const command = this.#open.get(json.id);
    this.#open.delete(json.id);
    if (json.error) return { what: `refused: ${json.error.code}`, events: null, kind: 'refused' };
    return replied(command ?? {}, json.ok ?? {});
  }

  /** @param {any} command @returns {Said} */
  #sent(command) {
    if (command.op === 'hello') this.#open.clear();
    this.#open.set(command.id, command);
    const { op } = command;
    if (op === 'subscribe') {
      const words = command.channels.map((/** @type {any} */ it) =>
        `${it.name}${it.repair ? ', repair' : it.cursor === '0' ? ', anew' : ''}`);
      const isRepair = command.channels.some((/** @type {any} */ it) => it.repair);
      return { what: `subscribe ${words.join('; ')}`, events: null,
        kind: isRepair ? 'repair' : 'mode' };
    }
    if (op === 'repair') {
      const of = command.of === 'segments' ? ' of segments' : '';
      return { what: `repair: ${symbolsIn(command)} symbols${of}`, events: null, kind: 'repair' };
    }
    return said([op, command.value, op === 'publish' ? textOf(command.payload) : undefined]
      .filter(Boolean).join(' '));
  }
}

/** @param {string} what @returns {Said} */
const said = (what) => ({ what, events: null, kind: '' });

/** @param {any} payload */
const textOf = (payload) => String(payload?.text ?? JSON.stringify(payload)).slice(0, 30);

/** @param {any} push @returns {Said} */
function pushed(push) {
  const state = push.s ? ', with the state' : '';
  return { what: `push${state}`, events: push.m?.length ?? 0, kind: 'push' };
}

/** How many symbols a command has: they are all as long, but for their counts. */
function symbolsIn(/** @type {any} */ { symbols = '' }) {
  const bytes = fromBase64(symbols);
  let [count, at] = [0, 0];
  while (at + 16 < bytes.length) {
    at += 16;
    while (bytes[at] >= 0x80) at++;
    at++;
    count++;
  }
  return count;
}

/** What a repair's answer has. */
export function repairOf(/** @type {any} */ { rows, messages = [], drop = '' }) {
  return {
    rows: unpackRows(fromBase64(rows)).length + messages.length,
    drops: [...unpackTimetokens(fromBase64(drop))].length,
  };
}

/** @param {any} command @param {any} ok @returns {Said} */
function replied(command, ok) {
  if (command.op === 'subscribe') {
    const modes = (ok.channels ?? []).map((/** @type {any} */ it) => it.mode ?? 'window');
    return { what: `subscribed: ${modes.join(', ')}`, events: null,
      kind: modes.includes('repair') ? 'repair' : 'mode' };
  }
  if (command.op === 'repair') {
    if (ok.rows === undefined) {
      return { what: `needs ${ok.need} symbols`, events: null, kind: 'repair' };
    }
    const { rows, drops } = repairOf(ok);
    return { what: `repaired: ${rows} ${rows === 1 ? 'row' : 'rows'}, ${drops} drops`,
      events: rows, kind: 'repair' };
  }
  return said(`${command.op ?? 'reply'}: ok`);
}

/**
 * A frame's text in lines, else as it is: JSON.parse rounds numbers.
 * @param {string} text
 */
export function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+|[[{]\s*[\]}]|[[{\]},:]/g, (it) => {
    if (it.startsWith('"')) return it;
    if (it.length > 1 || /\s/.test(it)) return it.replace(/\s+/g, '');
    if (it === ':') return ': ';
    if (it === ',') return it + line();
    const opens = '[{'.includes(it);
    depth += opens ? 1 : -1;
    return opens ? it + line() : line() + it;
  });
}

/** One repair, from the answer that asks for symbols to that with rows. */
export class RepairWatch {
  /** @type {{at: number, symbols: number, needed: number, bytes: number}|null} */ #now = null;
  /** @type {Map<number, any>} */ #open = new Map();

  /**
   * @param {Frame} frame
   * @returns {{at: number, symbols: number, needed: number|null, rows: number, drops: number,
   *   bytes: number}|null} A repair that is over with this frame; `needed` is null where the daemon
   *   did not say that it needs more than the first.
   */
  take(frame) {
    const json = JSON.parse(frame.text);
    const isAsking = frame.isSent && (json.op === 'repair' ||
      (json.op === 'subscribe' && json.channels.some((/** @type {any} */ it) => it.repair)));
    const command = frame.isSent ? json : this.#open.get(json.id);
    if (frame.isSent) {
      if (json.op === 'hello') [this.#now, this.#open] = [null, new Map()];
      if (json.op === 'repair' || json.op === 'subscribe') this.#open.set(json.id, json);
    } else {
      this.#open.delete(json.id);
    }
    const isOf = isAsking || command?.op === 'repair' || (command?.op === 'subscribe' &&
      json.ok?.channels?.some((/** @type {any} */ it) => it.mode === 'repair'));
    if (!isOf) return null;
    const now = this.#now ??= { at: frame.at, symbols: 0, needed: 0, bytes: 0 };
    now.bytes += frame.bytes;
    if (frame.isSent && json.op === 'repair') now.symbols += symbolsIn(json);
    if (Number.isInteger(json.ok?.need)) now.needed = json.ok.need;
    if (json.ok?.rows === undefined || command?.op !== 'repair') return null;
    this.#now = null;
    return { ...now, needed: now.needed || null, ...repairOf(json.ok) };
  }
}
