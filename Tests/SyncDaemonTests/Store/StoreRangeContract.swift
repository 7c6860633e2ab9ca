// What every store promises about pages from either end, and that none comes at any cost.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: pages from either end")
struct StoreRangeContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    // MARK: Actions

    /// Actions 1 to 9 on messages 1 to 3 in turn; the fifth was removed at 10.
    private func filled(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: 20) {
            for number in 1...9 as ClosedRange<UInt64> {
                let key = MessageAction.Key.on((number - 1) % 3 + 1, "v\(number)")
                try $0.add(MessageAction(key: key, actionTimetoken: tick(number)), in: room)
            }
            try $0.remove(.on(2, "v5"), at: tick(10), in: room)
        }
        return store
    }

    @Test(
        "actions are chosen from either end, between both bounds, in ascending order",
        arguments: StoreUnderTest.allCases,
        [
            (nil, nil, nil, true, 3, [7, 8, 9], 7), (nil, nil, 7, true, 3, [3, 4, 6], 3),
            (nil, nil, 3, true, 3, [1, 2], nil), (nil, 6, 9, true, 3, [7, 8], nil),
            (nil, nil, nil, true, 8, [1, 2, 3, 4, 6, 7, 8, 9], nil),
            (nil, nil, 5, false, 2, [1, 2], 2), (nil, 2, 5, false, 2, [3, 4], nil),
            (nil, 9, nil, true, 2, [], nil), (nil, 5, 5, true, 2, [], nil),
            (1, nil, nil, true, 2, [4, 7], 4), (1, nil, 4, true, 2, [1], nil),
            (1, 1, 7, false, 2, [4], nil), (2, nil, nil, true, 9, [2, 8], nil),
        ] as [(UInt64?, UInt64?, UInt64?, Bool, Int, [UInt64], UInt64?)])
    func chooses(
        _ kind: StoreUnderTest, _ row: (UInt64?, UInt64?, UInt64?, Bool, Int, [UInt64], UInt64?)
    ) throws {
        let store = try filled(kind)
        let query = ActionsQuery(
            channel: "room", messageTimetoken: row.0.map(tick), isDescending: row.3,
            after: (row.3 ? row.2 : row.1).map { .time(tick($0)) },
            until: (row.3 ? row.1 : row.2).map(tick), limit: row.4)

        let page = try store.makeReader().actions(query, in: room)

        let found = page.actions.map(\.actionTimetoken)
        #expect((row.3 ? found.reversed() : found) == row.5.map(tick))
        #expect(page.next == row.6.map { .time(tick($0)) })
    }

    @Test(
        "a filter that matches little ends its pages early, and still finds all",
        arguments: StoreUnderTest.allCases, [true, false])
    func bounds(_ kind: StoreUnderTest, fromNewest: Bool) throws {
        let store = try kind.make(in: directory)
        let count = UInt64(Limits.actionsExaminedMax) + 2000
        let wanted = [1, 100, count / 2 + 7, count - 9] as [UInt64]
        try store.commit(through: 2 * count) {
            for number in 1...count {
                let key = MessageAction.Key.on(
                    1, "v\(number)", by: wanted.contains(number) ? "bob" : "ada")
                try $0.add(MessageAction(key: key, actionTimetoken: tick(number)), in: room)
            }
        }
        let reader = try store.makeReader()

        // The same with and without the message: it has more than a page may sort.
        for message in [nil, tick(1)] {
            var query = ActionsQuery(
                channel: "room", messageTimetoken: message, userIDs: ["bob"],
                isDescending: fromNewest)
            var pages = [try reader.actions(query, in: room)]
            while let next = pages.last?.next, pages.count < 9 {
                query.after = next
                pages.append(try reader.actions(query, in: room))
            }

            #expect(pages.count == 2)
            #expect(
                pages[0].next
                    == .time(tick(fromNewest ? 2001 : UInt64(Limits.actionsExaminedMax))))
            let pagewise = pages.flatMap(\.actions)
            let found = fromNewest ? pagewise.reversed() : pagewise
            #expect(found.map(\.actionTimetoken) == wanted.map(tick))
            // What nobody did is not looked for without end either.
            query = ActionsQuery(
                channel: "room", messageTimetoken: message, userIDs: ["cy"],
                isDescending: fromNewest)
            let empty = try reader.actions(query, in: room)
            #expect(empty.actions == [])
            #expect(empty.next == pages[0].next)
        }
    }

    // MARK: History

    @Test(
        "history that is asked for the oldest goes forward between both bounds",
        arguments: StoreUnderTest.allCases,
        [
            (nil, nil, 2, [1, 2], 2), (nil, nil, 6, [1, 2, 3, 4, 5, 6], nil),
            (6, 1, 2, [2, 3], 3), (6, 3, 2, [4, 5], nil), (5, nil, 3, [1, 2, 3], 3),
            (4, nil, 3, [1, 2, 3], nil), (nil, 4, 2, [5, 6], nil), (3, 5, 2, [], nil),
        ] as [(UInt64?, UInt64?, Int, [UInt64], UInt64?)])
    func historyFromOldest(
        _ kind: StoreUnderTest, _ row: (UInt64?, UInt64?, Int, [UInt64], UInt64?)
    ) throws {
        let store = try publishedSix(kind)
        let query = HistoryQuery(
            channel: "room", before: row.0.map(tick), after: row.1.map(tick), limit: row.2,
            fromOldest: true)

        let page = try store.makeReader().history(query, in: room)

        #expect(page.messages.map(\.timetoken) == row.3.map(tick))
        #expect(page.next == row.4.map(tick))
    }

    @Test(
        "a history page may have its own bytes", arguments: StoreUnderTest.allCases,
        [(1, [6], 6), (258, [5, 6], 5), (386, [5, 6], 5), (100_000, [1, 2, 3, 4, 5, 6], nil)]
            as [(Int, [UInt64], UInt64?)])
    func historyBytes(_ kind: StoreUnderTest, _ row: (Int, [UInt64], UInt64?)) throws {
        let store = try publishedSix(kind)

        let query = HistoryQuery(channel: "room", includesActions: true, bytesMax: row.0)
        let page = try store.makeReader().history(query, in: room)

        // Each takes 129.
        #expect(page.messages.map(\.timetoken) == row.1.map(tick))
        #expect(page.next == row.2.map(tick))
    }

    private func publishedSix(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        for number in 1...6 as ClosedRange<UInt64> { try store.publish(number, in: room) }
        return store
    }
}
