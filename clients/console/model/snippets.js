// An action of the console as somebody would write it: Swift, JavaScript, Python, curl, syncctl.
// @ts-check

/** @typedef {import('./device.js').Place} Place */

/**
 * Something that was done. An operator's has `admin`, the command's words; the others `op`, as
 * docs/PROTOCOL.md names them, with their fields.
 * @typedef {{op?: 'publish'|'addAction'|'removeAction'|'history'|'follow', admin?: string,
 *   isChange?: boolean, as?: string, fields: Record<string, any>}} Act
 */

/**
 * Where it is done; `admin` is where operators ask.
 * @typedef {Place & {admin: string}} Where
 */

export const languages = ['Swift', 'JavaScript', 'Python', 'curl', 'syncctl'];

/** A text for a shell. */
const shell = (/** @type {any} */ it) => `'${String(it).replaceAll("'", `'\\''`)}'`;
/** For JavaScript and Python, whose literals have all of JSON's escapes. */
const quoted = (/** @type {any} */ it) => JSON.stringify(it);
/** For Swift, which writes control characters otherwise. */
const swift = (/** @type {any} */ it) => JSON.stringify(String(it))
  .replace(/\\u([0-9a-f]{4})/g, '\\u{$1}').replace(/\\b/g, '\\u{8}').replace(/\\f/g, '\\u{c}');

/** Where the daemon answers HTTP. */
const httpOf = (/** @type {Where} */ { url }) => new URL(url.replace(/^ws/, 'http')).origin;

/**
 * A value as Python writes it.
 * @param {any} it @returns {string}
 */
function python(it) {
  if (it === null || it === undefined) return 'None';
  if (typeof it === 'boolean') return it ? 'True' : 'False';
  if (Array.isArray(it)) return `[${it.map(python).join(', ')}]`;
  if (typeof it !== 'object') return quoted(it);
  const members = Object.entries(it).map(([key, value]) => `${quoted(key)}: ${python(value)}`);
  return `{${members.join(', ')}}`;
}

/** The path and the query of a question. */
function pathOf(/** @type {Act} */ { op, admin, isChange, fields }, /** @type {Where} */ where) {
  const base = admin ? `/admin/v1/${admin.replaceAll(' ', '/')}`
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
  op === 'publish' || op === 'addAction' || op === 'removeAction';

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
    body ? `-d ${shell(JSON.stringify(body))}` : ''].filter(Boolean).join(' ');
}

/** @param {Act} act @param {Where} where */
function pythonOf(act, where) {
  const body = bodyOf(act);
  const secret = secretOf(act, where);
  const address = quoted((act.admin ? where.admin : httpOf(where)) + pathOf(act, where));
  const headers = secret ? `{"Authorization": "Bearer " + os.environ["${secret}"]}` : '{}';
  const data = body ? `json.dumps(${python(body)}).encode()` : 'None';
  const read = act.op === 'follow' ? 'for line in reply:\n        print(line.decode(), end="")'
    : 'print(json.load(reply))';
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
    return `const reply = await fetch(${quoted(where.admin + pathOf(act, where))}, {
  method: '${body ? 'POST' : 'GET'}',
  headers: { Authorization: \`Bearer \${process.env.SYNC_ADMIN_KEY}\` },${
  body ? `\n  body: JSON.stringify(${JSON.stringify(body)}),` : ''}
});
console.log(await reply.json());`;
  }
  const typed = fields.type === undefined ? '' : `, ${quoted(fields.type)}`;
  const react = (/** @type {boolean} */ isThere) => `await room.react(
  ${quoted(fields.messageTimetoken)}, ${quoted(fields.value)}${
  isThere ? typed && `, true${typed}` : `, false${typed}`});`;
  const done = /** @type {Record<string, string>} */ ({
    publish: `await room.publish(${JSON.stringify(fields.payload)});`,
    addAction: react(true), removeAction: react(false),
    history: 'await room.whenVerified();\nconsole.log(room.items);',
    follow: 'room.observe((changes, items) => console.log(changes, items.length));',
  })[op ?? ''];
  const { keyset, publishKey, token } = where;
  const further = [keyset ? `keyset: ${quoted(keyset)}` : '',
    publishKey && publishes(act) ? `publishKey: ${quoted(publishKey)}` : '',
    token ? 'token: askYourBackend' : ''].filter(Boolean).map((it) => `, ${it}`).join('');
  return `import { SyncClient } from './syncclient.js';

const client = new SyncClient({
  url: ${quoted(where.url)}, userId: ${quoted(act.as ?? 'me')}${further}, cache: 'example' });
const room = client.channel(${quoted(fields.channel)});
${done}`;
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
request.httpBody = Data(${swift(JSON.stringify(body))}.utf8)` : ''}
let (data, _) = try await URLSession.shared.data(for: request)
print(String(decoding: data, as: UTF8.self))`;
  }
  const typed = fields.type === undefined ? '' : `, type: ${swift(fields.type)}`;
  const message = `Timetoken(rawValue: ${fields.messageTimetoken})`;
  const done = /** @type {Record<string, string>} */ ({
    publish: `try await room.publish(Message(payload: ${swift(JSON.stringify(fields.payload))}))`,
    addAction: `try await room.react(${swift(fields.value)}${typed}, to: ${message})`,
    removeAction: `try await room.unreact(${swift(fields.value)}${typed}, from: ${message})`,
    history: `print(try await client.history(HistoryQuery(channel: ${swift(fields.channel)})))`,
    follow: 'for await update in await room.updates { print(update) }',
  })[op ?? ''];
  const keyset = where.keyset ? `, keyset: ${swift(where.keyset)}` : '';
  const key = where.publishKey && publishes(act)
    ? `\nconfiguration.publishKey = ${swift(where.publishKey)}` : '';
  const token = where.token
    ? '\nconfiguration.token = ProcessInfo.processInfo.environment["SYNC_TOKEN"]' : '';
  return `import EventModel${token ? '\nimport Foundation' : ''}
import SyncClient

${key || token ? 'var' : 'let'} configuration = try SyncClient.Configuration(
    url: ${swift(where.url)}, userID: ${swift(act.as ?? 'me')}, deviceID: "example"${
  keyset})${key}${token}
let client = try SyncClient.open(cache: "example.cache", configuration: configuration)
await client.start()
let room = try await client.channel(${swift(fields.channel)})
${done}`;
}

