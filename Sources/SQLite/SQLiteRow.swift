// What comes out of a statement.

import CSQLite
public import EventModel
public import SQL

/// The row that a statement stands on; valid only during the call that lends it.
///
/// Columns count from 0.
@safe public struct SQLiteRow: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        unsafe self.statement = unsafe statement
    }

    /// Another name of the same row, no longer valid than this one.
    public func again() -> SQLiteRow { unsafe SQLiteRow(statement) }

    public func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(statement, column)
    }

    /// `nil` for whatever is not stored as an integer.
    public func exactInteger(_ column: Int32) -> Int64? {
        let isInteger = unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER
        return isInteger ? integer(column) : nil
    }

    public func timetoken(_ column: Int32) -> Timetoken {
        Timetoken(rawValue: UInt64(clamping: integer(column)))
    }

    public func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    public func optionalTimetoken(_ column: Int32) -> Timetoken? {
        isNull(column) ? nil : timetoken(column)
    }

    /// A text column; empty for NULL.
    public func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// `nil` for whatever is not stored as text in UTF-8.
    public func exactText(_ column: Int32) -> String? {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT,
            let start = unsafe sqlite3_column_text(statement, column)
        else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(
            validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    public func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// The first columns as they are; `nil` when one holds what a ``SQLValue`` cannot be.
    public func values(_ count: Int) -> [SQLValue]? {
        var values: [SQLValue] = []
        for column in 0..<Int32(count) {
            switch unsafe sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: values.append(.integer(integer(column)))
            case SQLITE_TEXT: values.append(.text(text(column)))
            case SQLITE_NULL: values.append(.null)
            default: return nil
            }
        }
        return values
    }

    private func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }
}
