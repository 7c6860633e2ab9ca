// Saving what can be read of a damaged database file, row by row, in a new file.

import EventModel
import SQL

/// Rows of one table that a salvage could not save.
struct LostRows: Hashable, Sendable {
    let table: String
    /// Those that the file still knew of.
    var count: Int64
    /// Whether there may have been more.
    var isLeast: Bool
}

/// Copies a damaged file's rows to a new one, around what cannot be read.
///
/// It needs no knowledge of single tables but of what rows say about each other. Tables are read
/// from both ends, and what is between by the keys that their indexes still have.
struct Salvage: ~Copyable {
    private let old: StoreConnection
    let new: StoreConnection
    /// Every device that knows the file gets snapshots: nobody can say what it knows and lacks.
    let epoch: String
    let secret: String

    /// - Parameters:
    ///   - source: A database of syncdaemon, of this release or an earlier one.
    ///   - target: Is to be thrown away when the salvage fails.
    init(
        from source: String, to target: String, using generator: inout some RandomNumberGenerator
    ) throws(StoreError) {
        let damaged = try StoreConnection(path: source)
        let empty = try StoreConnection(path: target)
        try SQLiteSchema.prepare(empty, path: target, using: &generator)
        // Nobody relies on the new file before it is whole.
        try empty.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
        old = damaged
        new = empty
        epoch = makeEpoch(using: &generator)
        secret = DigestSecret.random(using: &generator).text
    }

    /// - Returns: What is not in the new file; nothing for a file that was sound.
    func run() throws(StoreError) -> [LostRows] {
        try new.execute("BEGIN")
        let tables = try texts(of: new, "SELECT name FROM sqlite_schema WHERE type = 'table'")
        var lost: [LostRows] = []
        // Runs are of the old epoch.
        for table in tables where table != "run" { lost.append(try copy(table)) }
        for table in ["message", "action", "mutation"] {
            guard let index = lost.firstIndex(where: { $0.table == table }) else { continue }
            lost[index].count += try removeUnsound(table)
        }
        try agree()
        try new.execute("COMMIT")
        return lost.filter { $0.count > 0 || $0.isLeast }
    }

    // MARK: Rows

    private func copy(_ name: String) throws(StoreError) -> LostRows {
        let known = try texts(of: old, "SELECT name FROM pragma_table_info(?)", name)
        let columns = try texts(of: new, "SELECT name FROM pragma_table_info(?)", name)
            .filter(known.contains)
        let key = try texts(
            of: new, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", name)
        // The file is of a release that had no such table.
        guard !columns.isEmpty else { return LostRows(table: name, count: 0, isLeast: false) }
        let list = columns.joined(separator: ", ")
        let isKey = key.map { "\($0) = ?" }.joined(separator: " AND ")
        let insert = try insertion(into: name, columns)
        let find = try new.prepare("SELECT 1 FROM \(name) WHERE \(isKey)")
        let look = try old.prepare("SELECT \(list) FROM \(name) WHERE \(isKey)")

        let isWhole = try eachRow("SELECT \(list) FROM \(name)", columns.count, by: key) {
            values throws(StoreError) in try insert.run(values)
        }
        var lost = LostRows(table: name, count: 0, isLeast: !isWhole)
        for index in try texts(
            of: old,
            "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND origin <> 'pk'", name)
        {
            let order = try texts(
                of: old, "SELECT name FROM pragma_index_info(?) ORDER BY seqno", index)
            // Somebody else's, of an expression: it has no name.
            guard !order.contains("") else { continue }
            if let isFilled = try fill(name, from: index, order, key) {
                if isFilled { lost.isLeast = false }
                continue
            }
            var missing: Int64 = 0
            let query = "SELECT \(key.joined(separator: ", ")) FROM \(name) INDEXED BY \(index)"
            let isIndexWhole = try eachRow(query, key.count, by: order) {
                key throws(StoreError) in
                if try find.first(key, body: { _ in true }) != nil { return }
                let row = try readable { () throws(StoreError) in
                    try look.first(key) { $0.values(columns.count) } ?? nil
                }
                if let values = row ?? nil { try insert.run(values) } else { missing += 1 }
            }
            lost.count = max(lost.count, missing)
            if isIndexWhole { lost.isLeast = false }
        }
        return lost
    }

    /// Takes rows from an index that holds all of what a row must have: names and their numbers.
    ///
    /// - Returns: Whether all of the index could be read; `nil` when it does not hold as much.
    private func fill(
        _ table: String, from index: String, _ order: [String], _ key: [String]
    ) throws(StoreError) -> Bool? {
        let needed = try texts(
            of: new,
            """
            SELECT name FROM pragma_table_info(?)
            WHERE pk > 0 OR ("notnull" = 1 AND dflt_value IS NULL)
            """, table)
        guard needed.allSatisfy({ order.contains($0) || key.contains($0) }) else { return nil }
        let insert = try insertion(into: table, needed)
        let query = "SELECT \(needed.joined(separator: ", ")) FROM \(table) INDEXED BY \(index)"
        return try eachRow(query, needed.count, by: order) {
            values throws(StoreError) in try insert.run(values)
        }
    }

    private func insertion(
        into table: String, _ columns: [String]
    ) throws(StoreError) -> StoreStatement {
        // A new file has rows of its own in these two.
        let word = ["meta", "clock"].contains(table) ? "REPLACE" : "IGNORE"
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return try new.prepare(
            "INSERT OR \(word) INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(marks))")
    }

    /// Reads rows in their order up to the first that cannot be read, and then from the other end.
    ///
    /// - Returns: Whether all could be read.
    private func eachRow(
        _ query: String, _ count: Int, by order: [String],
        _ body: ([SQLValue]) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        for direction in ["ASC", "DESC"] {
            let sorting = order.map { "\($0) \(direction)" }.joined(separator: ", ")
            var failure: StoreError?
            let isRead: Void? = try readable { () throws(StoreError) in
                try old.prepare("\(query) ORDER BY \(sorting)").query { row in
                    guard let values = row.values(count) else { return true }
                    do throws(StoreError) {
                        try body(values)
                        return true
                    } catch {
                        failure = error
                        return false
                    }
                }
            }
            if let failure { throw failure }
            if isRead != nil { return direction == "ASC" }
        }
        return false
    }

    /// - Returns: `nil` for what cannot be read.
    private func readable<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        do throws(StoreError) {
            return try body()
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }

    private func texts(
        of connection: borrowing StoreConnection, _ sql: String, _ arguments: String...
    ) throws(StoreError) -> [String] {
        var texts: [String] = []
        let statement = try connection.prepare(sql)
        if let first = arguments.first {
            try statement.query(.text(first)) { row in
                texts.append(row.text(0))
                return true
            }
        } else {
            try statement.query { row in
                texts.append(row.text(0))
                return true
            }
        }
        return texts
    }
}
