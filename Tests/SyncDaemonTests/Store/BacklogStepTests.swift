// Backlogs in steps, while others write.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Backlogs in steps")
struct BacklogStepTests {
    @Test(
        "however short the steps are, the page is the same",
        arguments: StoreUnderTest.allCases, [0, 1, 7, 600])
    func sameInSteps(_ kind: StoreUnderTest, looks: Int) throws {
        let directory = try ScratchDirectory()
        let store = try kind.make(in: directory)
        // More than one look at the names finds, with strangers around them.
        try store.commit(through: 2400) {
            for number in 1...2400 as ClosedRange<UInt64> {
                let name = number % 3 == 0 ? "v.\(number)" : "w.\(number)"
                let action = MessageAction(key: .on(number), actionTimetoken: tick(number))
                try $0.add(action, in: Channel(name))
            }
        }
        let reader = try store.makeReader()
        let interests: [Interest] = [
            .channel(Channel("v.3")), .prefix("w.", keyset: Channel.defaultKeyset),
            .channel(Channel("w.1")), .channel(Channel("none")),
        ]

        for cursor in [0, 1000, 2395, 2400] as [UInt64] {
            let whole = try reader.backlog(interests, after: tick(cursor), limit: 50)
            let stepped = try reader.backlog(
                interests, after: tick(cursor), limit: 50, looks: looks)
            #expect(stepped == whole)
            #expect(whole?.isComplete == (cursor >= 2395))
        }
    }

    @Test(
        "a channel that several lists name comes once, and what is none is passed over",
        arguments: StoreUnderTest.allCases, [0, 1, .max])
    func lists(_ kind: StoreUnderTest, looks: Int) throws {
        let directory = try ScratchDirectory()
        let store = try kind.make(in: directory)
        for number in 1...30 as ClosedRange<UInt64> {
            try store.publish(number, in: Channel("w.\(number % 10)"))
        }
        let reader = try store.makeReader()
        let names = ["w.1", "w.2", "w.2-pnpres", "none"].map { Channel($0) }
        for (lists, interests, expected) in [
            ([names, names], [], [1, 2, 11, 12, 21, 22]),
            ([names, [Channel("w.3"), Channel("w.1")]], [], [1, 2, 3, 11, 12, 13, 21, 22, 23]),
            ([names], [Interest.prefix("w.", keyset: Channel.defaultKeyset)], Array(1...30)),
            ([], [], []),
        ] as [([[Channel]], [Interest], [UInt64])] {
            let backlog = try reader.backlog(
                of: lists, interests, after: .zero, limit: 100, looks: looks)
            #expect(backlog?.envelopes.map(\.timetoken) == expected.map { tick($0) })
            #expect(backlog?.isComplete == true)
        }
        let tooMany = [Channel](repeating: names[0], count: Limits.backlogChannelsMax + 1)
        #expect(try reader.backlog(of: [tooMany], [], after: .zero, limit: 100) == nil)
    }

    @Test("what is written between steps is not half there", arguments: StoreUnderTest.allCases)
    func writesBetween(_ kind: StoreUnderTest) throws {
        let directory = try ScratchDirectory()
        let store = try kind.make(in: directory)
        for number in 1...30 as ClosedRange<UInt64> {
            try store.publish(number, in: Channel("w.\(number % 10)"))
        }
        let reader = try store.makeReader()
        var reading = BacklogReading(
            [.prefix("w.", keyset: Channel.defaultKeyset)], after: tick(5), limit: 100)
        var written: UInt64 = 30
        while !reading.isExhausted {
            try reader.readOn(&reading) { false }
            written += 1
            try store.publish(written, in: Channel("w.\(written % 12)"))
        }

        let backlog = try #require(reading.backlog)
        #expect(backlog.through == tick(30))
        #expect(backlog.isComplete)
        #expect(backlog.envelopes.map(\.timetoken) == (6...30).map { tick($0) })
        let rest = try reader.backlog(
            [.prefix("w.", keyset: Channel.defaultKeyset)], after: backlog.through, limit: 100)
        #expect(rest?.envelopes.map(\.timetoken) == (31...written).map { tick($0) })
    }
}
