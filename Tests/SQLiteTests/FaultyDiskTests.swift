// The disk that simulations and tests put below SQLite fails as real ones do, and only then.

import SQL
import SQLite
import SQLiteFaults
import Testing

@Suite("A faulty disk")
struct FaultyDiskTests {
    struct Failure: Error {
        let error: SQLiteError
    }

    private func open(_ disk: FaultyDisk) throws -> SQLiteConnection<Failure> {
        let connection = try SQLiteConnection(
            path: "/db", vfs: disk.vfsName, checkpoints: .byCaller, failure: Failure.init)
        try connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
        return connection
    }

    private func write(
        _ numbers: ClosedRange<Int>, to connection: borrowing SQLiteConnection<Failure>
    ) throws {
        try connection.execute("CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, text TEXT)")
        for number in numbers {
            try connection.execute("INSERT INTO t VALUES (\(number), hex(zeroblob(300)))")
        }
    }

    private func numbers(in connection: borrowing SQLiteConnection<Failure>) throws -> [Int64] {
        var found: [Int64] = []
        try connection.prepare("SELECT n FROM t ORDER BY n").query { row in
            found.append(row.integer(0))
            return true
        }
        return found
    }

    @Test("two connections see one database, and a commit as a whole")
    func shares() throws {
        let disk = FaultyDisk()
        let writer = try open(disk)
        try write(1...3, to: writer)
        let reader = try open(disk)
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (4, '')")

        #expect(try numbers(in: reader) == [1, 2, 3])
        #expect(throws: Failure.self) { try reader.execute("BEGIN IMMEDIATE") }

        try writer.execute("COMMIT")
        #expect(try numbers(in: reader) == [1, 2, 3, 4])
        try writer.checkpoint()
        #expect(try numbers(in: reader) == [1, 2, 3, 4])
    }

    @Test("a power loss takes any part of what was not synced, and nothing else", arguments: 0..<60)
    func losesPower(changes: Int) throws {
        let disk = FaultyDisk()
        do {
            let connection = try open(disk)
            try write(1...3, to: connection)
            disk.changesUntilPowerLoss = changes
            try connection.execute("BEGIN")
            try? write(4...20, to: connection)
            try? connection.execute("COMMIT")
            try? connection.checkpoint()
        }
        for seed in 0..<20 as Range<UInt64> {
            let found = try numbers(in: open(FaultyDisk(disk.survivors(seed: seed))))

            #expect(found == [1, 2, 3] || found == Array(1...20))
        }
    }

    @Test("what was never synced is not always there")
    func forgets() throws {
        let disk = FaultyDisk()
        let connection = try open(disk)
        try connection.execute("PRAGMA synchronous=OFF")
        try write(1...20, to: connection)
        let left = try (0..<20 as Range<UInt64>).map { seed in
            let copy = try open(FaultyDisk(disk.survivors(seed: seed)))
            return (try? numbers(in: copy))?.count ?? 0
        }

        #expect(Set(left).count > 1)
    }

    @Test("a full disk says so, and takes writes again when there is room")
    func fills() throws {
        let disk = FaultyDisk()
        let connection = try open(disk)
        try write(1...3, to: connection)
        disk.room = 100
        let error = #expect(throws: Failure.self) { try write(4...4, to: connection) }
        #expect(error?.error.isFull == true)

        disk.room = nil
        try write(4...4, to: connection)
        #expect(try numbers(in: connection) == [1, 2, 3, 4])
    }

    @Test("reads and syncs fail when they are to")
    func fails() throws {
        let disk = FaultyDisk()
        let connection = try open(disk)
        try write(1...3, to: connection)
        disk.syncsUntilFailure = 0
        #expect(throws: Failure.self) { try write(4...4, to: connection) }

        let other = try open(FaultyDisk(disk.contents))
        #expect(try numbers(in: other).prefix(3) == [1, 2, 3])
        let copy = FaultyDisk(disk.contents)
        copy.readsUntilFailure = 0
        #expect(throws: Failure.self) { try numbers(in: open(copy)) }
    }

    @Test("a bit that turned around is found in the log by SQLite's checksum")
    func flips() throws {
        let disk = FaultyDisk()
        try write(1...3, to: open(disk))
        let before = disk.contents["/db-wal"]
        #expect(disk.flipBit(of: "/db-wal", seed: 3) != nil)

        #expect(disk.contents["/db-wal"] != before)
        #expect(disk.flipBit(of: "/none", seed: 3) == nil)
    }
}
