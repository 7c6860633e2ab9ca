// A statement that was compiled once and runs often.

import CSQLite
public import SQL

/// A prepared statement; finalised when its owner goes away, which must be before the connection
/// does.
///
/// Each call binds its values to the parameters in order, and leaves the statement ready for the
/// next call, also after an error. A call inside `body` of another call of the same statement is
/// refused.
///
/// Calls are inlinable, so that each room compiles them for its own error and results.
@safe public struct SQLiteStatement<Failure: Error>: ~Copyable {
    private let handle: OpaquePointer
    private let failure: (SQLiteError) -> Failure

    init(_ handle: OpaquePointer, failure: @escaping (SQLiteError) -> Failure) {
        unsafe self.handle = unsafe handle
        self.failure = failure
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// How much work it was so far, in instructions of SQLite's machine: grows with the rows that
    /// are looked at.
    public var stepCount: Int {
        Int(unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0))
    }

    /// Runs a statement that returns no rows.
    @inlinable
    public func run(_ values: SQLValue...) throws(Failure) {
        try run(values)
    }

    @inlinable
    public func run(_ values: [SQLValue]) throws(Failure) {
        try bind(values)
        defer { reset() }
        _ = try step()
    }

    /// Runs it.
    ///
    /// - Returns: How many rows it changed.
    public func runCounting(_ values: [SQLValue]) throws(Failure) -> Int {
        try run(values)
        return unsafe Int(sqlite3_changes(sqlite3_db_handle(handle)))
    }

    /// Calls `body` with each row until it answers `false`.
    @inlinable
    public func query(
        _ values: SQLValue..., body: (borrowing SQLiteRow) -> Bool
    ) throws(Failure) {
        try query(values, body: body)
    }

    @inlinable
    public func query(
        _ values: [SQLValue], body: (borrowing SQLiteRow) -> Bool
    ) throws(Failure) {
        try bind(values)
        defer { reset() }
        while try step(), body(row) {}
    }

    /// The first row, read by `body`.
    @inlinable
    public func first<Value>(
        _ values: [SQLValue] = [], body: (borrowing SQLiteRow) -> Value
    ) throws(Failure) -> Value? {
        try bind(values)
        defer { reset() }
        return try step() ? body(row) : nil
    }

    @usableFromInline var row: SQLiteRow { unsafe SQLiteRow(handle) }

    @usableFromInline
    func reset() { unsafe sqlite3_reset(handle) }

    /// Whether there is a row to read now.
    @usableFromInline
    func step() throws(Failure) -> Bool {
        let status = unsafe sqlite3_step(handle)
        guard status == SQLITE_ROW || status == SQLITE_DONE else { throw error(status) }
        return status == SQLITE_ROW
    }

    @usableFromInline
    func bind(_ values: [SQLValue]) throws(Failure) {
        // SQLite itself refuses new values then, but a statement without any would start anew.
        guard unsafe sqlite3_stmt_busy(handle) == 0 else { throw failure(.nestedUse) }
        for (offset, value) in values.enumerated() {
            let status = unsafe value.bind(to: handle, at: Int32(offset + 1))
            guard status == SQLITE_OK else { throw error(status) }
        }
    }

    private func error(_ status: Int32) -> Failure {
        failure(unsafe SQLiteError(status, of: sqlite3_db_handle(handle)))
    }
}
