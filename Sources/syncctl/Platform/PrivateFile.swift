// Files that nobody else has any business to read.

import Glibc

/// A file for this user alone, made before another library opens it.
enum PrivateFile {
    /// Makes an empty one, unless there is something by that name.
    ///
    /// SQLite takes one for a new database, and gives what it makes beside it the same mode. What
    /// cannot be made here cannot be opened either, and that is told then.
    static func make(_ path: String) {
        let opened = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if opened >= 0 { close(opened) }
    }
}
