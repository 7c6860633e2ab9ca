// One connection to a database file. Only this folder touches SQLite.

import CSQLite

/// Who copies the write-ahead log into the database.
public enum SQLiteCheckpoints {
    /// SQLite, after a commit that leaves a long log, and when the last connection is closed.
    case automatic
    /// One connection of the program's choice, by ``SQLiteConnection/checkpoint()``.
    ///
    /// In SQLite before 3.51.3 two connections that copy at the same time can corrupt the file.
    case byCaller
}

/// What a connection does about a file that is not there.
public enum SQLiteOpening {
    /// Makes it.
    case makingFile
    /// Fails.
    case existingFile
}

/// One connection to a database file; closed when its owner goes away.
///
/// For one thread at a time: SQLite does not lock it. A lock that another connection holds is
/// waited for two seconds.
@safe public struct SQLiteConnection<Failure: Error>: ~Copyable {
    let handle: OpaquePointer
    /// Where SQLite notes the length of the log after each commit.
    private let logLength: UnsafeMutablePointer<Int32>
    private let progress = SQLiteProgress()
    let failure: (SQLiteError) -> Failure

    private static var lockMilliseconds: Int32 { 2000 }

    /// Opens the file, or makes it.
    ///
    /// - Parameters:
    ///   - path: `:memory:` keeps nothing.
    ///   - vfs: What leads to the file; `nil`: the system.
    ///   - failure: Says in the caller's words what the connection and its statements throw.
    public init(
        path: String, vfs: String? = nil, _ opening: SQLiteOpening = .makingFile,
        checkpoints: SQLiteCheckpoints, failure: @escaping (SQLiteError) -> Failure
    ) throws(Failure) {
        _ = isOpeningGuarded
        var opened: OpaquePointer?
        let making = opening == .makingFile ? SQLITE_OPEN_CREATE : 0
        // What leads elsewhere has names of its own.
        let (name, links) = vfs == nil ? (Self.plain(path), Self.linkFlags) : (path, 0)
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | making | links
        let status = unsafe sqlite3_open_v2(name, &opened, flags, vfs)
        guard let opened = unsafe opened, status == SQLITE_OK else {
            let error = unsafe SQLiteError(status, of: opened, isOpening: true)
            unsafe sqlite3_close_v2(opened)
            throw failure(error)
        }
        self.failure = failure
        unsafe handle = unsafe opened
        unsafe logLength = .allocate(capacity: 1)
        unsafe logLength.initialize(to: 0)
        unsafe sqlite3_busy_timeout(handle, SQLiteConnection.lockMilliseconds)
        unsafe sync_sqlite_disable_views(handle)
        if case .byCaller = checkpoints { leaveCheckpointsToCaller() }
    }

    /// A path that SQLite takes for one: Debian's takes what begins with `file:` for a URI.
    ///
    /// For root, whom it leads to no link, with the directory's own name.
    public static func plain(_ path: String) -> String {
        let plain = path.hasPrefix("file:") ? "./" + path : path
        guard linkFlags != 0, !plain.isEmpty, !plain.hasPrefix(":") else { return plain }
        let name = plain.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let directory = plain.dropLast(name.count)
        guard let own = unsafe sync_sqlite_own_path(directory.isEmpty ? "." : String(directory))
        else { return plain }
        defer { unsafe sync_sqlite_free(own) }
        let resolved = unsafe String(cString: own)
        return (resolved == "/" ? "" : resolved) + "/" + name
    }

    /// Root works where others may put a link in a file's place: it follows none.
    static var linkFlags: Int32 { sync_sqlite_link_flags() }

    deinit {
        unsafe sqlite3_close_v2(handle)
        unsafe logLength.deallocate()
    }

    private func leaveCheckpointsToCaller() {
        unsafe sync_sqlite_disable_checkpoint_on_close(handle)
        unsafe sqlite3_wal_autocheckpoint(handle, 0)
        unsafe sqlite3_wal_hook(
            handle,
            { length, _, _, pages in
                unsafe length?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logLength)
    }

    /// Pages in the write-ahead log after this connection's last commit.
    ///
    /// 0 unless checkpoints are left to the caller.
    public var logPages: Int { unsafe Int(logLength.pointee) }

    /// Runs one or more statements that return nothing.
    public func execute(_ sql: String) throws(Failure) {
        let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// Compiles one statement, which must go away before the connection does.
    public func prepare(_ sql: String) throws(Failure) -> SQLiteStatement<Failure> {
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let statement = unsafe statement, status == SQLITE_OK else { throw error(status) }
        return unsafe SQLiteStatement(statement, failure: failure)
    }

    /// Runs `body` in one transaction, which is undone when it throws.
    public func inTransaction(_ body: () throws(Failure) -> Void) throws(Failure) {
        try execute("BEGIN IMMEDIATE")
        do throws(Failure) {
            try body()
            try execute("COMMIT")
        } catch {
            // SQLite may have ended it by itself; the first failure is the one to tell.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Has something called, on the thread that uses the connection, whenever a statement has got
    /// on by so many steps of SQLite's machine.
    ///
    /// It must not use the connection. A later call takes the place of an earlier one; `nil` ends
    /// it.
    public func onProgress(every steps: Int32, _ body: (() -> Void)?) {
        guard let body else { return unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
        progress.body = body
        unsafe sqlite3_progress_handler(
            handle, steps,
            { context in
                guard let context = unsafe context else { return 0 }
                unsafe Unmanaged<SQLiteProgress>.fromOpaque(context).takeUnretainedValue().body()
                return 0
            }, Unmanaged.passUnretained(progress).toOpaque())
    }

    /// The key of the row that was inserted last.
    public var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    public var changedRows: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Whether a transaction is open: SQLite ends it by itself after some errors.
    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Copies the log into the database as far as no reader is in the way, without waiting for one.
    public func checkpoint() throws(Failure) {
        let status = unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard status == SQLITE_OK || status == SQLITE_BUSY else { throw error(status) }
    }

    /// Copies the whole log into the database and empties its file.
    ///
    /// - Parameter milliseconds: How long it waits for readers of the log at most.
    /// - Returns: `false` when a reader is in the way; what could be copied was.
    public func truncateLog(waitingAtMost milliseconds: Int32) throws(Failure) -> Bool {
        unsafe sqlite3_busy_timeout(handle, milliseconds)
        defer { unsafe sqlite3_busy_timeout(handle, SQLiteConnection.lockMilliseconds) }
        let status = unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard status != SQLITE_BUSY, status != SQLITE_LOCKED else { return false }
        guard status == SQLITE_OK else { throw error(status) }
        unsafe logLength.pointee = 0
        return true
    }

    private func error(_ status: Int32) -> Failure {
        failure(unsafe SQLiteError(status, of: handle))
    }
}

/// What a connection calls while a statement runs; it lives as long as the connection.
private final class SQLiteProgress {
    var body: () -> Void = {}
}

/// Once, before SQLite opens a file.
let isOpeningGuarded: Bool = {
    sync_sqlite_guard_opening()
    return true
}()
