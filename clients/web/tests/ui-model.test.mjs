// What components decide without a page: orders, pictures, what is offered, days, heights, emoji.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { canonicalEmoji } from '../core/emoji.js';
import { usualReactions } from '../core/reactions.js';
import { usualRules } from '../core/rules.js';
import { placeFor } from '../ui/base/float.js';
import { usualWords } from '../ui/base/words.js';
import {
  beginnings, clockText, dayText, hasText, itemAt, textOf, untilTomorrow,
} from '../ui/model/days.js';
import { readTable, search, tones, withTone } from '../ui/model/emoji.js';
import { table } from '../ui/model/emoji-table.js';
import { Heights } from '../ui/model/heights.js';
import { ofPage, wordsOver } from '../ui/model/given.js';
import { isAddress, isAllEmoji, lookOf } from '../ui/model/icons.js';
import { isolated } from '../ui/model/isolated.js';
import { offeredBy } from '../ui/model/offered.js';
import { arranged, compareBy, firstOf, keyOf } from '../ui/model/order.js';
import { threadOf } from '../ui/model/thread.js';
import { Press, pressMilliseconds } from '../ui/model/press.js';
import { OwnTyping } from '../ui/model/own-typing.js';
import { Typists, typingEvery, typingLasts, typingOf } from '../ui/model/typists.js';
import { hueOf, initialOf, pictureOf } from '../ui/parts/faces.js';
import { SentTexts } from '../ui/model/sent-texts.js';
import { generator } from './model.mjs';

const reaction = (value, count, first, last = first) => ({
  type: 'reaction', value, count, score: count, isMine: false, ownScore: 0, isPending: false,
  first, last, authors: [], clipped: false });
const some = [reaction('👍', 3, '30'), reaction('🔥', 9, '20'), reaction('❤️', 3, '9', '40')];
const valuesBy = (order, held = null) => arranged(some, compareBy(order), held)
  .map(({ value }) => value).join(' ');

test('reactions come in any order', () => {
  assert.equal(valuesBy('first'), '❤️ 🔥 👍');
  assert.equal(valuesBy(null), '❤️ 🔥 👍');
  assert.equal(valuesBy('latest'), '❤️ 👍 🔥');
  assert.equal(valuesBy('count'), '🔥 ❤️ 👍');
  assert.equal(valuesBy('value'), '❤️ 👍 🔥');
  assert.equal(valuesBy('👍 🔥'), '👍 🔥 ❤️');
  assert.equal(valuesBy(['🔥', '👍']), '🔥 👍 ❤️');
  assert.equal(valuesBy((left, right) => left.score - right.score), '❤️ 👍 🔥');
  assert.equal(valuesBy('fixed'), valuesBy('first'), 'That one takes values.');
  assert.equal(valuesBy('constructor'), valuesBy('first'));
});

test('a comparator that knows nothing is total all the same', () => {
  const random = generator(7);
  for (let round = 0; round < 50; round++) {
    const shuffled = some.map((it) => [random(), it]).sort(([a], [b]) => a - b).map(([, it]) => it);
    assert.deepEqual(arranged(shuffled, compareBy(() => 0), null),
      arranged(some, compareBy(() => 0), null));
  }
});

test('what a finger is on stays where it is', () => {
  const held = ['👍', '❤️'].map((value) => keyOf({ type: 'reaction', value }));
  assert.equal(valuesBy('count', held), '👍 ❤️ 🔥');
  assert.equal(valuesBy('count', []), '🔥 ❤️ 👍');
  const gone = keyOf({ type: 'reaction', value: '🎉' });
  assert.equal(valuesBy('count', [gone, ...held]), '👍 ❤️ 🔥');
});

test('a picture is of the page, an alias, or what everybody means', () => {
  const rules = { ...usualRules, aliases: [{ name: '🧡', value: 'adore' }, { name: 'x', value: 'y' }] };
  assert.deepEqual(lookOf('👍'), { text: '👍' });
  assert.deepEqual(lookOf('👍', { '👍': 'like.svg' }), { address: 'like.svg' });
  assert.deepEqual(lookOf('👍', (value) => `${value}!`), { text: '👍!' });
  assert.deepEqual(lookOf('👍', () => null), { text: '👍' });
  assert.deepEqual(lookOf('adore', null, rules), { text: '🧡' });
  assert.deepEqual(lookOf('y', null, rules), { text: 'y' });
  assert.deepEqual(lookOf('love'), { text: '❤️' });
  assert.deepEqual(lookOf('constructor', {}), { text: 'constructor' });
  for (const it of ['like.svg', '/a/b', './a', '../a', 'https://x/y', 'data:image/png;base64,x']) {
    assert.ok(isAddress(it), it);
  }
  for (const it of ['👍', 'like', 'javascript:x', ':)', 'a.b', 'data:text/html,x']) {
    assert.ok(!isAddress(it), it);
  }
});

