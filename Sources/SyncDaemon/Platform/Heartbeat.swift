// How a thread shows that it still runs.

import Synchronization

/// A count that a thread raises each time it comes round, and the watchdog compares.
final class Heartbeat: Sendable {
    private let beats = Atomic<UInt64>(0)

    func beat() {
        beats.add(1, ordering: .relaxed)
    }

    var count: UInt64 { beats.load(ordering: .relaxed) }
}
