// A copy of a database, page for page.

import CSQLite

extension SQLiteConnection {
    /// Writes the present state to a new or empty file, each page where it is here; others may
    /// write to this database meanwhile.
    ///
    /// What `VACUUM INTO` makes is smaller, but pages of the log do not fit on it.
    public func copyPages(to target: String) throws(Failure) {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_CREATE | Self.linkFlags
        let status = unsafe sqlite3_open_v2(Self.plain(target), &opened, flags, nil)
        defer { unsafe sqlite3_close_v2(opened) }
        guard let opened = unsafe opened, status == SQLITE_OK else {
            throw failure(unsafe SQLiteError(status, of: opened, isOpening: true))
        }
        guard let backup = unsafe sqlite3_backup_init(opened, "main", handle, "main") else {
            throw failure(unsafe SQLiteError(sqlite3_errcode(opened), of: opened))
        }
        // In one step: then it is of one commit.
        let step = unsafe sqlite3_backup_step(backup, -1)
        let end = unsafe sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, end == SQLITE_OK else {
            let code = end == SQLITE_OK ? step : end
            throw failure(unsafe SQLiteError(code, of: opened))
        }
    }
}