test('an address is what the page says, and never what somebody sent', () => {
  const rules = { ...usualRules, aliases: [{ name: 'https://x/👍.png', value: 'seen' }] };
  for (const value of ['https://x/y.png', '/seen', './a', 'x.svg', 'data:image/png;base64,x',
    'blob:https://x/1', 'https://x/👍.png']) {
    assert.deepEqual(lookOf(value), { text: value });
    assert.deepEqual(lookOf(value, { '👍': 'like.svg' }, rules), { text: value });
    // As pages write it: their own, or what came.
    assert.deepEqual(lookOf(value, (it) => ({ '👍': 'like.svg' })[it] ?? it), { text: value });
  }
  assert.deepEqual(lookOf('seen', null, rules), { text: 'https://x/👍.png' });
});

test('a picture of a person is at an absolute address of the web, or there is none', () => {
  for (const it of ['https://x/y.png', 'http://x', 'HTTPS://x.example/a?b#c']) {
    assert.equal(pictureOf(it), it);
  }
  for (const it of ['/logout', 'a.png', '//x/y', 'javascript:alert(1)', 'data:image/png;base64,x',
    'blob:https://x/1', 'https:', 'https://', 'http:x', ' https://x', '', null, undefined, 7, {}]) {
    assert.equal(pictureOf(it), null, String(it));
  }
});

test('a value that shows nothing is called by what it is', () => {
  for (const [value, text] of [[' ', 'U+0020'], ['\u200b', 'U+200B'], ['\u2800', 'U+2800'],
    ['\u3164', 'U+3164'], ['\u{e0020}', 'U+E0020'], ['\u202e ', 'U+202E'], ['', '?'],
    [' a', ' a'], ['ok', 'ok'], ['👍🏽', '👍🏽'], ['❤️', '❤️'], ['🇩🇪', '🇩🇪'], ['\u0301', '\u0301']]) {
    assert.deepEqual(lookOf(value), { text });
  }
});

test('a text is in the font of emoji only where it is nothing else', () => {
  for (const it of ['👍', '👍🏽', '❤', '❤️', '🇩🇪', '1️⃣', '#️⃣', '👨‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🎉🎉']) assert.ok(isAllEmoji(it), it);
  for (const it of ['U+200B', '1', '#', '+1', 'love', '👍 2', '2👍', '❤︎', '']) {
    assert.ok(!isAllEmoji(it), it);
  }
  for (const { emoji } of readTable(table)) {
    for (const it of emoji) assert.ok(isAllEmoji(it.emoji), it.emoji);
  }
  // What strangers send takes no longer the longer it is.
  assert.ok(!isAllEmoji(`${'🏽\u200d'.repeat(100_000)}x`));
});

/** What is warned of meanwhile. */
function warnings(act) {
  const [warn, lines] = [console.warn, []];
  console.warn = (...words) => lines.push(words.join(' '));
  try {
    act();
  } finally {
    console.warn = warn;
  }
  return lines;
}

test('what a page gave and fails is left out, with one warning', () => {
  const fails = () => { throw new Error('mine'); };
  const lines = warnings(() => {
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(lookOf('👍', fails), { text: '👍' });
      assert.equal(valuesBy(fails), valuesBy('first'));
      assert.equal(ofPage('pieces.text', fails, fails, () => 'usual'), 'usual');
    }
    assert.deepEqual(lookOf('👍', { '👍': {} }), { text: '👍' });
    assert.equal(valuesBy({}), valuesBy('first'));
  });
  // One function, one warning, whatever it was asked for.
  assert.equal(lines.length, 2);
  assert.match(lines[0], /^The page's icons failed.*mine/);
});

