// How many connections there may be, in all and from one address.

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
    }

    private let state = Locked(State())
    private let totalMax: Int
    private let perAddressMax: Int

    init(totalMax: Int, perAddressMax: Int) {
        self.totalMax = totalMax
        self.perAddressMax = perAddressMax
    }

    /// Takes a place, if there is one.
    func admit(_ address: PeerAddress) -> Bool {
        state.withLock { state in
            let count = state.byAddress[address, default: 0]
            guard state.total < totalMax, count < perAddressMax else { return false }
            state.total += 1
            state.byAddress[address] = count + 1
            return true
        }
    }

    /// Gives a place back.
    func release(_ address: PeerAddress) {
        state.withLock { state in
            let count = state.byAddress[address, default: 0]
            precondition(count > 0, "A connection gave back a place that it did not have.")
            state.total -= 1
            state.byAddress[address] = count == 1 ? nil : count - 1
        }
    }

    /// Connections now.
    var total: Int { state.withLock { $0.total } }
}
