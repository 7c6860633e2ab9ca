// The data directory that an import writes into, and how what it made there goes again.

import Glibc

/// What of a data directory was not there before an import.
struct ImportPlace {
    private let directory: String
    private let absentFiles: [String]
    private let absentDirectories: [String]

    /// Before anything is opened there.
    init(_ directory: String) {
        self.directory = directory
        let database = SQLStore.path(in: directory)
        // The lock goes last: until then no daemon comes to what is removed.
        absentFiles = [database, database + "-wal", database + "-shm", directory + "/lock"].filter {
            !FileSystem.exists($0)
        }
        absentDirectories = [directory + "/files", directory].filter { !FileSystem.exists($0) }
    }

    /// Removes a store that was made for an import which kept nothing; one that was there stays.
    ///
    /// Only for who has it open: that one holds the lock.
    func leaveNothing() {
        guard absentFiles.contains(SQLStore.path(in: directory)) else { return }
        for file in absentFiles { FileSystem.remove(file) }
        // One that has something else in it stays.
        for directory in absentDirectories { _ = unsafe rmdir(directory) }
    }
}
