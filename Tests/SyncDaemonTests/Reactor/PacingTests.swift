// When a reactor waits, and for how long.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Pacing")
struct PacingTests {
    @Test("nothing waits while flushes leave nothing behind")
    func idle() {
        var pacing = Pacing()
        pacing.flushed(from: 1000, to: 1009, leftEvents: false)
        #expect(!pacing.holds(at: 1009))
        #expect(pacing.sleep(at: 1009, atMost: 1000, due: nil) == 1000)
        #expect(pacing.sleep(at: 1009, atMost: 1000, due: 1020) == 11)
        #expect(pacing.sleep(at: 1009, atMost: 1000, due: 900) == 0)
    }

    @Test(
        "a flush that left events behind holds the next one for as long as it took, up to a limit",
        arguments: [(0, 0), (3, 3), (10, 10), (500, 10)] as [(UInt64, UInt64)])
    func holds(took: UInt64, waits: UInt64) {
        var pacing = Pacing()
        pacing.flushed(from: 1000, to: 1000 + took, leftEvents: true)
        let end = 1000 + took
        #expect(pacing.holds(at: end) == (waits > 0))
        if waits > 0 {
            #expect(pacing.sleep(at: end, atMost: 1000, due: end) == waits)
            #expect(pacing.holds(at: end + waits - 1))
        }
        #expect(!pacing.holds(at: end + waits))
    }
}
