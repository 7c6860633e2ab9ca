// What every store promises about pages: where they end, and that together they are everything.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: pages")
struct StorePageContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func filled(_ kind: StoreUnderTest, messages: ClosedRange<UInt64>) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: messages.upperBound) {
            for number in messages {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
            }
        }
        return store
    }

    // MARK: History

    @Test(
        "history chooses the newest, or after a position the oldest, in ascending order",
        arguments: StoreUnderTest.allCases,
        [
            (nil, nil, 100, [1, 2, 3, 4, 5, 6], nil), (nil, nil, 2, [5, 6], 5),
            (5, nil, 2, [3, 4], 3), (3, nil, 2, [1, 2], nil), (1, nil, 2, [], nil),
            (nil, 0, 2, [1, 2], 2), (nil, 2, 3, [3, 4, 5], 5), (nil, 4, 2, [5, 6], nil),
            (nil, 6, 2, [], nil), (6, 1, 2, [4, 5], 4), (4, 1, 2, [2, 3], nil),
            (3, 3, 2, [], nil), (2, 5, 2, [], nil),
        ] as [(UInt64?, UInt64?, Int, [UInt64], UInt64?)])
    func history(
        _ kind: StoreUnderTest, _ row: (UInt64?, UInt64?, Int, [UInt64], UInt64?)
    ) throws {
        let store = try filled(kind, messages: 1...6)
        let query = HistoryQuery(
            channel: "room", before: row.0.map(tick), after: row.1.map(tick), limit: row.2)

        let page = try store.makeReader().history(query, in: room)

        #expect(page.messages.map(\.timetoken) == row.3.map(tick))
        #expect(page.messages.map(\.message) == row.3.map(Message.numbered))
        #expect(page.next == row.4.map(tick))
    }

    @Test(
        "history pages end at their bytes, and follow each other without a gap",
        arguments: StoreUnderTest.allCases, [true, false])
    func cutsHistory(_ kind: StoreUnderTest, goesForward: Bool) throws {
        let store = try kind.make(in: directory)
        let sizes = [200_000, 50_000, 10, 300_000, 10, 250_000, 20_000]
        try store.commit(through: 7) {
            for (index, size) in sizes.enumerated() {
                try $0.insert(.sized(size), at: tick(UInt64(index) + 1), in: room, by: "ada")
            }
        }
        let reader = try store.makeReader()

        var query = HistoryQuery(channel: "room", after: goesForward ? .zero : nil)
        var found: [[UInt64]] = []
        while found.count < 10 {
            let page = try reader.history(query, in: room)
            found.append(page.messages.map(\.timetoken.rawValue))
            guard let next = page.next else { break }
            if goesForward { query.after = next } else { query.before = next }
        }

        // A message over the limit comes alone; the others fill their pages.
        let pages: [[UInt64]] = [[1, 2, 3], [4], [5, 6], [7]]
        #expect(found == (goesForward ? pages : pages.reversed()))
    }

    @Test(
        "history brings the actions that stand on each message", arguments: StoreUnderTest.allCases)
    func historyWithActions(_ kind: StoreUnderTest) throws {
        let store = try filled(kind, messages: 1...3)
        let actions = [
            MessageAction(key: .on(2, "b", by: "bob"), actionTimetoken: tick(11)),
            MessageAction(key: .on(2, "a"), actionTimetoken: tick(12)),
            MessageAction(key: .on(3), actionTimetoken: tick(13)),
            MessageAction(key: .on(9), actionTimetoken: tick(14)),
        ]
        try store.commit(through: 20) {
            for action in actions { try $0.add(action, in: room) }
            try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(15)), in: room)
            try $0.remove(.on(1), at: tick(16), in: room)
            try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(17)), in: Channel("den"))
        }
        let reader = try store.makeReader()

        let with = HistoryQuery(channel: "room", includesActions: true)
        #expect(
            try reader.history(with, in: room).messages.map(\.actions)
                == [[], [actions[0], actions[1]], [actions[2]]])
        let without = HistoryQuery(channel: "room")
        #expect(try reader.history(without, in: room).messages.allSatisfy(\.actions.isEmpty))
    }

    @Test("one message brings at most its share of actions", arguments: StoreUnderTest.allCases)
    func boundsActionsOfHistory(_ kind: StoreUnderTest) throws {
        let store = try filled(kind, messages: 1...1)
        try store.commit(through: 9999) {
            for number in 0...UInt64(Limits.actionsPerHistoryMessageMax) {
                let key = MessageAction.Key.on(1, "v\(number)")
                try $0.add(MessageAction(key: key, actionTimetoken: tick(10 + number)), in: room)
            }
        }

        let query = HistoryQuery(channel: "room", includesActions: true)
        let message = try store.makeReader().history(query, in: room).messages[0]
        let actions = message.actions
        #expect(actions.count == Limits.actionsPerHistoryMessageMax)
        #expect(actions.first?.actionTimetoken == tick(10))
        #expect(
            actions.last?.actionTimetoken == tick(9 + UInt64(Limits.actionsPerHistoryMessageMax)))
        // It says that there is one more, and where.
        #expect(message.moreActions == actions.last?.actionTimetoken)
        let rest = ActionsQuery(
            channel: "room", messageTimetoken: tick(1),
            after: message.moreActions.map { .time($0) })
        let page = try store.makeReader().actions(rest, in: room)
        let number = Limits.actionsPerHistoryMessageMax
        #expect(page.actions.map(\.key.value) == ["v\(number)"])

        try store.commit(through: 10_000) {
            try $0.remove(.on(1, "v\(number)"), at: tick(10_000), in: room)
        }
        let whole = try store.makeReader().history(query, in: room).messages[0]
        #expect(whole.actions.count == Limits.actionsPerHistoryMessageMax)
        #expect(whole.moreActions == nil)
    }

    // MARK: Actions

    /// Each action's timetoken is 10 more than its place here.
    private static let keys: [MessageAction.Key] = [
        .on(1, "👍", by: "ada"), .on(2, "👍", by: "bob"), .on(1, "👎", by: "bob"),
        .on(1, "👍", type: "receipt", by: "ada"), .on(1, "👍", by: "bob"), .on(2, "👎", by: "ada"),
    ]

    @Test(
        "actions are filtered by each field and all together, oldest first",
        arguments: StoreUnderTest.allCases,
        [
            (ActionsQuery(channel: "room"), [0, 1, 2, 3, 4, 5]),
            (ActionsQuery(channel: "room", messageTimetoken: tick(1)), [0, 2, 3, 4]),
            (ActionsQuery(channel: "room", types: ["receipt"]), [3]),
            (ActionsQuery(channel: "room", values: ["👎"]), [2, 5]),
            (ActionsQuery(channel: "room", userIDs: ["bob"]), [1, 2, 4]),
            (ActionsQuery(channel: "room", after: .time(tick(12))), [3, 4, 5]),
            (
                ActionsQuery(
                    channel: "room", messageTimetoken: tick(1), after: .time(tick(12))), [3, 4]
            ),
            (
                ActionsQuery(
                    channel: "room", messageTimetoken: tick(1), types: ["reaction"], values: ["👍"],
                    userIDs: ["bob"], after: .time(tick(10))), [4]
            ),
            (ActionsQuery(channel: "room", messageTimetoken: tick(3)), []),
        ])
    func filtersActions(_ kind: StoreUnderTest, _ row: (query: ActionsQuery, places: [Int])) throws
    {
        let store = try kind.make(in: directory)
        let actions = Self.keys.enumerated().map {
            MessageAction(key: $1, actionTimetoken: tick(UInt64($0) + 10))
        }
        try store.commit(through: 30) {
            for action in actions { try $0.add(action, in: room) }
            try $0.add(MessageAction(key: .on(1, "gone"), actionTimetoken: tick(20)), in: room)
            try $0.remove(.on(1, "gone"), at: tick(21), in: room)
        }
        let reader = try store.makeReader()
        let expected = row.places.map { actions[$0] }

        #expect(
            try reader.actions(row.query, in: room) == ActionsPage(actions: expected, next: nil))
        // One at a time, `next` leads through all of them.
        var query = row.query
        query.limit = 1
        var found: [MessageAction] = []
        while found.count <= expected.count {
            let page = try reader.actions(query, in: room)
            #expect(page.actions.count <= 1)
            found += page.actions
            guard let next = page.next else { break }
            query.after = next
        }
        #expect(found == expected)
    }

    @Test("a page of actions ends at its bytes", arguments: StoreUnderTest.allCases)
    func cutsActions(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let long = String(repeating: "x", count: 32_000)
        try store.commit(through: 40) {
            for number in 1...20 as ClosedRange<UInt64> {
                let action = MessageAction(key: .on(number, long), actionTimetoken: tick(number))
                try $0.add(action, in: room)
            }
        }

        let page = try store.makeReader().actions(ActionsQuery(channel: "room"), in: room)
        #expect(page.actions.map(\.actionTimetoken) == (1...8).map(tick))
        #expect(page.next == .time(tick(8)))
    }

    // MARK: Changes

    @Test(
        "pages of changes together are every change once", arguments: StoreUnderTest.allCases,
        1...6 as ClosedRange<UInt64>)
    func concatenatesChanges(_ kind: StoreUnderTest, seed: UInt64) throws {
        let store = try kind.make(in: directory)
        var choices = SeededGenerator(seed: seed)
        let messagePercent = choices.pick([0, 20, 50, 80, 100])
        var expected: [Timetoken] = []
        let count = UInt64(Limits.catchUpEventsMax) * 3 + UInt64(choices.below(300))
        try store.commit(through: count + 5) {
            for number in 1...count {
                if choices.chance(messagePercent) {
                    try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
                } else {
                    let key = MessageAction.Key.on(number)
                    try $0.add(MessageAction(key: key, actionTimetoken: tick(number)), in: room)
                }
                expected.append(tick(number))
            }
        }

        let start = UInt64(choices.below(100))
        let pages = try store.makeReader().allPages(in: room, after: tick(start))

        #expect(
            pages.flatMap(\.envelopes).map(\.timetoken) == Array(expected.dropFirst(Int(start))))
        #expect(pages.last?.through == tick(count + 5))
        for page in pages.dropLast() {
            #expect(page.envelopes.count <= 2 * Limits.catchUpEventsMax)
            #expect(page.through == page.envelopes.last?.timetoken)
        }
        #expect(pages.count >= 2)
    }

    @Test("a page of changes ends at its bytes", arguments: StoreUnderTest.allCases)
    func cutsChanges(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let rowBytes = 30_000
        let long = String(repeating: "x", count: rowBytes)
        try store.commit(through: 60) {
            for number in 1...30 as ClosedRange<UInt64> {
                try $0.insert(.sized(rowBytes), at: tick(2 * number), in: room, by: "ada")
                let key = MessageAction.Key.on(number, long)
                try $0.add(MessageAction(key: key, actionTimetoken: tick(2 * number + 1)), in: room)
            }
        }

        let pages = try store.makeReader().allPages(in: room, after: .zero)

        #expect(pages.flatMap(\.envelopes).map(\.timetoken) == (2...61).map(tick))
        for page in pages {
            // Either list may go over the limit by its last row.
            #expect(page.envelopes.count * rowBytes <= Limits.catchUpBytesMax + 2 * rowBytes)
        }
    }

    private func all(
        _ query: ActionsQuery, of reader: any StoreReader
    ) throws -> [MessageAction] {
        var query = query
        var found: [MessageAction] = []
        repeat {
            let page = try reader.actions(query, in: room)
            found += page.actions
            query.after = page.next
        } while query.after != nil
        return found
    }

    @Test("a history page counts the bytes of its actions too", arguments: StoreUnderTest.allCases)
    func cutsHistoryByActions(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let long = String(repeating: "x", count: 30_000)
        try store.commit(through: 1000) {
            for number in 1...6 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
                for other in 0..<20 as Range<UInt64> {
                    let key = MessageAction.Key.on(number, "\(other)\(long)")
                    let action = MessageAction(
                        key: key, actionTimetoken: tick(100 * number + other))
                    try $0.add(action, in: room)
                }
            }
        }
        let reader = try store.makeReader()
        var query = HistoryQuery(channel: "room", includesActions: true)
        var found: [Timetoken] = []

        repeat {
            let page = try reader.history(query, in: room)
            let bytes = page.messages.flatMap(\.actions).reduce(0) { $0 + $1.size }
            #expect(bytes <= Limits.pageBytesMax)
            #expect(!page.messages.isEmpty)
            for message in page.messages {
                #expect(message.moreActions != nil)
                let rest = ActionsQuery(
                    channel: "room", messageTimetoken: message.timetoken,
                    after: message.moreActions.map { .time($0) })
                let others = try all(rest, of: reader)
                #expect(
                    (message.actions + others).map(\.actionTimetoken)
                        == (0..<20).map { tick(100 * message.timetoken.rawValue + $0) })
            }
            found = page.messages.map(\.timetoken) + found
            query.before = page.next
        } while query.before != nil

        #expect(found == (1...6).map(tick))
    }
}
