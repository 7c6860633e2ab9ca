// How much room a file system has left.

import Glibc

enum FreeSpace {
    /// Bytes that this user may still write where `path` lies; `nil` when nobody can tell.
    ///
    /// A user's quota may allow less.
    static func bytes(at path: String) -> Int? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
