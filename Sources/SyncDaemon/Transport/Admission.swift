// How many connections there may be, and which reactor gets the next one.

import Basis
import EventModel

/// Counts connections; shared by the acceptor, which asks, and the reactors, which give back.
final class Admission: Sendable {
    private struct State: Sendable {
        var total = 0
        /// Those of operators among them, by where they came in.
        var admins: [Entrance: Int] = [:]
        /// By what counts as one peer; see ``PeerAddress/network``.
        var byNetwork: [PeerAddress: Int] = [:]
        var byReactor: [Int]
        var totalMax: Int
        var perAddressMax: Int

        mutating func claim(_ address: PeerAddress) -> Bool {
            let count = byNetwork[address.network, default: 0]
            guard count < perAddressMax else { return false }
            byNetwork[address.network] = count + 1
            return true
        }
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
    /// - Parameter address: `nil` while a proxy has not said whose it is: see ``claim(_:)``.
    /// - Returns: The reactor with the fewest connections.
    /// - Complexity: O(reactors).
    func admit(_ address: PeerAddress?, at entrance: Entrance = .main) -> Int? {
        state.withLock { state in
            switch entrance {
            case .main, .secure:
                guard state.total - state.admins.values.reduce(0, +) < state.totalMax,
                    address.map({ state.claim($0) }) ?? true
                else { return nil }
            case .admin, .local:
                let count = state.admins[entrance, default: 0]
                guard count < Limits.adminConnectionsMax else { return nil }
                state.admins[entrance] = count + 1
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

    /// Counts a connection that has a place as one of its client's.
    ///
    /// - Returns: Whether the client may have another.
    func claim(_ address: PeerAddress) -> Bool { state.withLock { $0.claim(address) } }

    /// Changes how many there may be; those that are open stay.
    func setLimits(totalMax: Int, perAddressMax: Int) {
        state.withLock { state in
            state.totalMax = totalMax
            state.perAddressMax = perAddressMax
        }
    }

    /// Gives a place back.
    ///
    /// - Parameter address: Whose it was; `nil` when that never became known.
    func release(_ address: PeerAddress?, from reactor: Int, at entrance: Entrance = .main) {
        state.withLock { state in
            let isAdmin = !entrance.isForClients
            let network = address?.network
            let count =
                isAdmin
                ? state.admins[entrance, default: 0]
                : network.map { state.byNetwork[$0, default: 0] }
            precondition(count ?? 1 > 0, "A connection gave back a place that it did not have.")
            state.total -= 1
            state.byReactor[reactor] -= 1
            if isAdmin { return state.admins[entrance, default: 0] -= 1 }
            if let network, let count { state.byNetwork[network] = count == 1 ? nil : count - 1 }
        }
    }

    /// Connections now.
    var total: Int { state.withLock { $0.total } }
}
