// What goes into a statement comes out of its rows.

import EventModel
import Postgres
import SQL
import Testing

@Suite("PostgreSQL statement")
struct PostgresStatementTests {
    @Test("an integer is read back", arguments: [0, 1, -1, 256, -129, Int64.min, Int64.max])
    func integers(number: Int64) throws {
        let statement = try plainConnection().prepare("SELECT $1::bigint")

        #expect(try statement.first([.integer(number)]) { $0.integer(0) } == number)
    }

    @Test(
        "integers of other widths, and booleans, are integers",
        arguments: [
            ("-7::smallint", -7), ("300::smallint", 300), ("-70000::int", -70_000), ("true", 1),
            ("false", 0),
        ] as [(String, Int64)])
    func widths(expression: String, number: Int64) throws {
        let statement = try plainConnection().prepare("SELECT \(expression)")

        #expect(try statement.first { $0.integer(0) } == number)
    }

    @Test(
        "a text is read back, byte for byte, and is never NULL",
        arguments: [
            "", "a", "caf\u{E9}", "cafe\u{301}", "👍", "it's {\"quoted\"} \\",
            String(repeating: "é", count: 5000),
        ])
    func texts(text: String) throws {
        let statement = try plainConnection().prepare("SELECT $1::text, $1::text IS NULL")

        let read = try statement.first([.text(text)]) { row in
            (text: row.text(0), optional: row.optionalText(0), isNull: row.integer(1))
        }

        #expect(read.map { Array($0.text.utf8) } == Array(text.utf8))
        #expect(read?.optional == text)
        #expect(read?.isNull == 0)
    }

    @Test("NULL is read as nothing, and where there must be something, as empty")
    func null() throws {
        let statement = try plainConnection().prepare("SELECT $1::text, $2::bigint")

        try statement.query(.null, .optional(Timetoken?.none)) { row in
            for column in 0..<2 as Range<Int32> {
                let isNull = row.isNull(column)
                #expect(isNull)
                #expect(row.optionalText(column) == nil)
                #expect(row.optionalInteger(column) == nil)
                #expect(row.text(column) == "")
                #expect(row.integer(column) == 0)
            }
            return true
        }
    }

    @Test("rows are read until somebody has had enough")
    func rows() throws {
        let statement = try plainConnection().prepare("SELECT generate_series(1, $1::bigint)")
        var read: [Int64] = []

        try statement.query(.integer(10)) { row in
            read.append(row.integer(0))
            return read.count < 3
        }

        #expect(read == [1, 2, 3])
    }

    @Test("the rows that a statement changed are counted")
    func changedRows() throws {
        let connection = try plainConnection()
        try connection.execute("INSERT INTO t SELECT n, 'a' FROM generate_series(1, 7) AS n")
        let delete = connection.prepare("DELETE FROM t WHERE number > $1")

        #expect(try delete.runCounting([.integer(4)]) == 3)
        #expect(try delete.runCounting([.integer(4)]) == 0)
    }

    @Test("a scan gives all rows in order, in parts", arguments: [0, 1, 9, 10, 11, 25])
    func scan(count: Int64) throws {
        let connection = try plainConnection()
        let scan = connection.prepareScan("SELECT generate_series(1, $1::bigint)", rows: 10)
        try connection.execute("BEGIN")

        for _ in 0..<2 {
            var read: [Int64] = []
            try scan.query([.integer(count)]) { row in
                read.append(row.integer(0))
                return true
            }
            #expect(read == Array(0..<count).map { $0 + 1 })
        }
    }

    @Test("a scan ends where somebody has had enough, and can begin anew", arguments: [3, 10, 17])
    func stoppedScan(limit: Int) throws {
        let connection = try plainConnection()
        let scan = connection.prepareScan("SELECT generate_series(1, 100)", rows: 10)
        try connection.execute("BEGIN")

        for _ in 0..<2 {
            var read = 0
            try scan.query([]) { _ in
                read += 1
                return read < limit
            }
            #expect(read == limit)
        }
    }

    @Test("a statement says what it takes and gives")
    func types() throws {
        let statement = try plainConnection().prepare(
            "SELECT name, number FROM t WHERE number > $1")

        let types = try statement.types()

        #expect(types.parameters == [PostgresType.bigint])
        #expect(types.columns == [PostgresType.text, PostgresType.bigint])
    }
}
