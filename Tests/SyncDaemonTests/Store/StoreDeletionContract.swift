// What every store promises about deletions: rows go, and who comes back later hears of it in
// order.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: deletions")
struct StoreDeletionContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Messages 1 to 5 with an action on each, 11 to 15, of which the second was removed at 16.
    private func filled(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: 20) {
            for number in 1...5 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
                try $0.add(
                    MessageAction(key: .on(number), actionTimetoken: tick(10 + number)), in: room)
            }
            try $0.remove(.on(2), at: tick(16), in: room)
            try $0.insert(.numbered(20), at: tick(20), in: Channel("den"), by: "ada")
            try $0.add(MessageAction(key: .on(2), actionTimetoken: tick(17)), in: Channel("den"))
        }
        return store
    }

    private func deletion(_ start: UInt64, _ end: UInt64, at timetoken: UInt64) -> Envelope {
        Envelope(
            channel: room, timetoken: tick(timetoken), uuid: "",
            event: .messagesDeleted(after: tick(start), through: tick(end)))
    }

    @Test(
        "a deletion takes its messages and all that was on them, and leaves itself",
        arguments: StoreUnderTest.allCases)
    func deletes(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        let reader = try store.makeReader()

        try store.commit(through: 21) { store throws in
            #expect(
                try store.deleteMessages(after: tick(1), through: tick(3), at: tick(21), in: room))
            #expect(try store.standingAction(.on(3), in: room) == nil)
            #expect(try store.standingAction(.on(4), in: room) == tick(14))
        }

        let changes = try reader.allChanges(in: room, after: .zero)
        #expect(changes.map(\.timetoken) == [1, 4, 5, 11, 14, 15, 21].map(tick))
        #expect(changes.last == deletion(1, 3, at: 21))
        // Whoever saw the messages still hears that they are gone; whoever heard does not again.
        #expect(
            try reader.allChanges(in: room, after: tick(20)) == [deletion(1, 3, at: 21)])
        #expect(try reader.allChanges(in: room, after: tick(21)) == [])
        let history = HistoryQuery(channel: "room", includesActions: true)
        #expect(
            try reader.history(history, in: room).messages.map(\.timetoken) == [1, 4, 5].map(tick))
        #expect(
            try reader.actions(ActionsQuery(channel: "room"), in: room).actions
                .map(\.actionTimetoken) == [11, 14, 15].map(tick))
        // Another channel's rows on the same timetokens stay.
        #expect(try reader.allChanges(in: Channel("den"), after: .zero).count == 2)
    }

    @Test(
        "a range that holds nothing changes nothing, whatever comes after it",
        arguments: StoreUnderTest.allCases, [(5, 9), (3, 3), (4, 2)] as [(UInt64, UInt64)])
    func deletesNothing(_ kind: StoreUnderTest, _ range: (UInt64, UInt64)) throws {
        let store = try filled(kind)
        try store.commit(through: 22) {
            try $0.add(MessageAction(key: .on(17), actionTimetoken: tick(21)), in: room)
            #expect(
                try !$0.deleteMessages(
                    after: tick(range.0), through: tick(range.1), at: tick(22), in: room))
            #expect(
                try !$0.deleteMessages(
                    after: .zero, through: .end, at: tick(22), in: Channel("none")))
        }

        let changes = try store.makeReader().allChanges(in: room, after: .zero)
        #expect(changes.count == 11)
        #expect(changes.last?.timetoken == tick(21))
    }

    @Test(
        "what was added to a message that is gone goes with a further deletion",
        arguments: StoreUnderTest.allCases, [false, true])
    func deletesAgain(_ kind: StoreUnderTest, isHidden: Bool) throws {
        let store = try filled(kind)
        let action = MessageAction(key: .on(2), actionTimetoken: tick(22))
        var gone: [CoveredRow] = []
        try store.commit(through: 23) {
            if isHidden {
                let all = MessageRange(after: .zero, through: tick(3))
                try $0.hideMessages(in: all, at: tick(21), of: room)
            } else {
                _ = try $0.deleteMessages(after: .zero, through: tick(3), at: tick(21), in: room)
            }
            // Nobody has anything more of it.
            let again = MessageRange(after: tick(1), through: tick(2))
            #expect(try !$0.hasRows(in: again, of: room))
            try $0.add(action, in: room)
            #expect(try $0.hasRows(in: again, of: room))
            #expect(try !$0.hasRows(in: MessageRange(after: .zero, through: tick(1)), of: room))
            #expect(
                try $0.deleteMessages(
                    after: tick(1), through: tick(2), at: tick(23), in: room,
                    eachRow: { gone.append($0) }))
            #expect(try !$0.hasRows(in: again, of: room))
            #expect(try $0.standingAction(.on(2), in: room) == nil)
        }
        #expect(gone == [.action(action)])
        let changes = try store.makeReader().allChanges(in: room, after: tick(20))
        #expect(changes.map(\.timetoken) == [tick(21), tick(23)])
    }

    @Test(
        "an action added after the deletion of its message stands, and comes after it",
        arguments: StoreUnderTest.allCases)
    func addsAfterwards(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        let action = MessageAction(key: .on(2), actionTimetoken: tick(22))
        try store.commit(through: 22) {
            _ = try $0.deleteMessages(after: .zero, through: .end, at: tick(21), in: room)
            #expect(try $0.standingAction(.on(2), in: room) == nil)
            try $0.add(action, in: room)
        }

        let changes = try store.makeReader().allChanges(in: room, after: .zero)
        #expect(changes.map(\.timetoken) == [tick(21), tick(22)])
        var cache = DeviceCache()
        for envelope in changes { cache.apply(envelope) }
        #expect(cache.actions == [action.key: tick(22)])
    }

    @Test("a rollback brings back what was deleted", arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        let reader = try store.makeReader()
        let before = try reader.allChanges(in: room, after: .zero)
        try store.begin()
        #expect(try store.deleteMessages(after: .zero, through: .end, at: tick(21), in: room))
        #expect(try reader.allChanges(in: room, after: .zero) == before)
        store.rollback()

        #expect(try reader.allChanges(in: room, after: .zero) == before)
    }

    @Test("pages of deletions together are every deletion once", arguments: StoreUnderTest.allCases)
    func pages(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let count = UInt64(Limits.catchUpEventsMax) + 100
        try store.commit(through: 3 * count) {
            for number in 1...count {
                let message = tick(3 * number - 2)
                try $0.insert(.numbered(number), at: message, in: room, by: "ada")
                #expect(
                    try $0.deleteMessages(
                        after: tick(message.rawValue - 1), through: message,
                        at: tick(3 * number - 1), in: room))
                if number % 7 == 0 {
                    try $0.insert(.numbered(number), at: tick(3 * number), in: room, by: "ada")
                }
            }
        }

        let pages = try store.makeReader().allPages(in: room, after: .zero)

        #expect(pages.count >= 2)
        var expected: [Timetoken] = []
        for number in 1...count {
            expected.append(tick(3 * number - 1))
            if number % 7 == 0 { expected.append(tick(3 * number)) }
        }
        #expect(pages.flatMap(\.envelopes).map(\.timetoken) == expected)
    }

    // MARK: What becomes of deletions

    @Test(
        "who comes with nothing hears of no deletion before, and of each one after",
        arguments: StoreUnderTest.allCases)
    func tellsNewcomers(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        try store.commit(through: 21) {
            _ = try $0.deleteMessages(after: tick(1), through: tick(2), at: tick(21), in: room)
        }
        try store.commit(through: 22) {
            _ = try $0.deleteMessages(after: tick(3), through: tick(4), at: tick(22), in: room)
        }
        var start = ChangeStart(after: .zero)
        start.deletions = tick(21)
        let changes = try store.makeReader().allChanges(in: room, from: start)
        #expect(changes.map(\.timetoken) == [1, 3, 5, 11, 13, 15, 22].map(tick))
        #expect(changes.last == deletion(3, 4, at: 22))
    }

    @Test("a deletion takes the place of those that it covers", arguments: StoreUnderTest.allCases)
    func covers(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        let ranges = [(0, 1), (1, 2), (2, 3), (1, 4)] as [(UInt64, UInt64)]
        for (offset, range) in ranges.enumerated() {
            try store.commit(through: 21 + UInt64(offset)) {
                let isDone = try $0.deleteMessages(
                    after: tick(range.0), through: tick(range.1), at: tick(21 + UInt64(offset)),
                    in: room)
                #expect(isDone)
            }
        }
        let reader = try store.makeReader()
        #expect(
            try reader.allChanges(in: room, after: tick(20))
                == [deletion(0, 1, at: 21), deletion(1, 4, at: 24)])
        // Whoever heard of the first ones hears of what took their place.
        #expect(try reader.allChanges(in: room, after: tick(23)) == [deletion(1, 4, at: 24)])
        #expect(store.deletionFloor == .zero)
        // Another channel's are its own.
        try store.commit(through: 30) {
            let isDone = try $0.deleteMessages(
                after: .zero, through: .end, at: tick(30), in: Channel("den"))
            #expect(isDone)
        }
        #expect(try reader.allChanges(in: room, after: tick(20)).count == 2)
    }

    @Test(
        "old deletions are forgotten, the oldest first, and who missed one is found out",
        arguments: StoreUnderTest.allCases)
    func forgets(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        for number in 1...4 as ClosedRange<UInt64> {
            try store.commit(through: 20 + number) {
                let isDone = try $0.deleteMessages(
                    after: tick(number - 1), through: tick(number), at: tick(20 + number), in: room)
                #expect(isDone)
            }
        }
        let reader = try store.makeReader()
        #expect(try !store.hasDeletions(before: tick(21)))
        #expect(try store.hasDeletions(before: tick(22)))

        try store.begin()
        try store.forgetDeletions(before: tick(99), limit: 2)
        store.rollback()
        #expect(store.deletionFloor == .zero)
        #expect(try reader.allChanges(in: room, after: tick(20)).count == 4)
        try store.commit(through: 30) { try $0.forgetDeletions(before: tick(24), limit: 2) }
        #expect(store.deletionFloor == tick(22))
        try store.commit(through: 31) { try $0.forgetDeletions(before: tick(24), limit: 2) }
        #expect(store.deletionFloor == tick(23))
        #expect(try reader.allChanges(in: room, after: tick(20)) == [deletion(3, 4, at: 24)])

        #expect(try reader.changes(in: room, after: tick(22)).isTooOld)
        #expect(try !reader.changes(in: room, after: tick(23)).isTooOld)
        // With nothing, too, when what was deleted before does not matter.
        #expect(try !reader.changes(in: room, after: .zero).isTooOld)
    }

    // MARK: What helps the ledger

    @Test(
        "messages expire in the order of their time, in every channel",
        arguments: StoreUnderTest.allCases)
    func expires(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let den = Channel("den", keyset: "k")
        func expired(before moment: UInt64, limit: Int = 9) throws -> [ExpiredMessage] {
            try store.expired(before: tick(moment), limit: limit)
        }
        try store.commit(through: 9) {
            for (number, expires) in [(1, 30), (2, nil), (3, 20), (4, 40), (5, 20)]
                as [(UInt64, UInt64?)]
            {
                try $0.insert(
                    .numbered(number), at: tick(number), in: number == 4 ? den : room, by: "ada",
                    expires: expires.map(tick))
            }
        }
        let all = [(room, 3), (room, 5), (room, 1), (den, 4)].map {
            ExpiredMessage(channel: $0, timetoken: tick($1))
        }

        #expect(try expired(before: 20) == [])
        #expect(try expired(before: 21) == Array(all[..<2]))
        #expect(try expired(before: 99) == all)
        #expect(try expired(before: 99, limit: 3) == Array(all[..<3]))
        try store.commit(through: 50) { store throws in
            #expect(
                try store.deleteMessages(after: .zero, through: tick(3), at: tick(50), in: room))
        }
        #expect(try expired(before: 99) == [all[1], all[3]])
    }

    @Test(
        "an action is found by its message and its timetoken while it stands",
        arguments: StoreUnderTest.allCases)
    func findsKeys(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        func key(_ message: UInt64, _ action: UInt64, _ channel: Channel) throws
            -> MessageAction.Key?
        {
            try store.action(
                onMessage: tick(message), addedAt: tick(action), in: channel)?.key
        }

        #expect(try key(3, 13, room) == .on(3))
        #expect(try key(3, 14, room) == nil)
        #expect(try key(4, 13, room) == nil)
        #expect(try key(3, 13, Channel("den")) == nil)
        // Removed at 16, added at 12.
        #expect(try key(2, 12, room) == nil)
        #expect(try key(2, 16, room) == nil)
    }
}
