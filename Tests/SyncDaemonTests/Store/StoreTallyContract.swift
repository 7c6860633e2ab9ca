// What every store knows of the actions on one message.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store contract: what stands on a message")
struct StoreTallyContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Different values, and actions.
    private func counts(_ store: any Store, on message: UInt64 = 1) throws -> [Int] {
        [
            try store.values(on: tick(message), in: room).count,
            try store.actionCount(on: tick(message), in: room),
        ]
    }

    @Test(
        "the bytes of different types and values are counted as they come and go",
        arguments: StoreUnderTest.allCases)
    func bytes(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func bytes() throws -> Int { try store.values(on: tick(1), in: room).bytes }
        #expect(try bytes() == 0)
        try store.commit(through: 10) {
            try add(
                $0, at: 2, .on(1, "👍"), .on(1, "👍", by: "bob"), .on(1, "ab", type: "é"), .on(2))
        }
        // "reaction" and four bytes, two and two.
        #expect(try bytes() == 16)
        try store.commit(through: 20) {
            try $0.remove(.on(1, "👍"), at: tick(11), in: room)
            try $0.remove(.on(1, "ab", type: "é"), at: tick(12), in: room)
        }
        #expect(try bytes() == 12)
        try store.commit(through: 30) {
            try $0.remove(.on(1, "👍", by: "bob"), at: tick(21), in: room)
        }
        #expect(try bytes() == 0)
    }

    private func add(
        _ store: any Store, at clock: UInt64, _ keys: MessageAction.Key...
    ) throws {
        for (offset, key) in keys.enumerated() {
            let action = MessageAction(key: key, actionTimetoken: tick(clock + UInt64(offset)))
            try store.add(action, in: room)
        }
    }

    @Test(
        "actions are counted by type and value as they come and go",
        arguments: StoreUnderTest.allCases)
    func counts(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        #expect(try counts(store) == [0, 0])
        #expect(
            try store.totals(type: "t", value: "v", on: tick(1), in: room) == ActionTotals())
        try store.commit(through: 10) {
            try add(
                $0, at: 2, .on(1, "👍"), .on(1, "👍", by: "bob"), .on(1, "👎"),
                .on(1, "👍", type: "receipt"), .on(2, "👍"))
            // Seen in the transaction.
            #expect(try counts($0) == [3, 4])
        }
        func count(_ value: String) throws -> Int {
            try store.totals(type: "reaction", value: value, on: tick(1), in: room).count
        }
        #expect(try (count("👍"), count("👎"), count("x")) == (2, 1, 0))
        try store.commit(through: 20) {
            try $0.remove(.on(1, "👍"), at: tick(11), in: room)
            try $0.remove(.on(1, "👎"), at: tick(12), in: room)
        }
        #expect(try counts(store) == [2, 2])
        try store.commit(through: 30) { try add($0, at: 21, .on(1, "👍")) }
        #expect(try counts(store) == [2, 3])
        try store.begin()
        try add(store, at: 31, .on(1, "🔥"))
        store.rollback()
        #expect(try counts(store) == [2, 3])
        try store.commit(through: 40) {
            _ = try $0.deleteMessages(after: .zero, through: tick(1), at: tick(33), in: room)
        }
        #expect(try counts(store) == [0, 0])
        #expect(try counts(store, on: 2) == [1, 1])
    }

    @Test("what actions count for is summed up, and kept", arguments: StoreUnderTest.allCases)
    func scores(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func totals() throws -> ActionTotals {
            try store.totals(type: "reaction", value: "👍", on: tick(1), in: room)
        }
        func put(_ store: any Store, _ key: MessageAction.Key, _ score: Int, at place: UInt64)
            throws
        {
            try store.add(
                MessageAction(key: key, actionTimetoken: tick(place), score: score), in: room)
        }
        try store.commit(through: 10) {
            try put($0, .on(1, "👍"), 7, at: 2)
            try put($0, .on(1, "👍", by: "bob"), Limits.actionScoreMax, at: 3)
            try put($0, .on(1, "👎"), 5, at: 4)
        }
        #expect(try totals() == ActionTotals(count: 2, score: 1_000_000_007))
        #expect(try store.action(under: .on(1, "👍"), in: room)?.score == 7)
        #expect(try store.action(onMessage: tick(1), addedAt: tick(2), in: room)?.score == 7)
        #expect(
            try store.ownActions(of: "ada", on: tick(1), in: room).map(\.score).sorted() == [5, 7])
        // Another score is another action under the key.
        try store.commit(through: 20) {
            try $0.remove(.on(1, "👍"), at: tick(11), in: room)
            #expect(try totals() == ActionTotals(count: 1, score: Limits.actionScoreMax))
            try put($0, .on(1, "👍"), 8, at: 12)
        }
        #expect(try totals() == ActionTotals(count: 2, score: 1_000_000_008))
        let reader = try store.makeReader()
        let page = try reader.changes(in: room, from: ChangeStart(after: .zero))
        let scores = page.envelopes.compactMap { envelope -> Int? in
            if case .actionAdded(let action) = envelope.event { action.score } else { nil }
        }
        #expect(scores == [Limits.actionScoreMax, 5, 8])
        let found = try reader.actions(ActionsQuery(channel: "room"), in: room)
        #expect(found.actions.map(\.score) == [Limits.actionScoreMax, 5, 8])
        try store.commit(through: 30) {
            var gone: [Int] = []
            _ = try $0.deleteMessages(after: .zero, through: tick(1), at: tick(21), in: room) {
                if case .action(let action) = $0 { gone.append(action.score) }
            }
            #expect(gone.sorted() == [5, 8, Limits.actionScoreMax])
        }
        #expect(try totals() == ActionTotals())
    }

    @Test(
        "a user's own on a message are found, of all types",
        arguments: StoreUnderTest.allCases)
    func own(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func own(by user: String = "ada") throws -> Set<String> {
            Set(
                try store.ownActions(of: user, on: tick(1), in: room)
                    .map { "\($0.key.type) \($0.key.value) \($0.actionTimetoken.rawValue)" })
        }
        #expect(try own() == [])
        try store.commit(through: 10) {
            try add(
                $0, at: 2, .on(1, "👍"), .on(1, "👎"), .on(1, "read", type: "receipt"),
                .on(1, "👍", by: "bob"), .on(2, "👍"))
            try $0.remove(.on(1, "👎"), at: tick(8), in: room)
        }
        #expect(try own() == ["reaction 👍 2", "receipt read 4"])
        #expect(try own(by: "Ada") == [])
    }

    @Test("a message is there until it is deleted", arguments: StoreUnderTest.allCases)
    func message(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.publish(1, in: room)
        try store.publish(2, in: room)
        #expect(try store.hasMessage(tick(1), in: room))
        #expect(try !store.hasMessage(tick(1), in: Channel("other")))
        #expect(try !store.hasMessage(tick(3), in: room))
        try store.commit(through: 5) {
            try $0.hideMessages(
                in: MessageRange(after: .zero, through: tick(1)), at: tick(4), of: room)
        }
        #expect(try !store.hasMessage(tick(1), in: room))
        #expect(try store.hasMessage(tick(2), in: room))
    }

    @Test("actions on hidden rows are nobody's, and counted until they are removed")
    func hidden() throws {
        let store = try SQLStore(directory: directory.path)
        try store.commit(through: 10) {
            for number in 1...5 as ClosedRange<UInt64> {
                try add($0, at: 2 * number, .on(number, "👍"))
            }
        }
        try store.commit(through: 20) {
            try $0.hideMessages(
                in: MessageRange(after: .zero, through: tick(4)), at: tick(12), of: room)
            try add($0, at: 13, .on(1, "👍", by: "bob"))
        }
        func own(_ user: String) throws -> Int {
            try store.ownActions(of: user, on: tick(1), in: room).count
        }
        #expect(try (own("ada"), own("bob")) == (0, 1))
        while store.hasHiddenRows {
            try store.commit(through: 20) { try $0.removeHiddenRows(limit: 2) }
        }
        #expect(try (own("ada"), own("bob")) == (0, 1))
        #expect(try (counts(store), counts(store, on: 5)) == ([1, 1], [1, 1]))
    }

    @Test("a file of an earlier release is counted once, live rows only")
    func countsAnew() throws {
        var file: SQLStore? = try SQLStore(directory: directory.path)
        try file?.commit(through: 10) {
            try add($0, at: 2, .on(1, "👍"), .on(1, "👍", by: "bob"), .on(1, "👎"), .on(2, "👍"))
            try $0.remove(.on(1, "👎"), at: tick(8), in: room)
        }
        file = nil
        try StoreConnection(path: SQLStore.path(in: directory.path)).execute(
            SQLiteSchema.withoutCounts)
        let upgraded = try SQLStore(directory: directory.path)
        #expect(try counts(upgraded) == [1, 2])
        #expect(try counts(upgraded, on: 2) == [1, 1])
        try upgraded.commit(through: 30) { try add($0, at: 21, .on(1, "👎"), .on(1, "🔥")) }
        #expect(try counts(upgraded) == [3, 4])
    }

    @Test(
        "counts that damage made of any size decide about a write, and are told",
        arguments: [Int64.max, Int64.max - 1, 0, -1, Int64.min + 1, Int64.min])
    func damaged(counter: Int64) throws {
        do {
            let bench = try LedgerBench(SQLStore(directory: directory.path))
            _ = bench.commit(write(.add(.on(1, "👍"))), write(.add(.on(1, "👎"))))
            #expect(bench.failure == nil)
        }
        try StoreConnection(path: SQLStore.path(in: directory.path)).execute(
            "UPDATE action_count SET count = \(counter), score = \(counter)")
        let store = try SQLStore(directory: directory.path)
        let bench = LedgerBench(store)
        var rules = ReactionRules()
        rules.actionsMax = 100

        _ = bench.commit(
            write(.add(.on(1, "👍", by: "bob"), under: rules)),
            write(.add(.on(1, "🔥"), under: rules)), write(.add(.on(1, "👎", by: "bob"))))
        #expect(bench.failure == nil)
        let totals = try store.totals(type: "reaction", value: "👍", on: tick(1), in: room)
        #expect((0...(1 << 48)).contains(totals.count))
        #expect(try store.actionCount(on: tick(1), in: room) >= 0)
        let reader = try store.makeReader()
        let told = try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
            try snapshot.totals(on: tick(1))
        }
        #expect(told.values.allSatisfy { $0.count >= 0 })
        _ = bench.commit(write(.remove(.on(1, "👍"), observed: nil)))
        #expect(bench.failure == nil)
    }
}
