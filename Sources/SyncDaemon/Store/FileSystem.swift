// What a copy needs of the file system, with errors that name the file.

import Glibc

/// Calls of the file system.
enum FileSystem {
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Whether a file is there.
    ///
    /// - Throws: ``DatabaseFileError/forbidden(path:)`` when this user may not look.
    static func isThere(_ path: String) throws(DatabaseFileError) -> Bool {
        if exists(path) { return true }
        if errno == EACCES { throw .forbidden(path: path) }
        return false
    }

    /// Where a file is.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path from the root without links; `nil` when nothing is there.
    static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Bytes of a file; 0 when it is not there.
    static func size(_ path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// What a file system calls a file, whatever its name; no two that are there have one number.
    static func number(of path: String) -> UInt64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    /// When a file was last written to, in seconds since 1970; `nil` when it is not there.
    static func changed(_ path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_mtim.tv_sec) : nil
    }

    /// Bytes that may still be written to the disk that holds a file; `nil` when nobody knows.
    static func freeBytes(beside path: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// Waits until a file's contents, or a directory's names, are on the disk.
    static func sync(_ path: String) throws(DatabaseFileError) {
        // A pipe that was put there would have it wait.
        let opened = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw failure(path) }
        let descriptor = FileDescriptor(owning: opened)
        guard fsync(descriptor.rawValue) == 0 else { throw failure(path) }
    }

    /// Makes a directory for this user alone, unless it is there.
    static func makeDirectory(_ path: String) throws(DatabaseFileError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
    }

    /// What is in a directory, ascending.
    static func names(in path: String) throws(DatabaseFileError) -> [String] {
        guard let names = DirectoryListing.names(in: path) else { throw failure(path) }
        return names.sorted()
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func rename(_ path: String, to target: String) throws(DatabaseFileError) {
        guard unsafe Glibc.rename(path, target) == 0 else { throw failure(target) }
    }

    /// Gives a file a second name.
    static func link(_ path: String, to target: String) throws(DatabaseFileError) {
        guard unsafe Glibc.link(path, target) == 0 else { throw failure(target) }
    }

    static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// Makes a file its directory's owner's, and nobody else's.
    static func entrust(_ path: String, toOwnerOf directory: String) throws(DatabaseFileError) {
        try own(path, mode: 0o600, as: directory)
    }

    /// Gives a file, or a directory, a mode and the owner of another.
    ///
    /// Root does so where somebody else may put another file, or a link to one, in its place at any
    /// moment: it is the one that was looked at, and has no other name.
    static func own(
        _ path: String, mode: UInt32, as directory: String
    ) throws(DatabaseFileError) {
        var (owner, status) = (stat(), stat())
        guard unsafe stat(directory, &owner) == 0 else { throw failure(directory) }
        // One that is closed takes no locks with it, as others do (fcntl).
        let opened = unsafe open(path, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw failure(path) }
        let descriptor = FileDescriptor(owning: opened)
        guard unsafe fstat(descriptor.rawValue, &status) == 0 else { throw failure(path) }
        let changes = (status.st_uid, status.st_gid) != (owner.st_uid, owner.st_gid)
        let isFile = status.st_mode & S_IFMT == S_IFREG
        guard status.st_mode & S_IFMT == S_IFDIR || isFile && (status.st_nlink == 1 || !changes)
        else { throw .failed(path: path, reason: "it is a link, or another name of a file") }
        guard unsafe chmod("/proc/self/fd/\(descriptor.rawValue)", mode) == 0 else {
            throw failure(path)
        }
        guard changes, geteuid() == 0 || owner.st_uid != geteuid() else { return }
        let (user, group) = (owner.st_uid, owner.st_gid)
        guard unsafe fchownat(descriptor.rawValue, "", user, group, Self.emptyPath) == 0 else {
            throw failure(path)
        }
    }

    /// `O_PATH` and `AT_EMPTY_PATH` of open(2), which the module has for GNU's sources alone.
    private static let pathOnly: Int32 = 0o10_000_000
    private static let emptyPath: Int32 = 0x1000

    /// Whether a path names the file that is open.
    static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (open, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &open) == 0, unsafe stat(path, &named) == 0 else {
            return false
        }
        return open.st_dev == named.st_dev && open.st_ino == named.st_ino
            && open.st_mode & S_IFMT == S_IFREG
    }

    /// What the system's last call says of a path.
    static func failure(_ path: String) -> DatabaseFileError {
        switch errno {
        case ENOSPC, EDQUOT: .noRoom(path: path)
        case ENOENT: .noDirectory(path: path)
        case EACCES, EPERM: .forbidden(path: path)
        case let code: .failed(path: path, reason: systemMessage(code))
        }
    }
}
