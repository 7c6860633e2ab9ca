// Whether anybody still waits for what readers were asked.

import Synchronization

/// Shared by who asks and by the reader threads: what nobody waits for any more is not read.
///
/// Without it, connections that ask and go would leave their questions behind, and with them all
/// the room that their tenant has.
final class Demand: Sendable {
    private let over = Atomic<Bool>(false)

    var isOver: Bool { over.load(ordering: .relaxed) }

    /// Nobody takes an answer from now on; none comes of what no reader began.
    func end() { over.store(true, ordering: .relaxed) }
}
