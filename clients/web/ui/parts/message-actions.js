// What can be done with a message besides reacting, where the page says nothing else.
// @ts-check
import { reactionsOf } from '../../core/reactions.js';
import { hasText, textOf } from '../model/days.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {any} SyncMessages The list that it is of. */
/**
 * Something else that can be done with a message; what is dangerous is asked for twice.
 * @typedef {{id: string, label: string, isDangerous?: boolean, run: () => void}} Action
 */

/** The type and the value of a flag: an action that no bar of reactions shows. */
const flag = 'flag';

/**
 * Whether this user has flagged a message.
 * @param {Item} item @param {string} userId
 */
export const isFlagged = (item, userId) =>
  reactionsOf(item, userId).some(({ type, isMine }) => type === flag && isMine);

/**
 * Copy, who reacted, reply, and of one's own messages delete, and edit where they have a text; of
 * others' flag, where the list says that somebody looks after flags. Where there is a composer, it
 * writes replies and edits. In the past there are copy and reply; in a thread there is no reply.
 * @param {Item} item @param {SyncMessages} list
 * @returns {Action[]}
 */
export function usualActions(item, list) {
  const { words, channel } = list;
  const { timetoken } = item;
  // A page of the history neither changes, nor are those who reacted there held here.
  const isMine = item.uuid !== '' && item.uuid === list.userId && !list.isInPast;
  const isOthers = item.uuid !== list.userId && !list.isReadOnly && !item.isDeleted;
  const wasFlagged = isFlagged(item, list.userId);
  const isReacted = reactionsOf(item, list.userId).some(({ type }) => type === 'reaction');
  /** @type {(Action|false)[]} */
  const actions = [
    { id: 'copy', label: words.copy,
      run: () => list.settle(navigator.clipboard.writeText(textOf(item.payload))) },
    isReacted && !list.isInPast && { id: 'who', label: words.whoReacted,
      run: () => list.openAuthors(item) },
    // What is written in a thread answers its first message, whatever it was begun from.
    list.composer && timetoken !== null && !channel?.threadOf && { id: 'reply', label: words.reply,
      run: () => {
        if (list.say('sync-reply', { item })) list.composer.parent = item;
      } },
    list.composer && isMine && timetoken !== null && hasText(item.payload) && {
      id: 'edit', label: words.edit,
      run: () => {
        if (list.say('sync-edit', { item })) list.composer.editing = item;
      } },
    isMine && timetoken !== null && { id: 'delete', label: words.remove, isDangerous: true,
      run: () => {
        if (list.say('sync-delete', { item })) list.settle(channel?.delete(timetoken));
      } },
    list.hasAttribute('flags') && isOthers && timetoken !== null && { id: 'flag',
      label: wasFlagged ? words.unflag : words.flag, isDangerous: !wasFlagged,
      run: () => {
        if (!list.say('sync-flag', { item, present: !wasFlagged })) return;
        list.settle(channel?.react(timetoken, { value: flag, type: flag, present: !wasFlagged }));
      } },
  ];
  return actions.flatMap((it) => it || []);
}
