// Connections: transactions, the write-ahead log, and errors that say what happened where.

import Foundation
import SQL
import SQLite
import Testing

/// A room's own error, made from SQLite's.
private enum RoomError: Error, Equatable {
    case store(SQLiteError)
    case own

    var cause: SQLiteError? {
        guard case .store(let error) = self else { return nil }
        return error
    }
}

@Suite("SQLite connection")
final class ConnectionTests {
    private let folder = URL.temporaryDirectory.appending(path: "sqlite-\(UUID())").path()
    private var path: String { folder + "/file" }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func open(
        _ checkpoints: SQLiteCheckpoints = .automatic
    ) throws(SQLiteError) -> SQLiteConnection<SQLiteError> {
        let connection = try plainConnection(path, checkpoints)
        try connection.execute("PRAGMA busy_timeout=0; PRAGMA journal_mode=WAL")
        return connection
    }

    private func openRoom(_ path: String) throws(RoomError) -> SQLiteConnection<RoomError> {
        try SQLiteConnection(path: path, checkpoints: .automatic) { .store($0) }
    }

    /// Blobs of one page each, so that the log grows by at least as many pages.
    private func fill(
        _ connection: borrowing SQLiteConnection<SQLiteError>, pages: Int
    ) throws(SQLiteError) {
        try connection.execute("CREATE TABLE t(blob); BEGIN")
        let insert = try connection.prepare("INSERT INTO t VALUES (zeroblob(4096))")
        for _ in 0..<pages { try insert.run() }
        try connection.execute("COMMIT")
    }

    private func count(
        _ connection: borrowing SQLiteConnection<SQLiteError>
    ) throws(SQLiteError) -> Int64? {
        try connection.prepare("SELECT count(*) FROM t").first { $0.integer(0) }
    }

    private func bytes(_ suffix: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
        return attributes[.size] as? Int ?? 0
    }

    // MARK: Errors