test('words that are none, or fail, are the usual ones', () => {
  const given = { send: 'Senden', replies: () => { throw new Error('mine'); }, newest: 'new',
    close: 7, nobody: null, hers: 'kept' };
  let words;
  const lines = warnings(() => {
    words = wordsOver(usualWords, given);
    assert.equal(words.replies(1), '1 reply');
    assert.equal(words.replies(2), '2 replies');
    // Elements hand theirs to those within.
    assert.equal(wordsOver(usualWords, words).replies, words.replies);
  });
  assert.equal(words.send, 'Senden');
  assert.equal(words.newest(0), usualWords.newest(0));
  assert.equal(words.close, 'Close');
  assert.equal(words.nobody, usualWords.nobody);
  assert.equal(words.hers, 'kept');
  assert.deepEqual(lines.map((it) => it.split(' ')[2]), ['words.newest', 'words.replies']);
});

test('a name turns nothing around it', () => {
  assert.equal(isolated('Ada Lovelace-2'), 'Ada Lovelace-2');
  assert.equal(isolated('Zoë'), 'Zoë');
  assert.equal(isolated('x\u202ey'), '\u2068xy\u2069');
  assert.equal(isolated('\u2069\u202ex'), '\u2068x\u2069', 'It does not end what keeps it.');
  assert.equal(isolated('דנה'), '\u2068דנה\u2069');
});

test('of many reactions the first show, and one\'s own', () => {
  const many = Array.from({ length: 100 }, (_, n) =>
    ({ ...reaction(`v${n}`, 1, String(n)), isMine: n === 3 || n === 99 }));
  const of = (most) => firstOf(many, most).map(({ value }) => value).join(' ');
  assert.equal(of(2), 'v0 v1 v3 v99');
  assert.equal(of(1), 'v0 v3');
  assert.equal(firstOf(many, 100), many);
  const own = many.map((it) => ({ ...it, isMine: true }));
  assert.equal(firstOf(own, 10).length, 20, 'However many are one\'s own.');
});

test('only a message with a text is written anew', () => {
  for (const it of ['a', '', { text: 'a' }, { text: '', kind: 'image' }]) assert.ok(hasText(it));
  for (const it of [{ kind: 'image' }, null, undefined, 7, ['a'], { text: 7 }]) {
    assert.ok(!hasText(it));
  }
});

test('what is refused is known by what was sent', () => {
  const texts = new SentTexts();
  const sent = { channel: 'room', text: 'a', payload: { text: 'a' }, editing: null, parent: null };
  const edited = { ...sent, editing: { timetoken: '7' } };
  texts.add(sent);
  texts.add(edited);
  const entry = { kind: 'publish', channel: 'room', payload: { text: 'a' } };
  assert.equal(texts.take({ ...entry, channel: 'den' }), null);
  assert.equal(texts.take({ ...entry, payload: { text: 'b' } }), null);
  assert.equal(texts.take({ ...entry, kind: 'edit', messageTimetoken: '8' }), null);
  assert.equal(texts.take({ ...entry, kind: 'edit', messageTimetoken: '7' }), edited);
  assert.equal(texts.take(entry), sent);
  assert.equal(texts.take(entry), null);
  for (let n = 0; n < 100; n++) texts.add({ ...sent, payload: n });
  assert.equal(texts.take({ ...entry, payload: 0 }), null, 'Nobody waits for ever.');
});

test('what is offered is what the channel allows', () => {
  const offered = (rules, values) => {
    const { values: found, canSearch } = offeredBy(rules && { ...usualRules, ...rules }, values);
    return `${found.join(' ')}${canSearch ? ' +' : ''}`;
  };
  const usual = `${usualReactions.join(' ')} +`;
  assert.equal(offered(null), usual);
  assert.equal(offered({}), usual);
  assert.equal(offered({ values: 'emoji' }), usual);
  assert.equal(offered({}, ['👀']), '👀 +');
  assert.equal(offered({ values: ['👍', '👎'] }), '👍 👎');
  assert.equal(offered({ values: ['👍', '👎'] }, ['👎', '👀']), '👎');
  assert.equal(offered({ values: ['👍', '👎'] }, ['👀']), '👍 👎');
  assert.equal(offered({ mode: 'flag' }), 'flag');
  assert.equal(offered({ mode: 'total', values: ['👍'] }), 'total');
  assert.equal(offered({ reactions: false, values: ['👍'] }), '');
});

const tokenOf = (text) => `${new Date(text).getTime()}0000`;
const said = (text, uuid = 'ada') => ({ timetoken: text && tokenOf(text), uuid });

