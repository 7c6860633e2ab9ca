// How many connections there may be, and which reactor gets the next one.

import Basis
import EventModel

/// A peer's address: IPv6 as it is, IPv4 in the last four bytes.
struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// What counts as one peer: an IPv4 address, or the /64 of an IPv6 address.
    ///
    /// Whoever has one address of a /64 has all of them (RFC 4291, 2.5.1; RFC 6177).
    var network: PeerAddress { high == 0 ? self : PeerAddress(high: high, low: 0) }

    /// As people write it; ::1 and IPv4 share the lowest addresses, of which only ::1 connects.
    var description: String {
        if high == 0, low > 1, low >> 32 == 0 {
            return (0..<4).map { String(low >> (24 - 8 * $0) & 0xFF) }.joined(separator: ".")
        }
        if high == 0, low == 1 { return "::1" }
        return (0..<8).map { group in
            let half = group < 4 ? high : low
            return String(half >> (48 - 16 * UInt64(group % 4)) & 0xFFFF, radix: 16)
        }.joined(separator: ":")
    }
}

extension PeerAddress {
    /// - Parameter bytes: 16, in the order of the network. What comes as IPv4 through a socket of
    ///   IPv6, `::ffff:192.0.2.1` (RFC 4291, 2.5.5.2), is IPv4.
    init(_ bytes: [UInt8]) {
        precondition(bytes.count == 16)
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        let rest = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
        low = high == 0 && rest >> 32 == 0xFFFF ? rest & 0xFFFF_FFFF : rest
    }
}

/// Counts connections; shared by the acceptor, which asks, and the reactors, which give back.
final class Admission: Sendable {
    private struct State: Sendable {
        var total = 0
        /// Those of operators among them.
        var admins = 0
        /// By what counts as one peer; see ``PeerAddress/network``.
        var byNetwork: [PeerAddress: Int] = [:]
        var byReactor: [Int]
        var totalMax: Int
        var perAddressMax: Int
    }

    private let state: Locked<State>

    init(reactors: Int, totalMax: Int, perAddressMax: Int) {
        precondition(reactors > 0)
        state = Locked(
            State(
                byReactor: Array(repeating: 0, count: reactors), totalMax: totalMax,
                perAddressMax: perAddressMax))
    }

    /// Takes a place, if there is one.
    ///
    /// Operators have places of their own: they come in when clients have taken all.
    ///
    /// - Returns: The reactor with the fewest connections.
    /// - Complexity: O(reactors).
    func admit(_ address: PeerAddress, at entrance: Entrance = .main) -> Int? {
        state.withLock { state in
            let count = state.byNetwork[address.network, default: 0]
            switch entrance {
            case .main:
                guard state.total - state.admins < state.totalMax, count < state.perAddressMax
                else { return nil }
                state.byNetwork[address.network] = count + 1
            case .admin:
                guard state.admins < Limits.adminConnectionsMax else { return nil }
                state.admins += 1
            }
            state.total += 1
            var idlest = 0
            for (reactor, load) in state.byReactor.enumerated()
            where load < state.byReactor[idlest] {
                idlest = reactor
            }
            state.byReactor[idlest] += 1
            return idlest
        }
    }

    /// Changes how many there may be; those that are open stay.
    func setLimits(totalMax: Int, perAddressMax: Int) {
        state.withLock { state in
            state.totalMax = totalMax
            state.perAddressMax = perAddressMax
        }
    }

    /// Gives a place back.
    func release(_ address: PeerAddress, from reactor: Int, at entrance: Entrance = .main) {
        state.withLock { state in
            let network = address.network
            let count = entrance == .main ? state.byNetwork[network, default: 0] : state.admins
            precondition(count > 0, "A connection gave back a place that it did not have.")
            state.total -= 1
            state.byReactor[reactor] -= 1
            switch entrance {
            case .main: state.byNetwork[network] = count == 1 ? nil : count - 1
            case .admin: state.admins = count - 1
            }
        }
    }

    /// Connections now.
    var total: Int { state.withLock { $0.total } }
}
