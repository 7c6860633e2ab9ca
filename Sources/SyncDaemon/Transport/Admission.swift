// How many connections there may be, and which reactor gets the next one.

/// A peer's address: IPv6 as it is, IPv4 in the last four bytes.
struct PeerAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64
}

/// Counts connections; shared by the acceptor, which asks, and the reactors, which give back.
final class Admission: Sendable {
    private struct State: Sendable {
        var total = 0
        var byAddress: [PeerAddress: Int] = [:]
        var byReactor: [Int]
    }

    private let state: Locked<State>
    private let totalMax: Int
    private let perAddressMax: Int

    init(reactors: Int, totalMax: Int, perAddressMax: Int) {
        precondition(reactors > 0)
        state = Locked(State(byReactor: Array(repeating: 0, count: reactors)))
        self.totalMax = totalMax
        self.perAddressMax = perAddressMax
    }

    /// Takes a place, if there is one.
    ///
    /// - Returns: The reactor with the fewest connections.
    /// - Complexity: O(reactors).
    func admit(_ address: PeerAddress) -> Int? {
        state.withLock { state in
            let count = state.byAddress[address, default: 0]
            guard state.total < totalMax, count < perAddressMax else { return nil }
            state.total += 1
            state.byAddress[address] = count + 1
            var idlest = 0
            for (reactor, load) in state.byReactor.enumerated()
            where load < state.byReactor[idlest] {
                idlest = reactor
            }
            state.byReactor[idlest] += 1
            return idlest
        }
    }

    /// Gives a place back.
    func release(_ address: PeerAddress, from reactor: Int) {
        state.withLock { state in
            let count = state.byAddress[address, default: 0]
            precondition(count > 0, "A connection gave back a place that it did not have.")
            state.total -= 1
            state.byReactor[reactor] -= 1
            state.byAddress[address] = count == 1 ? nil : count - 1
        }
    }

    /// Connections now.
    var total: Int { state.withLock { $0.total } }
}
