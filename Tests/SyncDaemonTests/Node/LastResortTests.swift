// What ends a drain that hangs waits as long as it promises, and says where the drain was.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("The last resort of a drain")
struct LastResortTests {
    @Test("it counts pauses for nine seconds, however long one lasted")
    func counts() {
        var pauses = 0
        LastResort().wait { pauses += 1 }

        #expect(pauses == 10 * (Limits.drainSeconds + Limits.drainGraceSeconds))
    }

    @Test(
        "it names the step that was not finished",
        arguments: [DrainStep.acceptor, .sessions, .ledger, .end])
    func names(step: DrainStep) {
        let lastResort = LastResort()
        lastResort.begins(step)

        #expect(lastResort.message.contains(step.rawValue))
    }
}
