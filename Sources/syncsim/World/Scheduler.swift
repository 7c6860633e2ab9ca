// Simulated time: what is to happen, in the order of its moments.

import Basis

/// Runs one thing after the other; time jumps from each to the next.
final class Scheduler {
    private struct Entry: Comparable {
        let moment: UInt64
        /// Things of one moment happen in the order in which they were planned.
        let number: UInt64
        let body: () -> Void

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.moment, lhs.number) < (rhs.moment, rhs.number)
        }
    }

    /// Microseconds since the world began; never steps back.
    private(set) var now: UInt64 = 0
    /// How many things happened.
    private(set) var count = 0
    private var planned = Heap<Entry>()
    private var lastNumber: UInt64 = 0

    /// Plans something.
    ///
    /// - Parameter moment: The present one, when it is over already.
    func at(_ moment: UInt64, _ body: @escaping () -> Void) {
        lastNumber += 1
        planned.insert(Entry(moment: max(moment, now), number: lastNumber, body: body))
    }

    func after(_ microseconds: UInt64, _ body: @escaping () -> Void) {
        at(now + microseconds, body)
    }

    /// Lets the next thing happen.
    ///
    /// - Returns: `false` when nothing is planned up to `end`.
    func step(until end: UInt64) -> Bool {
        guard let first = planned.first, first.moment <= end else {
            now = max(now, end)
            return false
        }
        planned.popFirst()
        now = first.moment
        count += 1
        first.body()
        return true
    }

    /// Forgets what is planned, and whom that holds.
    func clear() {
        planned.removeAll()
    }
}

/// Lengths of simulated time, in microseconds.
enum Microseconds {
    static let millisecond: UInt64 = 1000
    static let second: UInt64 = 1_000_000
}
