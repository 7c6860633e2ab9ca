// Read marks: up to where a user has read a channel, for all devices of the user.

/// A wish to have read a channel up to a message.
public struct ReadMark: Hashable, Sendable {
    public var channel: String
    /// Of the last message that was read; a mark never goes back.
    public var through: Timetoken

    public init(channel: String, through: Timetoken) {
        self.channel = channel
        self.through = through
    }
}

/// What a user has not read of a channel.
public struct UnreadMessages: Hashable, Sendable {
    public var channel: String
    /// The user's mark; `nil`: there is none, so nothing counts as read.
    public var through: Timetoken?
    /// Messages of others behind it, among the first 1,000 there.
    public var count: Int
    /// Whether there are messages behind those.
    public var hasMore: Bool

    public init(channel: String, through: Timetoken?, count: Int, hasMore: Bool) {
        self.channel = channel
        self.through = through
        self.count = count
        self.hasMore = hasMore
    }
}
