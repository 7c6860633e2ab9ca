// The plan of the modules, held: layers, sizes, what is public, what a package has to bring.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as entry from '../syncclient.js';
import * as components from '../ui/sync-ui.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

const linesMax = 300;
const columnsMax = 100;
const functionLinesMax = 70;

/** The modules of a folder. */
const modulesOf = (folder) => readdirSync(join(root, folder), { withFileTypes: true })
  .flatMap((it) => it.isDirectory() ? modulesOf(`${folder}/${it.name}`)
    : it.name.endsWith('.js') ? [`${folder}/${it.name}`] : []);

/** Every module that a page may load, by its path from the entry's folder. */
const modules = new Map(
  ['syncclient.js', ...['core', 'shell', 'ui'].flatMap(modulesOf)].map((path) => [path, read(path)]));

/** What a program has written, and nobody reads. */
const isGenerated = (path) => path === 'ui/model/emoji-table.js';

/** What a module imports: to run, and with `types` also for its comments. */
function importsOf(path, types) {
  const patterns = [/^(?:import|export) [^;]*?from ['"](.+?)['"]/gm, /^import ['"](.+?)['"]/gm];
  if (types) patterns.push(/\bimport\(['"](.+?)['"]\)/g);
  return patterns.flatMap((pattern) => [...modules.get(path).matchAll(pattern)]
    .map(([, target]) => join(dirname(path), target)));
}

/** All modules that one leads to, itself included. */
function reachable(path, types, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const target of importsOf(path, types)) reachable(target, types, found);
  return found;
}

/** The functions of a text that are longer than they may be: from a brace to its fellow. */
function longFunctions(text) {
  const lines = text.split('\n');
  return lines.filter((line, start) => {
    const [, indent] = /^( *)(?!class |export class ).*\{$/.exec(line) ?? [];
    if (indent === undefined) return false;
    const end = lines.findIndex((it, i) => i > start && it.startsWith(`${indent}}`));
    return end - start >= functionLinesMax;
  });
}

for (const [path, text] of modules) {
  test(`${path} is a module as the others`, () => {
    const lines = text.split('\n');
    assert.match(lines[0], /^\/\/ [A-Z].*[.:;a-z].*\.$/, 'It begins with what it is for.');
    assert.equal(lines[1], '// @ts-check');
    assert.ok(lines.length <= linesMax || isGenerated(path), `${lines.length} lines`);
    assert.deepEqual(lines.filter((line) => [...line].length > columnsMax), []);
    assert.deepEqual(longFunctions(text), []);
    for (const target of importsOf(path, true)) assert.ok(modules.has(target), target);
  });
}

test('long functions are found', () => {
  const body = (count) => `class A {\n  b() {\n${'    c();\n'.repeat(count)}  }\n}\n`;
  assert.deepEqual(longFunctions(body(60)), []);
  assert.deepEqual(longFunctions(body(70)), ['  b() {']);
});

test('the core imports nothing but the core', () => {
  for (const path of modules.keys()) {
    if (!path.startsWith('core/')) continue;
    for (const target of importsOf(path, true)) assert.match(target, /^core\//, path);
  }
});

test('the core has no I/O, no clock and no randomness', () => {
  const foreign = new RegExp([
    'Date', 'performance', 'Math\\.random', 'crypto', 'setTimeout', 'setInterval', 'indexedDB',
    'queueMicrotask', 'async', 'await', 'Promise', 'WebSocket', 'BroadcastChannel', 'navigator',
    '(?<![./\\w])window\\.', 'document', 'globalThis', 'fetch', 'localStorage', 'console', 'process',
  ].map((word) => `\\b${word}\\b`).join('|'));
  for (const [path, text] of modules) {
    if (path.startsWith('core/')) assert.doesNotMatch(text, foreign, path);
  }
});

test('the client does not know its components', () => {
  for (const path of modules.keys()) {
    if (path.startsWith('ui/')) continue;
    for (const target of importsOf(path, true)) assert.doesNotMatch(target, /^ui\//, path);
  }
});

test('what components decide needs no page', () => {
  const page = /\b(document|HTMLElement|addEventListener|requestAnimationFrame|localStorage|fetch)\b/;
  for (const [path, text] of modules) {
    if (!path.startsWith('ui/model/') || isGenerated(path)) continue;
    assert.doesNotMatch(text, page, path);
    for (const target of importsOf(path, false)) {
      assert.match(target, /^(ui\/model|core)\/|^shell\/dates\.js$/, path);
    }
  }
});

test('no module imports itself, by whatever way', () => {
  for (const path of modules.keys()) {
    for (const target of importsOf(path, true)) {
      assert.ok(!reachable(target, true).has(path), `${path} and ${target}`);
    }
  }
});

test('the entries lead to every module', () => {
  const led = reachable('syncclient.js', false).add('core/types.js');
  const isOfUi = (path) => path.startsWith('ui/');
  assert.deepEqual([...led].sort(), [...modules.keys()].filter((it) => !isOfUi(it)).sort());
  const shown = [...reachable('ui/sync-ui.js', false), 'ui/model/emoji-table.js',
    ...reachable('ui/docs/docs.js', false)].filter(isOfUi);
  assert.deepEqual([...new Set(shown)].sort(), [...modules.keys()].filter(isOfUi).sort());
});

test('the entry exports what is declared, and nothing else', () => {
  const declared = [...read('syncclient.d.ts').matchAll(/^export (?:class|function|const) (\w+)/gm)]
    .map(([, name]) => name);
  // TypeScript has it as an interface: a page never makes one.
  assert.deepEqual(Object.keys(entry).sort(), [...declared, 'Channel'].sort());
});

test('the components export what is declared, and nothing else', () => {
  const declared = [...read('ui/sync-ui.d.ts').matchAll(
    /^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(components).sort(), declared.sort());
});

test('the words of components are those that are declared', () => {
  const [, body] = /^export interface Words \{\n(.*?)^\}/ms.exec(read('ui/sync-ui.d.ts'));
  const declared = [...body.matchAll(/^  (\w+): (string|\()/gm)].map(([, name]) => name);
  assert.deepEqual(declared, Object.keys(components.usualWords));
});

test('a package brings all that the entry leads to', () => {
  const { files, types, exports } = JSON.parse(read('package.json'));
  const isListed = (path) =>
    files.some((it) => it === path || (it.endsWith('/') && path.startsWith(it)));
  for (const path of reachable('syncclient.js', true)) assert.ok(isListed(path), path);
  for (const path of reachable('ui/sync-ui.js', true)) assert.ok(isListed(path), path);
  const named = [types, ...Object.values(exports).flatMap((it) => Object.values(it))].map((path) => join('.', path));
  for (const path of named) assert.ok(isListed(path), path);
  for (const path of files) assert.ok(existsSync(join(root, path)), path);
});

test('a package has the license of the whole', () => {
  assert.equal(read('LICENSE'), read('../../LICENSE'));
});
