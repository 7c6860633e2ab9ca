// Which connections an operator means.

import EventModel

/// Every condition that is there has to hold; without any, all are meant.
struct SessionFilter: Hashable, Sendable {
    /// One connection, as ``SessionFacts/name`` has it.
    var id: String?
    var keyset: String?
    var user: String?
    /// It follows this channel by its own name.
    var channel: String?
    var address: AddressRange?

    var isEmpty: Bool { self == SessionFilter() }

    /// - Parameter follows: Asked for the channel, last.
    func admits(_ facts: SessionFacts, follows: (String) -> Bool) -> Bool {
        Self.isSame(id, facts.name) && Self.isSame(keyset, facts.keyset)
            && Self.isSame(user, facts.user)
            && address.map { $0.contains(facts.connection.address) } ?? true
            && channel.map(follows) ?? true
    }

    /// Byte for byte, as names are compared everywhere.
    private static func isSame(_ wanted: String?, _ found: String?) -> Bool {
        guard let wanted else { return true }
        return found.map { ExactText($0) == ExactText(wanted) } ?? false
    }
}

/// What is known of one connection of a client.
struct SessionFacts: Hashable, Sendable {
    /// How it speaks, or what it waits for.
    enum Kind: String, Sendable {
        /// A session of the native protocol.
        case websocket
        /// A long poll of an SDK of PubNub.
        case poll
        /// Server-sent events.
        case stream
        /// Another request that is under way.
        case request
        /// HTTP, and nothing is asked; or TLS, or nothing yet.
        case idle
    }

    let reactor: Int
    let connection: ConnectionFacts
    var kind = Kind.idle
    /// `nil` of who has not said it, or asks for nothing now.
    var keyset: String?
    var user: String?
    var device: String?
    /// Channels, and groups of a poll.
    var subscriptions = 0
    /// What waits for its socket, the socket's own rest included.
    var queuedBytes = 0

    /// As log lines and `hello` name it.
    var name: String { "\(reactor)-\(connection.id)" }
    /// Its place in the order of a list.
    var place: SessionPlace { SessionPlace(reactor: reactor, slot: connection.id.slot) }
}

/// Where a list of connections goes on.
struct SessionPlace: Hashable, Sendable, Comparable, CustomStringConvertible {
    let reactor: Int
    let slot: UInt32

    init(reactor: Int, slot: UInt32) { (self.reactor, self.slot) = (reactor, slot) }

    /// Reads what ``description`` says.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let reactor = UInt16(parts[0]), let slot = UInt32(parts[1]) else {
            return nil
        }
        self.init(reactor: Int(reactor), slot: slot)
    }

    static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.reactor, lhs.slot) < (rhs.reactor, rhs.slot)
    }

    var description: String { "\(reactor):\(slot)" }
}
