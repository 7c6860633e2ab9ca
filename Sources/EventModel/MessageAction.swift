// A reaction, a receipt or another small annotation on a message.

/// A message action that stands: who said what about which message, and since when.
public struct MessageAction: Hashable, Sendable {
    /// What makes an action unique in its channel.
    ///
    /// - Source: PubNub answers 409 for a second action with an equal key.
    public struct Key: Hashable, Sendable {
        public let messageTimetoken: Timetoken
        /// For example `reaction`; open, never interpreted.
        public let type: String
        /// For example `👍`.
        public let value: String
        /// The user who acted (PubNub's `uuid`).
        public let uuid: String

        public init(messageTimetoken: Timetoken, type: String, value: String, uuid: String) {
            self.messageTimetoken = messageTimetoken
            self.type = type
            self.value = value
            self.uuid = uuid
        }
    }

    public let key: Key
    /// When it was added; tells this action from an earlier one with the same key.
    public let actionTimetoken: Timetoken

    public init(key: Key, actionTimetoken: Timetoken) {
        self.key = key
        self.actionTimetoken = actionTimetoken
    }
}

extension MessageAction.Key: Comparable {
    /// By message, then type, value and user, each by its UTF-8 bytes: the same on every machine.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.messageTimetoken != rhs.messageTimetoken {
            return lhs.messageTimetoken < rhs.messageTimetoken
        }
        for (left, right) in [(lhs.type, rhs.type), (lhs.value, rhs.value), (lhs.uuid, rhs.uuid)]
        where !left.utf8.elementsEqual(right.utf8) {
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        return false
    }
}
