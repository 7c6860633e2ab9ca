// How long things take, as histograms.

import Basis

/// A histogram of durations; any thread may add and read.
///
/// A lock for each that is added: it is for what happens some thousand times a second.
final class Durations: Sendable {
    /// The upper ends of all buckets but the last, in microseconds; ascending.
    let bounds: [UInt64]

    /// Of a reactor's turns.
    static let turns: [UInt64] = [1000, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000]
    /// Of what somebody waits for.
    static let waits: [UInt64] = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 10_000_000,
    ]

    struct Figures: Sendable {
        /// In each bucket, and in the last what took longer.
        var counts: [Int]
        var microseconds: UInt64 = 0
    }

    private let state: Locked<Figures>

    init(upTo bounds: [UInt64] = Durations.waits) {
        self.bounds = bounds
        state = Locked(Figures(counts: [Int](repeating: 0, count: bounds.count + 1)))
    }

    func add(_ microseconds: UInt64) {
        let bucket = bucket(of: microseconds)
        state.withLock {
            $0.counts[bucket] += 1
            $0.microseconds += microseconds
        }
    }

    /// All under one lock.
    func add(_ each: [UInt64]) {
        state.withLock { state in
            for microseconds in each {
                state.counts[bucket(of: microseconds)] += 1
                state.microseconds += microseconds
            }
        }
    }

    private func bucket(of microseconds: UInt64) -> Int {
        bounds.firstIndex { microseconds <= $0 } ?? bounds.count
    }

    /// In storage of their own: what is shared is ordered by its count of references alone, which
    /// ThreadSanitizer does not see.
    var figures: Figures {
        state.withLock { Figures(counts: $0.counts.map { $0 }, microseconds: $0.microseconds) }
    }
}
