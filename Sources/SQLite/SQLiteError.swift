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

    /// Whether there is no room for a write; SQLite may have ended the transaction by itself.
    public var isFull: Bool { code & 0xFF == SQLITE_FULL }

    /// Whether pages of the file contradict each other.
    public var isDamage: Bool { code & 0xFF == SQLITE_CORRUPT }

    /// Whether the file is no database at all.
    public var isForeign: Bool { code & 0xFF == SQLITE_NOTADB }

    /// Reads what a connection says of its last call.
    ///
    /// - Parameter status: What the call returned, which may be only the class of the error.
    init(_ status: Int32, of database: OpaquePointer?, isOpening: Bool = false) {
        self.isOpening = isOpening
        let extended = unsafe sqlite3_extended_errcode(database)
        code = extended & 0xFF == status & 0xFF ? extended : status
        message = unsafe String(cString: sqlite3_errmsg(database))
    }

    private init(misuse: String) {
        isOpening = false
        code = SQLITE_MISUSE
        message = misuse
    }

    static let nestedUse = SQLiteError(
        misuse: "a statement was used again inside the reading of its own rows")
}
