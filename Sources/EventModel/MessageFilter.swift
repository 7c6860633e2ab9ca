// What a subscriber wants of the messages: PubNub's filter expressions.

/// A parsed filter expression.
public struct MessageFilter: Hashable, Sendable {
    /// As the client wrote it.
    public let text: String
}
