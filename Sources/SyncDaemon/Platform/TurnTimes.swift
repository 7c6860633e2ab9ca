// How long the reactors' turns take: nobody waits for longer than the longest.

import Basis

/// A histogram of turns; any thread may add and read.
final class TurnTimes: Sendable {
    /// The upper ends of all buckets but the last, in microseconds.
    static let bounds: [UInt64] = [1000, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000]

    struct Figures: Sendable {
        /// Turns in each bucket, and in the last those that were longer.
        var counts = [Int](repeating: 0, count: TurnTimes.bounds.count + 1)
        var microseconds: UInt64 = 0
    }

    private let state = Locked(Figures())

    func add(_ microseconds: UInt64) {
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.microseconds += microseconds
        }
    }

    /// In storage of their own: what is shared is ordered by its count of references alone, which
    /// ThreadSanitizer does not see.
    var figures: Figures {
        state.withLock { Figures(counts: $0.counts.map { $0 }, microseconds: $0.microseconds) }
    }
}

/// Measures the turns of one loop, which are the time between its waits.
struct TurnClock {
    private var lastEnd: UInt64
    private var lastIdle: UInt64

    /// - Parameters:
    ///   - now: Nanoseconds on a clock that never steps back.
    ///   - idle: Nanoseconds that the loop has waited in all.
    init(at now: UInt64, idle: UInt64) {
        lastEnd = now
        lastIdle = idle
    }

    /// The turn that ends now, in microseconds.
    mutating func endTurn(at now: UInt64, idle: UInt64) -> UInt64 {
        let passed = now - min(now, lastEnd)
        let waited = idle - min(idle, lastIdle)
        lastEnd = now
        lastIdle = idle
        return (passed - min(passed, waited)) / 1000
    }
}