    @Test("a long statement says that it gets on, and a short one need not")
    func progress() throws {
        final class Count { var value = 0 }
        let connection = try open()
        let beats = Count()
        connection.onProgress(every: 1000) { beats.value += 1 }
        let count = try connection.prepare(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            SELECT count(*) FROM n
            """)

        #expect(try count.first { $0.integer(0) } == 100_000)
        #expect(beats.value > 100)

        connection.onProgress(every: 0, nil)
        let before = beats.value
        #expect(try count.first { $0.integer(0) } == 100_000)
        #expect(beats.value == before)
    }

    @Test("a file that cannot be opened is named, with the reason", arguments: ["", "/no/where"])
    func cannotOpen(suffix: String) {
        let path = folder + suffix

        let error = #expect(throws: SQLiteError.self) {
            _ = try plainConnection(path)
        }

        #expect(error?.isOpening == true)
        #expect(error.map { $0.code & 0xFF } == 14, "SQLITE_CANTOPEN")
        #expect(error?.message == "unable to open database file")
    }

    @Test("a file that is no database is opened, and refused when it is used")
    func garbage() throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
        let connection = try plainConnection(path)

        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("SELECT * FROM sqlite_schema")
        }

        #expect(error?.code == 26, "SQLITE_NOTADB")
        #expect(error?.isOpening == false)
    }

    @Test(
        "what is not SQL is refused with what SQLite says of it",
        arguments: ["SELEC 1", "SELECT a FROM none"])
    func notSQL(text: String) throws {
        let connection = try plainConnection()

        let executed = #expect(throws: SQLiteError.self) { try connection.execute(text) }
        let prepared = #expect(throws: SQLiteError.self) { _ = try connection.prepare(text) }

        #expect(executed == prepared)
        #expect(executed?.code == 1, "SQLITE_ERROR")
        #expect(executed?.message.isEmpty == false)
        #expect(executed?.isFull == false)
    }

    @Test("a room's calls throw the room's own error")
    func ownError() throws {
        let error = #expect(throws: RoomError.self) {
            _ = try openRoom(folder)
        }
        #expect(error?.cause?.isOpening == true)

        let connection = try openRoom(path)
        let inUse = #expect(throws: RoomError.self) {
            try connection.prepare("SELECT abs(?)").run(.integer(.min))
        }
        #expect(inUse?.cause?.message == "integer overflow")
    }

    @Test("a full file refuses the write, and takes it once there is room")
    func full() throws {
        let connection = try open()
        try fill(connection, pages: 1)
        try connection.execute("PRAGMA max_page_count=8")
        let insert = try connection.prepare("INSERT INTO t VALUES (zeroblob(?))")

        let error = #expect(throws: SQLiteError.self) { try insert.run(.integer(100_000)) }

        #expect(error?.isFull == true)
        #expect(error?.code == 13, "SQLITE_FULL")
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        #expect(try count(connection) == 1)
        try connection.execute("PRAGMA max_page_count=1000")
        try insert.run(.integer(100_000))
        #expect(try count(connection) == 2)
    }

    // MARK: Transactions

    @Test("a transaction is kept whole")
    func commits() throws {
        let connection = try open()
        var isOpenInside = false

        try connection.inTransaction { () throws(SQLiteError) in
            isOpenInside = connection.isInTransaction
            try connection.execute("CREATE TABLE t(a)")
            try connection.execute("INSERT INTO t VALUES (1), (2)")
        }

        let isOpenAfter = connection.isInTransaction
        #expect(isOpenInside)
        #expect(!isOpenAfter)
        #expect(try count(open()) == 2)
    }

    @Test("a transaction that throws is undone, and the first failure is told")
    func undoes() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t(a UNIQUE)")

        let error = #expect(throws: SQLiteError.self) {
            try connection.inTransaction { () throws(SQLiteError) in
                try connection.execute("INSERT INTO t VALUES (1)")
                // This ends the transaction, so that undoing it fails as well.
                try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }

        #expect(error?.message == "UNIQUE constraint failed: t.a")
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        #expect(try count(connection) == 0)
    }

    @Test("what the body throws itself undoes the transaction as well")
    func ownFailure() throws {
        let connection = try openRoom(path)
        try connection.execute("CREATE TABLE t(a)")

        #expect(throws: RoomError.own) {
            try connection.inTransaction { () throws(RoomError) in
                try connection.execute("INSERT INTO t VALUES (1)")
                throw RoomError.own
            }
        }

        let count = try connection.prepare("SELECT count(*) FROM t").first { $0.integer(0) }
        #expect(count == 0)
    }

    @Test("one of two writers is told that the file is busy")
    func busy() throws {
        let first = try open()
        let second = try open()

        try first.inTransaction { () throws(SQLiteError) in
            let error = #expect(throws: SQLiteError.self) { try second.inTransaction {} }
            #expect(error?.code == 5, "SQLITE_BUSY")
        }
        try second.inTransaction {}
    }

    // MARK: The write-ahead log

    @Test("checkpoints that are left to the caller come when it says so, and not at the end")
    func checkpointsByCaller() throws {
        do {
            let connection = try open(.byCaller)
            try fill(connection, pages: 2000)
            let pages = connection.logPages
            #expect(pages > 2000)
            #expect(try bytes("") < 100_000)

            try connection.checkpoint()
            #expect(try bytes("") > 2000 * 4096)
            try connection.execute("INSERT INTO t VALUES (zeroblob(40960))")
            let restarted = connection.logPages
            #expect((1..<100).contains(restarted))
        }
        #expect(try bytes("-wal") > 0)
    }

    @Test("a checkpoint does not wait for a reader, nor fail because of one")
    func checkpointBesideReader() throws {
        let writer = try open(.byCaller)
        let reader = try open(.byCaller)
        try fill(writer, pages: 10)
        try reader.execute("BEGIN; SELECT * FROM t")
        try writer.execute("INSERT INTO t VALUES (zeroblob(4096))")

        try writer.checkpoint()

        #expect(try count(reader) == 10)
        try reader.execute("COMMIT")
        #expect(try count(reader) == 11)
    }

    @Test("SQLite checkpoints by itself when it may, and tidies up at the end")
    func checkpointsAutomatically() throws {
        do {
            let connection = try open(.automatic)
            try fill(connection, pages: 2000)
            #expect(try bytes("") > 2000 * 4096)
            let pages = connection.logPages
            #expect(pages == 0)
        }
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}
