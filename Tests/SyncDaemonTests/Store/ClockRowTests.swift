// A file whose clock is not what was written, or cannot be: it is never believed, and never traps.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Clock row")
struct ClockRowTests {
    private let directory: ScratchDirectory
    private let path: String
    private let anchor = ClockAnchor(
        boot: "b", uptime: 5_000_000, ticks: 17_950_000_000_000_000, age: 17_940_000_000_000_000)

    init() throws {
        directory = try ScratchDirectory()
        path = directory.path + "/syncdaemon.db"
        let store = try open()
        try store.publish(17_950_000_000_000_123, in: Channel("room"))
    }

    private func open() throws -> SQLStore {
        try .openedAgain(in: directory.path) { [anchor] _ in anchor }
    }

    private func execute(_ sql: String) throws {
        try StoreConnection(path: path).execute(sql)
    }

    private func expectDamage(_ words: String, _ comment: Comment) {
        let error = #expect(throws: StoreError.self, comment) { try open() }
        guard case .damaged(let named, let reason) = error else {
            Issue.record("\(comment): \(String(describing: error))")
            return
        }
        #expect(named == path)
        #expect(reason.contains(words), comment)
        #expect(error?.description.contains("restore a backup") == true)
    }

    @Test("what was written is read back, with its checksum")
    func sound() throws {
        let connection = try StoreConnection(path: path)
        let row = try SQLiteSchema.clock(connection, path: path)

        #expect(row.lastCommit == tick(17_950_000_000_000_123))
        #expect(row.record.anchor == anchor)
        let sum = try connection.prepare("SELECT sum FROM clock").first { $0.exactInteger(0) }
        #expect(sum ?? nil != nil)
    }

    @Test("each flipped bit of each number ends a start with what to do")
    func flippedBits() throws {
        let connection = try StoreConnection(path: path)
        for column in ["last", "ceiling", "uptime", "ticks", "age", "mutations"] {
            let written = try #require(
                try connection.prepare("SELECT \(column) FROM clock").first { $0.integer(0) })
            for bit in 0..<64 as Range<Int64> {
                try connection.execute("UPDATE clock SET \(column) = \(written ^ (1 << bit))")
                #expect(throws: StoreError.self, "bit \(bit) of \(column)") {
                    try SQLiteSchema.clock(connection, path: path)
                }
            }
            expectDamage("checksum of its clock", "\(column)")
            try connection.execute("UPDATE clock SET \(column) = \(written)")
        }
        #expect(try open().last > tick(17_950_000_000_000_123))
    }

    @Test(
        "text of another boot, another checksum, and no row at all are found, too",
        arguments: [
            ("UPDATE clock SET boot = 'c'", "checksum"),
            ("UPDATE clock SET sum = sum + 1", "checksum"),
            ("UPDATE clock SET last = 'abc'", "something else than numbers"),
            ("UPDATE clock SET age = 1.5", "something else than numbers"),
            ("DELETE FROM clock", "missing"),
        ])
    func otherDamage(sql: String, words: String) throws {
        try execute(sql)
        expectDamage(words, "\(sql)")
    }

    @Test(
        "without a checksum, as earlier releases left it, a clock must be possible",
        arguments: [
            "last = 9223372036854775807", "ceiling = 9223372036854775807", "last = -5",
            "last = last + 4611686018427387904, ceiling = last", "ticks = 9223372036854775807",
            "age = 9223372036854775807", "uptime = 9223372036854775807",
            "age = -9223372036854775808", "mutations = 9223372036854775807", "last = ceiling + 1",
            "ceiling = 100000000000000000",
        ])
    func impossible(change: String) throws {
        try execute("UPDATE clock SET sum = NULL, \(change)")
        expectDamage("impossible", "\(change)")
    }

    @Test("one of an earlier release that is possible is believed, and gets its checksum at once")
    func earlierRelease() throws {
        try execute("UPDATE clock SET sum = NULL")
        do { #expect(try open().last > tick(17_950_000_000_000_123)) }
        try execute("UPDATE clock SET last = last - 1")
        expectDamage("checksum of its clock", "after one start")
    }

    @Test("damage while the daemon runs is refused to who asks, and gone with the next commit")
    func whileRunning() throws {
        let store = try open()
        let reader = try store.makeReader()
        try execute("UPDATE clock SET last = last | 4611686018427387904")

        #expect(throws: StoreError.self) { try reader.changes(in: Channel("room"), after: .zero) }
        try store.publish(17_950_000_000_000_200, in: Channel("room"))
        #expect(try reader.allChanges(in: Channel("room"), after: .zero).count == 2)
    }

    @Test(
        "what a file says of itself is there and possible, or a start ends with what to do",
        arguments: [
            ("secret", "'x'"), ("secret", "''"), ("epoch", "'x'"), ("tombstone_floor", "'x'"),
            ("tombstone_floor", "'9223372036854775807'"), ("deletion_floor", "'-1'"),
            ("deletion_floor", "'99999999999999999'"),
        ])
    func meta(name: String, value: String) throws {
        try execute("UPDATE meta SET value = \(value) WHERE name = '\(name)'")
        expectDamage(name == "secret" ? "its secret cannot be read" : "its \(name) is", "\(name)")
        try execute("DELETE FROM meta WHERE name = '\(name)'")
        expectDamage("its \(name) is missing", "\(name)")
    }

    @Test("runs and ages that are beyond the end are left out, and nothing traps")
    func wildRows() throws {
        try execute(
            """
            INSERT INTO run(id, started_after, began, ended)
            VALUES ('wild', 9223372036854775807, 9223372036854775807, 9223372036854775807);
            INSERT INTO age VALUES (9223372036854775807, 1), (-1, 9223372036854775807);
            INSERT INTO hidden VALUES (9223372036854775806, 7, 9223372036854775807, -1);
            INSERT OR REPLACE INTO segment
            SELECT id, 9223372036854775807, 0, 9223372036854775807, 0, 0, 0 FROM channel;
            """)
        let store = try open()
        #expect(!store.runs.contains { $0.id == "wild" })
        let ledger = Ledger(
            store: store, tombstoneTicksKept: 1, mutationTicksKept: 1,
            anchor: { [anchor] in anchor }
        ) { [anchor] in anchor.ticks }
        let write = Write(
            origin: Origin(reactor: 0, session: SessionID(slot: 0, generation: 0), command: 1),
            author: Author(userID: "ada", deviceID: "phone"), channel: Channel("room"),
            operation: .add(.on(1)), mutation: "m")
        var failure: StoreError?
        for _ in 0..<3 { _ = ledger.commit([write], failure: &failure) }
        #expect(failure == nil)
        // Nothing that is of now was taken for old.
        #expect(store.mutationCount == 1)
    }
}
