// Rows that are told to a real server together: when they go, and what arrives.

import Postgres
import SQL
import Testing

@testable import TestSupport

@Suite("PostgreSQL rows")
struct PostgresRowsTests {
    private let connection: PlainConnection

    init() throws {
        connection = try plainConnection()
        try connection.execute("CREATE UNIQUE INDEX ON t(name)")
    }

    private func rows(
        _ sql: String, key: Int = 0, atMost limit: Int = 1000
    ) -> PostgresRows<PostgresError> {
        connection.prepareRows(sql, types: [.text, .integer], key: key, atMost: limit)
    }

    private static let insert =
        "INSERT INTO t(name, number) SELECT * FROM unnest($1::text[], $2::bigint[])"
    private static let put =
        "\(insert) ON CONFLICT (name) DO UPDATE SET number = excluded.number"

    /// What is in the table, by its numbers.
    private func stored() throws(PostgresError) -> [String] {
        var found: [String] = []
        try connection.prepare("SELECT number, name FROM t ORDER BY number, name").query { row in
            let number = row.optionalInteger(0).map { "\($0)" } ?? "-"
            found.append("\(number) \(row.optionalText(1) ?? "-")")
            return true
        }
        return found
    }

    @Test("they are there for whatever is asked next, each value as it was")
    func values() throws {
        let insert = rows(Self.insert)

        for (name, number): (SQLValue, SQLValue) in [
            (.text("'; DROP TABLE t; --"), .integer(.min)), (.text("👍\\{\"},"), .integer(-1)),
            (.text(""), .integer(0)), (.null, .integer(1)), (.text("NULL"), .integer(.max)),
            (.text("last"), .null),
        ] {
            try insert.run([name, number])
        }

        #expect(
            try stored() == [
                "\(Int64.min) '; DROP TABLE t; --", "-1 👍\\{\"},", "0 ", "1 -",
                "\(Int64.max) NULL", "- last",
            ])
    }

    @Test("of two that have one name the later one stays, and names are their bytes")
    func names() throws {
        let put = rows(Self.put, key: 1)
        // One letter, and a letter with its accent: the same to readers, two to a database.
        let alike = ["é", "e\u{301}"]

        for (name, number) in [(alike[0], 1), (alike[1], 2), (alike[0], 3), ("x", 4), ("x", 5)] {
            try put.run([.text(name), .integer(Int64(number))])
        }

        let found = try stored().map { Array($0.utf8) }
        #expect(found == ["2 \(alike[1])", "3 \(alike[0])", "5 x"].map { Array($0.utf8) })
        try put.run([.text("x"), .integer(6)])
        #expect(try stored().last == "6 x")
    }

    @Test("as many go at once as may, and none is left behind", arguments: [1, 2, 3, 7, 8])
    func limits(limit: Int) throws {
        let insert = rows(Self.insert, atMost: limit)

        for number in 0..<7 { try insert.run([.text("\(number)"), .integer(Int64(number))]) }
        try connection.settle()

        #expect(try stored().count == 7)
    }

    @Test("what was told for a transaction that is rolled back leaves no trace")
    func rollBack() throws {
        let insert = rows(Self.insert)
        try connection.execute("BEGIN")
        try insert.run([.text("a"), .integer(1)])

        connection.rollBack()

        #expect(try stored() == [])
    }

    @Test("one that is refused is told with whatever waits, and takes the others along")
    func failure() throws {
        let insert = rows(Self.insert)
        try connection.execute("BEGIN")
        for name in ["a", "b", "a"] { try insert.run([.text(name), .integer(1)]) }

        let error = #expect(throws: PostgresError.self) { try connection.settle() }

        #expect(error?.state == "23505")
        connection.rollBack()
        #expect(try stored() == [])
    }
}
