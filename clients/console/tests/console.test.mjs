// The console's parts without a browser: links, segments, frames, snippets, and its own size.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ChannelCache } from '../../web/core/cache.js';
import { Admin, answersWithin, figuresOf, whileVisible, whyNoFigures } from '../model/admin.js';
import { Device } from '../model/device.js';
import { fill } from '../model/fill.js';
import { FrameReader, RepairWatch, indented } from '../model/frames.js';
import { Link } from '../model/link.js';
import { javaScript, json, python, shell, swift } from '../model/literals.js';
import { faultOf, givenFor, usable, withoutSecrets } from '../model/place.js';
import { settle } from '../model/race.js';
import { seeded } from '../model/seeded.js';
import { beginsSegment, compared, cutsOf, segmentsOf } from '../model/segments.js';
import { snippetsOf } from '../model/snippets.js';
import { cacheNameOf, tabOf } from '../model/tab.js';
import { actOf } from '../views/dialogs.js';
import { kinds, outcomeOf } from '../views/lists.js';
import { faultIn } from '../views/race-panel.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const shipped = readdirSync(root, { recursive: true }).map(String).filter((it) =>
  /^(?!tests|lib).*\.(js|css|html|svg)$/.test(it));
/** What the console may have, charts aside. */
const bytesMax = 150 * 1024;

test('the console stays small', () => {
  const sum = shipped.reduce((bytes, it) => bytes + statSync(join(root, it)).size, 0);
  assert.ok(sum > 50_000 && sum < bytesMax, `${sum} bytes`);
});

test('its modules are as the others', () => {
  for (const path of shipped.filter((it) => it.endsWith('.js'))) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    assert.match(lines[0], /^\/\/ [A-Z].*[.:;a-z].*\.$/, path);
    assert.equal(lines[1], '// @ts-check', path);
    assert.ok(lines.length <= 300, `${path} has ${lines.length} lines`);
    assert.deepEqual(lines.filter((it) => [...it].length > 100), [], path);
  }
});

test('no page has a script or a style of its own, which its policy forbids', () => {
  for (const path of shipped.filter((it) => it.endsWith('.html'))) {
    const text = readFileSync(join(root, path), 'utf8');
    assert.doesNotMatch(text, /<style|style=|<script(?![^>]*src=)| on[a-z]+=/, path);
  }
});

test('segments are cut as the daemon cuts them', () => {
  // The example of docs/RECONCILIATION.md.
  assert.equal(beginsSegment('17952187953729999'), false);
  assert.equal(beginsSegment('17952187953730016'), true);
  assert.deepEqual(cutsOf(['17952187953730016', '17952187953729999']), ['0', '17952187953730015']);
});

/** A cache with these messages, and a reaction on each. */
function cacheOf(messages, uuid = 'ada') {
  const cache = new ChannelCache();
  cache.setKey('000102030405060708090a0b0c0d0e0f');
  for (const timetoken of messages) {
    cache.putMessage({ timetoken, uuid: 'ada', payload: 1 });
    cache.rows.put({ messageTimetoken: timetoken, type: 'reaction', value: '👍', uuid,
      actionTimetoken: String(BigInt(timetoken) + 1n) });
  }
  return cache;
}

test('the segments add up to the channel, and one that differs is found', () => {
  const messages = ['17952187953729999', '17952187953730016', '17952187953730099'];
  const cache = cacheOf(messages);
  const cuts = cutsOf(messages);
  const daemon = segmentsOf(cache, cuts);
  assert.deepEqual(daemon.map(({ state }) => state.n), [2, 4]);
  const other = cacheOf(messages);
  const [row] = [...other.rows].filter((it) => it.messageTimetoken === messages[0]);
  other.rows.drop(row);
  other.rows.put({ ...row, uuid: 'ada?' });
  const kinds = (restAfter) => compared(daemon, segmentsOf(other, cuts), restAfter)
    .map(({ kind }) => kind);
  assert.deepEqual(kinds('0'), ['differs', 'equal']);
  assert.deepEqual(kinds('17952187953730015'), ['not held', 'equal']);
  assert.deepEqual(kinds('17952187953730016'), ['not held', 'not held']);
  assert.equal(segmentsOf(new ChannelCache(), ['0']), null);
});

test('the same seed has the same choices', () => {
  const [one, two, other] = [seeded(7), seeded(7), seeded(8)];
  const numbers = (random) => Array.from({ length: 1000 }, random);
  const found = numbers(one);
  assert.deepEqual(found, numbers(two));
  assert.notDeepEqual(found, numbers(other));
  assert.ok(found.every((it) => it >= 0 && it < 1));
});

