// How much of all responses the sockets have not taken yet.

import EventModel
import Synchronization

/// Bytes that wait for sockets, of all reactors.
final class UnsentPool: Sendable {
    let max: Int
    private let held = Atomic<Int>(0)

    init(max: Int = Limits.unsentBytesMax) {
        self.max = max
    }

    func add(_ count: Int) {
        if count != 0 { held.add(count) }
    }

    var bytes: Int { held.value }

    func hasRoom(for count: Int) -> Bool { bytes + count <= max }
}
