// A page in TypeScript, for Tests/EndToEnd/test_web_types.py: tsc --strict has to take it as it is.
import {
  CacheOwnerError, Directory, OutboxFullError, SyncClient, UnreadableError, canonicalEmoji,
  countText, dateOf,
  reactionOrders, reactionsOf, usualReactions,
  type Item, type ItemAction, type ListChange, type Reaction, type Rules, type Status,
} from '../syncclient.js';

interface Note {
  text: string;
}

const client = new SyncClient({ url: 'ws://127.0.0.1:8080/v1/sync', userId: 'ada', cache: null });
const token = async () => (await fetch('/token')).text();
const guarded = new SyncClient({ url: 'ws://127.0.0.1:8080/v1/sync', userId: 'ada', token });
guarded.renewToken();
guarded.close();
const room = client.channel<Note>('room');

function render(item: Item<Note>): string {
  const hearts = item.actions.filter((it: ItemAction) => it.value === canonicalEmoji('❤'));
  return `${item.uuid || 'somebody'}: ${item.payload.text} ${hearts.length} ${item.key}`;
}

function bar(item: Item<Note>): string {
  const rules: Rules = room.rules;
  const offered = rules.values === 'any' || rules.values === 'emoji' ? usualReactions : rules.values;
  const reactions: Reaction[] = reactionsOf(item, client.userId).sort(reactionOrders.fixed(offered));
  const newest = item.timetoken === null ? '' : dateOf(item.timetoken).toISOString();
  const since: Date | null = dateOf(item.timetoken);
  // @ts-expect-error What is on its way was not yet.
  dateOf(item.timetoken).toISOString();
  console.log(since?.getTime());
  const names = ({ authors, clipped }: Reaction): string => authors.join(', ') + (clipped ? ', …' : '');
  const claps = reactions.map(({ score, ownScore }) => score - ownScore);
  console.log(claps);
  return reactions.map((it) => it.value + countText(it.count, 9) + names(it)).join(' ') + newest;
}

const end: () => void = room.observe((changes: ListChange<Note>[], items) => {
  for (const change of changes) {
    if (change.kind === 'move') console.log(change.from, change.index);
    console.log(render(change.item), bar(change.item), items.length);
  }
});

client.on('status', (status: Status) => console.log(status === 'online'));
client.on('event', ({ channel, event }) => console.log(channel, event.p.t, event.d));
client.on('rules', ({ channel, rules }) => console.log(channel, rules.mode === 'unique'));
client.on('unread', ({ channel, unread }) => console.log(channel, unread?.count, unread?.atLeast));
client.on('refused', ({ entry, error }) => console.log(entry.channel, error.code));
client.on('problem', (problem) => {
  if (problem instanceof UnreadableError) console.log(problem.channel, problem.content);
  if (problem instanceof CacheOwnerError) console.log(problem.owner.userId, problem.owner.keyset);
});

