// The errors that a page may tell apart.
// @ts-check

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

/** The daemon does not let the device in, and another attempt would come to the same. */
export class RefusedError extends Error {
  name = 'RefusedError';

  /** @param {string} what It did. @param {{status?: number, code?: string, message: string}} why */
  constructor(what, { status, code, message }) {
    super(`The daemon ${what}: ${message}`);
    this.status = status;
    this.code = code;
  }

  /**
   * Of a connection that the daemon closed.
   * @param {number} number @param {string} reason Its code and what that means, or nothing.
   */
  static ofClose(number, reason) {
    const code = /^([a-z_]+):/.exec(reason)?.[1];
    return new RefusedError(`closed the connection for good, with code ${number}`,
      { code, message: reason || 'it gave no reason.' });
  }
}

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

/** So many writes wait for the daemon that no other is taken: wishes can be taken back, though. */
export class OutboxFullError extends Error {
  name = 'OutboxFullError';

  /** @param {number} max How many may wait. */
  constructor(max) {
    super(`${max} writes wait for the daemon. Wait for a connection before you write more.`);
    this.max = max;
  }
}

/** Writes that waited were damaged where they were stored: they are not made. */
export class LostWritesError extends Error {
  name = 'LostWritesError';

  /** @param {number} count How many. */
  constructor(count) {
    super(`${count} of the writes that waited cannot be read any more and will not be made: ` +
      'what was stored of them was damaged.');
    this.count = count;
  }
}
