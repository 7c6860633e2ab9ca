// When a mark leaves, and when a link is too late to be kept.

import Testing

@testable import SyncDaemon

@Suite struct LinkLagTests {
    private var lag = LinkLag(millisecondsMax: 5000)

    @Test mutating func oneMarkAtATime() {
        #expect(lag.step(at: 100) == .ask)
        lag.send(7, at: 100)
        #expect(lag.step(at: 100) == .waits(0))
        #expect(lag.step(at: 600) == .waits(500))
        let heard = lag.hear(7, at: 640)
        #expect(heard == 540)
        #expect(lag.step(at: 650) == .ask)
    }

    /// Also where words come all the time: only the mark's own answer counts.
    @Test mutating func whoIsLateForTooLongIsLate() {
        lag.send(7, at: 100)
        let earlier = lag.hear(6, at: 4000)
        #expect(earlier == nil)
        #expect(lag.step(at: 5100) == .waits(5000))
        #expect(lag.step(at: 5101) == .late)
    }

    @Test mutating func aLaterAnswerCoversIt() {
        lag.send(7, at: 100)
        let covered = lag.hear(9, at: 130)
        #expect(covered == 30)
        let again = lag.hear(9, at: 140)
        #expect(again == nil)
    }

    @Test mutating func whatDidNotLeaveIsNotWaitedFor() {
        lag.send(7, at: 100)
        lag.takeBack()
        #expect(lag.step(at: 90_000) == .ask)
        let heard = lag.hear(7, at: 90_001)
        #expect(heard == nil)
    }
}
