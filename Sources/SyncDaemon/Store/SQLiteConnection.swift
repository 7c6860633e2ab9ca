// Owners for SQLite's handles: a connection, a prepared statement, and a row that is being read.

import CSQLite
import EventModel

/// One connection to a database file; closed when its owner goes away.
@safe struct SQLiteConnection: ~Copyable {
    fileprivate let handle: OpaquePointer
    /// Where SQLite notes the length of the log after each commit.
    private let logLength: UnsafeMutablePointer<Int32>

    init(path: String) throws(StoreError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened = unsafe opened, status == SQLITE_OK else {
            let reason = unsafe String(cString: sqlite3_errstr(status))
            unsafe sqlite3_close_v2(opened)
            throw .cannotOpen(path: path, reason: reason)
        }
        unsafe handle = unsafe opened
        unsafe logLength = .allocate(capacity: 1)
        unsafe logLength.initialize(to: 0)
        unsafe sqlite3_busy_timeout(handle, 2000)
        // Only the writer checkpoints: in SQLite before 3.51.3 two connections that do can corrupt
        // the file.
        unsafe sync_sqlite_disable_checkpoint_on_close(handle)
        unsafe sqlite3_wal_autocheckpoint(handle, 0)
        unsafe sqlite3_wal_hook(
            handle,
            { length, _, _, pages in
                unsafe length?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logLength)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
        unsafe logLength.deallocate()
    }

    /// Pages in the write-ahead log after this connection's last commit.
    var logPages: Int { unsafe Int(logLength.pointee) }

    /// Runs one or more statements that return nothing.
    func execute(_ sql: String) throws(StoreError) {
        let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure(status) }
    }

    func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let statement = unsafe statement, status == SQLITE_OK else { throw failure(status) }
        return unsafe SQLiteStatement(statement)
    }

    /// The key of the row that was inserted last.
    var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    var changedRows: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Whether a transaction is open: SQLite ends it by itself after some errors.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Copies the log into the database as far as no reader is in the way, without waiting for one.
    func checkpoint() throws(StoreError) {
        let status = unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard status == SQLITE_OK || status == SQLITE_BUSY else { throw failure(status) }
    }

    fileprivate func failure(_ status: Int32) -> StoreError {
        unsafe storeError(status, of: handle)
    }
}

/// One argument of a statement.
enum SQLiteValue {
    case integer(Int64)
    case text(String)
    case null

    static func timetoken(_ timetoken: Timetoken) -> SQLiteValue {
        .integer(Int64(timetoken.rawValue))
    }

    static func word(_ word: UInt64) -> SQLiteValue {
        .integer(Int64(bitPattern: word))
    }

    static func optional(_ timetoken: Timetoken?) -> SQLiteValue {
        timetoken.map { .timetoken($0) } ?? .null
    }

    static func optional(_ text: String?) -> SQLiteValue {
        text.map { .text($0) } ?? .null
    }
}

/// A prepared statement; finalised when its owner goes away, which must be before the connection
/// does.
@safe struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// How much work it was so far, in instructions of SQLite's machine: grows with the rows that
    /// are looked at.
    var stepCount: Int { Int(unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// Runs a statement that returns no rows.
    func run(_ values: SQLiteValue...) throws(StoreError) {
        try run(values)
    }

    func run(_ values: [SQLiteValue]) throws(StoreError) {
        try bind(values)
        defer { unsafe sqlite3_reset(handle) }
        let status = unsafe sqlite3_step(handle)
        guard status == SQLITE_DONE || status == SQLITE_ROW else {
            throw unsafe storeError(status, of: sqlite3_db_handle(handle))
        }
    }

    /// Calls `body` with each row until it answers `false`.
    func query(
        _ values: SQLiteValue..., body: (borrowing SQLiteRow) -> Bool
    ) throws(StoreError) {
        try bind(values)
        defer { unsafe sqlite3_reset(handle) }
        while true {
            let status = unsafe sqlite3_step(handle)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else {
                throw unsafe storeError(status, of: sqlite3_db_handle(handle))
            }
            if !body(unsafe SQLiteRow(handle)) { return }
        }
    }

    /// The first row, read by `body`.
    func first<Value>(
        _ values: [SQLiteValue], body: (borrowing SQLiteRow) -> Value
    ) throws(StoreError) -> Value? {
        try bind(values)
        defer { unsafe sqlite3_reset(handle) }
        let status = unsafe sqlite3_step(handle)
        if status == SQLITE_DONE { return nil }
        guard status == SQLITE_ROW else {
            throw unsafe storeError(status, of: sqlite3_db_handle(handle))
        }
        return body(unsafe SQLiteRow(handle))
    }

    private func bind(_ values: [SQLiteValue]) throws(StoreError) {
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
                            handle, index, characters.baseAddress,
                            Int32(characters.count))
                    }
                }
            }
            guard status == SQLITE_OK else {
                throw unsafe storeError(status, of: sqlite3_db_handle(handle))
            }
        }
    }
}

/// The row that a statement stands on; valid only during the call that lends it.
@safe struct SQLiteRow: ~Copyable {
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

    /// A text column; empty for NULL.
    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : text(column)
    }
}

private func storeError(_ status: Int32, of database: OpaquePointer?) -> StoreError {
    if status & 0xFF == SQLITE_FULL { return .full }
    let reason = unsafe String(cString: sqlite3_errmsg(database))
    return .broken(code: status, reason: reason)
}
