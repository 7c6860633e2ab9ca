// What can be done with a message besides reacting, where the page says nothing else.
// @ts-check
import { textOf } from '../model/days.js';

/** @typedef {import('../../core/types.js').Item} Item */
/** @typedef {any} SyncMessages The list that it is of. */
/**
 * Something else that can be done with a message; what is dangerous is asked for twice.
 * @typedef {{id: string, label: string, isDangerous?: boolean, run: () => void}} Action
 */

/**
 * Copy, who reacted, reply, and of one's own messages edit and delete. Where there is a composer,
 * it writes replies and edits. In the past there are copy and reply.
 * @param {Item} item @param {SyncMessages} list
 * @returns {Action[]}
 */
export function usualActions(item, list) {
  const { words, channel } = list;
  const { timetoken } = item;
  // A page of the history neither changes, nor are those who reacted there held here.
  const isMine = item.uuid !== '' && item.uuid === list.userId && !list.isInPast;
  /** @type {(Action|false)[]} */
  const actions = [
    { id: 'copy', label: words.copy,
      run: () => list.settle(navigator.clipboard.writeText(textOf(item.payload))) },
    item.actions.length > 0 && !list.isInPast && { id: 'who', label: words.whoReacted,
      run: () => list.openAuthors(item) },
    list.composer && timetoken !== null && { id: 'reply', label: words.reply,
      run: () => {
        if (list.say('sync-reply', { item })) list.composer.parent = item;
      } },
    list.composer && isMine && timetoken !== null && { id: 'edit', label: words.edit,
      run: () => {
        if (list.say('sync-edit', { item })) list.composer.editing = item;
      } },
    isMine && timetoken !== null && { id: 'delete', label: words.remove, isDangerous: true,
      run: () => {
        if (list.say('sync-delete', { item })) list.settle(channel?.delete(timetoken));
      } },
  ];
  return actions.flatMap((it) => it || []);
}
