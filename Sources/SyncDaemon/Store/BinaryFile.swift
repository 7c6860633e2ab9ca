// A file that is read or written at any place, with errors that name it.

import EventModel
import Glibc

/// An open file; never a database that this process has open.
///
/// To close one of its descriptors ends all locks that the process has on a file (POSIX, fcntl):
/// SQLite's would be gone, and another program that closes the file would take its log away.
struct BinaryFile: ~Copyable {
    let path: String
    private let descriptor: FileDescriptor

    private init(_ path: String, _ flags: Int32) throws(DatabaseFileError) {
        // A pipe would have it wait.
        let opened = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else {
            if flags & O_CREAT == 0, errno == ENOENT { throw .absent(path: path) }
            throw FileSystem.failure(path)
        }
        var status = stat()
        guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw .failed(path: path, reason: "it is no file")
        }
        self.path = path
        descriptor = FileDescriptor(owning: opened)
    }

    static func reading(_ path: String) throws(DatabaseFileError) -> BinaryFile {
        try BinaryFile(path, O_RDONLY)
    }

    /// One that is there, to be changed.
    static func changing(_ path: String) throws(DatabaseFileError) -> BinaryFile {
        try BinaryFile(path, O_RDWR)
    }

    /// An empty one, in the place of what is there.
    static func making(_ path: String) throws(DatabaseFileError) -> BinaryFile {
        try BinaryFile(path, O_WRONLY | O_CREAT | O_TRUNC)
    }

    /// Puts a small file in the place of what is there: whatever happens meanwhile, one of them is
    /// there afterwards, and whole.
    static func replace(_ path: String, with bytes: [UInt8]) throws(DatabaseFileError) {
        let part = path + ArchiveShelf.partEnding
        do throws(DatabaseFileError) {
            let file = try making(part)
            try file.write(bytes, at: 0)
            try file.sync()
            try FileSystem.rename(part, to: path)
        } catch {
            FileSystem.remove(part)
            throw error
        }
        try FileSystem.sync(FileSystem.directory(of: path))
    }

    /// Another descriptor of it, with the same place in it.
    func duplicate() throws(DatabaseFileError) -> FileDescriptor {
        let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw FileSystem.failure(path) }
        return FileDescriptor(owning: copy)
    }

    /// - Returns: Fewer bytes at the end of the file.
    func read(_ count: Int, at offset: Int) throws(DatabaseFileError) -> [UInt8] {
        var (bytes, length) = ([UInt8](repeating: 0, count: count), 0)
        while length < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor.rawValue, buffer.baseAddress?.advanced(by: length), count - length,
                    offset + length)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileSystem.failure(path) }
            guard got > 0 else { break }
            length += got
        }
        bytes.removeLast(count - length)
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(DatabaseFileError) {
        try write(bytes[...], at: offset)
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(DatabaseFileError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor.rawValue, buffer.baseAddress?.advanced(by: written),
                    bytes.count - written, offset + written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileSystem.failure(path) }
            written += count
        }
    }

    /// Cuts it off, or lengthens it with zeros.
    func setLength(_ bytes: Int) throws(DatabaseFileError) {
        guard ftruncate(descriptor.rawValue, bytes) == 0 else { throw FileSystem.failure(path) }
    }

    /// Waits until its contents are on the disk.
    func sync() throws(DatabaseFileError) {
        guard fsync(descriptor.rawValue) == 0 else { throw FileSystem.failure(path) }
    }

    /// Calls `body` with all of it, one part after the other.
    ///
    /// - Returns: The sum of its bytes.
    func forEachPart(
        _ body: ([UInt8], _ offset: Int) throws(DatabaseFileError) -> Void = { _, _ in }
    ) throws(DatabaseFileError) -> UInt64 {
        var (sum, length) = (RowSum(), 0)
        while true {
            let bytes = try read(Limits.archiveCopyBytes, at: length)
            guard !bytes.isEmpty else { return sum.state }
            unsafe bytes.withUnsafeBytes { unsafe sum.add($0) }
            try body(bytes, length)
            length += bytes.count
        }
    }
}
