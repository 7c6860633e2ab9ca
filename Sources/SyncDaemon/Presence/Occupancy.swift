// Who is in a channel, as an answer.

import EventModel

/// The users of one channel.
struct Occupancy: Hashable, Sendable {
    var channel: String
    /// All of them, however many are listed.
    var count: Int
    /// A page of them, ascending by user id.
    var users: [Occupant] = []
}