test('a day begins with a message, and so does what somebody says', () => {
  const now = new Date('2026-11-26T12:00:00');
  const of = (before, item) => {
    const { isDay, isGroup } = beginnings(before, item, now);
    return [isDay && 'day', isGroup && 'group'].filter(Boolean).join(' ');
  };
  assert.equal(of(undefined, said('2026-11-26T11:00:00')), 'day group');
  assert.equal(of(said('2026-11-26T11:00:00'), said('2026-11-26T11:04:59')), '');
  assert.equal(of(said('2026-11-26T11:00:00'), said('2026-11-26T11:05:01')), 'group');
  assert.equal(of(said('2026-11-26T11:00:00'), said('2026-11-26T11:01:00', 'bob')), 'group');
  assert.equal(of(said('2026-11-25T23:59:00'), said('2026-11-26T00:00:00')), 'day group');
  assert.equal(of(said('2026-11-26T11:58:00'), said(null)), '', 'What is on its way is of now.');
});

test('a day is written as people say it', () => {
  const now = new Date('2026-11-26T00:30:00');
  assert.equal(dayText(new Date('2026-11-26T23:59:00'), now, 'en'), 'Today');
  assert.equal(dayText(new Date('2026-11-25T00:01:00'), now, 'en'), 'Yesterday');
  assert.equal(dayText(new Date('2026-11-20T12:00:00'), now, 'en'), 'Friday');
  assert.equal(dayText(new Date('2026-11-19T12:00:00'), now, 'en'), 'November 19');
  assert.equal(dayText(new Date('2025-11-19T12:00:00'), now, 'en'), 'November 19, 2025');
  assert.equal(dayText(new Date('2026-11-25T12:00:00'), now, 'de'), 'Gestern');
  assert.equal(clockText(new Date('2026-11-26T09:05:00'), 'de'), '09:05');
  assert.equal(untilTomorrow(new Date('2026-12-31T23:59:00')), 60_000);
});

test('a device that is taken elsewhere has the time of there', () => {
  const zone = process.env.TZ;
  const date = new Date('2026-11-26T09:05:00Z');
  const times = ['UTC', 'Asia/Tokyo', 'America/New_York'].map((it) => {
    process.env.TZ = it;
    return clockText(date, 'de');
  });
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  assert.deepEqual(times, ['09:05', '18:05', '04:05']);
});

test('a message is found by its timetoken, among those on their way as well', () => {
  const timetokens = ['9', '10', '100', '9007199254740993', '9007199254740994'];
  for (let length = 0; length <= timetokens.length; length++) {
    const items = [...timetokens.slice(0, length), null, null].map((timetoken) => ({ timetoken }));
    for (const [index, it] of timetokens.entries()) {
      assert.equal(itemAt(items, it), index < length ? items[index] : null, `${it} of ${length}`);
    }
    for (const it of ['8', '11', '9007199254740992', '9007199254740995']) {
      assert.equal(itemAt(items, it), null);
    }
  }
  assert.equal(itemAt([], '9'), null);
});

test('a message says its text, or whatever it is', () => {
  assert.equal(textOf('hi'), 'hi');
  assert.equal(textOf({ text: 'hi', n: 1 }), 'hi');
  assert.equal(textOf({ n: 1 }), '{"n":1}');
  assert.equal(textOf(null), 'null');
  assert.equal(textOf(undefined), '');
});

test('heights add up, whatever comes and goes', () => {
  const random = generator(11);
  const heights = new Heights(50);
  /** @type {(number|null)[]} */ const model = [];
  const sum = (count) => model.slice(0, count).reduce((total, it) => total + (it ?? 50), 0);
  for (let step = 0; step < 2000; step++) {
    const index = Math.floor(random() * (model.length + 1));
    const kind = random();
    if (kind < 0.45) {
      heights.insert(index);
      model.splice(index, 0, null);
    } else if (kind < 0.6 && index < model.length) {
      assert.equal(heights.remove(index), model.splice(index, 1)[0]);
    } else if (index < model.length) {
      const height = Math.ceil(random() * 200);
      assert.equal(heights.set(index, height), model[index] !== height);
      model[index] = height;
    }
    const at = Math.floor(random() * (model.length + 1));
    assert.equal(heights.top(at), sum(at));
    assert.equal(heights.total, sum(model.length));
    const y = random() * (heights.total + 100) - 50;
    const row = heights.at(y);
    assert.ok(model.length === 0 || (row >= 0 && row < model.length));
    if (y >= 0 && y < heights.total) assert.ok(sum(row) <= y && y < sum(row + 1), `${row} at ${y}`);
    const [from, to] = heights.range(y, y + 300);
    assert.ok(from <= to && to <= model.length);
  }
  assert.deepEqual(new Heights(50).range(0, 100), [0, 0]);
});

