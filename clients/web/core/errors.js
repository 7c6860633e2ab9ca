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
