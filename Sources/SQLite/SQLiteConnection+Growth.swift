// Room for the database file that is taken before the log holds what goes there.

import CSQLite

extension SQLiteConnection {
    /// Bytes of the database file as it is on the disk, without what is in the log.
    public func fileLength() throws(Failure) -> Int64 {
        guard let file = unsafe databaseFile, let methods = unsafe file.pointee.pMethods else {
            return 0
        }
        var length: Int64 = 0
        let status = unsafe methods.pointee.xFileSize?(file, &length) ?? SQLITE_OK
        guard status == SQLITE_OK else { throw fileError(status) }
        return length
    }

    /// Has the database file hold so many pages, with zeros behind its end.
    ///
    /// For the pages that the open transaction adds: copying them later needs no room on the disk,
    /// because it writes where the file already is. SQLite goes by the count of pages in its header
    /// and its log, and cuts off what is beyond it at the end of a checkpoint. What could be taken
    /// before the disk was full stays taken.
    ///
    /// - Parameter pageBytes: The size of a page of this file.
    public func lengthenFile(toPages pages: Int64, of pageBytes: Int) throws(Failure) {
        var length = try fileLength()
        let wanted = pages * Int64(pageBytes)
        guard length < wanted, let file = unsafe databaseFile,
            let methods = unsafe file.pointee.pMethods
        else { return }
        let zeros = [UInt8](repeating: 0, count: pageBytes)
        while length < wanted {
            let status = unsafe zeros.withUnsafeBytes { zeros in
                unsafe methods.pointee.xWrite?(
                    file, zeros.baseAddress, Int32(zeros.count), length) ?? SQLITE_OK
            }
            guard status == SQLITE_OK else { throw fileError(status) }
            length += Int64(pageBytes)
        }
    }

    /// The file in the hands of the VFS, as SQLITE_FCNTL_FILE_POINTER gives it.
    private var databaseFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let status = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return unsafe status == SQLITE_OK ? file : nil
    }

    private func fileError(_ status: Int32) -> Failure { failure(SQLiteError(ofFile: status)) }
}
