// The directory of files: one for each file, named by its id and by nothing that a client says.

import Basis
import EventModel
import Glibc

/// Why a file could not be read or written.
enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
    case full
    case absent
    /// There is one by that name already.
    case exists
    /// The directory is not what it was, or may not be written to.
    case notWritable(path: String, reason: String)
    case failed(path: String, reason: String)
    /// Its contents are not as long as they were when they came.
    case wrongSize(FileID, path: String, bytes: Int, expected: Int)

    var description: String {
        switch self {
        case .full: "the disk is full"
        case .absent: "it is not there"
        case .exists: "it is there already"
        case .notWritable(let path, let reason), .failed(let path, let reason):
            "\(path): \(reason)"
        case .wrongSize(_, let path, let bytes, let expected):
            "\(path): it has \(bytes) bytes instead of \(expected)"
        }
    }

    init(_ path: String) {
        self =
            switch errno {
            case ENOSPC, EDQUOT, EFBIG: .full
            case ENOENT: .absent
            case EEXIST: .exists
            case let code: .failed(path: path, reason: systemMessage(code))
            }
    }
}

/// The directory, opened once: whatever is put in its place later is not looked at.
struct FileDirectory: ~Copyable, Sendable {
    let path: String
    private let directory: FileDescriptor
    /// Ends the name of what is not whole yet.
    static let partEnding = ".part"