/** A WebSocket that tells the test what is sent. */
class Wire {
  static OPEN = 1;
  static CLOSED = 3;
  static CONNECTING = 0;
  static all = [];
  readyState = 0;
  sent = [];
  constructor() {
    Wire.all.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  send(text) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
  }
}

/** A socket of a link, connected, and the wire below it. */
function connected(link) {
  globalThis.WebSocket = Wire;
  const socket = new link.WebSocket('ws://x', ['sync.v1.json']);
  const heard = [];
  socket.onmessage = ({ data }) => heard.push(data);
  socket.onclose = ({ code }) => heard.push(code);
  Wire.all.at(-1).open();
  return { socket, wire: Wire.all.at(-1), heard };
}

test('a link counts bytes, both ways, and remembers frames', () => {
  const link = new Link();
  const { socket, wire, heard } = connected(link);
  socket.send('{"a":"ö"}');
  wire.onmessage({ data: '{}' });
  assert.deepEqual([wire.sent, heard], [['{"a":"ö"}'], ['{}']]);
  assert.deepEqual([link.sent, link.received, link.count], [10, 2, 2]);
  for (let n = 0; n < 1000; n++) wire.onmessage({ data: '{}' });
  assert.deepEqual([link.frames.length, link.count], [500, 1002]);
});

test('frames keep their order when a slow link becomes a fast one', async () => {
  const link = new Link();
  const { wire, heard } = connected(link);
  link.latency = 20;
  wire.onmessage({ data: '1' });
  link.latency = 0;
  wire.onmessage({ data: '2' });
  assert.deepEqual(heard, []);
  while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(heard, ['1', '2']);
  wire.onmessage({ data: '3' });
  assert.deepEqual(heard, ['1', '2', '3']);
});