export async function main(): Promise<void> {
  await room.ready;
  await room.publish({ text: 'Noon?' }, { meta: { lang: 'en' }, messageType: 'text' });
  const [item] = room.items;
  try {
    if (item?.timetoken) await room.react(item.timetoken, '👍', true, 'reaction');
    const isThere: boolean = await room.toggle('17952187953730012', '👍');
    console.log(isThere, reactionOrders.score.length);
    await room.react('17952187953730012', { value: '👏', score: 5 });
    if (item?.timetoken) {
      await room.publish({ text: 'Me, too' }, { parent: item.timetoken });
      await room.edit(item.timetoken, { text: 'One?' });
      const { parent, versions, isEdited, isDeleted, threadCount } = item;
      console.log(parent ?? 'none', versions + threadCount, isEdited || isDeleted);
      await room.delete(item.timetoken);
    }
    const [summary] = await room.summaries(['17952187953730012']);
    if (summary) await room.summaries([summary]);
    console.log(summary?.reactions.map(({ count, authors }) => count - authors.length));
    const { type, value }: { type: string; value: string } = room.named('17952187953730012', 'love');
    console.log(type, value);
    const sheet = room.people('17952187953730012', { value: ['👍', '❤️'], limit: 10 });
    const end = sheet.observe((changes, people) => {
      for (const { kind, index, from, person } of changes) {
        console.log(kind, index, from ?? index, person.uuid, person.score, people.length);
      }
    });
    if (sheet.isMore) sheet.more(10);
    end();
    sheet.end();
    // @ts-expect-error People are for reading.
    sheet.people.push(sheet.people[0]);
    // @ts-expect-error A version is a payload as any other.
    await room.edit('17952187953730012', 'One?');
    // @ts-expect-error A toggle says itself which of the two it is.
    await room.toggle('17952187953730012', { value: '👏', present: true });
    const { actions, next } = await room.actions({ value: ['👍', '❤️'], limit: 25 });
    console.log(actions.map(({ uuid }) => uuid), next);
    await room.actions({ messageTimetoken: '17952187953730012', sort: 'score', descending: true });
    // @ts-expect-error There is no such order.
    await room.actions({ messageTimetoken: '17952187953730012', sort: 'user' });
  } catch (error) {
    if (error instanceof OutboxFullError) console.log(error.max);
  }
  console.log(client.waiting, client.stats.unreadable, client.deviceId, room.isVerified);
  // @ts-expect-error A payload is what the page said it is.
  await room.publish({ title: 'Noon?' });
  // @ts-expect-error A message on its way has no timetoken.
  await room.react(item.timetoken, '👍');
  const sent: string = await room.signal({ typing: true }, { messageType: 'typing' });
  const { occupancy, users, next } = await room.hereNow({ states: true, limit: 10 });
  const there: string[] = users.map(({ userId }) => `${userId} ${occupancy} ${next} ${sent}`);
  client.channel(there[0] ?? 'room', { presence: true });
  // @ts-expect-error A signal has no meta.
  await room.signal(1, { meta: 1 });
  // @ts-expect-error A timetoken is no number.
  await room.react(17952187953730012, '👍');
  // @ts-expect-error There is no such event.
  client.on('message', () => {});
  // @ts-expect-error Who reacted is for reading.
  if (item) reactionsOf(item, client.userId)[0]?.authors.push('eve');
  // @ts-expect-error Somebody has to be named.
  new SyncClient({ url: 'ws://127.0.0.1:8080/v1/sync' });
  end();
  room.leave();
  await client.close();
}

async function scroll(): Promise<string> {
  const log = client.channel<Note>('log', { window: { last: 20, keeping: 200 } });
  await log.verify();
  const answer: 'more' | 'beginning' | 'full' = log.hasOlder ? await log.older(50) : 'beginning';
  const { items, hasOlder, hasNewer } = await log.jump('17952187953729999', { around: 20 });
  const before = hasOlder ? await log.page({ before: '17952187953729999', count: 10 }) : null;
  // @ts-expect-error Either of the two.
  await log.page({ count: 10 });
  // @ts-expect-error A window has a size.
  client.channel('log', { window: 20 });
  return `${answer} ${items[0]?.payload.text} ${before?.hasNewer ?? hasNewer}`;
}
void scroll();

async function badge(): Promise<string> {
  const den = client.channel<Note>('den', { unread: true, window: { last: 50 } });
  await den.markRead();
  await den.markRead('17952187953729999');
  const through: string | null = den.unread?.through ?? null;
  const others = await client.unread(['room', 'den']);
  const counts: string[] = others.map(({ name, count, more }) => `${name} ${count}${more ? '+' : ''}`);
  // @ts-expect-error It is not known at first.
  console.log(den.unread.count);
  // @ts-expect-error A mark is a timetoken.
  await den.markRead(17952187953729999);
  // @ts-expect-error The option is true or false.
  client.channel('den', { unread: 5 });
  return `${den.unread?.count}${den.unread?.atLeast ? '+' : ''} ${through} ${counts}`;
}
void badge();

async function names(): Promise<string | undefined> {
  const users = new Directory(client.channel('$users'));
  const end = users.observe((ids: Set<string>) => console.log(ids.size, users.size));
  const since: string = await users.set('ada', { name: 'Ada', email: null, custom: { team: 7 } });
  await users.remove('ada', { expected: since });
  // @ts-expect-error An entry has no such field.
  await users.set('ada', { nickname: 'A' });
  // @ts-expect-error It may not be known.
  console.log(users.get('ada').name);
  end();
  users.end();
  return users.get('ada')?.profileUrl;
}
void names();
