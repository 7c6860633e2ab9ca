// How old writes are, by real time: never thought older than they are.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Age table")
struct AgeTableTests {
    @Test("what was there before there were marks is as old as its timetoken says")
    func before() {
        let table = AgeTable([], newest: AgeMark(through: tick(900), ticks: 1000), kept: 0...100)
        #expect(table.moment(ticksBefore: 300, now: 1100) == tick(800))
        #expect(table.moment(ticksBefore: 150, now: 1100) == tick(901))
        #expect(table.moment(ticksBefore: 2000, now: 1100) == .zero)
    }

    @Test(
        "nothing is forgotten before its time, and everything soon after, however timetokens run",
        arguments: UInt64(1)...40)
    func neverTooEarly(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let kept: UInt64 = 10_000
        var marks: [AgeMark] = []
        var table = AgeTable([], newest: AgeMark(through: tick(50), ticks: 50), kept: kept...kept)
        var written: [(timetoken: UInt64, at: UInt64)] = []
        var (last, now): (UInt64, UInt64) = (50, 50)
        for _ in 0..<2000 {
            now += UInt64(choices.below(60))
            if choices.chance(70) {
                // A clock that leaps, or that stands still behind the order.
                last += choices.chance(3) ? UInt64(choices.below(100_000)) : 1
                written.append((last, now))
            }
            if let (mark, forgettable) = table.see(tick(last), at: now) {
                marks.append(mark)
                marks.removeAll { $0.through < forgettable }
            }
            #expect(marks == table.marks)
            if choices.chance(5) {
                table = AgeTable(
                    marks, newest: AgeMark(through: tick(last), ticks: now), kept: kept...kept)
            }
            let moment = table.moment(ticksBefore: kept, now: now).rawValue
            for write in written.suffix(400) where write.at + kept > now {
                #expect(write.timetoken >= moment)
            }
            written.removeAll { $0.timetoken < moment }
            // A hundredth of the time, and what no commit came after.
            if let oldest = written.first { #expect(oldest.at + kept + kept / 20 + 200 > now) }
        }
        #expect(marks.count < 300)
    }
}