test('every emoji is there, in every tone, and found', () => {
  const groups = readTable(table);
  const all = groups.flatMap(({ emoji }) => emoji);
  assert.equal(new Set(all.map(({ emoji }) => emoji)).size, all.length);
  for (const { emoji } of all) assert.equal(canonicalEmoji(emoji), emoji);
  const file = '/usr/share/unicode/emoji/emoji-test.txt';
  if (existsSync(file)) {
    const listed = readFileSync(file, 'utf8').split('\n').filter((it) => /; fully-qual/.test(it))
      .map((it) => String.fromCodePoint(...it.split(';')[0].trim().split(' ')
        .map((point) => Number.parseInt(point, 16))));
    const isToned = (text) => tones.some((tone) => tone && text.includes(tone));
    assert.deepEqual(new Set(all.map(({ emoji }) => emoji)),
      new Set(listed.filter((it) => !isToned(it))), 'Run Tools/generate-emoji --web.');
    const known = new Set(listed);
    for (const { emoji, isToned: has } of all) {
      for (const tone of has ? tones.keys() : []) {
        assert.ok(known.has(withTone(emoji, tone)), `${emoji} ${tone}`);
      }
      if (!has) assert.ok(!known.has(withTone(emoji, 1)) || withTone(emoji, 1) === emoji, emoji);
    }
  }
  const found = (query) => search(groups, query).map(({ emoji }) => emoji);
  assert.equal(found('thumbs up')[0], '👍');
  assert.equal(found('+1')[0], '👍');
  assert.ok(found('laugh').includes('😂'));
  assert.ok(found('PIÑA').includes('🍍') || found('pine').includes('🍍'));
  assert.ok(found('pinata').includes('🪅'), 'Without its tilde.');
  assert.equal(found('🔥')[0], '🔥');
  assert.equal(found('fire')[0], '🔥', 'What is called so comes first.');
  assert.deepEqual(found('no such thing'), []);
  assert.deepEqual(found('  '), []);
  assert.equal(search(groups, 'f').length, 120);
  assert.equal(withTone('🧑‍🤝‍🧑', 3), '🧑🏽‍🤝‍🧑🏽', 'Hands that hold each other have none.');
  assert.equal(withTone('✌️', 5), '✌🏿');
});

test('a finger that stays is a long press, and one that moves or goes is none', () => {
  const press = () => new Press({ x: 10, y: 10, at: 100 });
  const long = 100 + pressMilliseconds;
  assert.ok(press().isLong(long));
  assert.ok(!press().isLong(long - 1));
  const moved = press();
  moved.move({ x: 16, y: 16 });
  assert.ok(moved.isLong(long), 'It may tremble.');
  moved.move({ x: 21, y: 10 });
  moved.move({ x: 10, y: 10 });
  assert.ok(!moved.isLong(long) && !moved.isOpen);
  const ended = press();
  ended.end();
  assert.ok(!ended.isLong(long));
});

test('who types is believed for six seconds', () => {
  const typists = new Typists();
  assert.equal(typists.wait(0), null);
  typists.say('bob', true, 0);
  typists.say('eve', true, 1000);
  assert.deepEqual(typists.at(1000), ['bob', 'eve']);
  assert.equal(typists.wait(1000), typingLasts - 1000);
  assert.deepEqual(typists.at(typingLasts), ['eve']);
  typists.say('eve', false, typingLasts);
  assert.deepEqual(typists.at(typingLasts), []);
  const signal = { e: 1, i: 'bob', d: { typing: true } };
  assert.deepEqual(typingOf(signal), { id: 'bob', isTyping: true });
  for (const other of [{ ...signal, e: 0 }, { ...signal, i: '' }, { ...signal, d: 'typing' },
    { ...signal, d: null }, { ...signal, d: { typing: 1 } }]) assert.equal(typingOf(other), null);
});

