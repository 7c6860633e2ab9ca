// What the digest of a channel is of.

import EventModel

/// A row of a channel as long as it stands.
enum CoveredRow: Hashable, Sendable {
    case message(MessageRow)
    case action(MessageAction)
}

extension Digest {
    mutating func insert(_ row: CoveredRow, key: DigestKey) {
        switch row {
        case .message(let message): insert(message, key: key)
        case .action(let action): insert(action, key: key)
        }
    }

    mutating func remove(_ row: CoveredRow, key: DigestKey) {
        switch row {
        case .message(let message): remove(message, key: key)
        case .action(let action): remove(action, key: key)
        }
    }
}

extension StoredMessage {
    /// What a digest covers of it.
    var row: MessageRow { MessageRow(timetoken: timetoken, uuid: uuid, type: message.type) }
}
