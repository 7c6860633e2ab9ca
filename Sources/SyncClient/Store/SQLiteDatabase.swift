// Owners for SQLite's handles, as far as a cache file needs them.

import CSQLite
import EventModel

/// One connection to a cache file; closed when its owner goes away.
@safe struct SQLiteDatabase: ~Copyable {
    let path: String
    private let handle: OpaquePointer

    init(path: String) throws(DeviceStoreError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened = unsafe opened, status == SQLITE_OK else {
            let reason = unsafe String(cString: sqlite3_errstr(status))
            unsafe sqlite3_close_v2(opened)
            throw .cannotOpen(path: path, reason: reason)
        }
        self.path = path
        unsafe handle = unsafe opened
        unsafe sqlite3_busy_timeout(handle, 2000)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs one or more statements that return nothing.
    func execute(_ sql: String) throws(DeviceStoreError) {
        let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure() }
    }

    func prepare(_ sql: String) throws(DeviceStoreError) -> SQLiteQuery {
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let statement = unsafe statement, status == SQLITE_OK else { throw failure() }
        return unsafe SQLiteQuery(statement, path: path)
    }

    /// Runs `body` in one transaction, which is undone when it throws.
    func inTransaction(_ body: () throws(DeviceStoreError) -> Void) throws(DeviceStoreError) {
        try execute("BEGIN IMMEDIATE")
        do throws(DeviceStoreError) {
            try body()
            try execute("COMMIT")
        } catch {
            // SQLite may have ended it by itself; the first failure is the one to tell.
            try? execute("ROLLBACK")
            throw error
        }
    }

    private func failure() -> DeviceStoreError {
        .broken(path: path, reason: unsafe String(cString: sqlite3_errmsg(handle)))
    }
}

/// One argument of a statement.
enum SQLiteArgument {
    case integer(Int64)
    case text(String)
    case null

    static func timetoken(_ timetoken: Timetoken?) -> SQLiteArgument {
        timetoken.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null
    }

    static func optional(_ text: String?) -> SQLiteArgument {
        text.map { .text($0) } ?? .null
    }
}

/// A prepared statement; finalised when its owner goes away, which must be before the connection
/// does.
@safe struct SQLiteQuery: ~Copyable {
    private let handle: OpaquePointer
    private let path: String

    fileprivate init(_ handle: OpaquePointer, path: String) {
        unsafe self.handle = unsafe handle
        self.path = path
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Runs a statement that returns no rows.
    func run(_ values: SQLiteArgument...) throws(DeviceStoreError) {
        try each(values) { _ in }
    }

    /// Calls `body` with each row.
    func rows(
        _ values: SQLiteArgument..., body: (borrowing SQLiteColumns) -> Void
    ) throws(DeviceStoreError) {
        try each(values, body)
    }

    private func each(
        _ values: [SQLiteArgument], _ body: (borrowing SQLiteColumns) -> Void
    ) throws(DeviceStoreError) {
        try bind(values)
        defer { unsafe sqlite3_reset(handle) }
        while true {
            let status = unsafe sqlite3_step(handle)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { throw failure() }
            body(unsafe SQLiteColumns(handle))
        }
    }

    private func bind(_ values: [SQLiteArgument]) throws(DeviceStoreError) {
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            let status: Int32
            switch value {
            case .integer(let number):
                status = unsafe sqlite3_bind_int64(handle, index, number)
            case .null:
                status = unsafe sqlite3_bind_null(handle, index)
            case .text(var text):
                status = text.withUTF8 { utf8 in
                    unsafe utf8.withMemoryRebound(to: CChar.self) { characters in
                        unsafe sync_sqlite_bind_text(
                            handle, index, characters.baseAddress, Int32(characters.count))
                    }
                }
            }
            guard status == SQLITE_OK else { throw failure() }
        }
    }

    private func failure() -> DeviceStoreError {
        let reason = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
        return .broken(path: path, reason: reason)
    }
}

/// The row that a statement stands on; valid only during the call that lends it.
@safe struct SQLiteColumns: ~Copyable {
    private let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) {
        unsafe self.statement = unsafe statement
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(statement, column)
    }

    func timetoken(_ column: Int32) -> Timetoken {
        Timetoken(rawValue: UInt64(clamping: integer(column)))
    }

    func optionalTimetoken(_ column: Int32) -> Timetoken? {
        isNull(column) ? nil : timetoken(column)
    }

    /// A text column; empty for NULL.
    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    private func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }
}
