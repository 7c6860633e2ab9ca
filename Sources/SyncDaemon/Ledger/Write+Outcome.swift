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
        case (.added(let timetoken), .add(let key, let rules)):
            .actionAdded(
                MessageAction(key: rules.canonical(key), actionTimetoken: timetoken), .added)
        case (.already(let timetoken), .add(let key, let rules)):
            .actionAdded(
                MessageAction(key: rules.canonical(key), actionTimetoken: timetoken), .already)
        case (.added(let timetoken), .edit(let key, let rules)):
            .actionAdded(
                MessageAction(key: rules.canonical(key), actionTimetoken: timetoken), .added)
        case (.already(let timetoken), .edit(let key, let rules)):
            .actionAdded(
                MessageAction(key: rules.canonical(key), actionTimetoken: timetoken), .already)
        case (.deleted(let timetoken), .deleteMessage): .messageDeleted(timetoken)
        case (.absent, .deleteMessage): .messageDeleted(nil)
        case (.removed, .remove): .actionRemoved(.removed)
        case (.absent, .remove): .actionRemoved(.absent)
        case (.stale, .remove): .actionRemoved(.stale)
        case (.removed, .removeAction): .actionRemoved(.removed)
        case (.absent, .removeAction): .actionRemoved(.absent)
        case (.notOwner, .removeAction): .actionRemoved(.notOwner)
        case (.deleted(let timetoken), .deleteMessages): .messagesDeleted(timetoken)
        case (.groupChanged, .changeGroup): .groupChanged
        case (.tokenRevoked, .revoke): .tokenRevoked
        case (.keysGranted, .grant): .keysGranted
        default: nil  // Equal fingerprints of two operations: rare, but a client can look for them.
        }
    }
}
