// Rows of a channel with everything that the file says of them, to be moved to another store.

import EventModel

/// A stored message, and when it ends.
struct KeptMessage: Hashable, Sendable {
    var timetoken: Timetoken
    var uuid: String
    var message: Message
    /// On the retention clock of its store; `nil`: never.
    var expires: Timetoken?

    /// Byte for byte, as texts are not compared by `==`.
    func isExactly(_ other: KeptMessage) -> Bool {
        self == other && texts.elementsEqual(other.texts)
    }

    private var texts: [ExactText?] {
        [uuid, message.payload, message.meta, message.type].map { $0.map(ExactText.init) }
    }
}

/// An action that stands, or one that was removed.
struct KeptAction: Hashable, Sendable {
    var action: MessageAction
    /// `nil`: it stands.
    var removed: Timetoken?
}

/// Up to where a user has read a channel.
struct KeptMark: Hashable, Sendable {
    var userID: String
    var through: Timetoken
}

/// Messages that were deleted.
struct KeptDeletion: Hashable, Sendable {
    var timetoken: Timetoken
    var range: MessageRange
}

/// Actions that a moderator took away.
struct KeptClearing: Hashable, Sendable {
    var timetoken: Timetoken
    var clearing: Clearing
}

/// A token that was taken back.
struct KeptRevocation: Hashable, Sendable {
    var token: RevokedToken
    /// On the retention clock of its store.
    var forgettable: Timetoken
}

/// A grant of version 2.
struct KeptGrant: Hashable, Sendable {
    var grant: KeyGrant
    /// As above.
    var forgettable: Timetoken
}

/// A file of a channel, without its contents.
struct KeptFile: Hashable, Sendable {
    var file: StoredFile
    /// What its contents come to; `nil`: nobody looked.
    var sum: UInt64?

    /// Byte for byte.
    func isExactly(_ other: StoredFile) -> Bool {
        file == other && ExactText(file.name) == ExactText(other.name)
            && ExactText(file.userID) == ExactText(other.userID)
    }
}

/// What of a store is moved.
struct StoreSelection: Hashable, Sendable {
    /// `nil`: of all tenants.
    var keyset: String?
    /// Of that tenant; empty: all that it has, and what is no channel's.
    var channels: [String] = []

    /// Whether what belongs to a tenant as a whole goes along.
    var isOfTenants: Bool { channels.isEmpty }

    /// A list of memberships among the channels: each stands in another channel, too.
    var halfMemberships: String? {
        channels.first {
            switch Directory(channelName: $0) {
            case .members, .memberships: true
            case .users, .channels, nil: false
            }
        }
    }
}