    /// Makes it for this user alone, unless it is there; a symbolic link is not followed.
    ///
    /// - Parameter isMade: Whether one that is absent is made; else that is an error.
    init(_ path: String, isMade: Bool = true) throws(FileError) {
        self.path = path
        if isMade, unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw .failed(path: path, reason: systemMessage(errno).lowercased())
        }
        let opened = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            throw .failed(path: path, reason: systemMessage(errno).lowercased())
        }
        directory = FileDescriptor(owning: opened)
    }

    /// Finds out whether a file could be written; a few microseconds.
    func check() throws(FileError) {
        try checkPlace()
        guard unsafe faccessat(directory.rawValue, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw .notWritable(path: path, reason: systemMessage(errno).lowercased())
        }
        try checkRoom(for: Limits.fileReserveBytes)
    }

    /// What goes into a directory that was removed or replaced is lost.
    private func checkPlace() throws(FileError) {
        var (own, named) = (stat(), stat())
        guard unsafe fstat(directory.rawValue, &own) == 0, unsafe lstat(path, &named) == 0,
            own.st_dev == named.st_dev, own.st_ino == named.st_ino
        else { throw .notWritable(path: path, reason: "it was removed or replaced") }
    }

    /// The database may lie on the same disk.
    private func checkRoom(for bytes: Int) throws(FileError) {
        guard let free = FreeSpace.bytes(at: path) else { return }
        guard free >= bytes else { throw .full }
    }

    /// A file that nobody sees before ``finish(_:_:)``.
    ///
    /// - Parameters:
    ///   - bytes: That it may come to.
    ///   - bytesKeptFree: That the disk is to have besides.
    func begin(
        _ id: FileID, ofUpTo bytes: Int, keepingFree bytesKeptFree: Int = Limits.fileReserveBytes
    ) throws(FileError) -> FileDescriptor {
        try checkPlace()
        try checkRoom(for: bytes.addingClamped(bytesKeptFree))
        let name = id.text + Self.partEnding
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let opened = unsafe openat(directory.rawValue, name, flags, 0o600)
        guard opened >= 0 else { throw FileError("\(path)/\(name)") }
        return FileDescriptor(owning: opened)
    }

    func write(_ bytes: [UInt8], to file: borrowing FileDescriptor) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    file.rawValue, buffer.baseAddress?.advanced(by: written),
                    buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path) }
            written += count
        }
    }

    /// Gives a file its name, once its contents are on the disk, and returns when that is, too.
    ///
    /// By a link, because a new name would take the place of a file that has it already.
    func finish(_ id: FileID, _ file: borrowing FileDescriptor) throws(FileError) {
        guard fsync(file.rawValue) == 0 else { throw FileError(path) }
        let (name, place) = (id.text + Self.partEnding, directory.rawValue)
        guard unsafe linkat(place, name, place, id.text, 0) == 0,
            unsafe unlinkat(place, name, 0) == 0, fsync(place) == 0
        else { throw FileError("\(path)/\(name)") }
    }

    /// Removes what was begun.
    func discard(_ id: FileID) {
        _ = unsafe unlinkat(directory.rawValue, id.text + Self.partEnding, 0)
    }

    /// - Returns: The bytes that it had; `nil`: it was not there.
    @discardableResult
    func remove(_ id: FileID) -> Int? {
        let bytes = size(ofWhole: id)
        return unsafe unlinkat(directory.rawValue, id.text, 0) == 0 ? bytes : nil
    }

    /// Bytes of a file that is whole; `nil`: it is none.
    func size(ofWhole id: FileID) -> Int? {
        status(ofWhole: id).map { Int($0.st_size) }
    }

    /// Opens a file that is whole.
    func open(_ id: FileID) throws(FileError) -> FileDescriptor {
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let opened = unsafe openat(directory.rawValue, id.text, flags)
        guard opened >= 0 else { throw FileError("\(path)/\(id.text)") }
        return FileDescriptor(owning: opened)
    }

    /// Bytes of a file; what is no file has none.
    func size(of file: borrowing FileDescriptor) throws(FileError) -> Int {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .absent
        }
        return Int(status.st_size)
    }

    /// - Throws: That a file has another size than its row says.
    func check(_ id: FileID, has bytes: Int, of expected: Int) throws(FileError) {
        guard bytes != expected else { return }
        throw .wrongSize(id, path: "\(path)/\(id.text)", bytes: bytes, expected: expected)
    }

    /// Has the next bytes be those from there on.
    func seek(_ file: borrowing FileDescriptor, to offset: Int) throws(FileError) {
        guard lseek(file.rawValue, offset, SEEK_SET) == offset else { throw FileError(path) }
    }

    /// The next bytes; empty at the end.
    func read(_ file: borrowing FileDescriptor, atMost limit: Int) throws(FileError) -> [UInt8] {
        // All empty arrays are one, into which this would write its count.
        guard limit > 0 else { return [] }
        var failed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let found = unsafe Glibc.read(file.rawValue, buffer.baseAddress, limit)
            failed = found < 0
            count = max(0, found)
        }
        guard !failed else { throw FileError(path) }
        return bytes
    }

    /// Has another directory of the same disk have a whole file in place of this one.
    ///
    /// By a link, which takes nobody's place.
    ///
    /// - Parameter seconds: What its time is set to, in Unix seconds; `nil`: it stays as it is.
    /// - Returns: Whether the other has it; else it is where it was.
    func move(
        _ id: FileID, to other: borrowing FileDirectory, at seconds: Int64? = nil
    ) -> Bool {
        let (from, to) = (directory.rawValue, other.directory.rawValue)
        if unsafe linkat(from, id.text, to, id.text, 0) != 0 {
            // What a crash left between the two steps has both names.
            guard errno == EEXIST, let own = status(ofWhole: id),
                other.status(ofWhole: id)?.st_ino == own.st_ino
            else { return false }
        }
        if let seconds {
            let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
            _ = unsafe utimensat(to, id.text, [time, time], AT_SYMLINK_NOFOLLOW)
        }
        // The new name first: nothing is lost, whenever the power is.
        guard fsync(to) == 0 else { return false }
        return unsafe unlinkat(from, id.text, 0) == 0
    }

    /// What the disk says of a file that is whole; `nil`: it is none.
    func status(ofWhole id: FileID) -> stat? {
        var status = stat()
        guard unsafe fstatat(directory.rawValue, id.text, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return status
    }

    /// Whatever is there.
    func names() -> [String] { DirectoryListing.names(in: path) ?? [] }
}
