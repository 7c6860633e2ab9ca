// What goes into a statement's parameters and comes out of its rows.

import CSQLite
public import EventModel

/// One argument of a statement.
public enum SQLiteValue {
    case integer(Int64)
    case text(String)
    case null

    public static func timetoken(_ timetoken: Timetoken) -> SQLiteValue {
        .integer(Int64(clamping: timetoken.rawValue))
    }

    /// All 64 bits, as they are.
    public static func word(_ word: UInt64) -> SQLiteValue {
        .integer(Int64(bitPattern: word))
    }

    public static func optional(_ timetoken: Timetoken?) -> SQLiteValue {
        timetoken.map { .timetoken($0) } ?? .null
    }

    public static func optional(_ text: String?) -> SQLiteValue {
        text.map { .text($0) } ?? .null
    }

    /// Gives it to a parameter; SQLite keeps a copy.
    ///
    /// - Parameter index: Counts from 1.
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .integer(let number): return unsafe sqlite3_bind_int64(statement, index, number)
        case .null: return unsafe sqlite3_bind_null(statement, index)
        case .text(var text):
            return text.withUTF8 { utf8 in
                unsafe utf8.withMemoryRebound(to: CChar.self) { characters in
                    unsafe sync_sqlite_bind_text(
                        statement, index, characters.baseAddress, Int32(characters.count))
                }
            }
        }
    }
}

/// The row that a statement stands on; valid only during the call that lends it.
///
/// Columns count from 0.
@safe public struct SQLiteRow: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        unsafe self.statement = unsafe statement
    }

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

    public func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// The first columns as they are; `nil` when one holds what a ``SQLiteValue`` cannot be.
    public func values(_ count: Int) -> [SQLiteValue]? {
        var values: [SQLiteValue] = []
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