/** @param {Act} act @param {Where} where */
function syncctlOf(act, where) {
  const { fields, op, admin } = act;
  if (admin) {
    const options = Object.entries(fields).flatMap(([name, value]) => value === true
      ? [`--${dashed(name)}`] : [`--${dashed(name)} ${shell(value)}`]);
    return `${socketHint}\n${['syncctl admin', admin, ...options].join(' ')}`;
  }
  const { channel, messageTimetoken, value, type, limit } = fields;
  const [command, ...given] = /** @type {Record<string, any[]>} */ ({
    publish: ['publish', channel, JSON.stringify(fields.payload)],
    addAction: ['react add', channel, messageTimetoken, value],
    removeAction: ['react remove', channel, messageTimetoken, value],
    history: ['history', channel], follow: ['subscribe', channel],
  })[op ?? ''];
  const texts = given.map(shell).join(' ');
  const options = [`--url ${shell(where.url.replace(/\/v1\/sync$/, ''))}`,
    act.as ? `--user ${shell(act.as)}` : '', where.keyset ? `--keyset ${shell(where.keyset)}` : '',
    where.publishKey && publishes(act) ? `--publish-key ${shell(where.publishKey)}` : '',
    type === undefined ? '' : `--type ${shell(type)}`, limit ? `--limit ${limit}` : '']
    .filter(Boolean).join(' ');
  const start = `${where.token ? 'SYNCCTL_TOKEN="$SYNC_TOKEN" ' : ''}syncctl ${command}`;
  // What begins with - would be an option.
  return given.some((it) => String(it).startsWith('-'))
    ? `${start} ${options} -- ${texts}` : `${start} ${texts} ${options}`;
}

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
