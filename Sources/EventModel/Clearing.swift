// What a moderator takes away at once: the actions of a channel that share a message, a value or a
// user.

/// Names actions by what they have in common; what it leaves out may be anything.
///
/// Texts are compared byte for byte.
public struct Clearing: Hashable, Sendable {
    /// The message that the actions are on; `nil`: any of the channel.
    public let messageTimetoken: Timetoken?
    private let exactType: ExactText?
    private let exactValue: ExactText?
    private let exactUserID: ExactText?

    /// `nil`: any but those by which authors edit and delete their own messages, which are named
    /// or left alone.
    public var type: String? { exactType?.string }
    public var value: String? { exactValue?.string }
    /// Whose actions they are; `nil`: anybody's.
    public var userID: String? { exactUserID?.string }

    public init(
        messageTimetoken: Timetoken? = nil, type: String? = nil, value: String? = nil,
        userID: String? = nil
    ) {
        self.messageTimetoken = messageTimetoken
        exactType = type.map(ExactText.init)
        exactValue = value.map(ExactText.init)
        exactUserID = userID.map(ExactText.init)
    }

    /// Whether an action with this key is among those that are meant.
    public func covers(_ key: MessageAction.Key) -> Bool {
        concerns(key.messageTimetoken) && covers(type: key.type, value: key.value)
            && (exactUserID.map { $0 == ExactText(key.uuid) } ?? true)
    }

    /// Whether actions on a message may be among them.
    package func concerns(_ message: Timetoken) -> Bool {
        messageTimetoken.map { $0 == message } ?? true
    }

    /// Whether actions that say this are among them, of some user.
    package func covers(type: String, value: String) -> Bool {
        if let exactValue, exactValue != ExactText(value) { return false }
        guard let exactType else { return !MessageVersion.isType(type) }
        return exactType == ExactText(type)
    }
}

/// Actions to remove, whoever added them.
public struct ClearingRequest: Hashable, Sendable {
    public var channel: String
    public var clearing: Clearing
    public var mutation: String?

    public init(channel: String, clearing: Clearing, mutation: String? = nil) {
        self.channel = channel
        self.clearing = clearing
        self.mutation = mutation
    }
}

extension MessageVersion {
    /// Whether actions of a type are what authors make of their own messages.
    package static func isType(_ type: String) -> Bool {
        let type = ExactText(type)
        return type == ExactText(editedType) || type == ExactText(deletedType)
    }
}
