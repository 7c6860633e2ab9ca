// The page of one device: a client with its own cache, and what shows of a channel.
// @ts-check
import { SyncClient } from '../web/syncclient.js';
import { connect } from '../web/ui/sync-ui.js';

/** What the console gives, before this page begins. */
const { options, channel: name, window: held, began } =
  /** @type {any} */ (window.frameElement).settings;

const client = new SyncClient(options);
const room = client.channel(name, held ? { window: { last: held, keeping: 1000 } } : {});
const directory = {
  get: (/** @type {string} */ id) => ({ id, name: id.charAt(0).toUpperCase() + id.slice(1) }),
};

connect(document.body, { client, channel: room, directory });
began({ client, room });
