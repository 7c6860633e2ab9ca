// An action of the console as somebody would write it: Swift, JavaScript, Python, curl, syncctl.
// @ts-check
import { javaScript, json, python, shell, swift } from './literals.js';

/** @typedef {import('./device.js').Place} Place */

/**
 * Something that was done. An operator's has `admin`, the command's words; the others `op`, as
 * docs/PROTOCOL.md names them, with their fields.
 * @typedef {{op?: 'publish'|'editMessage'|'deleteMessage'|'addAction'|'removeAction'|'history'|
 *   'follow', admin?: string, isChange?: boolean, as?: string, fields: Record<string, any>}} Act
 */

/**
 * Where it is done; `admin` is where operators ask.
 * @typedef {Place & {admin: string}} Where
 */

export const languages = ['Swift', 'JavaScript', 'Python', 'curl', 'syncctl'];

/** Where the daemon answers HTTP. */
const httpOf = (/** @type {Where} */ { url }) => new URL(url.replace(/^ws/, 'http')).origin;

/** The path and the query of a question. */
function pathOf(/** @type {Act} */ { op, admin, isChange, fields }, /** @type {Where} */ where) {
  // What is for Prometheus, whose answer is no JSON.
  const base = admin === 'metrics' ? '/metrics' : admin ? `/admin/v1/${admin.replaceAll(' ', '/')}`
    : op === 'follow' ? '/v1/stream' : `/v1/${op}`;
  const asked = new URLSearchParams(isQuestion({ op, isChange, admin, fields }) ? fields : {});
  if (!admin && where.keyset) asked.set('keyset', where.keyset);
  if (publishes({ op, fields }) && where.publishKey) asked.set('publishKey', where.publishKey);
  const query = String(asked);
  return query ? `${base}?${query}` : base;
}

const isQuestion = (/** @type {Act} */ { op, isChange, admin }) =>
  admin ? !isChange : op === 'history' || op === 'follow';

/** Whether a keyset with a publish key asks for it. */
const publishes = (/** @type {Act} */ { op }) =>
  op !== undefined && op !== 'history' && op !== 'follow';

/** What a request has besides its path: its body, null for a question. */
const bodyOf = (/** @type {Act} */ act) => isQuestion(act) ? null
  : act.admin ? act.fields : { ...act.as ? { as: act.as } : {}, ...act.fields };

/** What lets it in: the name of a variable of the environment. */
const secretOf = (/** @type {Act} */ act, /** @type {Where} */ where) =>
  act.admin ? 'SYNC_ADMIN_KEY' : where.token ? 'SYNC_TOKEN' : null;

/** @param {Act} act @param {Where} where */
function curlOf(act, where) {
  const body = bodyOf(act);
  const secret = secretOf(act, where);
  return ['curl -s', act.op === 'follow' ? '-N' : '',
    secret ? `-H "Authorization: Bearer $${secret}"` : '',
    shell((act.admin ? where.admin : httpOf(where)) + pathOf(act, where)),
    body ? `-d ${shell(json(body))}` : ''].filter(Boolean).join(' ');
}

