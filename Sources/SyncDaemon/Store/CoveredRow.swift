// What the digest of a channel is of.

import EventModel

/// A row of a channel as long as it stands.
enum CoveredRow: Hashable, Sendable {
    case message(MessageRow)
    case action(MessageAction)

    /// The message that it is, or is on.
    var message: Timetoken {
        switch self {
        case .message(let message): message.timetoken
        case .action(let action): action.key.messageTimetoken
        }
    }

    /// Its own: the ledger gives each to one row.
    var timetoken: Timetoken {
        switch self {
        case .message(let message): message.timetoken
        case .action(let action): action.actionTimetoken
        }
    }

    func hash(_ key: DigestKey) -> RowHash {
        switch self {
        case .message(let message): RowHash(message, key: key)
        case .action(let action): RowHash(action, key: key)
        }
    }
}

extension StoredMessage {
    /// What a digest covers of it.
    var row: MessageRow { MessageRow(timetoken: timetoken, uuid: uuid, type: message.type) }
}
