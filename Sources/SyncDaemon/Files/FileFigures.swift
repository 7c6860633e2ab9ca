// What is counted of files: those that are there, and what became of uploads and downloads.

import Basis
import Synchronization

/// Which limit a file met; the raw values are shown to operators, whose alerts name them: append,
/// never rename.
enum FileLimit: String, Sendable, CaseIterable {
    /// So many uploads, or downloads, are under way.
    case uploads, downloads
    /// So much waits for the threads of files.
    case orders
    /// The file, or the form around it, is larger than it may be.
    case size
    /// The tenant stores as much as it may.
    case quota
    /// There is no room on the disk.
    case disk
    /// The tenant, the user or the address has as many uploads, or downloads, as it may.
    case share
}

/// Any thread may add and read.
final class FileFigures: Sendable {
    /// Whole files in the directory, and their bytes.
    let stored = Atomic<Int>(0)
    let storedBytes = Atomic<Int>(0)
    /// Whole files that the last start found and the database did not know, and their bytes.
    let unknown = Atomic<Int>(0)
    let unknownBytes = Atomic<Int>(0)
    /// Begun since the start, and those of them that came to nothing.
    let uploads = Atomic<Int>(0)
    let uploadsFailed = Atomic<Int>(0)
    let downloads = Atomic<Int>(0)
    let downloadsFailed = Atomic<Int>(0)
    private let refusals = Locked<[FileLimit: Int]>([:])

    func met(_ limit: FileLimit) { refusals.withLock { $0[limit, default: 0] += 1 } }

    func refusals(at limit: FileLimit) -> Int { refusals.withLock { $0[limit, default: 0] } }

    /// - Parameter count: Of files; negative for those that went.
    func changeStored(by count: Int, bytes: Int) {
        stored.add(count)
        storedBytes.add(bytes)
    }

    /// Takes what the start found.
    func take(_ found: FileSweep) {
        changeStored(
            by: found.kept.files + found.broughtBack.files,
            bytes: found.kept.bytes + found.broughtBack.bytes)
        unknown.add(found.aside.files + found.stuck.files)
        unknownBytes.add(found.aside.bytes + found.stuck.bytes)
    }
}
