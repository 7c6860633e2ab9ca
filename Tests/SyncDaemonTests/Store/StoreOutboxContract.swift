// What every store promises about events on their way to webhooks.

import EventModel
import Testing

@testable import SyncDaemon

extension OutboxPlace {
    static func of(_ webhook: String, _ batch: UInt64, lane: Int = 0) -> OutboxPlace {
        OutboxPlace(webhook: webhook, lane: lane, batch: tick(batch))
    }
}

extension OutboxRow {
    /// An event that names itself.
    static func numbered(
        _ number: UInt64, in place: OutboxPlace, author: String? = nil
    ) -> OutboxRow {
        OutboxRow(
            place: place, timetoken: tick(number), due: tick(place.batch.rawValue + 50),
            author: author, event: "{\"number\":\(number)}")
    }
}

@Suite("Store contract: what waits for webhooks")
struct StoreOutboxContract {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test("rows come with their commit, and not before", arguments: StoreUnderTest.allCases)
    func commits(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        let rows = [1, 2].map { OutboxRow.numbered($0, in: .of("a", 1)) }

        try store.begin()
        for row in rows { try store.put(row) }
        #expect(try reader.firstBatch(of: "a", lane: 0) == nil)
        store.rollback()
        #expect(try store.outboxUse().isEmpty)
        try store.commit(through: 3) { for row in rows { try $0.put(row) } }

        let first = try #require(try reader.firstBatch(of: "a", lane: 0))
        #expect(first.place == .of("a", 1) && first.due == tick(51))
        #expect(try reader.rows(of: first.place) == rows)
        #expect(try reader.firstBatch(of: "a", lane: 1) == nil)
        #expect(try reader.firstBatch(of: "b", lane: 0) == nil)
        let use = OutboxUse(rows: 2, bytes: 24)
        #expect(try store.outboxUse() == ["a": OutboxUses(waiting: use)])
    }

    @Test(
        "batches are read in their order, and gone once they are removed",
        arguments: StoreUnderTest.allCases)
    func removes(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        try store.commit(through: 9) {
            // Reactions that are collected join older batches.
            for (number, batch) in [(3, 3), (4, 4), (5, 3)] as [(UInt64, UInt64)] {
                try $0.put(.numbered(number, in: .of("a", batch, lane: 2), author: "é"))
            }
            try $0.put(.numbered(2, in: .of("a", 2, lane: 1)))
            try $0.put(.numbered(1, in: .of("b", 1)))
        }
        #expect(try store.oldestBatch(of: "a") == .of("a", 2, lane: 1))
        #expect(try reader.firstBatch(of: "a", lane: 2)?.place == .of("a", 3, lane: 2))
        let rows = try reader.rows(of: .of("a", 3, lane: 2))
        #expect(rows.map(\.timetoken) == [tick(3), tick(5)])
        #expect(rows.map(\.author) == ["é", "é"])

        try store.begin()
        #expect(try store.remove(.of("a", 3, lane: 2)) == OutboxUse(rows: 2, bytes: 24))
        #expect(try store.remove(.of("a", 3, lane: 2)) == OutboxUse())
        try store.commit(through: tick(10))

        #expect(try reader.firstBatch(of: "a", lane: 2)?.place == .of("a", 4, lane: 2))
        #expect(try reader.rows(of: .of("a", 3, lane: 2)).isEmpty)
        #expect(try store.outboxUse()["b"]?.waiting.rows == 1)
    }

    @Test("the last rows of a batch go first", arguments: StoreUnderTest.allCases)
    func removesSome(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        let place = OutboxPlace.of("a", 1)
        try store.commit(through: 9) {
            for number in 1...3 as ClosedRange<UInt64> {
                try $0.put(.numbered(number, in: place))
            }
            try $0.put(.numbered(4, in: .of("a", 4)))
            try $0.put(.numbered(3, in: .of("b", 1)))
        }
        for (left, gone) in [([1], 2), ([], 1), ([], 0)] as [([UInt64], Int)] {
            try store.begin()
            #expect(
                try store.removeSome(of: place, rowsMax: 2)
                    == OutboxUse(rows: gone, bytes: 12 * gone))
            try store.commit(through: store.last.successor(at: 0))
            #expect(try reader.rows(of: place).map(\.timetoken) == left.map { tick($0) })
        }
        #expect(try reader.firstBatch(of: "a", lane: 0)?.place == .of("a", 4))
        #expect(try reader.rows(of: .of("b", 1)).count == 1)
    }

    @Test(
        "dead letters keep what they were, and come back to where they were",
        arguments: StoreUnderTest.allCases)
    func buries(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        let (one, other) = (OutboxPlace.of("a", 1), OutboxPlace.of("a", 2, lane: 3))
        let rows = [OutboxRow.numbered(1, in: one), .numbered(3, in: one, author: "ada")]
        try store.commit(through: 3) {
            for row in rows { try $0.put(row) }
            try $0.put(.numbered(2, in: other))
        }

        try store.begin()
        let buried = try [other, one, one].map {
            try store.bury($0, "status 410", at: tick(4)).rows
        }
        try store.commit(through: tick(4))
        #expect(buried == [1, 2, 0])

        #expect(try reader.firstBatch(of: "a", lane: 0) == nil)
        #expect(try store.oldestDead(of: "a") == one)
        #expect(try store.oldestDead(of: "b") == nil)
        let dead = try reader.deadBatches(of: "a", limit: 9)
        #expect(
            dead == [
                DeadBatch(place: one, events: 2, reason: "status 410", died: tick(4)),
                DeadBatch(place: other, events: 1, reason: "status 410", died: tick(4)),
            ])
        #expect(try reader.deadBatches(of: "a", limit: 1).count == 1)
        let uses = try #require(try store.outboxUse()["a"])
        #expect(uses.waiting == OutboxUse() && uses.dead == OutboxUse(rows: 3, bytes: 36))

        try store.begin()
        #expect(try store.revive(one) == OutboxUse(rows: 2, bytes: 24))
        #expect(try store.forgetDead(other) == OutboxUse(rows: 1, bytes: 12))
        try store.commit(through: tick(5))
        #expect(try reader.rows(of: one) == rows)
        #expect(try reader.deadBatches(of: "a", limit: 9).isEmpty)
        #expect(try store.outboxUse()["a"]?.waiting == OutboxUse(rows: 2, bytes: 24))
    }
}