test('what is on its way when a link is cut never arrives', async () => {
  const link = new Link();
  const { socket, wire, heard } = connected(link);
  link.latency = 5;
  socket.send('1');
  wire.onmessage({ data: '2' });
  link.isOffline = true;
  assert.deepEqual(heard, [1006]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([heard, wire.sent], [[1006], []]);
  assert.deepEqual([link.sent, link.count], [0, 0], 'Found by an attack: it was counted as sent.');
  // And nothing opens meanwhile.
  const wires = Wire.all.length;
  const refused = new link.WebSocket('ws://x', []);
  const code = await new Promise((resolve) => refused.onclose = (it) => resolve(it.code));
  assert.deepEqual([code, Wire.all.length], [1006, wires]);
});

const frame = (isSent, json) =>
  ({ n: 1, at: 1, isSent, bytes: JSON.stringify(json).length, text: JSON.stringify(json) });

test('a repair is read from its frames', () => {
  // Of docs/PROTOCOL.md.
  const frames = [
    frame(true, { id: 2, op: 'subscribe', channels: [{ name: 'room', cursor: '1', repair: true }] }),
    frame(false, { id: 2, ok: { channels: [{ name: 'room', mode: 'repair', cursor: '2' }] } }),
    frame(true, { id: 14, op: 'repair', channel: 'room', from: 0, count: 1,
      symbols: '2lHseWvHPwA5LTx8mklyrgDaUex5a8c/ADktPHyaSXKuAg==' }),
    frame(false, { id: 14, ok: { need: 3 } }),
    frame(true, { id: 15, op: 'repair', channel: 'room', from: 2, count: 1,
      symbols: '2lHseWvHPwA5LTx8mklyrgI=' }),
    frame(false, { id: 15, ok: { cursor: '2', s: { n: 2, d: '27d7445642c7030e9e4dbfb389077575' },
      rows: 'AwhyZWFjdGlvbgTwn5GNA2JvYtyjsc+37fEfGgABAg==',
      messages: [{ timetoken: '17952187953729999', uuid: 'ada', payload: { text: 'hi' } }],
      drop: '2qOxz7ft8R8=' } }),
  ];
  const watch = new RepairWatch();
  const found = frames.map((it) => watch.take(it));
  assert.deepEqual(found.slice(0, -1), [null, null, null, null, null]);
  assert.deepEqual(found.at(-1), { at: 1, symbols: 3, needed: 3, rows: 2, drops: 1,
    bytes: frames.reduce((sum, it) => sum + it.bytes, 0) });
  const enough = [...frames.slice(0, 3), { ...frames[5], text: frames[5].text.replace('15', '14') }];
  assert.equal(enough.map((it) => watch.take(it)).at(-1).needed, null, 'nobody said how many');
  const reader = new FrameReader();
  assert.deepEqual(frames.map((it) => reader.read(it).what), ['subscribe room, repair',
    'subscribed: repair', 'repair: 2 symbols', 'needs 3 symbols', 'repair: 1 symbols',
    'repaired: 2 rows, 1 drops']);
  assert.equal(reader.read({ ...frame(false, {}), text: '{' }).what, 'not JSON');
  assert.equal(reader.read(frame(false, { id: 9, error: { code: 'forbidden' } })).what,
    'refused: forbidden');
});

test('a frame is shown as it was, in lines', () => {
  // Found by an attack: the number was 12345678901234567000.
  assert.equal(indented('{"n":12345678901234567890,"d":[1.0,-0,1e400],"e":{},"f":[ ]}'),
    `{
  "n": 12345678901234567890,
  "d": [
    1.0,
    -0,
    1e400
  ],
  "e": {},
  "f": []
}`);
  const nested = { a: [{}, [], [[1]], 'b, {"c": [\\"] }', null, true], '': '\n\u2028 :' };
  for (const it of [nested, 'x', 7, []]) {
    const text = JSON.stringify(it, null, 2);
    assert.equal(indented(JSON.stringify(it)), text);
    assert.equal(indented(text), text);
  }
  const long = JSON.stringify(['\\"x'.repeat(500_000)]);
  assert.equal(indented(long).length, long.length + 4);
  for (const it of ['', '{', '{"a": 1', '"a\n"  "', 'not  JSON, {}']) assert.equal(indented(it), it);
});

test('nothing is asked while nobody sees the page, and one thing at a time', async () => {
  const heard = [];
  globalThis.document = { visibilityState: 'hidden', addEventListener: (_, turn) => heard.push(turn) };
  const [timer] = [globalThis.setInterval];
  globalThis.setInterval = (turn) => heard.push(turn);
  let [asked, answer] = [0, () => {}];
  whileVisible(() => new Promise((resolve) => [asked, answer] = [asked + 1, resolve]));
  globalThis.setInterval = timer;
  for (const turn of heard) turn();
  assert.deepEqual([heard.length, asked], [2, 0]);
  document.visibilityState = 'visible';
  for (const turn of heard) turn();
  assert.equal(asked, 1);
  answer();
  await Promise.resolve();
  await Promise.resolve();
  for (const turn of heard) turn();
  assert.equal(asked, 2);
  delete globalThis.document;
});

test('a race says who is not equal, and who shows something else', async () => {
  const [all, less] = [['17952187953729999', '17952187953730016'], ['17952187953729999']];
  const stand = (messages, items = [], state = 'verified') => ({ userId: 'ada', held: 0, state,
    isSettled: state === 'verified', client: { waiting: 0 }, link: { received: 0 },
    cache: cacheOf(messages), room: { items } });
  const item = { timetoken: '1', payload: 1, actions: [] };
  assert.equal(await settle([stand(all), stand(all)], stand(all), 2), '');
  assert.match(await settle([stand(all), stand(less)], stand(all), 2),
    /^the daemon has 4 [0-9a-f]{32}; ada is verified, 2 [0-9a-f]{32}$/);
  assert.match(await settle([stand(all, [], 'comparing')], stand(all), 2), /ada is comparing, 4/);
  assert.equal(await settle([stand(all, [item])], stand(all), 2), 'ada shows something else');
});

test('a race that cannot be run is told what can', () => {
  for (const rounds of [0, -3, 99999, 10_001, 1.5, NaN, Infinity]) {
    assert.equal(faultIn(rounds, 1), 'Rounds are 1 to 10,000.', String(rounds));
  }
  for (const seed of [-1, 2 ** 32, 0.5, NaN]) assert.match(faultIn(1, seed), /^A seed is 0 to /);
  for (const [rounds, seed] of [[1, 0], [10_000, 2 ** 32 - 1]]) {
    assert.equal(faultIn(rounds, seed), '');
  }
});

/** What operators ask, of a daemon that answers so. */
function asking(answer, key = '') {
  globalThis.sessionStorage = { getItem: () => key };
  const admin = new Admin();
  delete globalThis.sessionStorage;
  globalThis.fetch = answer;
  return admin;
}

test('a daemon that hangs, or is gone, gives no answer', async () => {
  const { timeout } = AbortSignal;
  const asked = [];
  AbortSignal.timeout = (milliseconds) => {
    asked.push(milliseconds);
    return timeout.call(AbortSignal, 1);
  };
  // No timer of its own holds a test that waits for nothing else.
  const held = setInterval(() => {}, 1000);
  const hangs = (_, { signal }) => new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason)));
  const breaks = async (path, options) => ({ ok: true, text: () => hangs(path, options) });
  const isGone = async () => {
    throw new TypeError('Failed to fetch');
  };
  for (const answer of [hangs, breaks, isGone]) {
    const admin = asking(answer, 'k');
    await assert.rejects(admin.metrics(), (error) => /^The daemon gives no answer/
      .test(error.message) && error.status === undefined);
    await assert.rejects(admin.query('sessions'), /^Error: The daemon gives no answer[^.]*\.$/);
    await assert.rejects(admin.change('sessions kick', {}), /may still do it/);
  }
  clearInterval(held);
  AbortSignal.timeout = timeout;
  const { question, change } = answersWithin;
  assert.deepEqual(asked.slice(0, 3), [question, question, change]);
});

