// Checksums of rows: whatever a disk changes in one is found, and not served.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Row checksums")
struct RowSumTests {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
        let store = try SQLStore(directory: directory.path)
        let message = Message(payload: #""hello, all of you""#, meta: #"{"a":1}"#, type: "text")
        try store.commit(through: 4) {
            try $0.insert(message, at: tick(1), in: room, by: "ada", expires: tick(1 << 60))
            try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(2)), in: room)
            try $0.add(MessageAction(key: .on(1, "🎉"), actionTimetoken: tick(3)), in: room)
            try $0.remove(.on(1, "🎉"), at: tick(4), in: room)
        }
    }

    private func execute(_ sql: String) throws {
        try StoreConnection(path: directory.path + "/syncdaemon.db").execute(sql)
    }

    private func count(_ sql: String) throws -> Int64? {
        try StoreConnection(path: directory.path + "/syncdaemon.db").prepare(sql)
            .first { $0.integer(0) }
    }

    @Test("what was written is read back")
    func sound() throws {
        let store = try SQLStore(directory: directory.path)
        let reader = try store.makeReader()

        #expect(
            try reader.allChanges(in: room, after: .zero).map(\.timetoken.rawValue) == [1, 2, 4])
        #expect(try store.standingAction(.on(1), in: room) == tick(2))
        #expect(!store.hasRowsWithoutSum)
    }

    @Test(
        "any column of a message that changed is found by every question about it",
        arguments: [
            "payload = '\"hello, ill of you\"'", "payload = payload || ' '", "uuid = 'bda'",
            "meta = NULL", "meta = '{\"a\":3}'", "type = NULL", "type = ''", "expires = NULL",
            "expires = 1152921504606846977", "sum = sum + 1", "parent = 7",
        ])
    func messages(change: String) throws {
        try execute("UPDATE message SET \(change)")
        let reader = try SQLStore(directory: directory.path).makeReader()
        let damage = StoreError.damaged(
            path: directory.path + "/syncdaemon.db", reason: "the checksum of message 1 is wrong")

        #expect(throws: damage) { try reader.changes(in: room, after: .zero) }
        for forward in [true, false] {
            let query = HistoryQuery(
                channel: "room", after: forward ? .zero : nil, limit: 10, includesActions: false)
            #expect(throws: damage) { try reader.history(query, in: room) }
        }
        #expect(throws: damage) {
            try reader.backlog([.channel(room)], after: .zero, limit: 10)
        }
        // The failure is told once, and not to who asks for something else.
        #expect(try reader.changes(in: room, after: tick(1)).envelopes.count == 2)
    }

    @Test(
        "any column of an action that changed is found, by readers and by the ledger",
        arguments: [
            "type = 'reactioM'", "uuid = 'adb'", "added = 1", "changed = 3",
            "changed = 9, added = 9",
            "live = 0", "sum = sum + 1", "value = '👎'",
        ])
    func actions(change: String) throws {
        try execute("UPDATE action SET \(change) WHERE value = '👍'")
        let store = try SQLStore(directory: directory.path)
        let reader = try store.makeReader()

        #expect(throws: StoreError.self) { try reader.changes(in: room, after: .zero) }
        #expect(throws: StoreError.self) {
            try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
                try snapshot.forEachChange(after: .zero) { _, _ in true }
            }
        }
        try store.begin()
        defer { store.rollback() }
        // A key that changed is another action's, and one that seems removed does not stand.
        if !["type", "uuid", "value", "live"].contains(where: change.hasPrefix) {
            #expect(throws: StoreError.self) { try store.standingAction(.on(1), in: room) }
            #expect(throws: StoreError.self) {
                try store.deleteMessages(after: .zero, through: tick(9), at: tick(10), in: room)
            }
        }
    }

    @Test("a removal that became standing again is found")
    func tombstones() throws {
        try execute("UPDATE action SET live = 1 WHERE value = '🎉'")
        let store = try SQLStore(directory: directory.path)

        #expect(throws: StoreError.self) {
            try store.makeReader().changes(in: room, after: .zero)
        }
        try store.begin()
        defer { store.rollback() }
        #expect(throws: StoreError.self) { try store.standingAction(.on(1, "🎉"), in: room) }
    }

    @Test(
        "any column of a mutation that changed is found by its retry",
        arguments: [
            "fingerprint = 8", "fingerprint = 7 + (1 << 40)", "kind = 2", "kind = 99",
            "outcome = 3", "timetoken = 6", "sum = sum + 1",
        ])
    func mutations(change: String) throws {
        let record = MutationRecord(fingerprint: 7, outcome: .already(tick(2)))
        let ada = Author(userID: "ada", deviceID: "phone")
        do {
            let store = try SQLStore(directory: directory.path)
            try store.commit(through: 5) {
                try $0.remember(record, of: "m", by: ada, at: tick(5))
                #expect(try $0.outcome(of: "m", by: ada) == record)
            }
        }
        try execute("UPDATE mutation SET \(change)")
        let store = try SQLStore(directory: directory.path)
        try store.begin()
        #expect(throws: StoreError.self) { try store.outcome(of: "m", by: ada) }
        store.rollback()
        // As an earlier release left it; what cannot be is not believed of it either.
        try execute("UPDATE mutation SET sum = NULL")
        try store.begin()
        defer { store.rollback() }
        if change == "kind = 99" {
            #expect(throws: StoreError.self) { try store.outcome(of: "m", by: ada) }
        } else {
            #expect(try store.outcome(of: "m", by: ada) != nil)
        }
    }

    @Test("an index entry that does not find its reaction is damage for whoever goes by the index")
    func lostRow() throws {
        // The row gets another key behind the index's back.
        let index = try #require(
            try StoreConnection(path: directory.path + "/syncdaemon.db").prepare(
                "SELECT rootpage, sql FROM sqlite_schema WHERE name = 'action_by_change'"
            ).first { (page: $0.integer(0), sql: $0.text(1)) })
        let schema = "PRAGMA writable_schema=ON;"
        try execute("\(schema) DELETE FROM sqlite_schema WHERE name = 'action_by_change'")
        try execute("UPDATE action SET value = '👎' WHERE value = '👍'")
        try execute(
            """
            \(schema) INSERT INTO sqlite_schema
            VALUES ('index', 'action_by_change', 'action', \(index.page), '\(index.sql)')
            """)
        let store = try SQLStore(directory: directory.path)
        let reader = try store.makeReader()

        #expect(throws: StoreError.self) { try reader.changes(in: room, after: .zero) }
        for isDescending in [false, true] {
            let query = ActionsQuery(channel: "room", isDescending: isDescending)
            #expect(throws: StoreError.self) {
                try reader.actions(query, in: room)
            }
        }
        #expect(throws: StoreError.self) {
            try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
                try snapshot.action(addedAt: tick(2))
            }
        }
        try store.begin()
        defer { store.rollback() }
        #expect(throws: StoreError.self) {
            try store.action(onMessage: tick(1), addedAt: tick(2), in: room)
        }
    }

    @Test("rows without a checksum are served, get theirs while nothing is written, and keep it")
    func oldRows() throws {
        // With all that a row may have: what a sum that is made anew leaves out looks like damage.
        try SQLStore(directory: directory.path).commit(through: 6) {
            try $0.insert(
                Message(payload: "1", parent: tick(1)), at: tick(5), in: room, by: "ada",
                expires: nil)
            let action = MessageAction(key: .on(1, "🔥"), actionTimetoken: tick(6), score: 7)
            try $0.add(action, in: room)
        }
        try execute("UPDATE message SET sum = NULL; UPDATE action SET sum = NULL")
        do {
            let store = try SQLStore(directory: directory.path)
            let reader = try store.makeReader()
            #expect(try reader.allChanges(in: room, after: .zero).count == 5)
            #expect(store.hasRowsWithoutSum)
            let ledger = Ledger(store: store, tombstoneTicksKept: 1 << 60) { 7 }
            var failure: StoreError?
            var commits = 0
            while ledger.commitExpired(failure: &failure) != nil { commits += 1 }
            #expect(failure == nil)
            #expect(commits > 0)
            #expect(!store.hasRowsWithoutSum)
            #expect(try reader.allChanges(in: room, after: .zero).count == 5)
        }
        #expect(try count("SELECT count(*) FROM message WHERE sum IS NULL") == 0)
        #expect(try count("SELECT count(*) FROM action WHERE sum IS NULL") == 0)
        try execute("UPDATE message SET uuid = 'bob'")
        let store = try SQLStore(directory: directory.path)
        #expect(!store.hasRowsWithoutSum)
        #expect(throws: StoreError.self) {
            try store.makeReader().changes(in: room, after: .zero)
        }
    }

    @Test("equal text in another place, of another length or absent, has another sum")
    func sums() {
        var sums: Set<Int64> = []
        for (first, second) in [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("abc\0", "")] {
            var sum = RowSum()
            sum.add(first)
            sum.add(second)
            sums.insert(sum.value)
        }
        for text in [nil, "", "\0", "12345678", "1234567", "123456789"] as [String?] {
            var sum = RowSum()
            sum.add(text)
            sums.insert(sum.value)
        }

        #expect(sums.count == 11)
    }
}
