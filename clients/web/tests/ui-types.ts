// A page with components in TypeScript, for Tests/EndToEnd/test_web_types.py: tsc --strict takes it.
import { Directory, SyncClient, reactionOrders, type Item } from '../syncclient.js';
import {
  SyncMessages, SyncReactionPicker, connect, threadOf, usualWords,
  type Action, type Icons, type Names, type Order, type Pieces, type Words,
} from '../ui/sync-ui.js';

const client = new SyncClient({ url: 'ws://127.0.0.1:8080/v1/sync', userId: 'ada' });
const channel = client.channel('room');
connect(document.body, { client, channel, directory: new Directory(client.channel('$users')) });

const list: SyncMessages = document.createElement('sync-messages');
const order: Order = reactionOrders.count;
const icons: Icons = { '👍': 'like.svg' };
const pieces: Pieces = { text: (item: Item) => item.payload.text, footer: () => null };
const names: Names = { get: (id: string) => ({ name: id }) };
Object.assign(list, { order, icons, pieces });
list.directory = names;
list.channel = threadOf(channel, '17952187953729999');
list.words = { send: 'Senden' };
const said: Words = { ...usualWords, newest: (count: number) => `${count}` };
list.actions = (item): Action[] => [{ id: 'pin', label: said.copy, run: () => list.reveal(item.key) }];

const picker = document.querySelector('sync-reaction-picker');
if (picker instanceof SyncReactionPicker) {
  const end: () => void = picker.attach(document.body, (target) =>
    ({ item: channel.items[0] as Item, about: target }));
  picker.show({ x: 1, y: 2 });
  end();
}
const bar = document.createElement('sync-reactions');
bar.order = ['👍', '❤️'];
bar.toggle(bar.shown[0]?.value ?? '👍');
const composer = document.createElement('sync-composer');
composer.list = list;
composer.payloadOf = (text) => ({ text, mood: 1 });
document.createElement('sync-reaction-authors').value = null;
const state: string = document.createElement('sync-status').state;
void state;

// @ts-expect-error It shows; it is not said.
document.createElement('sync-status').state = 'verified';
// @ts-expect-error A word that nobody says.
list.words = { sned: 'Senden' };
// @ts-expect-error An action is run.
const broken: Action = { id: 'x', label: 'x' };
void broken;