test('a key that no header can have is told as a wrong one', async () => {
  for (const key of ['ключ', 'abc\u200bdef', 'ü', 'a b', 'a\n']) {
    let isAsked = false;
    const admin = asking(() => isAsked = true, key);
    await assert.rejects(admin.query('sessions'), (error) =>
      error.status === 401 && /key is missing or wrong.*address in the head/.test(error.message));
    assert.equal(isAsked, false);
  }
  const refused = asking(async () => new Response('', { status: 401 }), 'k');
  await assert.rejects(refused.metrics(), { status: 401, message: /key is missing or wrong/ });
  const answered = asking(async () => new Response('{"sessions":[]}'), 'k');
  assert.deepEqual(await answered.query('sessions'), { sessions: [] });
});

test('figures are summed over their labels', () => {
  const figures = figuresOf('# HELP a b\na_total 3\nb{c="1"} 2\nb{c="2"} 5\n');
  assert.deepEqual([...figures], [['a_total', 3], ['b', 7]]);
});

test('texts are quoted in each language', () => {
  const where = { url: 'ws://127.0.0.1:8080/v1/sync', channel: 'room', admin: 'http://127.0.0.1:8081' };
  const payload = { text: 'It\'s "so"\n\u0001 $HOME `id` \\(x)' };
  const act = { op: 'publish', as: 'o\'neil', fields: { channel: 'room', payload } };
  const { Swift, JavaScript, curl, syncctl } = snippetsOf(act, where);
  assert.ok(curl.includes(`'{"as":"o'\\''neil"`), curl);
  assert.ok(syncctl.includes(`--user 'o'\\''neil'`), syncctl);
  assert.ok(syncctl.includes(`--url 'ws://127.0.0.1:8080'`), syncctl);
  assert.ok(JavaScript.includes(`await room.publish(${JSON.stringify(payload)});`), JavaScript);
  // Swift reads \(x) as code, unless the backslash is one of two.
  assert.ok(Swift.includes('\\\\\\\\(x)'), Swift);
  const purge = snippetsOf({ admin: 'channels purge', isChange: true, fields: { channel: 'a b' } },
    where);
  const [hint, command] = purge.syncctl.split('\n');
  assert.match(hint, /^# --socket PATH/);
  assert.equal(command, `syncctl admin channels purge --channel 'a b'`);
  assert.ok(purge.curl.includes('/admin/v1/channels/purge'), purge.curl);
});

/** Texts at random of what is written otherwise somewhere, and the ones that were wrong once. */
function nastyTexts(random) {
  const parts = ['\\', '"', '\'', '`', '$', '$(id)', '${x}', '\\(x)', '\\u{c}', '\\u000c', '%s', 'f', 'b',
    'n', '\n', '\r', '\t', '\b', '\f', '\x01', '\x1b', '\x7f', '\x85', '\u2028', '\u2029', '\u202e',
    '\u200f', '\u2066', '\u061c', '\ufeff', '\u200b', '\xad',
    '\u2060', '\u3164', '\u{e0061}', '\u{1d173}', 'ü', '👨\u200d👩\u200d👧', '👍🏽', ' ', '#', '-', '*/', '//',
    '{"__proto__":', ','];
  const some = () => Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
    parts[Math.floor(random() * parts.length)]).join('');
  return ['C:\\foo\\bar', '\\b\\f\\\\b', 'a\u202eb', ...Array.from({ length: 300 }, some)];
}

/** What a literal of Swift says; throws where it is none. */
function fromSwift(literal) {
  const [, body] = /^"((?:[^"\\\n\r]|\\[0\\tnr"']|\\u\{[0-9a-f]{1,8}\})*)"$/.exec(literal) ?? [];
  assert.notEqual(body, undefined, literal);
  const one = { 0: '\0', t: '\t', n: '\n', r: '\r' };
  return body.replace(/\\(?:u\{([0-9a-f]+)\}|(.))/g, (_, hex, it) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : one[it] ?? it);
}

