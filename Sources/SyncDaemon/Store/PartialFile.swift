// The file that a copy grows in: one writer at a time, and gone when the copy is not finished.

import Glibc

/// `FILE.part` beside the file that it will be, locked while this value lives.
///
/// The lock ends with its process: whatever one that was killed has left is taken over.
struct PartialFile: ~Copyable {
    let path: String
    private let target: String
    private let descriptor: FileDescriptor

    /// Takes the file, and empties it.
    init(of target: String) throws(DatabaseFileError) {
        let path = target + ".part"
        var descriptor = try Self.lock(path, of: target)
        // Whoever could read what another one has put there, or wait for it, would have the copy.
        if Self.isForeign(descriptor.rawValue) {
            FileSystem.remove(path)
            descriptor = try Self.lock(path, of: target)
        }
        guard !Self.isForeign(descriptor.rawValue) else {
            throw .failed(path: path, reason: "it is another user's; remove it")
        }
        // Another one may have given the file its real name meanwhile: then it is not this one's.
        guard FileSystem.isFile(descriptor.rawValue, at: path) else {
            throw .beingWritten(path: target)
        }
        guard ftruncate(descriptor.rawValue, 0) == 0 else { throw FileSystem.failure(path) }
        Self.removeCompanions(path)
        self.path = path
        self.target = target
        self.descriptor = descriptor
    }

    /// Has `body` fill a new file, which gets its name when that is done; nothing is left of one
    /// that fails.
    ///
    /// - Precondition: The process makes files for itself alone.
    static func filling<Value>(
        _ target: String, _ body: (String) throws(DatabaseFileError) -> Value
    ) throws(DatabaseFileError) -> Value {
        let part = try PartialFile(of: target)
        // Looked for under the lock: another one may have been about to finish it.
        guard !FileSystem.exists(target) else {
            part.discard()
            throw .exists(path: target)
        }
        let value: Value
        do throws(DatabaseFileError) {
            value = try body(part.path)
        } catch {
            part.discard()
            throw error
        }
        try part.conclude()
        try FileSystem.sync(FileSystem.directory(of: target))
        return value
    }

    private static func lock(
        _ path: String, of target: String
    ) throws(DatabaseFileError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var opened = unsafe open(path, flags, 0o600)
        if opened < 0 {
            let reason = errno
            if isForeign(path) {
                FileSystem.remove(path)
                opened = unsafe open(path, flags, 0o600)
            } else {
                errno = reason
            }
        }
        guard opened >= 0 else { throw FileSystem.failure(target) }
        let descriptor = FileDescriptor(owning: opened)
        guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            throw .beingWritten(path: target)
        }
        return descriptor
    }

    /// Whether another one made it, or may read it, or has another name for it.
    private static func isForeign(_ status: stat) -> Bool {
        status.st_mode & S_IFMT != S_IFREG || status.st_uid != geteuid() || status.st_nlink != 1
            || status.st_mode & 0o077 != 0
    }

    private static func isForeign(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && isForeign(status)
    }

    private static func isForeign(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) != 0 || isForeign(status)
    }

    /// Gives it its real name.
    consuming func conclude() throws(DatabaseFileError) {
        do throws(DatabaseFileError) {
            guard FileSystem.isFile(descriptor.rawValue, at: path) else {
                throw .failed(path: path, reason: "another one is in its place")
            }
            try FileSystem.rename(path, to: target)
        } catch {
            Self.remove(path)
            throw error
        }
    }

    /// Leaves nothing of it.
    consuming func discard() { Self.remove(path) }

    /// As ``discard()``, for a process that ends while it writes.
    static func remove(_ path: String) {
        FileSystem.remove(path)
        removeCompanions(path)
    }

    /// What SQLite may have had beside it.
    private static func removeCompanions(_ path: String) {
        for end in ["-journal", "-wal", "-shm"] { FileSystem.remove(path + end) }
    }
}