/** @param {Act} act @param {Where} where */
function pythonOf(act, where) {
  const body = bodyOf(act);
  const secret = secretOf(act, where);
  const address = json((act.admin ? where.admin : httpOf(where)) + pathOf(act, where));
  const headers = secret ? `{"Authorization": "Bearer " + os.environ["${secret}"]}` : '{}';
  const data = body ? `json.dumps(${python(body)}).encode()` : 'None';
  const read = act.op === 'follow' ? 'for line in reply:\n        print(line.decode(), end="")'
    : act.admin === 'metrics' ? 'print(reply.read().decode())' : 'print(json.load(reply))';
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${address}, data=${data}, headers=${headers})
with urllib.request.urlopen(request) as reply:
    ${read}`;
}

/** @param {Act} act @param {Where} where */
function javaScriptOf(act, where) {
  const { fields, op } = act;
  if (act.admin) {
    const body = bodyOf(act);
    return `const reply = await fetch(${json(where.admin + pathOf(act, where))}, {
  method: '${body ? 'POST' : 'GET'}',
  headers: { Authorization: \`Bearer \${process.env.SYNC_ADMIN_KEY}\` },${
  body ? `\n  body: JSON.stringify(${javaScript(body)}),` : ''}
});
console.log(await reply.${act.admin === 'metrics' ? 'text' : 'json'}());`;
  }
  const { keyset, publishKey, token } = where;
  const further = [keyset ? `keyset: ${json(keyset)}` : '',
    publishKey && publishes(act) ? `publishKey: ${json(publishKey)}` : '',
    token ? 'token: process.env.SYNC_TOKEN' : ''].filter(Boolean).map((it) => `, ${it}`).join('');
  const end = `\nawait client.close();`;
  const written = '\n// It is sent when there is a connection.\n' +
    'while (client.waiting > 0) await new Promise((done) => setTimeout(done, 20));';
  return `import { SyncClient } from './syncclient.js';

const client = new SyncClient({
  url: ${json(where.url)}, userId: ${json(act.as ?? 'me')}${further},
  cache: ${json(cacheOf(act, where))} });
const room = client.channel(${json(fields.channel)});
${javaScriptCallOf(act)}${publishes(act) ? written : ''}${op === 'follow' ? '' : end}`;
}

/** Each user of each keyset has a cache of their own. */
const cacheOf = (/** @type {Act} */ { as = 'me' }, /** @type {Where} */ { keyset }) =>
  `example-${keyset ? `${keyset}-` : ''}${as}`;

/** What a message has besides what it says, as far as it has it. */
const besides = (/** @type {Act} */ { fields: { meta, messageType, parent } }) =>
  Object.fromEntries(Object.entries({ meta, messageType, parent }).filter(([, it]) =>
    it !== undefined));

/** @param {Act} act */
function javaScriptCallOf(act) {
  const { messageTimetoken, value, type, score, payload } = act.fields;
  const typed = type === undefined ? '' : `, ${json(type)}`;
  const what = score === undefined ? json(value) : `{ value: ${json(value)}, score: ${score} }`;
  const react = (/** @type {string} */ rest) =>
    `await room.react(\n  ${json(messageTimetoken)}, ${what}${rest});`;
  const more = besides(act);
  const fields = Object.keys(more).length > 0 ? `, ${javaScript(more)}` : '';
  const changed = (/** @type {string} */ call) => `await room.whenVerified();\nawait room.${call};`;
  return /** @type {Record<string, string>} */ ({
    publish: `await room.publish(${javaScript(payload)}${fields});`,
    // Whose it is decides, as far as it is here.
    editMessage: changed(`edit(${json(messageTimetoken)}, ${javaScript(payload)})`),
    deleteMessage: changed(`delete(${json(messageTimetoken)})`),
    addAction: react(typed && `, true${typed}`),
    // What does not stand, as far as a new device knows, needs no removal.
    removeAction: `await room.whenVerified();\n${react(`, false${typed}`)}`,
    history: 'await room.whenVerified();\nconsole.log(room.items);',
    follow: 'room.observe((changes, items) => console.log(changes, items.length));',
  })[act.op ?? ''];
}

/** @param {Act} act @param {Where} where */
function swiftOf(act, where) {
  const { fields, op } = act;
  if (act.admin) {
    const body = bodyOf(act);
    return `import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

var request = URLRequest(url: URL(string: ${swift(where.admin + pathOf(act, where))})!)
let key = ProcessInfo.processInfo.environment["SYNC_ADMIN_KEY"] ?? ""
request.setValue("Bearer \\(key)", forHTTPHeaderField: "Authorization")${body ? `
request.httpMethod = "POST"
request.httpBody = Data(${swift(json(body))}.utf8)` : ''}
let (data, _) = try await URLSession.shared.data(for: request)
print(String(decoding: data, as: UTF8.self))`;
  }
  const keyset = where.keyset ? `, keyset: ${swift(where.keyset)}` : '';
  const key = where.publishKey && publishes(act)
    ? `\nconfiguration.publishKey = ${swift(where.publishKey)}` : '';
  const token = where.token
    ? '\nconfiguration.token = ProcessInfo.processInfo.environment["SYNC_TOKEN"]' : '';
  const end = '\nawait client.close()';
  const written = '\n// It is sent when there is a connection.\n' +
    `while await !client.unsentWrites.isEmpty { ${pause} }`;
  return `import EventModel${token ? '\nimport Foundation' : ''}
import SyncClient

${key || token ? 'var' : 'let'} configuration = try SyncClient.Configuration(
    url: ${swift(where.url)}, userID: ${swift(act.as ?? 'me')}, deviceID: "example"${
  keyset})${key}${token}
let client = try SyncClient.open(
    cache: ${swift(`${encodeURIComponent(cacheOf(act, where))}.cache`)},
    configuration: configuration)
await client.start()
let room = try await client.channel(${swift(fields.channel)})
${swiftCallOf(act)}${publishes(act) ? written : ''}${op === 'follow' ? '' : end}`;
}

/** Swift's way to wait for what nothing tells. */
const pause = 'try await Task.sleep(for: .milliseconds(20))';

/** @param {Act} act */
function swiftCallOf({ op, fields }) {
  const { channel, value, type, score, payload, meta, messageType, parent } = fields;
  const typed = type === undefined ? '' : `, type: ${swift(type)}`;
  const scored = score === undefined ? '' : `, score: ${score}`;
  const on = `Timetoken(rawValue: ${fields.messageTimetoken})`;
  const message = [`payload: ${swift(json(payload))}`,
    meta === undefined ? '' : `meta: ${swift(json(meta))}`,
    messageType === undefined ? '' : `type: ${swift(messageType)}`,
    parent === undefined ? '' : `parent: Timetoken(rawValue: ${parent})`].filter(Boolean);
  const verified = `while await !room.isVerified { ${pause} }\n`;
  return /** @type {Record<string, string>} */ ({
    publish: `try await room.publish(Message(${message.join(', ')}))`,
    editMessage: `${verified}try await room.edit(${on}, payload: ${swift(json(payload))})`,
    deleteMessage: `${verified}try await room.delete(${on})`,
    addAction: `try await room.react(${swift(value)}${typed}${scored}, to: ${on})`,
    removeAction: `${verified}try await room.unreact(${swift(value)}${typed}, from: ${on})`,
    history: `print(try await client.history(HistoryQuery(channel: ${swift(channel)})))`,
    follow: 'for await update in await room.updates { print(update) }',
  })[op ?? ''];
}

/** @param {Act} act @param {Where} where */
function syncctlOf(act, where) {
  const { fields, op, admin } = act;
  if (admin === 'metrics') return '# syncctl has no metrics: they are for Prometheus, and curl.';
  if (admin) {
    const options = Object.entries(fields).flatMap(([name, value]) => value === true
      ? [`--${dashed(name)}`] : [`--${dashed(name)} ${shell(value)}`]);
    return `${socketHint}\n${['syncctl admin', admin, ...options].join(' ')}`;
  }
  const { channel, messageTimetoken, value, limit, meta, messageType } = fields;
  const type = op === 'editMessage' ? 'edited' : fields.type ?? messageType;
  const [command, ...given] = /** @type {Record<string, any[]>} */ ({
    publish: ['publish', channel, json(fields.payload)],
    editMessage: ['react add', channel, messageTimetoken, json(fields.payload)],
    deleteMessage: ['delete', channel, messageTimetoken],
    addAction: ['react add', channel, messageTimetoken, value],
    removeAction: ['react remove', channel, messageTimetoken, value],
    history: ['history', channel], follow: ['subscribe', channel],
  })[op ?? ''];
  const texts = given.map(shell).join(' ');
  const options = [`--url ${shell(where.url.replace(/\/v1\/sync$/, ''))}`,
    act.as ? `--user ${shell(act.as)}` : '', where.keyset ? `--keyset ${shell(where.keyset)}` : '',
    where.publishKey && publishes(act) ? `--publish-key ${shell(where.publishKey)}` : '',
    type === undefined ? '' : `--type ${shell(type)}`,
    meta === undefined ? '' : `--meta ${shell(json(meta))}`, limit ? `--limit ${limit}` : '']
    .filter(Boolean).join(' ');
  const start = `${where.token ? 'SYNCCTL_TOKEN="$SYNC_TOKEN" ' : ''}syncctl ${command}`;
  // What begins with - would be an option.
  const line = given.some((it) => String(it).startsWith('-'))
    ? `${start} ${options} -- ${texts}` : `${start} ${texts} ${options}`;
  const hints = unsaid.filter(([it]) => it === op || fields[it] !== undefined);
  return [...hints.map(([, it]) => it), line].join('\n');
}

/** What syncctl has no option or command for, and what comes of that. */
const unsaid = [
  ['parent', '# syncctl has no option for parent: this is no reply, but a message of its own.'],
  ['score', '# syncctl has no option for score: this counts for 1.'],
  ['editMessage', '# syncctl has no edit: to the author\'s message such an action is one.'],
  ['deleteMessage', '# syncctl deletes it whoever wrote it, as far as the user may.'],
];

/** Where an operator's command is not found by itself; this page does not know it. */
const socketHint =
  '# --socket PATH or --data-dir DIR, when it is not /run/syncdaemon/admin.sock';

/** A field's name as an option. */
const dashed = (/** @type {string} */ name) =>
  name.replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`);

/**
 * An act in all languages, in their order.
 * @param {Act} act @param {Where} where @returns {Record<string, string>}
 */
export const snippetsOf = (act, where) => ({
  Swift: swiftOf(act, where), JavaScript: javaScriptOf(act, where),
  Python: pythonOf(act, where), curl: curlOf(act, where), syncctl: syncctlOf(act, where),
});
