// Whether the store's files are still those at its path: what goes into unlinked ones is lost.

import Glibc
import Synchronization

/// The files of an open store, by what the file system calls them.
///
/// Any thread may look. What was once found missing stays so: nobody knows what another daemon did
/// to the files meanwhile.
final class StorePlace: Sendable {
    private struct Identity: Sendable, Hashable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_nlink > 0 else { return nil }
            (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    let directory: String
    /// The database and its log: whatever a commit writes to.
    private let written: [(path: String, identity: Identity?)]
    /// The directory, the log's index and the lock, on which other processes rely.
    private let others: [(path: String, identity: Identity?)]
    private let wasLost = Atomic(false)

    /// - Parameter database: Open, and with its log beside it.
    init(directory: String, database: String) {
        self.directory = directory
        written = ["", "-wal"].map { (database + $0, Identity(database + $0)) }
        others = [directory, database + "-shm", directory + "/lock"].map { ($0, Identity($0)) }
    }

    /// Finds out whether what a commit writes to is still there; a few microseconds.
    func check() throws(StoreError) {
        if isLost || !areInPlace(written) { throw .lost(path: directory) }
    }

    /// As ``check()``, of everything.
    func checkAll() throws(StoreError) {
        if isLost || !areInPlace(written) || !areInPlace(others) { throw .lost(path: directory) }
    }

    private var isLost: Bool { wasLost.load(ordering: .relaxed) }

    private func areInPlace(_ files: [(path: String, identity: Identity?)]) -> Bool {
        let areInPlace = files.allSatisfy { $0.identity == nil || Identity($0.path) == $0.identity }
        if !areInPlace { wasLost.store(true, ordering: .relaxed) }
        return areInPlace
    }
}
