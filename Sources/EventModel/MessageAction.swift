// A reaction, a receipt or another small annotation on a message.

/// A message action that stands: who said what about which message, and since when.
public struct MessageAction: Hashable, Sendable {
    /// What makes an action unique in its channel; texts are compared byte for byte.
    ///
    /// - Source: PubNub answers 409 for a second action with an equal key.
    public struct Key: Hashable, Sendable {
        public let messageTimetoken: Timetoken
        fileprivate let exactType: ExactText
        fileprivate let exactValue: ExactText
        fileprivate let exactUUID: ExactText

        /// For example `reaction`; open, never interpreted.
        public var type: String { exactType.string }
        /// For example `👍`.
        public var value: String { exactValue.string }
        /// The user who acted (PubNub's `uuid`).
        public var uuid: String { exactUUID.string }

        public init(messageTimetoken: Timetoken, type: String, value: String, uuid: String) {
            self.messageTimetoken = messageTimetoken
            exactType = ExactText(type)
            exactValue = ExactText(value)
            exactUUID = ExactText(uuid)
        }
    }

    public let key: Key
    /// When it was added; tells this action from an earlier one with the same key.
    public let actionTimetoken: Timetoken
    /// How much it counts for: 1 unless somebody said otherwise; ``Limits/actionScoreMax`` at most.
    public let score: Int

    public init(key: Key, actionTimetoken: Timetoken, score: Int = 1) {
        self.key = key
        self.actionTimetoken = actionTimetoken
        self.score = score
    }
}

extension MessageAction.Key: Comparable {
    /// By message, then type, value and user: the same on every machine.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.messageTimetoken != rhs.messageTimetoken {
            return lhs.messageTimetoken < rhs.messageTimetoken
        }
        if lhs.exactType != rhs.exactType { return lhs.exactType < rhs.exactType }
        if lhs.exactValue != rhs.exactValue { return lhs.exactValue < rhs.exactValue }
        return lhs.exactUUID < rhs.exactUUID
    }
}
