// What comes too early waits in its order, and not for ever.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct EarlyWorkTests {
    private let ann = SessionID(slot: 1, generation: 1)
    private let bob = SessionID(slot: 2, generation: 1)

    private func position(_ number: UInt64) -> Timetoken { Timetoken(rawValue: number) }

    /// What of `names` has to wait, all at the same position.
    private func wait(
        _ early: inout EarlyWork<String>, _ names: [String], for number: UInt64, mark: Int = 9,
        of client: SessionID
    ) -> [String] {
        names.filter {
            early.wait($0, for: position(number), mark: mark, of: client, at: 10)
        }
    }

    @Test func itGoesOnWhenThePositionIsHere() {
        var early = EarlyWork<String>()
        #expect(wait(&early, ["a", "b"], for: 5, of: ann) == ["a", "b"])
        #expect(wait(&early, ["c"], for: 7, of: bob) == ["c"])
        #expect(early.holds(ann) && early.holds(bob))
        let none = early.take(at: position(4), mark: 0, 11)
        #expect(none.isEmpty)
        let ready = early.take(at: position(5), mark: 0, 12)
        #expect(ready.map(\.works) == [["a", "b"]])
        #expect(ready.map(\.client) == [ann])
        #expect(ready.map(\.end) == [.here])
        #expect(!early.holds(ann) && early.holds(bob))
    }

    @Test func itIsLetGoAfterAWhile() {
        var early = EarlyWork<String>()
        #expect(wait(&early, ["a"], for: 5, of: ann) == ["a"])
        let none = early.take(at: .zero, mark: 0, 9 + Limits.aheadMilliseconds)
        #expect(none.isEmpty)
        let ready = early.take(at: .zero, mark: 0, 10 + Limits.aheadMilliseconds)
        #expect(ready.map(\.end) == [.behind])
        #expect(early.isEmpty)
    }

    /// A store that was put back knows of no such position, and never will.
    @Test func whatNoDaemonGaveIsKnownByTheMark() {
        var early = EarlyWork<String>()
        #expect(wait(&early, ["a"], for: 500, mark: 3, of: ann) == ["a"])
        let none = early.take(at: position(5), mark: 2, 11)
        #expect(none.isEmpty)
        let ready = early.take(at: position(6), mark: 3, 12)
        #expect(ready.map(\.end) == [.nowhere])
    }

    @Test func onlySoMuchWaits() {
        var early = EarlyWork<String>(countMax: 3)
        #expect(wait(&early, ["a", "b", "c", "d"], for: 5, of: ann) == ["a", "b", "c"])
        #expect(wait(&early, ["e"], for: 5, of: bob).isEmpty)
        early.forget(ann)
        #expect(early.isEmpty)
        #expect(wait(&early, ["e"], for: 5, of: bob) == ["e"])
    }
}
