// The files of the data as the kernel sees them: the daemon's own, and nobody else's to read.

import Glibc

enum StoreFiles {
    /// What SQLite keeps beside the database.
    private static let suffixes = ["", "-wal", "-shm"]

    /// Makes the database file when it is absent, and takes others' permissions away from all
    /// three.
    ///
    /// Before SQLite opens them: closing a file gives up this process's locks on it.
    static func claim(_ path: String) throws(StoreError) {
        for suffix in suffixes {
            let name = path + suffix
            let creates = suffix.isEmpty ? O_CREAT : 0
            let opened = unsafe open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | creates, 0o600)
            guard opened >= 0 else {
                if errno == ELOOP { throw .isLink(path: name) }
                // SQLite finds out, and says more.
                continue
            }
            let descriptor = FileDescriptor(owning: opened)
            var status = stat()
            guard unsafe fstat(descriptor.rawValue, &status) == 0, status.st_mode & 0o077 != 0
            else { continue }
            fchmod(descriptor.rawValue, 0o600)
        }
    }
}

/// Makes a directory and its parents, for this user only.
func makeDirectories(_ path: String) throws(StoreError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
        made += "/" + part
        guard unsafe mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
        throw failure(at: path)
    }
}

/// Takes the lock that says "a daemon is using this directory", or says that another has it.
func lockFile(_ path: String) throws(StoreError) -> FileDescriptor {
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if opened < 0, errno == ELOOP { throw .isLink(path: path) }
    guard opened >= 0 else { throw failure(at: path) }
    let descriptor = FileDescriptor(owning: opened)
    guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw .inUse(path: path) }
    return descriptor
}

/// What the system's last call says of a path.
private func failure(at path: String) -> StoreError {
    let code = errno
    guard code == ENOSPC || code == EDQUOT else {
        return .cannotOpen(path: path, reason: systemMessage(code))
    }
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    return .noRoom(path: path, free: FreeSpace.bytes(at: "/" + directory))
}
