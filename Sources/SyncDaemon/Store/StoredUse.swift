// What a tenant takes up of a store.

import Basis
import EventModel

/// How much a store keeps for a keyset.
struct StoredUse: Hashable, Sendable {
    /// Channels in which anything was ever asked for to be changed.
    var channels = 0
    /// Of messages, and of actions that stand; a tombstone and a remembered mutation are not
    /// counted, since they go with time.
    var bytes = 0

    /// What a row takes besides its texts, roughly: its numbers, and its places in the indexes.
    static let rowBytes = 100

    static func bytes(of message: Message, by uuid: String) -> Int {
        rowBytes + uuid.utf8.count + message.payload.utf8.count
            + (message.meta?.utf8.count ?? 0) + (message.type?.utf8.count ?? 0)
    }

    static func bytes(of key: MessageAction.Key) -> Int {
        rowBytes + key.type.utf8.count + key.value.utf8.count + key.uuid.utf8.count
    }

    static func bytes(ofMarkBy user: String) -> Int { rowBytes + user.utf8.count }

    static func bytes(of device: PushDevice, hearingOf channel: String) -> Int {
        rowBytes + device.token.utf8.count + device.topic.utf8.count + channel.utf8.count
    }

    static func bytes(of file: StoredFile) -> Int {
        // Its row may be damaged.
        file.size.addingClamped(rowBytes + file.name.utf8.count + file.userID.utf8.count)
    }

    /// A file has counts without a checksum: whatever damage made of one, it can be added to.
    static func += (use: inout StoredUse, more: StoredUse) {
        use.channels = use.channels.addingClamped(more.channels)
        use.bytes = use.bytes.addingClamped(more.bytes)
    }
}
