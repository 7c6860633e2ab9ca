// One statement in the words of each database.

import Testing

@testable import SyncDaemon

@Suite("Database dialect")
struct DatabaseDialectTests {
    private static let key =
        "(CASE WHEN octet_length(value) <= 1000 THEN value ELSE long_key(value) END)"

    @Test(
        "SQLite gets a statement nearly as it is",
        arguments: [
            (
                "SELECT a FROM b WHERE c = ?1 AND {value} = {?}",
                "SELECT a FROM b WHERE c = ?1 AND value = ?"
            ),
            (
                "SELECT a FROM b INDEXED BY c WHERE d = ?",
                "SELECT a FROM b INDEXED BY c WHERE d = ?"
            ),
            ("SELECT bytes(a) FROM b", "SELECT length(CAST(a AS BLOB)) FROM b"),
        ])
    func sqlite(sql: String, expected: String) {
        #expect(DatabaseDialect.sqlite.statement(sql) == expected)
    }

    @Test(
        "PostgreSQL gets numbered parameters, keys of values, and no names of indexes",
        arguments: [
            ("SELECT a FROM b WHERE c = ? AND d = ?", "SELECT a FROM b WHERE c = $1 AND d = $2"),
            ("SELECT ?2, ?1, ?2", "SELECT $2, $1, $2"),
            ("SELECT '?', ? FROM b WHERE c <> ''", "SELECT '?', $1 FROM b WHERE c <> ''"),
            ("SELECT a FROM b INDEXED BY c_d WHERE e = ?", "SELECT a FROM b  WHERE e = $1"),
            (
                "SELECT ifnull(a, 1), bytes(b) FROM c",
                "SELECT coalesce(a, 1), octet_length(b) FROM c"
            ),
            ("SELECT a FROM b ORDER BY {value}", "SELECT a FROM b ORDER BY \(key)"),
            (
                "SELECT a FROM b WHERE {value} = {?}",
                "SELECT a FROM b WHERE \(key) = "
                    + key.replacing("value", with: "$1::text")
            ),
        ])
    func postgres(sql: String, expected: String) {
        #expect(DatabaseDialect.postgres.statement(sql) == expected)
    }
}
