// What comes too early waits in its order, and not for ever.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct EarlyWorkTests {
    private let (ann, bob) = (
        SessionID(slot: 1, generation: 1), SessionID(slot: 2, generation: 1)
    )

    private func position(_ number: UInt64) -> Timetoken { Timetoken(rawValue: number) }

    @Test func itGoesOnWhenThePositionIsHere() {
        var early = EarlyWork<String>()
        #expect(early.wait("a", for: position(5), mark: 1, of: ann, at: 0))
        #expect(early.wait("b", for: .zero, mark: 0, of: ann, at: 1))
        #expect(early.wait("c", for: position(7), mark: 2, of: bob, at: 1))
        #expect(early.holds(ann) && early.holds(bob))
        #expect(early.take(at: position(4), mark: 0, 2).isEmpty)
        let ready = early.take(at: position(5), mark: 0, 3)
        #expect(ready.map(\.works) == [["a", "b"]])
        #expect(ready.map(\.client) == [ann])
        #expect(ready.map(\.end) == [.here])
        #expect(!early.holds(ann) && early.holds(bob))
    }

    @Test func itIsLetGoAfterAWhile() {
        var early = EarlyWork<String>()
        #expect(early.wait("a", for: position(5), mark: 1, of: ann, at: 10))
        #expect(early.take(at: .zero, mark: 0, 9 + Limits.aheadMilliseconds).isEmpty)
        let ready = early.take(at: .zero, mark: 0, 10 + Limits.aheadMilliseconds)
        #expect(ready.map(\.end) == [.behind])
        #expect(early.isEmpty)
    }

    /// A store that was put back knows of no such position, and never will.
    @Test func whatNoDaemonGaveIsKnownByTheMark() {
        var early = EarlyWork<String>()
        #expect(early.wait("a", for: position(500), mark: 3, of: ann, at: 0))
        #expect(early.take(at: position(5), mark: 2, 1).isEmpty)
        #expect(early.take(at: position(6), mark: 3, 2).map(\.end) == [.nowhere])
    }

    @Test func onlySoMuchWaits() {
        var early = EarlyWork<Int>(countMax: 3)
        for number in 0..<3 {
            #expect(early.wait(number, for: position(5), mark: 1, of: ann, at: 0))
        }
        #expect(!early.wait(3, for: position(5), mark: 1, of: bob, at: 0))
        early.forget(ann)
        #expect(early.isEmpty)
        #expect(early.wait(3, for: position(5), mark: 1, of: bob, at: 0))
    }
}
