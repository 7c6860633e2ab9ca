// Reads the numbers and texts of which a repair's reply is packed.
// @ts-check

/** Reads varints and texts from the front; throws beyond the end. */
export class Reader {
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

  /** One of 49 bits at most, without the garbage that a long one makes. */
  number() {
    let value = 0;
    for (let scale = 1; scale < 2 ** 49; scale *= 128) {
      if (this.isAtEnd) break;
      const byte = this.bytes[this.position++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new Error('A repair cannot be read: a number has no end.');
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
