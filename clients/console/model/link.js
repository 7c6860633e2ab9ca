// The network of one device: sockets that can be cut and slowed, and whose frames are recorded.
// @ts-check

/**
 * A frame that went over a link. `bytes` are those of its text, `n` counts the link's frames.
 * @typedef {{n: number, at: number, isSent: boolean, bytes: number, text: string}} Frame
 */

/** Frames that are remembered; the counts go on. */
const framesMax = 500;

const encoder = new TextEncoder();

/** What a device has in place of the browser's network. */
export class Link {
  /** No socket opens, and those that are open are gone. */
  #isOffline = false;
  /** Milliseconds that every frame takes longer, either way. */ latency = 0;
  /** Bytes that go through in a second, either way; 0: no bound. */ rate = 0;
  /** @type {Frame[]} The newest last. */ frames = [];
  /** Bytes of frames so far. */ received = 0;
  sent = 0;
  /** Frames so far. */ count = 0;
  /** @type {(frame: Frame) => void} Set by who shows them. */ onframe = () => {};
  /** @type {Set<LinkSocket>} */ sockets = new Set();

  /** What a client takes for its WebSocket. */
  get WebSocket() {
    const link = this;
    return class extends LinkSocket {
      /** @param {string} url @param {string[]} protocols */
      constructor(url, protocols) {
        super(link, url, protocols);
      }
    };
  }

  get isOffline() {
    return this.#isOffline;
  }

  set isOffline(isOffline) {
    this.#isOffline = isOffline;
    if (isOffline) this.cut();
  }

  /** All sockets break, as when a process ends or a cable is pulled. */
  cut() {
    for (const socket of [...this.sockets]) socket.cut();
  }

  /** @param {boolean} isSent @param {string} text */
  record(isSent, text) {
    const bytes = encoder.encode(text).length;
    const frame = { n: ++this.count, at: Date.now(), isSent, bytes, text };
    if (isSent) this.sent += bytes;
    else this.received += bytes;
    this.frames.push(frame);
    if (this.frames.length > framesMax) this.frames.shift();
    this.onframe(frame);
  }
}

/** Frames in one direction, each in its turn, as long as the link takes for them. */
class Lane {
  #link;
  #deliver;
  /** @type {any[]} On their way, the next first. */ #queue = [];
  /** @type {Set<any>} One for each of them. */ #timers = new Set();
  /** When the last frame has left. */ #freeAt = 0;
  /** When it arrives: none overtakes it, also when the link becomes a faster one. */ #lastAt = 0;

  /** @param {Link} link @param {(text: any) => void} deliver */
  constructor(link, deliver) {
    this.#link = link;
    this.#deliver = deliver;
  }

  /** @param {any} text */
  put(text) {
    const { latency, rate } = this.#link;
    const now = performance.now();
    this.#freeAt = Math.max(now, this.#freeAt) + (rate > 0 ? text.length * 1000 / rate : 0);
    const isAlone = this.#queue.length === 0;
    this.#lastAt = Math.max(this.#freeAt + latency, isAlone ? 0 : this.#lastAt);
    if (this.#lastAt <= now && isAlone) return this.#deliver(text);
    this.#queue.push(text);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#deliver(this.#queue.shift());
    }, this.#lastAt - now);
    this.#timers.add(timer);
  }

  clear() {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#queue = [];
  }
}

/** One connection over a link, with those members of a WebSocket that the client uses. */
class LinkSocket {
  /** @type {(() => void)|null} */ onopen = null;
  /** @type {((event: {data: any}) => void)|null} */ onmessage = null;
  /** @type {((event: {code: number, reason: string}) => void)|null} */ onclose = null;
  /** @type {(() => void)|null} */ onerror = null;
  #link;
  /** @type {WebSocket|null} */ #socket = null;
  #isOver = false;
  #down;
  #up;

  /** @param {Link} link @param {string} url @param {string[]} protocols */
  constructor(link, url, protocols) {
    this.#link = link;
    this.#up = new Lane(link, (text) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) return;
      // Not before: what a slow link loses was on no wire.
      link.record(true, text);
      this.#socket.send(text);
    });
    this.#down = new Lane(link, (text) => this.#receive(text));
    link.sockets.add(this);
    if (link.isOffline) setTimeout(() => this.#end(1006, ''));
    else this.#open(url, protocols);
  }

  /** @param {string} url @param {string[]} protocols */
  #open(url, protocols) {
    const socket = this.#socket = new WebSocket(url, protocols);
    socket.onopen = () => {
      if (!this.#isOver) this.onopen?.();
    };
    socket.onmessage = ({ data }) => this.#down.put(data);
    socket.onclose = ({ code, reason }) => this.#end(code, reason);
  }

  get readyState() {
    return this.#isOver ? WebSocket.CLOSED : this.#socket?.readyState ?? WebSocket.CONNECTING;
  }

  get bufferedAmount() {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** @param {string} text */
  send(text) {
    if (!this.#isOver) this.#up.put(text);
  }

  /** @param {any} text */
  #receive(text) {
    if (this.#isOver) return;
    this.#link.record(false, text);
    this.onmessage?.({ data: text });
  }

  /** @param {number} [code] @param {string} [reason] */
  close(code, reason) {
    this.#socket?.close(code, reason);
    this.#end(1005, '');
  }

  /** It breaks: neither side hears a word of what is still on its way. */
  cut() {
    this.#socket?.close();
    this.#end(1006, '');
  }

  /** @param {number} code @param {string} reason */
  #end(code, reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#link.sockets.delete(this);
    this.#up.clear();
    this.#down.clear();
    this.onclose?.({ code, reason });
  }
}
