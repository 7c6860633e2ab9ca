// The page of one device: a client with its own cache, and what shows of a channel.
// @ts-check
import { SyncClient } from '../web/syncclient.js';
import { connect } from '../web/ui/sync-ui.js';

/** What the console gives, before this page begins. */
const { options, channel: name, window: held, began, refused } =
  /** @type {any} */ (window.frameElement).settings;

const client = new SyncClient(options);
const room = client.channel(name, held ? { window: { last: held, keeping: 1000 } } : {});
const directory = {
  get: (/** @type {string} */ id) => ({ id, name: id.charAt(0).toUpperCase() + id.slice(1) }),
};

connect(document.body, { client, channel: room, directory });

// What is wrong before anything is sent, and what the daemon says later; whoever wrote something
// has it back, unless something else was written meanwhile.
const composer = /** @type {any} */ (document.querySelector('sync-composer'));
document.addEventListener('sync-send', () => refused(''));
document.addEventListener('sync-problem', (event) => {
  const { error } = /** @type {CustomEvent} */ (event).detail;
  refused(`Refused: ${error?.message ?? error}`);
});
client.on('refused', ({ entry, error }) => {
  const what = entry.kind === 'action' ? `${entry.value} was` : `a message was`;
  refused(`Refused: ${what} not taken, ${error.code ?? 'error'}: ${error.message}`);
  const text = entry.kind === 'publish' ? entry.payload?.text : undefined;
  if (typeof text === 'string' && composer.value === '') composer.value = text;
});

began({ client, room });
