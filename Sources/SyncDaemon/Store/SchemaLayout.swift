// How the tables of a file were made, compared with how they should have been.

import SQL

/// Tables, indexes, views and triggers, each with the words that made it.
struct SchemaLayout {
    private struct Entry: Hashable {
        let kind: String
        let name: String
        let table: String
        /// One blank between two words.
        let sql: String

        /// Whether it forbids nothing and computes nothing.
        var isHarmless: Bool {
            // SQLite goes by the words, whatever kind is written beside them.
            switch kind {
            case "table": sql.hasPrefix("CREATE TABLE ")
            case "index":
                sql.hasPrefix("CREATE INDEX ") && !sql.contains(" WHERE ")
                    && sql.count { $0 == "(" } == 1
            default: false
            }
        }
    }

    private var entries: [Entry] = []

    /// Reads that of a file.
    init<Failure>(_ connection: borrowing DatabaseConnection<Failure>) throws(Failure) {
        try connection.prepare(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_schema
            WHERE substr(name, 1, 7) <> 'sqlite_'
            OR NOT (sql IS NULL AND type = 'index' OR type = 'table' AND sql GLOB 'CREATE TABLE *')
            """
        ).query { row in
            let words = row.text(3).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            entries.append(
                Entry(
                    kind: row.text(0), name: row.text(1), table: row.text(2),
                    sql: words.replacing("IF NOT EXISTS ", with: "")))
            return true
        }
    }

    /// What computes the rows of one of our tables, so that to read it may never end; `nil`:
    /// nothing does.
    func imposture(of expected: SchemaLayout) -> String? {
        let ours = Set(expected.entries.filter { $0.kind == "table" }.map(\.name))
        let other = entries.first {
            ours.contains($0.name) && ($0.kind != "table" || $0.sql.hasPrefix("CREATE VIRTUAL"))
        }
        return other.map {
            "its table \($0.name) is a \($0.kind == "table" ? "virtual table" : $0.kind)"
        }
    }

    /// What a daemon could not work with; `nil` when nothing is in its way.
    ///
    /// Further tables, such as `lost_and_found` of `.recover`, and indexes that forbid nothing are
    /// nobody's harm; what computes something when it is read may be.
    func fault(comparedWith expected: SchemaLayout) -> String? {
        for wanted in expected.entries where !entries.contains(wanted) {
            return "its \(wanted.kind) \(wanted.name) is missing or another"
        }
        // A trigger may have the name of a table.
        let ours = Set(expected.entries)
        for other in entries where !ours.contains(other) && !other.isHarmless {
            return "it has a \(other.kind) \(LogText.quoted(other.name)) that is not ours"
        }
        return nil
    }
}
