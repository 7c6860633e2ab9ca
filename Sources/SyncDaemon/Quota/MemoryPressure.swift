// How near the process is to the memory that it may have.

import EventModel
import Synchronization

/// What an administrator allows, beside what there is; any thread may ask.
final class MemoryPressure: Sendable {
    /// What is given up, in this order; each level with all before it.
    enum Level: Int, Comparable, Sendable {
        case none
        /// Tenants that have no connection, and never wrote anything, get none.
        case tenants
        /// Nobody gets another session, or follows more.
        case sessions
        /// What waits for those who read most slowly is dropped, and what is remembered for who
        /// comes back. What was acknowledged is in the store.
        case queues

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

        /// Where it begins, in percent of what the process may have.
        var percent: Int {
            switch self {
            case .none: 0
            case .tenants: Limits.memoryTenantsPercent
            case .sessions: Limits.memorySessionsPercent
            case .queues: Limits.memoryQueuesPercent
            }
        }

        /// - Parameter before: A level ends a little below where it began: else it would flicker.
        init(of bytes: Int, max: Int, before: Level) {
            let percent = max > 0 ? bytes / (max / 100 + 1) : 0
            self =
                [.queues, .sessions, .tenants].first { level in
                    let slack = level <= before ? Limits.memorySlackPercent : 0
                    return percent >= level.percent - slack
                } ?? .none
        }
    }

    private let storedLevel = Atomic<Int>(0)
    private let storedMax: Atomic<Int>
    private let nextSample = Atomic<UInt64>(0)
    /// How often somebody was refused for it.
    let refusals = Atomic<Int>(0)
    private let read: @Sendable () -> Int

    /// - Parameters:
    ///   - max: Bytes; 0 for no bound.
    ///   - read: What the process has now, in bytes.
    init(max: Int = 0, read: @escaping @Sendable () -> Int = { 0 }) {
        storedMax = Atomic(max)
        self.read = read
    }

    var level: Level { Level(rawValue: storedLevel.value) ?? .none }
    /// Bytes that the process may have; 0 for no bound.
    var max: Int { storedMax.value }

    func setMax(_ bytes: Int) { storedMax.store(bytes, ordering: .relaxed) }

    /// Looks again, unless somebody did so a moment ago.
    func look(at milliseconds: UInt64) {
        let next = nextSample.load(ordering: .relaxed)
        guard max > 0, milliseconds >= next,
            nextSample.compareExchange(
                expected: next, desired: milliseconds + Limits.memorySampleMilliseconds,
                ordering: .relaxed
            ).exchanged
        else { return }
        let level = Level(of: read(), max: max, before: level)
        storedLevel.store(level.rawValue, ordering: .relaxed)
    }
}
