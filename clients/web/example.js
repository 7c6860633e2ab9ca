// Two devices side by side: a reaction made on one shows up on the other.
import { SyncClient, countText, reactionsOf } from './syncclient.js';

/** Where devices connect: what the address says, or the port of the daemon that serves this. */
async function daemonOf(search) {
  const said = new URLSearchParams(search).get('daemon');
  if (said) return `ws://${said}`;
  const answer = await fetch(new URL('../console/daemon.json', import.meta.url)).catch(() => null);
  if (!answer?.ok) return 'ws://127.0.0.1:8080';
  const { port, securePort } = await answer.json();
  const isSecure = location.protocol === 'https:';
  const [scheme, chosen] = isSecure || !port ? ['wss', securePort] : ['ws', port];
  // Without a port of their own, clients have the one of this page.
  return chosen ? `${scheme}://${location.hostname}:${chosen}`
    : `${isSecure ? 'wss' : 'ws'}://${location.host}`;
}

const daemon = await daemonOf(location.search);
const emoji = ['👍', '❤️', '🔥'];

// Other clients publish what they like: a text, an object with a text, or something else.
const textOf = (payload) => typeof payload === 'string' ? payload
  : typeof payload?.text === 'string' ? payload.text : JSON.stringify(payload);

function device(place, userId) {
  // Each has a cache of its own, as on two machines.
  const client = new SyncClient({
    url: `${daemon}/v1/sync`, userId, cache: `example-${userId}-${daemon}` });
  // The newest messages; those before them come when somebody scrolls up.
  const room = client.channel('room', { window: { last: 30, keeping: 500 }, unread: true });

  const section = document.getElementById(place);
  section.innerHTML = `<h2></h2><p></p><button hidden>Older messages</button><ol></ol>
    <form><input name="text" autocomplete="off"></form>`;
  const [title, status, older, list, form] = section.children;
  title.textContent = userId;
  client.on('unread', ({ unread }) => {
    const text = unread?.count ? ` (${unread.count}${unread.atLeast ? '+' : ''})` : '';
    title.textContent = `${userId}${text}`;
  });
  client.on('status', (it) => status.textContent = it);
  client.on('problem', (problem) => status.textContent = problem.message);

  let isLoading = false;
  const load = async () => {
    if (isLoading || !room.hasOlder) return;
    isLoading = true;
    const fromEnd = list.scrollHeight - list.scrollTop;
    try {
      // What is beyond what the window keeps is for `room.page`.
      older.hidden = await room.older(30) !== 'more';
    } catch (error) {
      status.textContent = error.message;
    }
    // What was in sight stays there.
    list.scrollTop = list.scrollHeight - fromEnd;
    isLoading = false;
  };
  older.onclick = load;
  list.onscroll = () => {
    if (list.scrollTop < 40) load();
    read();
  };
  // Who looks at the newest message has read it.
  const isAtEnd = () => list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const read = () => {
    if (document.visibilityState !== 'visible' || !isAtEnd()) return;
    room.markRead().catch((error) => status.textContent = error.message);
  };
  document.addEventListener('visibilitychange', read);

  form.onsubmit = (event) => {
    event.preventDefault();
    room.publish({ text: form.elements.text.value });
    form.reset();
  };
  const render = (item) => {
    const line = document.createElement('li');
    line.className = item.pending ? 'pending' : '';
    line.append(`${item.uuid || 'somebody'}: ${textOf(item.payload)} `);
    const reactions = reactionsOf(item, userId).filter(({ type }) => type === 'reaction');
    for (const value of item.timetoken ? emoji : []) {
      const { count = 0, isMine = false } = reactions.find((it) => it.value === value) ?? {};
      const button = document.createElement('button');
      button.textContent = `${value} ${count ? countText(count) : ''}`;
      button.className = isMine ? 'mine' : '';
      button.onclick = () => room.react(item.timetoken, value, !isMine);
      line.append(button);
    }
    return line;
  };
  room.observe((changes) => {
    const wasAtEnd = isAtEnd();
    for (const { kind, index, from, item } of changes) {
      if (kind !== 'insert') list.children[kind === 'move' ? from : index].remove();
      if (kind !== 'remove') list.insertBefore(render(item), list.children[index] ?? null);
    }
    if (wasAtEnd) list.scrollTop = list.scrollHeight;
    older.hidden = !room.hasOlder;
    read();
  });
}

device('left', 'ada');
device('right', 'bob');
window.isReady = true;
