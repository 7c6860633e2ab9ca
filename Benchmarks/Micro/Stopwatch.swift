// Nanoseconds and allocations of an operation, as the median of several rounds.

import CAllocations

/// How long to measure.
struct Effort {
    /// Of which the median counts.
    var rounds: Int
    /// How long each of them takes, about.
    var round: Duration
    /// The largest table and crowd that are made; larger ones are cut to this.
    var sizeMax: Int

    static let full = Effort(rounds: 7, round: .milliseconds(60), sizeMax: 100_000)
}

/// What one operation costs.
struct Cost {
    var nanoseconds: Double
    var allocations: Double

    /// The same, spread over the parts of an operation.
    func divided(by parts: Int) -> Cost {
        Cost(
            nanoseconds: nanoseconds / Double(parts), allocations: allocations / Double(parts))
    }

    /// What each part adds, when `less` is the cost of fewer parts.
    func marginal(over less: Cost, parts: Int) -> Cost {
        Cost(
            nanoseconds: nanoseconds - less.nanoseconds,
            allocations: allocations - less.allocations
        ).divided(by: parts)
    }
}

/// Runs operations again and again.
struct Stopwatch {
    let effort: Effort

    /// Measures a body that performs an operation as often as it is told.
    ///
    /// - Parameter body: Returns something that depends on every result, never 0, so that the
    ///   compiler leaves nothing out.
    func measure(_ body: (Int) -> Int) -> Cost {
        var count = 1
        while lap(count, body).duration < effort.round / 8, count < 1 << 24 { count *= 2 }
        let laps = (0..<effort.rounds).map { _ in lap(count * 8, body) }
        return Self.cost(of: laps, count: count * 8)
    }

    /// Measures operations that use up what was prepared for them.
    ///
    /// - Parameters:
    ///   - count: Operations of each round.
    ///   - prepare: Makes what one round uses up; neither timed nor counted.
    func measure<Supply>(
        count: Int, prepare: (Int) -> Supply, _ body: (Supply) -> Int
    ) -> Cost {
        _ = body(prepare(count))
        let laps = (0..<effort.rounds).map { _ in
            let supply = prepare(count)
            return lap(count) { _ in body(supply) }
        }
        return Self.cost(of: laps, count: count)
    }

    private typealias Lap = (duration: Duration, allocations: UInt64)

    private func lap(_ count: Int, _ body: (Int) -> Int) -> Lap {
        let before = sync_allocation_count()
        var result = 0
        let duration = ContinuousClock().measure { result = body(count) }
        let allocations = sync_allocation_count() - before
        precondition(result != 0, "an operation that was measured did nothing")
        return (duration, allocations)
    }

    private static func cost(of laps: [Lap], count: Int) -> Cost {
        let nanoseconds = laps.map { $0.duration / .nanoseconds(1) }.sorted()
        let allocations = laps.map(\.allocations).sorted()
        return Cost(
            nanoseconds: nanoseconds[laps.count / 2],
            allocations: Double(allocations[laps.count / 2])
        ).divided(by: count)
    }
}
