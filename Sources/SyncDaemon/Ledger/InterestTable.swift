// Who wants to hear of which channels, so that a reactor is told only what its sessions follow.

import Basis
import EventModel

/// Some reactors, as a set of 256 bits.
struct ReactorSet: Hashable, Sendable {
    private var words = SIMD4<UInt64>()

    static let countMax = 256

    var isEmpty: Bool { words == SIMD4() }

    subscript(reactor: Int) -> Bool {
        get { words[reactor / 64] & (1 << UInt64(reactor % 64)) != 0 }
        set {
            let bit: UInt64 = 1 << UInt64(reactor % 64)
            if newValue { words[reactor / 64] |= bit } else { words[reactor / 64] &= ~bit }
        }
    }

    mutating func formUnion(_ other: ReactorSet) { words |= other.words }
}

/// Which reactors follow which channels and wildcards.
///
/// A reactor enters a channel before it looks at ``EventOrder/visible``: whatever it is not told is
/// at or before that position.
final class InterestTable: Sendable {
    private struct State {
        var reactors = ShardedDictionary<Channel, ReactorSet>()
        /// While there are none, an event needs one look-up.
        var wildcardCount = 0
    }

    private let state = Locked(State())

    /// - Complexity: O(1).
    func add(_ channel: Channel, of reactor: Int) {
        state.withLock { state in
            if channel.isWildcard, state.reactors[channel] == nil { state.wildcardCount += 1 }
            state.reactors[channel, default: ReactorSet()][reactor] = true
        }
    }

    /// - Complexity: O(1).
    func remove(_ channel: Channel, of reactor: Int) {
        state.withLock { state in
            guard var reactors = state.reactors[channel] else { return }
            reactors[reactor] = false
            state.reactors[channel] = reactors.isEmpty ? nil : reactors
            if channel.isWildcard, reactors.isEmpty { state.wildcardCount -= 1 }
        }
    }

    /// For each event, who wants it.
    ///
    /// - Complexity: O(events); O(dots in the names) while somebody follows a wildcard.
    func reactors(wanting events: [Envelope]) -> [ReactorSet] {
        state.withLock { state in
            events.map { event in
                var wanted = state.reactors[event.channel] ?? ReactorSet()
                guard state.wildcardCount > 0 else { return wanted }
                for wildcard in event.channel.wildcards {
                    if let others = state.reactors[wildcard] { wanted.formUnion(others) }
                }
                return wanted
            }
        }
    }
}
