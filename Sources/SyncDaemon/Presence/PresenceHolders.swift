// Which sessions hold a user in a channel.

/// Sessions, of which there is one in most cases: that one takes no memory of its own.
struct PresenceHolders {
    private(set) var first: PresenceSource?
    private var others: Set<PresenceSource> = []

    var isEmpty: Bool { first == nil }

    /// Adds one; again is as good as once.
    mutating func insert(_ session: PresenceSource) {
        if first == nil {
            first = session
        } else if first != session {
            others.insert(session)
        }
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ session: PresenceSource) -> Bool {
        guard first == session else { return others.remove(session) != nil }
        first = others.popFirst()
        return true
    }
}
