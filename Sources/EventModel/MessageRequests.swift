// What may be asked about one message that stands, and what became of its text.

/// Another text for a message of one's own.
public struct EditRequest: Hashable, Sendable {
    public var channel: String
    public var messageTimetoken: Timetoken
    /// Any JSON value, as compact JSON text.
    public var payload: String
    public var mutation: String?

    public init(
        channel: String, messageTimetoken: Timetoken, payload: String, mutation: String? = nil
    ) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        self.payload = payload
        self.mutation = mutation
    }
}

/// A message of one's own to delete, with the actions on it.
public struct OwnDeletionRequest: Hashable, Sendable {
    public var channel: String
    public var messageTimetoken: Timetoken
    public var mutation: String?

    public init(channel: String, messageTimetoken: Timetoken, mutation: String? = nil) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        self.mutation = mutation
    }
}

/// What the author of a message made of it later.
///
/// It is an action on the message, by the message's own author; those of others mean nothing.
///
/// - Source: the types are those of PubNub's Chat SDK.
public struct MessageVersion: Hashable, Sendable {
    /// The type of an action whose value is another text.
    public static let editedType = "edited"
    /// The type of an action that says that the message is as good as deleted.
    public static let deletedType = "deleted"

    /// The text, as JSON.
    public var payload: String
    /// When it was said: the action's own.
    public var timetoken: Timetoken

    public init(payload: String, timetoken: Timetoken) {
        self.payload = payload
        self.timetoken = timetoken
    }
}
