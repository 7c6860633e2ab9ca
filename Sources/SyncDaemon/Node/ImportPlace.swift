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

    private var hadStore: Bool { !absentFiles.contains(SQLStore.path(in: directory)) }

    /// Refuses a directory whose files belong to a store that is elsewhere: a daemon on a server
    /// would read nothing of what came here, and the contents would be among its own.
    func check() throws(TransferError) {
        guard hadStore || !holdsContents else { throw .storeElsewhere(directory: directory) }
    }

    /// Removes a store that was made for an import which kept nothing; one that was there stays,
    /// and so does one whose contents of files came: the next run goes on with them.
    ///
    /// Only for who has it open: that one holds the lock.
    func leaveNothing() {
        guard !hadStore, !holdsContents else { return }
        for file in absentFiles { FileSystem.remove(file) }
        // One that has something else in it stays.
        for directory in absentDirectories { _ = unsafe rmdir(directory) }
    }

    /// Whether anything is where contents of files go; what cannot be looked into has nothing.
    private var holdsContents: Bool {
        do throws(FileError) {
            let files = try FileDirectory(directory + "/files", isMade: false)
            return files.names().contains { $0 != "." && $0 != ".." }
        } catch {
            return false
        }
    }
}
