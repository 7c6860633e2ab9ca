// Who is in a channel, as a question and its answer.

/// A page of a channel's users, in the order of their ids.
public struct OccupancyQuery: Hashable, Sendable {
    public var channel: String
    public var includesStates: Bool
    /// From 0, which only counts, to ``Limits/presencePageMax``.
    public var limit: Int
    /// Users to leave out before the first.
    public var offset: Int

    public init(
        channel: String, includesStates: Bool = false, limit: Int = Limits.presencePageMax,
        offset: Int = 0
    ) {
        self.channel = channel
        self.includesStates = includesStates
        self.limit = limit
        self.offset = offset
    }
}

/// A user who is somewhere.
public struct Occupant: Hashable, Sendable {
    public var userID: String
    /// Compact JSON text of an object; `nil` when none was set, or asked for.
    public var state: String?

    public init(userID: String, state: String? = nil) {
        self.userID = userID
        self.state = state
    }
}

/// Users of a channel.
public struct OccupancyPage: Hashable, Sendable {
    /// All of them, however many are listed.
    public var occupancy: Int
    /// May be fewer than were asked for.
    public var users: [Occupant]
    /// What to pass as ``OccupancyQuery/offset`` for the next page; `nil` when there is none.
    public var next: Int?

    public init(occupancy: Int, users: [Occupant], next: Int? = nil) {
        self.occupancy = occupancy
        self.users = users
        self.next = next
    }
}
