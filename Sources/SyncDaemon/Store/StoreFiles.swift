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
