// Who has come to the link's port and has not shown the cluster's key yet.

import EventModel

/// A few connections, of which one has to go when there is one too many.
///
/// Of all addresses the one that has most loses its oldest: so a stranger who takes all places
/// takes them from himself, and a daemon, which needs its own for a moment only, gets one.
struct LinkGuests<Connection: Sendable>: Sendable {
    private struct Guest: Sendable {
        let number: UInt64
        let host: String
        let connection: Connection
    }

    /// Oldest first.
    private var guests: [Guest] = []
    private var last: UInt64 = 0
    private let countMax: Int

    init(countMax: Int = Limits.linkGuestsMax) { self.countMax = countMax }

    var count: Int { guests.count }

    /// Lets one in.
    ///
    /// - Parameter host: Where it is, without a port.
    /// - Returns: The guest's number, and which connection is to be ended for it, with its host.
    /// - Complexity: O(guests).
    mutating func add(
        _ connection: Connection, from host: String
    ) -> (number: UInt64, instead: (host: String, connection: Connection)?) {
        last += 1
        guests.append(Guest(number: last, host: host, connection: connection))
        guard guests.count > countMax else { return (last, nil) }
        let counts = guests.reduce(into: [String: Int]()) { $0[$1.host, default: 0] += 1 }
        let most = counts.values.max() ?? 0
        let index = guests.firstIndex { counts[$0.host] == most } ?? 0
        let guest = guests.remove(at: index)
        return (last, (guest.host, guest.connection))
    }

    /// One has shown the key, or is gone; of one that had to go before nothing is left.
    mutating func remove(_ number: UInt64) { guests.removeAll { $0.number == number } }
}
