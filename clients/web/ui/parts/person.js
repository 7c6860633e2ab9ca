// Somebody who reacted, as a row: face, name, with what, and when.
// @ts-check
import { dateOf } from '../../shell/dates.js';
import { make, setAttribute, setText } from '../base/dom.js';
import { showIcon } from '../base/icon.js';
import { clockText, dayOf, dayText } from '../model/days.js';
import { showFace } from './faces.js';

/** A row of the list of those who reacted. */
export class Person {
  #face = make('span', { part: 'avatar', class: 'face' });
  #name = make('span', { part: 'name' });
  #value = make('span', { part: 'value', class: 'emoji' });
  #time = make('time', { part: 'time' });
  #takeBack = make('button', { part: 'take-back', type: 'button' });
  element = make('li', {}, this.#face, this.#name, this.#value, this.#time, this.#takeBack);

  /**
   * @param {import('../../core/types.js').Person} person
   * @param {any} list
   * @param {() => void} takeBack
   */
  show({ uuid, value, actionTimetoken, pending }, list, takeBack) {
    const isMine = uuid === list.userId;
    const name = isMine ? list.words.you : list.nameOf(uuid);
    const date = dateOf(actionTimetoken);
    setAttribute(this.element, 'part', `person${isMine ? ' own' : ''}${pending ? ' pending' : ''}`);
    showFace(this.#face, uuid, list.nameOf(uuid), list.knownOf(uuid)?.profileUrl);
    setText(this.#name, name);
    showIcon(this.#value, value, list.icons, list.channel?.rules);
    this.#value.hidden = list.value !== null;
    setText(this.#time, date ? whenText(date, new Date(), list.language) : list.words.sending);
    setAttribute(this.#time, 'datetime', date?.toISOString());
    this.#takeBack.hidden = !isMine;
    setText(this.#takeBack, list.words.takeBack);
    this.#takeBack.onclick = takeBack;
  }
}

/**
 * The time of today, else the day.
 * @param {Date} date @param {Date} now @param {string} [language]
 */
const whenText = (date, now, language) =>
  dayOf(date) === dayOf(now) ? clockText(date, language) : dayText(date, now, language);
