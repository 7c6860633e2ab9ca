// What the daemon has: a client without a cache, which believes nothing but the daemon's digest.
// @ts-check
import { SyncClient } from '../../web/syncclient.js';
import { Link } from './link.js';

/** @typedef {import('./device.js').Place} Place */

/** @param {Place} place @param {Link} link */
const options = ({ url, keyset, publishKey, token }, link) =>
  ({ url, keyset, publishKey, token, userId: 'console', WebSocket: link.WebSocket });

/** Follows the whole channel from its beginning. */
export class Witness {
  link = new Link();
  client;
  /** @type {any} */ room;

  /** @param {Place} place */
  constructor(place) {
    this.client = new SyncClient(options(place, this.link));
    this.room = this.client.channel(place.channel);
  }

  /** The rows, where the daemon's own digest says that they are its. */
  get cache() {
    return this.room.isVerified ? this.room.sync.cache : null;
  }
}

/**
 * What a device that has nothing receives and sends to have the channel.
 * @param {Place} place @returns {Promise<number>} Bytes of frames.
 */
export async function snapshotBytes(place) {
  const link = new Link();
  const client = new SyncClient(options(place, link));
  try {
    await client.channel(place.channel).whenVerified();
    return link.sent + link.received;
  } finally {
    await client.close();
  }
}
