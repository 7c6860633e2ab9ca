// Who is in a channel, as an answer.

/// A user who is somewhere.
public struct Occupant: Hashable, Sendable {
    public var userID: String
    /// Compact JSON text of an object; `nil` when none was set.
    public var state: String?

    public init(userID: String, state: String? = nil) {
        self.userID = userID
        self.state = state
    }
}

/// The users of one channel.
public struct Occupancy: Hashable, Sendable {
    public var channel: String
    /// All of them, however many are listed.
    public var count: Int
    /// A page of them, ascending by user id.
    public var users: [Occupant]

    public init(channel: String, count: Int, users: [Occupant] = []) {
        self.channel = channel
        self.count = count
        self.users = users
    }
}
