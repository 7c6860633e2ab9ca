// What a write says to others, and to who made it.

import EventModel

extension Write {
    func envelope(at timetoken: Timetoken, _ event: Event) -> Envelope {
        Envelope(channel: channel, timetoken: timetoken, uuid: author.userID, event: event)
    }

    /// The same words for a first answer and for a retry's; `nil` when the outcome is another
    /// operation's.
    func reply(to outcome: Outcome) -> Reply? {
        switch (outcome, operation) {
        case (.published(let timetoken), .publish):
            .published(timetoken)
        case (.added(let timetoken, let score), .add(let key, _, let rules)):
            .actionAdded(rules.action(key, timetoken, score), .added)
        case (.already(let timetoken, let score), .add(let key, _, let rules)):
            .actionAdded(rules.action(key, timetoken, score), .already)
        case (.updated(let timetoken, let score), .add(let key, _, let rules)):
            .actionAdded(rules.action(key, timetoken, score), .updated)
        case (.added(let timetoken, _), .edit(let key, let rules)):
            .actionAdded(rules.action(key, timetoken, 1), .added)
        case (.already(let timetoken, _), .edit(let key, let rules)):
            .actionAdded(rules.action(key, timetoken, 1), .already)
        case (.deleted(let timetoken), .deleteMessage): .messageDeleted(timetoken)
        case (.absent, .deleteMessage): .messageDeleted(nil)
        case (.removed, .remove): .actionRemoved(.removed)
        case (.absent, .remove): .actionRemoved(.absent)
        case (.stale, .remove): .actionRemoved(.stale)
        case (.removed, .removeAction): .actionRemoved(.removed)
        case (.absent, .removeAction): .actionRemoved(.absent)
        case (.notOwner, .removeAction): .actionRemoved(.notOwner)
        case (.deleted(let timetoken), .deleteMessages): .messagesDeleted(timetoken)
        case (.cleared(let timetoken, let count), .clear):
            .actionsCleared(timetoken, count: count)
        case (.absent, .clear): .actionsCleared(nil, count: 0)
        case (.groupChanged, .changeGroup): .groupChanged
        case (.deviceChanged, .changeDevice): .deviceChanged
        case (.fileChanged, .changeFile(.add)): .fileAdded
        case (.fileChanged, .changeFile(.remove(let id, _))): .fileRemoved(id: id.text)
        case (.absent, .changeFile): .fileRemoved(id: nil)
        case (.tokenRevoked, .revoke): .tokenRevoked
        case (.markedRead(let through), .markRead): .markedRead(through: through)
        case (.keysGranted, .grant): .keysGranted
        case (.directoryChanged(let timetoken, let entry), .changeDirectory):
            .directoryChanged(timetoken, entry: entry)
        default: nil  // Equal fingerprints of two operations: rare, but a client can look for them.
        }
    }
}

extension ReactionRules {
    fileprivate func action(
        _ key: MessageAction.Key, _ timetoken: Timetoken, _ score: Int
    ) -> MessageAction {
        MessageAction(key: canonical(key), actionTimetoken: timetoken, score: score)
    }
}
