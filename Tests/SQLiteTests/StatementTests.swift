// What goes into a statement comes out of its rows, and nothing leaves it half done.

import EventModel
import SQL
import SQLite
import Testing

/// A connection that throws what SQLite says; without a path it keeps nothing.
func plainConnection(
    _ path: String = ":memory:", _ checkpoints: SQLiteCheckpoints = .automatic
) throws(SQLiteError) -> SQLiteConnection<SQLiteError> {
    try SQLiteConnection(path: path, checkpoints: checkpoints) { $0 }
}

@Suite("SQLite statement")
struct StatementTests {
    /// A table of three rows, in which no number may appear twice.
    private func numbers() throws -> SQLiteConnection<SQLiteError> {
        let connection = try plainConnection()
        try connection.execute(
            "CREATE TABLE t(number INTEGER UNIQUE, name TEXT); "
                + "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
        return connection
    }

    /// SQLite refuses this while any statement still reads or writes the table.
    private func expectNothingHalfDone(
        on connection: borrowing SQLiteConnection<SQLiteError>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(SQLiteError) {
            try connection.execute("DROP TABLE t")
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
    }

    // MARK: Values

    @Test("an integer is read back", arguments: [0, 1, -1, Int64.min, Int64.max])
    func integers(number: Int64) throws {
        let statement = try plainConnection().prepare("SELECT ?")

        #expect(try statement.first([.integer(number)]) { $0.integer(0) } == number)
    }

    @Test(
        "a text is read back, byte for byte, and is never NULL",
        arguments: [
            "", "a", "caf\u{E9}", "cafe\u{301}", "👍", "a\u{0}b", "it's",
            String(repeating: "é", count: 5000),
        ])
    func texts(text: String) throws {
        let connection = try plainConnection()
        let statement = try connection.prepare("SELECT ?1, typeof(?1)")

        let read = try statement.first([.text(text)]) { row in
            (text: row.text(0), optional: row.optionalText(0), kind: row.text(1))
        }

        #expect(read.map { Array($0.text.utf8) } == Array(text.utf8))
        #expect(read?.optional == text)
        #expect(read?.kind == "text")
    }

    @Test("NULL is read as nothing, and where there must be something, as empty")
    func null() throws {
        let connection = try plainConnection()
        let statement = try connection.prepare("SELECT ?, ?, ?")
        let values: [SQLValue] = [
            .null, .optional(String?.none), .optional(Timetoken?.none),
        ]

        try statement.query(values[0], values[1], values[2]) { row in
            for column in 0..<3 as Range<Int32> {
                #expect(row.optionalText(column) == nil)
                #expect(row.optionalTimetoken(column) == nil)
                #expect(row.text(column) == "")
                #expect(row.integer(column) == 0)
            }
            return true
        }
    }

    @Test("an optional value that is there is read back")
    func optionals() throws {
        let connection = try plainConnection()
        let statement = try connection.prepare("SELECT ?, ?")
        let tick = Timetoken(rawValue: 17_000_000_000_000_000)

        let read = try statement.first([.optional("a"), .optional(tick)]) { row in
            (text: row.optionalText(0), timetoken: row.optionalTimetoken(1))
        }

        #expect(read?.text == "a")
        #expect(read?.timetoken == tick)
    }

    @Test("a timetoken is read back; what no store can hold becomes the nearest that one can")
    func timetokens() throws {
        let connection = try plainConnection()
        let statement = try connection.prepare("SELECT ?")
        let last = UInt64(Int64.max)

        for (given, expected) in [(0, 0), (1, 1), (last, last), (last + 1, last), (.max, last)] {
            let value = SQLValue.timetoken(Timetoken(rawValue: given))
            #expect(try statement.first([value]) { $0.timetoken(0).rawValue } == expected)
        }
        #expect(try statement.first([.integer(-1)]) { $0.timetoken(0) } == .zero)
    }

    @Test("a word keeps all its bits", arguments: [0, 1, UInt64(1) << 63, .max])
    func words(word: UInt64) throws {
        let statement = try plainConnection().prepare("SELECT ?")

        let read = try statement.first([.word(word)]) { UInt64(bitPattern: $0.integer(0)) }

        #expect(read == word)
    }

    // MARK: Ends

    @Test("a reading that is stopped leaves nothing half done")
    func stops() throws {
        let connection = try numbers()
        let all = try connection.prepare("SELECT number FROM t ORDER BY number")
        var seen: [Int64] = []

        try all.query { row in
            seen.append(row.integer(0))
            return seen.count < 2
        }
        let first = try all.first { $0.integer(0) }
        try all.run()

        #expect(seen == [1, 2])
        #expect(first == 1)
        expectNothingHalfDone(on: connection)
    }

    @Test("no row is nothing")
    func empty() throws {
        let connection = try numbers()
        let statement = try connection.prepare("SELECT number FROM t WHERE name = ?")

        #expect(try statement.first([.text("z")]) { $0.integer(0) } == nil)
        try statement.query(.text("z")) { _ in
            Issue.record("there is no such row")
            return true
        }
        expectNothingHalfDone(on: connection)
    }

    @Test("a statement that failed runs again, and leaves nothing half done")
    func recovers() throws {
        let connection = try numbers()
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")

        let error = #expect(throws: SQLiteError.self) { try insert.run(.integer(2), .null) }
        try insert.run(.integer(4), .null)

        #expect(error?.code == 2067, "SQLITE_CONSTRAINT_UNIQUE")
        #expect(error?.message == "UNIQUE constraint failed: t.number")
        let (changed, last) = (connection.changedRows, connection.lastInsertedRow)
        #expect(changed == 1)
        #expect(last == 4)
        expectNothingHalfDone(on: connection)
    }

    @Test("a reading that fails at some row leaves nothing half done")
    func failsInTheMiddle() throws {
        let connection = try numbers()
        // The smallest number has no absolute value.
        try connection.execute("INSERT INTO t VALUES (-9223372036854775808, 'least')")
        let statement = try connection.prepare("SELECT abs(number) FROM t ORDER BY rowid")
        var seen: [Int64] = []

        let error = #expect(throws: SQLiteError.self) {
            try statement.query { row in
                seen.append(row.integer(0))
                return true
            }
        }

        #expect(seen == [1, 2, 3])
        #expect(error?.message == "integer overflow")
        expectNothingHalfDone(on: connection)
    }

    @Test("more values than parameters are refused, and the statement runs again")
    func tooManyValues() throws {
        let connection = try numbers()
        let delete = try connection.prepare("DELETE FROM t WHERE number = ?")

        let error = #expect(throws: SQLiteError.self) { try delete.run(.integer(1), .integer(2)) }
        try delete.run(.integer(3))

        #expect(error?.code == 25, "SQLITE_RANGE")
        let changed = connection.changedRows
        #expect(changed == 1)
        expectNothingHalfDone(on: connection)
    }

    @Test("a statement is not used inside the reading of its own rows, which goes on")
    func nestedUse() throws {
        let connection = try numbers()
        let plain = try connection.prepare("SELECT number FROM t ORDER BY number")
        let bound = try connection.prepare("SELECT number FROM t WHERE number > ? ORDER BY number")
        var seen: [Int64] = []

        try plain.query { row in
            seen.append(row.integer(0))
            let error = #expect(throws: SQLiteError.self) { try plain.first { $0.integer(0) } }
            #expect(error?.code == 21, "SQLITE_MISUSE")
            #expect(error?.message.contains("inside the reading of its own rows") == true)
            return seen.count < 5
        }
        try bound.query(.integer(0)) { row in
            seen.append(row.integer(0))
            #expect(throws: SQLiteError.self) { try bound.run(.integer(2)) }
            return seen.count < 8
        }

        #expect(seen == [1, 2, 3, 1, 2, 3])
        expectNothingHalfDone(on: connection)
    }

    @Test("its work grows with the rows that are looked at")
    func steps() throws {
        let connection = try numbers()
        let statement = try connection.prepare("SELECT number FROM t")
        var counts = [statement.stepCount]

        for _ in 0..<2 {
            try statement.query { _ in true }
            counts.append(statement.stepCount)
        }

        #expect(counts[0] == 0)
        #expect(counts[1] > 0)
        #expect(counts[2] > counts[1])
    }
}