test('what floats is above its place, below where there is no room, and never outside', () => {
  const page = { width: 400, height: 600 };
  const size = { width: 200, height: 50 };
  const about = { left: 100, right: 180, top: 300, bottom: 330 };
  assert.deepEqual(placeFor(about, size, page, false), { left: 100, top: 242 });
  assert.deepEqual(placeFor(about, size, page, true), { left: 8, top: 242 });
  assert.deepEqual(placeFor({ ...about, top: 20, bottom: 50 }, size, page, false),
    { left: 100, top: 58 });
  assert.deepEqual(placeFor({ ...about, left: 390, right: 420 }, size, page, false),
    { left: 192, top: 242 });
  assert.deepEqual(placeFor({ ...about, top: 10, bottom: 590 }, { width: 900, height: 700 }, page,
    false), { left: 8, top: 8 });
});

test('a face has a letter and a colour of its own', () => {
  assert.equal(initialOf('ada'), 'A');
  assert.equal(initialOf('  '), '?');
  assert.equal(initialOf('\u202e\u200bevil'), 'E');
  assert.equal(initialOf('\u0301'), '?');
  assert.equal(initialOf('👩🏽‍🚀 Sally'), '👩');
  assert.equal(hueOf('ada'), hueOf('ada'));
  assert.ok(new Set(Array.from({ length: 50 }, (_, n) => hueOf(`user ${n}`))).size > 10);
});

test('words agree with their numbers', () => {
  const { newest, replies, people, typing, found } = usualWords;
  assert.deepEqual([newest(0), newest(1), newest(2)],
    ['To the newest message', '1 new message', '2 new messages']);
  assert.deepEqual([replies(1), replies(2)], ['1 reply', '2 replies']);
  assert.equal(people(['You', 'Bob'], 0), 'You, Bob');
  assert.equal(people(['You', 'Bob'], 1), 'You, Bob and 1 other');
  assert.equal(people(['You'], 5), 'You and 5 others');
  assert.deepEqual([typing(['Bob']), typing(['Bob', 'Eve'])],
    ['Bob is typing…', 'Bob, Eve are typing…']);
  assert.deepEqual([found(0), found(2)], ['No emoji found', '2 emoji found']);
});

test('a thread is a channel of its own', async () => {
  const item = (timetoken, parent, more = {}) => ({ key: timetoken, timetoken, parent, ...more });
  let [items, tell] = [[item('1'), item('2'), item('3', '1')], () => {}];
  const said = [];
  const channel = { name: 'room', get items() { return items; }, hasOlder: true,
    async older() { items = [item('0'), ...items]; return 'more'; },
    publish(...words) { said.push(words); return this.name; },
    observe(callback) { tell = callback; callback([], items); return () => { tell = () => {}; }; } };
  const thread = threadOf(channel, '1');
  assert.deepEqual(thread.items.map(({ key }) => key), ['1', '3']);
  assert.equal(thread.hasOlder, false);
  assert.equal(thread.publish({ text: 'a' }), 'room');
  assert.deepEqual(said, [[{ text: 'a' }, { parent: '1' }]]);
  const seen = [];
  const list = [];
  const end = thread.observe((changes, now) => {
    for (const { kind, index, from, item: it } of changes) {
      if (kind === 'remove') list.splice(index, 1);
      if (kind === 'move') list.splice(from, 1);
      if (kind === 'update') list[index] = it;
      else if (kind !== 'remove') list.splice(index, 0, it);
    }
    seen.push(changes.map(({ kind }) => kind).join());
    assert.deepEqual(list, now);
  });
  for (const next of [
    [...items, item('4')],
    [item('1'), item('3', '1', { payload: 1 }), item('5', '1'), item('6', '1')],
    [item('1'), item('6', '1'), item('5', '1')],
  ]) {
    items = next;
    tell([], items);
  }
  // What is not about it nobody hears; a new object is an update.
  assert.deepEqual(seen, ['insert,insert', 'update,update,insert,insert', 'remove,update,move,update']);
  end();
  items = [item('2'), item('3', '9')];
  assert.equal(threadOf(channel, '9').hasOlder, true);
});

test('that one types is said once in a while, and its end once', () => {
  const typing = new OwnTyping();
  assert.equal(typing.changed(true, 0), null);
  assert.equal(typing.changed(false, 1), true);
  assert.equal(typing.changed(false, typingEvery), null);
  assert.equal(typing.changed(false, typingEvery + 1), true);
  assert.equal(typing.changed(true, typingEvery + 2), false);
  assert.equal(typing.changed(true, typingEvery + 3), null);
  assert.equal(typing.changed(false, typingEvery + 4), true);
  typing.sent();
  assert.equal(typing.changed(true, typingEvery + 5), null);
});
