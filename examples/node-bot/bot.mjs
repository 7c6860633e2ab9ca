// A bot that makes polls, and counts them: the web client under Node.js.
//
//     node --experimental-websocket bot.mjs [ws://127.0.0.1:8080/v1/sync [CHANNEL]]
//
// Node.js 22 and newer need no option. SYNC_TOKEN is its token, where one is needed.
import { SyncClient, reactionOrders, reactionsOf } from '../../clients/web/syncclient.js';

const [url = 'ws://127.0.0.1:8080/v1/sync', name = 'room'] = process.argv.slice(2);
const client = new SyncClient({ url, userId: 'pollbot', token: process.env.SYNC_TOKEN });
// It needs no more than what people may still ask about.
const room = client.channel(name, { window: { last: 100 } });

client.on('problem', (problem) => console.error(`pollbot: ${problem?.message ?? problem}`));
client.on('refused', (refused) => console.error('pollbot:', refused));
client.on('status', (status) => console.error(`pollbot: ${status}`));

const textOf = ({ payload }) => String(payload?.text ?? payload);
const isMine = (item) => item.uuid === client.userId;

/** What there is of a poll now, as people react. */
function counted(poll) {
  const groups = reactionsOf(poll, client.userId).sort(reactionOrders.count);
  const counts = groups.map(({ value, count }) => `${value} ${count}`).join('  ');
  return `${poll.payload.poll} ${counts || 'Nobody has voted yet.'}`;
}

/** What a message asks for, if it asks for something. */
function answerTo(item) {
  const [, word, question] = /^!(poll|result)(?:\s+(.*))?$/s.exec(textOf(item)) ?? [];
  if (word === 'poll' && !question) return { text: 'Ask something: !poll Lunch at noon?' };
  if (word === 'poll') return { text: `📊 ${question} React to vote.`, poll: question };
  const polls = room.items.filter((it) => isMine(it) && it.payload?.poll);
  if (word === 'result' && polls.length > 0) return { text: counted(polls.at(-1)) };
  return null;
}

/** The channel is the bot's memory: what has a reply of its own is done. */
async function look() {
  // What was said while it was away may have been answered, too.
  await room.whenVerified();
  const answered = new Set(room.items.filter(isMine).map(({ parent }) => parent));
  for (const item of room.items) {
    if (!item.timetoken || isMine(item) || answered.has(item.timetoken)) continue;
    const answer = answerTo(item);
    if (answer) await room.publish(answer, { parent: item.timetoken });
  }
}

let looking = Promise.resolve();
room.observe(() => {
  looking = looking.then(look).catch((problem) => console.error(`pollbot: ${problem.message}`));
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => client.close().then(() => process.exit()));
}