test('each language reads what was meant, and people see all of it', () => {
  const texts = nastyTexts(seeded(1));
  const values = texts.map((it) => ({ [it]: [it, { text: it }], ['__proto__']: [1] }));
  for (const it of texts) assert.equal(fromSwift(swift(it)), it);
  for (const it of [...texts, ...values]) {
    assert.deepEqual(new Function(`return ${javaScript(it)}`)(), it);
    assert.deepEqual(JSON.parse(json(it)), it);
  }
  assert.deepEqual(JSON.parse(execFileSync('python3', ['-c',
    `import json\nprint(json.dumps(${python([...texts, ...values])}))`], { encoding: 'utf8' })),
  [...texts, ...values]);
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${texts.map(shell).join(' ')}`]);
  assert.deepEqual(String(words).split('\0').slice(0, -1), texts);
  for (const literal of [javaScript, json, python, shell, swift]) {
    assert.doesNotMatch(literal(texts.join('')),
      /[\x01-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/, literal.name);
    assert.doesNotMatch(literal(texts.join('')),
      /(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/u, literal.name);
    // And an emoji as one.
    for (const one of ['👨\u200d👩\u200d👧', '❤\ufe0f']) assert.ok(literal(one).includes(one), literal.name);
  }
});

test('what turns text round stands in no snippet', () => {
  const where = { url: 'ws://h:1/v1/sync', channel: 'room', admin: 'http://h:2', keyset: 's\u202e' };
  const channel = 'a\u202ecod.exe';
  const all = ['publish', 'addAction', 'removeAction', 'history', 'follow'].map((op) => ({ op,
    as: 'eve\u202e', fields: { channel, messageTimetoken: '5', value: channel, payload: channel } }));
  all.push({ admin: 'channels purge', isChange: true, fields: { channel } });
  for (const act of all) {
    for (const [language, text] of Object.entries(snippetsOf(act, where))) {
      assert.doesNotMatch(text, /\u202e/, `${language} ${act.op ?? act.admin}`);
    }
  }
});

/** What each language has for a frame that a device sent. */
const copied = (frame) => snippetsOf(actOf({ isSent: true, text: JSON.stringify(frame) }, 'ada'),
  { url: 'ws://h:1/v1/sync', channel: 'room', admin: 'http://h:2' });

test('a copy says all that a frame said, or what it cannot say', () => {
  const reply = copied({ id: 3, op: 'publish', channel: 'room', payload: 'Yes', parent: '17',
    meta: { lang: 'en' }, messageType: 'text', mutation: 'm-1' });
  const { Swift, JavaScript, Python, curl, syncctl } = reply;
  assert.ok(Swift.includes(`Message(payload: "\\"Yes\\"", meta: "{\\"lang\\":\\"en\\"}", ` +
    'type: "text", parent: Timetoken(rawValue: 17))'), Swift);
  assert.ok(JavaScript.includes(
    'publish("Yes", {"meta":{"lang":"en"},"messageType":"text","parent":"17"});'), JavaScript);
  assert.ok(Python.includes('"parent": "17", "meta": {"lang": "en"}, "messageType": "text"'), Python);
  assert.ok(curl.includes('"parent":"17","meta":{"lang":"en"},"messageType":"text"'), curl);
  assert.match(syncctl, /^# syncctl has no option for parent: .*\nsyncctl publish/);
  assert.ok(syncctl.endsWith(`--type 'text' --meta '{"lang":"en"}'`), syncctl);
  // By the number of the first wish it would be that wish again, and applied no more.
  for (const text of Object.values(reply)) assert.doesNotMatch(text, /mutation|m-1/);
  const add = copied({ id: 4, op: 'addAction', channel: 'room', messageTimetoken: '17', value: '👏',
    type: 'reaction', score: 5, mutation: 'm-2' });
  assert.ok(add.Swift.includes('react("👏", score: 5, to:'), add.Swift);
  assert.ok(add.JavaScript.includes('"17", { value: "👏", score: 5 });'), add.JavaScript);
  assert.ok(add.curl.includes('"score":5'), add.curl);
  assert.match(add.syncctl, /^# syncctl has no option for score: .*\nsyncctl react add/);
  // A message that is no reply has none of that.
  assert.doesNotMatch(Object.values(copied({ id: 5, op: 'publish', channel: 'room',
    payload: 'parent' })).join(), /# |parent:|, \{"|undefined/);
});

test('an edit and a deletion are copied', () => {
  const edit = copied({ id: 6, op: 'editMessage', channel: 'room', messageTimetoken: '17',
    payload: { text: 'hello' }, mutation: 'm-3' });
  const { Swift, JavaScript, Python, curl, syncctl } = edit;
  assert.ok(Swift.includes('room.edit(Timetoken(rawValue: 17), payload: "{\\"text\\":'), Swift);
  assert.ok(JavaScript.includes('await room.edit("17", {"text":"hello"});'), JavaScript);
  assert.ok(Python.includes('/v1/editMessage'), Python);
  assert.ok(curl.includes(`/v1/editMessage' -d '{"as":"ada","channel":"room",`), curl);
  assert.match(syncctl, /^# syncctl has no edit: .*\nsyncctl react add 'room' '17' '{"text":"hello"}'/);
  assert.ok(syncctl.endsWith(`--type 'edited'`), syncctl);
  const removal = copied({ id: 7, op: 'deleteMessage', channel: 'room', messageTimetoken: '17',
    mutation: 'm-4' });
  assert.ok(removal.Swift.includes('room.delete(Timetoken(rawValue: 17))'), removal.Swift);
  assert.ok(removal.JavaScript.includes('await room.delete("17");'), removal.JavaScript);
  assert.ok(removal.curl.includes('/v1/deleteMessage'), removal.curl);
  assert.match(removal.syncctl, /^# syncctl deletes it .*\nsyncctl delete 'room' '17'/);
  for (const text of Object.values({ ...edit, ...removal })) assert.doesNotMatch(text, /mutation|m-/);
});

test('figures are copied as what they are', () => {
  const { syncctl, ...others } = snippetsOf({ admin: 'metrics', fields: {} },
    { url: 'ws://h:1/v1/sync', channel: 'room', admin: 'http://h:2' });
  for (const text of Object.values(others)) assert.ok(text.includes('http://h:2/metrics'), text);
  assert.doesNotMatch(Object.values(others).join(), /\.json\(\)|json\.load\(|admin\/v1/);
  assert.match(syncctl, /^# syncctl has no metrics: .*curl\.$/);
});

test('each user has a cache, and what does not follow ends', () => {
  const where = { url: 'ws://h:1/v1/sync', channel: 'room', admin: 'http://h:2' };
  const of = (as, op, keyset) => snippetsOf({ op, as, fields: { channel: 'room', payload: 1,
    messageTimetoken: '5', value: '👍' } }, { ...where, keyset });
  assert.ok(of('ada', 'publish').JavaScript.includes('cache: "example-ada" });'));
  assert.ok(of('bob', 'publish').Swift.includes('cache: "example-bob.cache",'));
  assert.ok(of('bob', 'publish', 'sub').JavaScript.includes('cache: "example-sub-bob" });'));
  // It is the name of a file.
  assert.ok(of('../a/b', 'publish').Swift.includes('cache: "example-..%2Fa%2Fb.cache",'));
  for (const op of ['publish', 'addAction', 'removeAction', 'history', 'follow']) {
    for (const text of [of('ada', op).JavaScript, of('ada', op).Swift]) {
      assert.equal(text.endsWith('await client.close();') || text.endsWith('await client.close()'),
        op !== 'follow', text);
    }
  }
});

test('who publishes names the publish key, quoted in each language, and who asks does not', () => {
  const where = { url: 'ws://h:1/v1/sync', channel: 'room', keyset: 'sub', admin: 'http://h:2',
    publishKey: 'p\'"\\k' };
  const wanted = { Swift: 'configuration.publishKey = "p\'\\"\\\\k"',
    JavaScript: 'publishKey: "p\'\\"\\\\k"', Python: 'publishKey=p%27%22%5Ck',
    curl: 'publishKey=p%27%22%5Ck', syncctl: `--publish-key 'p'\\''"\\k'` };
  const fields = { channel: 'room', messageTimetoken: '5', value: '👍', payload: 'x' };
  for (const op of ['publish', 'editMessage', 'deleteMessage', 'addAction', 'removeAction',
    'history', 'follow']) {
    const snippets = snippetsOf({ op, as: 'ada', fields }, where);
    for (const [language, text] of Object.entries(wanted)) {
      assert.equal(snippets[language].includes(text), !['history', 'follow'].includes(op),
        snippets[language]);
    }
    assert.match(snippets.Swift, op === 'history' || op === 'follow' ? /^let conf/m : /^var conf/m);
  }
  const { Swift } = snippetsOf({ op: 'follow', fields }, { ...where, token: 'secret' });
  assert.match(Swift, /import Foundation\nimport SyncClient\n[^]*environment\["SYNC_TOKEN"\]/);
  assert.doesNotMatch(Swift, /secret/);
  const { JavaScript } = snippetsOf({ op: 'follow', fields }, { ...where, token: 'secret' });
  // Found by an attack: it named a function that nobody had written.
  assert.match(JavaScript, /, token: process\.env\.SYNC_TOKEN,/);
});

test('a reaction of another type keeps it in each language', () => {
  const where = { url: 'ws://h:1/v1/sync', channel: 'room', admin: 'http://h:2' };
  const fields = { channel: 'room', messageTimetoken: '5', value: 'yes', type: 'vo"te\'s' };
  const add = snippetsOf({ op: 'addAction', fields }, where);
  const remove = snippetsOf({ op: 'removeAction', fields }, where);
  assert.ok(add.syncctl.includes(`--type 'vo"te'\\''s'`), add.syncctl);
  assert.ok(add.JavaScript.includes(`"yes", true, "vo\\"te's")`), add.JavaScript);
  assert.ok(remove.JavaScript.includes(`"yes", false, "vo\\"te's")`), remove.JavaScript);
  assert.ok(add.Swift.includes(`react("yes", type: "vo\\"te's", to:`), add.Swift);
  assert.ok(remove.Swift.includes(`unreact("yes", type: "vo\\"te's", from:`), remove.Swift);
  assert.ok(add.curl.includes(`"type":"vo\\"te'\\''s"`), add.curl);
  const { type, ...usual } = fields;
  assert.ok(snippetsOf({ op: 'addAction', fields: usual }, where).JavaScript
    .includes('"5", "yes");'));
});

test('what begins with - is no option of syncctl', () => {
  const where = { url: 'ws://h:1/v1/sync', channel: 'room', admin: 'http://h:2' };
  const of = (op, fields) => snippetsOf({ op, as: 'ada', fields }, where).syncctl;
  const options = `--url 'ws://h:1' --user 'ada'`;
  assert.equal(of('history', { channel: '-x', limit: 3 }),
    `syncctl history ${options} --limit 3 -- '-x'`);
  assert.equal(of('publish', { channel: 'x', payload: -1 }),
    `syncctl publish ${options} -- 'x' '-1'`);
  assert.equal(of('addAction', { channel: '-x', messageTimetoken: '5', value: '-' }),
    `syncctl react add ${options} -- '-x' '5' '-'`);
  assert.equal(of('follow', { channel: 'x-' }), `syncctl subscribe 'x-' ${options}`);
});

test('what a purge asks for has the keyset that the list was asked for', () => {
  const [channels] = kinds;
  const acts = [];
  const answer = { channels: [{ channel: 'room', messages: 1, actions: 0, followers: 0 }] };
  for (const keyset of ['sub-two', undefined]) {
    const [row] = channels.rows(answer, (text, act) => acts.push(act), keyset);
    assert.deepEqual(row.slice(0, 2), [keyset ?? '', 'room']);
    assert.equal(row.length, channels.columns.length);
  }
  assert.deepEqual(acts.map(({ fields }) => fields),
    [{ keyset: 'sub-two', channel: 'room' }, { channel: 'room' }]);
  assert.equal(outcomeOf('channels purge', { messages: 1, files: 0 }), 'Purged 1 message.');
  assert.equal(outcomeOf('channels purge', { messages: 0, files: 2, moreFiles: true }),
    'Purged 0 messages and 2 files; more files are there: purge it again.');
  assert.equal(outcomeOf('sessions kick', { kicked: 1 }), 'Kicked 1 session.');
});

test('what a kick asks first names whose session it is', () => {
  const sessions = kinds.find((it) => it.title === 'Sessions');
  const said = [];
  sessions.rows({ sessions: [{ id: '7', kind: 'stream', keyset: 'sub', user: 'ada' }] },
    (text, { fields }, about) => said.push(fields, about));
  assert.deepEqual(said, [{ id: '7' }, { keyset: 'sub', user: 'ada', id: '7' }]);
});

test('what was removed is listed as that', () => {
  const rowsOf = (title, answer) => {
    const { rows, columns } = kinds.find((it) => it.title === title);
    const found = rows(answer, () => null);
    for (const row of found) assert.equal(row.length, columns.length, title);
    return found;
  };
  const share = { held: 1, quota: 2 };
  const tenant = { keyset: 'sub', connections: share, subscriptions: share, memberships: share,
    groups: share, channels: share, stored_bytes: share, rateLimited: 0 };
  assert.deepEqual(rowsOf('Tenants', { tenants: [tenant, { ...tenant, removed: true }] })
    .map(([keyset, removed]) => [keyset, removed]), [['sub', ''], ['sub', 'yes']]);
  const webhook = { name: 'audit', waiting: 1, deadLetters: 0 };
  assert.deepEqual(rowsOf('Queues', { webhooks: [webhook, { ...webhook, removed: true }] })
    .map((row) => row[1]), ['events for a webhook', 'events for a webhook that was removed']);
});

test('a place that no client takes is refused in words', () => {
  for (const [name, value] of [['channel', 'a,b'], ['channel', 'news.*'], ['channel', '*'],
    ['channel', ''], ['channel', 'x'.repeat(256)], ['url', 'foo'], ['url', ''],
    ['url', 'http://h:1/v1/sync'], ['url', 'ws://h:1/#x'], ['url', 'ws://'],
    ['keyset', 'x'.repeat(256)], ['token', ''], ['key', 'ключ'], ['key', 'a b'], ['key', 'ü']]) {
    assert.notEqual(faultOf(name, value), '', `${name} ${value}`);
  }
  for (const [name, value] of [['channel', 'news.a'], ['channel', '-x'], ['key', 'anything'],
    ['channel', 'x'.repeat(255)], ['url', 'wss://h/v1/sync'], ['url', 'ws://[::1]:8080/v1/sync']]) {
    assert.equal(faultOf(name, value), '', `${name} ${value}`);
  }
  const { good, fault } = usable({ channel: 'a,b', url: 'foo', keyset: 'sub', token: null });
  assert.deepEqual(good, { keyset: 'sub' });
  assert.match(fault, /a,b.*foo|foo.*a,b/);
});

test('what was given for one daemon is told to no other', () => {
  const before = { at: 'ws://a:1/v1/sync', channel: 'heavy', keyset: 'sub', publishKey: 'pub',
    token: 'secret' };
  const { at, ...given } = before;
  assert.deepEqual(givenFor(before, at), { good: given, fault: '' });
  for (const url of ['ws://b:1/v1/sync', 'ws://a:2/v1/sync', 'wss://a:1/v1/sync', 'ws://a:1/']) {
    const { good, fault } = givenFor(before, url);
    assert.deepEqual(good, {}, url);
    assert.match(fault, /^the token, which was given for ws:\/\/a:1\/v1\/sync/);
    assert.doesNotMatch(fault, /secret/);
    assert.equal(givenFor(before, url, true).fault, '');
  }
  // As tabs kept it once: nobody knows for whom.
  assert.deepEqual(givenFor(given, at).good, {});
  assert.deepEqual(givenFor({}, at), { good: {}, fault: '' });
});

test('a key and a token leave the address, and nothing else does', () => {
  for (const [hash, rest] of [['', ''], ['#', '#'], ['#key=K', ''], ['#token=T&key=K', ''],
    ['#key=K&channel=heavy', '#channel=heavy'], ['#channel=a%20b', '#channel=a%20b'],
    ['#token=T&channel=a%20b%26c&keyset=s', '#channel=a+b%26c&keyset=s']]) {
    assert.equal(withoutSecrets(hash), rest);
  }
});

test('a wrong key is told as one, and an address without figures as that', () => {
  assert.match(whyNoFigures(Object.assign(new Error('x'), { status: 404 })), /admin_listen/);
  assert.equal(whyNoFigures(Object.assign(new Error('The key'), { status: 401 })), 'The key');
});

test('the caches of two tabs are two', () => {
  const [one, other] = ['0a', '0b'].map((it) => cacheNameOf(it, 'ada-phone'));
  assert.notEqual(one, other);
  assert.deepEqual([one, other, 'console-ada-phone', undefined].map(tabOf),
    ['0a', '0b', undefined, undefined]);
});

test('the caches of two places are two, however their names are cut', () => {
  const names = [['prod', 'eu-room'], ['prod-eu', 'room'], ['prod/eu', 'room'], ['prod', 'eu/room']]
    .map(([keyset, channel]) =>
      new Device('phone', 'ada', { url: 'ws://h:1/v1/sync', keyset, channel }, null).cacheName);
  assert.equal(new Set(names).size, 4, names.join());
});

/** A device whose daemon acknowledges a message some time after it was wished. */
function slowDevice() {
  const device = { title: 'Ada', userId: 'ada', client: { waiting: 0 }, reacted: [] };
  device.room = { isVerified: true, items: [{ timetoken: '1', uuid: 'ada' }],
    publish: async () => {
      const item = { timetoken: null, uuid: 'ada' };
      device.room.items.push(item);
      device.client.waiting++;
      setTimeout(() => {
        item.timetoken = `${device.room.items.length}${device.room.items.indexOf(item)}`;
        device.client.waiting--;
      }, 20);
    },
    react: async (timetoken) => void device.reacted.push(timetoken) };
  return device;
}

test('Fill reacts to as many messages as it says, and to its own', async () => {
  const device = slowDevice();
  await fill(device, { messages: 30, reactions: 12 });
  assert.deepEqual(device.reacted, device.room.items.slice(-12).map(({ timetoken }) => timetoken));
  assert.equal(device.reacted.length, 12);
  const other = slowDevice();
  await fill(other, { messages: 3, reactions: 12 });
  assert.equal(other.reacted.length, 3);
});

test('Fill ends when its device is killed, whatever it waits for', async () => {
  const device = slowDevice();
  device.room.publish = () => new Promise(() => {});
  const filled = fill(device);
  device.client = device.room = null;
  await assert.rejects(filled, /Ada was killed amid Fill/);
  await assert.rejects(fill(device), /needs a device that runs/);
});
