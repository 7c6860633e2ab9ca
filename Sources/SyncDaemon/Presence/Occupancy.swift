// Who is in a channel, as an answer.

/// A user who is somewhere.
struct Occupant: Hashable, Sendable {
    var userID: String
    /// Compact JSON text of an object; `nil` when none was set.
    var state: String?
}

/// The users of one channel.
struct Occupancy: Hashable, Sendable {
    var channel: String
    /// All of them, however many are listed.
    var count: Int
    /// A page of them, ascending by user id.
    var users: [Occupant] = []
}
