// A statement of whichever database, and the rows that come out of it.

import EventModel
import Postgres
import SQL
import SQLite

/// A statement that was compiled once and runs often; it goes away before its connection.
///
/// Calls are not inlined: Swift 6.3.1 ends in an assertion where its optimiser threads jumps
/// through several switches over a value that cannot be copied.
enum DatabaseStatement<Failure: Error>: ~Copyable {
    case sqlite(SQLiteStatement<Failure>)
    case postgres(PostgresStatement<Failure>)
    case scan(PostgresScan<Failure>)
    case rows(PostgresRows<Failure>)

    /// How much work it was so far; see ``SQLiteStatement/stepCount``.
    var stepCount: Int {
        switch self {
        case .sqlite(let statement): statement.stepCount
        case .postgres: 0
        case .scan: 0
        case .rows: 0
        }
    }

    /// Runs a statement that returns no rows.
    ///
    /// A server's word on it may come with a later call.
    func run(_ values: SQLValue...) throws(Failure) {
        try run(values as [SQLValue])
    }

    @inline(never)
    func run(_ values: [SQLValue]) throws(Failure) {
        switch self {
        case .sqlite(let statement): try statement.run(values)
        case .postgres(let statement): try statement.run(values)
        case .rows(let statement): try statement.run(values)
        case .scan: preconditionFailure("a scan returns rows")
        }
    }

    /// Has a server asked for rows, which ``DatabaseConnection/answers(_:)`` brings.
    ///
    /// - Returns: The number of the answer.
    @inline(never)
    func ask(_ values: [SQLValue]) throws(Failure) -> Int {
        switch self {
        case .postgres(let statement): return try statement.ask(values)
        case .rows(let statement): return try statement.ask(values)
        case .sqlite: preconditionFailure("a file is not asked beforehand")
        case .scan: preconditionFailure("a scan is not asked beforehand")
        }
    }

    /// Runs it at once, and everything before it.
    ///
    /// - Parameter tag: What the server must say that it has done: a `COMMIT` of a transaction that
    ///   failed is none.
    @inline(never)
    func run(expecting tag: String?) throws(Failure) {
        switch self {
        case .sqlite(let statement): try statement.run()
        case .postgres(let statement): try statement.run(expecting: tag)
        case .scan: preconditionFailure("a scan returns rows")
        case .rows: preconditionFailure("rows wait for others")
        }
    }

    /// Runs it at once.
    ///
    /// - Returns: How many rows it changed.
    @inline(never)
    func runCounting(_ values: [SQLValue]) throws(Failure) -> Int {
        switch self {
        case .sqlite(let statement): try statement.runCounting(values)
        case .postgres(let statement): try statement.runCounting(values)
        case .scan: preconditionFailure("a scan changes nothing")
        case .rows: preconditionFailure("rows wait for others")
        }
    }

    /// Calls `body` with each row until it answers `false`.
    func query(
        _ values: SQLValue..., body: (borrowing DatabaseRow) -> Bool
    ) throws(Failure) {
        try query(values as [SQLValue], body: body)
    }

    @inline(never)
    func query(
        _ values: [SQLValue], body: (borrowing DatabaseRow) -> Bool
    ) throws(Failure) {
        switch self {
        case .sqlite(let statement):
            try statement.query(values) { row in body(.sqlite(row.again())) }
        case .postgres(let statement):
            try statement.query(values) { row in body(.postgres(row.again())) }
        case .scan(let statement):
            try statement.query(values) { row in body(.postgres(row.again())) }
        case .rows: preconditionFailure("rows are told, not asked for")
        }
    }

    /// The first row, read by `body`.
    @inline(never)
    func first<Value>(
        _ values: [SQLValue] = [], body: (borrowing DatabaseRow) -> Value
    ) throws(Failure) -> Value? {
        switch self {
        case .sqlite(let statement):
            return try statement.first(values) { row in body(.sqlite(row.again())) }
        case .postgres(let statement):
            return try statement.first(values) { row in body(.postgres(row.again())) }
        case .scan(let statement):
            var value: Value?
            try statement.query(values) { row in
                value = body(.postgres(row.again()))
                return false
            }
            return value
        case .rows: preconditionFailure("rows are told, not asked for")
        }
    }
}

/// The row that a statement stands on; valid only during the call that lends it.
///
/// Columns count from 0. Calls are not inlined, for the reason at ``DatabaseStatement``.
enum DatabaseRow: ~Copyable {
    case sqlite(SQLiteRow)
    case postgres(PostgresRow)

    @inline(never)
    func integer(_ column: Int32) -> Int64 {
        switch self {
        case .sqlite(let row): row.integer(column)
        case .postgres(let row): row.integer(column)
        }
    }

    /// `nil` for whatever is not stored as an integer.
    @inline(never)
    func exactInteger(_ column: Int32) -> Int64? {
        switch self {
        case .sqlite(let row): row.exactInteger(column)
        case .postgres(let row): row.optionalInteger(column)
        }
    }

    func timetoken(_ column: Int32) -> Timetoken {
        Timetoken(rawValue: UInt64(clamping: integer(column)))
    }

    @inline(never)
    func optionalInteger(_ column: Int32) -> Int64? {
        switch self {
        case .sqlite(let row): row.optionalInteger(column)
        case .postgres(let row): row.optionalInteger(column)
        }
    }

    func optionalTimetoken(_ column: Int32) -> Timetoken? {
        optionalInteger(column).map { Timetoken(rawValue: UInt64(clamping: $0)) }
    }

    /// A text column; empty for NULL.
    @inline(never)
    func text(_ column: Int32) -> String {
        switch self {
        case .sqlite(let row): row.text(column)
        case .postgres(let row): row.text(column)
        }
    }

    /// `nil` for whatever is not stored as text in UTF-8.
    @inline(never)
    func exactText(_ column: Int32) -> String? {
        switch self {
        case .sqlite(let row): row.exactText(column)
        case .postgres(let row): row.optionalText(column)
        }
    }

    @inline(never)
    func optionalText(_ column: Int32) -> String? {
        switch self {
        case .sqlite(let row): row.optionalText(column)
        case .postgres(let row): row.optionalText(column)
        }
    }

    /// The first columns as they are; `nil` when one holds what a ``SQLValue`` cannot be.
    @inline(never)
    func values(_ count: Int) -> [SQLValue]? {
        switch self {
        case .sqlite(let row): row.values(count)
        case .postgres(let row): row.values(count)
        }
    }
}
