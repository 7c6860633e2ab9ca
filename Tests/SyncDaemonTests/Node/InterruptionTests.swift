// What may be ended half-way: two of them at a time do not keep each other from going on.

import Basis
import Testing

@testable import SyncDaemon

@Suite("Interruption")
struct InterruptionTests {
    /// A signal that was to wake one of them woke another one, and the first waited for ever.
    @Test("several at a time come to their ends")
    func several() {
        let ended = WorkQueue<Int>(capacity: 64)
        for number in 0..<8 {
            _ = OSThread(name: "test") {
                for _ in 0..<5 { interruptibly(cleaning: {}) {} }
                _ = ended.put(number)
            }
        }
        #expect(Set((0..<8).flatMap { _ in ended.take(atMost: 1) }) == Set(0..<8))
    }
}
