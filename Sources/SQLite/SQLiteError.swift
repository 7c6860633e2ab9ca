// What SQLite says when something failed; each room puts it into words of its own.

import CSQLite

/// A failed call of SQLite's.
public struct SQLiteError: Error, Hashable {
    /// Whether the file could not even be opened.
    public let isOpening: Bool
    /// SQLite's extended result code: the lowest byte is the class of the error.
    ///
    /// See <https://www.sqlite.org/rescode.html>.
    public let code: Int32
    public let message: String
    /// Whether the system said that a disk or a quota is used up; of no meaning after other errors.
    private let isOutOfRoom: Bool

    /// Whether there is no room for a write; SQLite may have ended the transaction by itself.
    ///
    /// A quota is used up (EDQUOT), or there is none for the log or its index. A failed sync is
    /// never among them, whatever its reason: what was written before it may be lost.
    public var isFull: Bool {
        if code & 0xFF == SQLITE_FULL { return true }
        return isOutOfRoom && (code & 0xFF == SQLITE_CANTOPEN || Self.growing.contains(code))
    }

    /// Whether pages of the file contradict each other, or cannot be read.
    public var isDamage: Bool { code & 0xFF == SQLITE_CORRUPT || Self.reading.contains(code) }

    // SQLite's names for these are macros that Swift does not import.

    /// SQLITE_IOERR_WRITE, SHMOPEN, SHMSIZE, SHMMAP: a file could not be written to or grow.
    private static let growing = [3, 18, 19, 21].map { SQLITE_IOERR | ($0 << 8) }
    /// SQLITE_IOERR_READ, SHORT_READ, SEEK, DATA, CORRUPTFS.
    private static let reading = [1, 2, 22, 32, 33].map { SQLITE_IOERR | ($0 << 8) }

    /// Whether another connection, perhaps another program's, holds the lock that is needed.
    public var isBusy: Bool { code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED }

    /// Whether the file is no database at all.
    public var isForeign: Bool { code & 0xFF == SQLITE_NOTADB }

    /// Reads what a connection says of its last call.
    ///
    /// - Parameter status: What the call returned, which may be only the class of the error.
    init(_ status: Int32, of database: OpaquePointer?, isOpening: Bool = false) {
        // Before any other call. SQLite notes it itself for most failures, but for none of COMMIT.
        let lastError = sync_sqlite_errno()
        self.isOpening = isOpening
        let extended = unsafe sqlite3_extended_errcode(database)
        code = extended & 0xFF == status & 0xFF ? extended : status
        message = unsafe String(cString: sqlite3_errmsg(database))
        let systemError =
            code == Self.growing.first ? lastError : unsafe sqlite3_system_errno(database)
        isOutOfRoom = sync_sqlite_is_out_of_room(systemError) != 0
    }

    /// What the VFS says of a call that was made past the connection.
    init(ofFile status: Int32) {
        isOutOfRoom = sync_sqlite_is_out_of_room(sync_sqlite_errno()) != 0
        isOpening = false
        code = status
        message = unsafe String(cString: sqlite3_errstr(status))
    }

    private init(misuse: String) {
        isOpening = false
        code = SQLITE_MISUSE
        message = misuse
        isOutOfRoom = false
    }

    static let nestedUse = SQLiteError(
        misuse: "a statement was used again inside the reading of its own rows")
}
