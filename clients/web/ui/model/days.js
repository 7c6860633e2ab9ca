// Days and groups of a list of messages: where a new one begins, and how it is written.
// @ts-check
import { isLater } from '../../core/timetoken.js';
import { dateOf } from '../../shell/dates.js';

/** @typedef {import('../../core/types.js').Item} Item */

/** Minutes within which messages of one person stand together, under one name. */
export const groupMinutes = 5;

const dayMilliseconds = 86_400_000;

/** A number that is another one each day, where the page is. */
export const dayOf = (/** @type {Date} */ it) =>
  it.getFullYear() * 10_000 + it.getMonth() * 100 + it.getDate();

/**
 * When a message was sent; what is on its way is of now.
 * @param {Item} item @param {Date} now
 */
export const timeOf = (item, now) => dateOf(item.timetoken) ?? now;

/**
 * What begins with a message, by the one before it.
 * @param {Item|undefined} before @param {Item} item @param {Date} now
 * @returns {{isDay: boolean, isGroup: boolean}} Of a day, and of what one person said.
 */
export function beginnings(before, item, now) {
  if (!before) return { isDay: true, isGroup: true };
  const [earlier, later] = [timeOf(before, now), timeOf(item, now)];
  const isDay = dayOf(earlier) !== dayOf(later);
  const isGroup = isDay || before.uuid !== item.uuid ||
    later.getTime() - earlier.getTime() > groupMinutes * 60_000;
  return { isDay, isGroup };
}

/**
 * What of a page's `lang` dates can be written in; of one that is none, the browser's language.
 * @param {string|undefined} lang
 */
export function languageOf(lang) {
  try {
    // An underscore is a usual mistake.
    return Intl.DateTimeFormat.supportedLocalesOf(lang?.replace(/_/g, '-') || [])[0];
  } catch {
    return undefined;
  }
}

/**
 * How a day is written: today, yesterday, the day of the week, or the date.
 * @param {Date} date @param {Date} now @param {string} [language]
 */
export function dayText(date, now, language) {
  const midnight = (/** @type {Date} */ it) =>
    new Date(it.getFullYear(), it.getMonth(), it.getDate()).getTime();
  const days = Math.round((midnight(date) - midnight(now)) / dayMilliseconds);
  if (days === 0 || days === -1) {
    const text = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day');
    return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
  }
  /** @type {Intl.DateTimeFormatOptions} */
  const form = days < 0 && days > -7 ? { weekday: 'long' } : { day: 'numeric', month: 'long' };
  if (date.getFullYear() !== now.getFullYear()) form.year = 'numeric';
  return new Intl.DateTimeFormat(language, form).format(date);
}

/**
 * Making one takes a tenth of a millisecond. They know no time zone: that of a formatter would stay
 * when a device is taken elsewhere.
 * @type {Map<string, Intl.DateTimeFormat>}
 */
const clocks = new Map();

/**
 * The time of a day.
 * @param {Date} date @param {string} [language]
 */
export function clockText(date, language = '') {
  const clock = clocks.get(language) ?? new Intl.DateTimeFormat(
    language || undefined, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
  clocks.set(language, clock);
  return clock.format(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate(),
    date.getHours(), date.getMinutes(), date.getSeconds()));
}

/** Milliseconds until the next day begins, where the page is. */
export const untilTomorrow = (/** @type {Date} */ now) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() - now.getTime();

/**
 * What a message says: a text, an object with a text as most clients send it, or whatever it is.
 * @param {any} payload
 */
export function textOf(payload) {
  if (typeof payload === 'string') return payload;
  return typeof payload?.text === 'string' ? payload.text : JSON.stringify(payload) ?? '';
}

/**
 * Whether a message has a text, which its author may write anew.
 * @param {any} payload
 */
export const hasText = (payload) =>
  typeof payload === 'string' || typeof payload?.text === 'string';

/**
 * Where the newest message is that is not on its way.
 * @param {readonly Item[]} items
 */
export const newestOf = (items) =>
  [...items].reverse().find(({ timetoken }) => timetoken !== null)?.timetoken ?? '0';

/**
 * The message with a timetoken; null: it is not here. As cheap in a long list as in a short one:
 * messages are in their order, and those on their way, which have none, are last.
 * @param {readonly Item[]} items @param {string} timetoken
 * @returns {Item|null}
 */
export function itemAt(items, timetoken) {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const found = items[middle].timetoken;
    if (found === timetoken) return items[middle];
    if (found === null || isLater(found, timetoken)) to = middle;
    else from = middle + 1;
  }
  return null;
}
