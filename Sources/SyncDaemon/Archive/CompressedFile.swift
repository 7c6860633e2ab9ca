// Files as gzip writes them: pages of a log are mostly what they were in the transaction before.

import CZlib
import Glibc

/// A file that is written, or read, from its beginning to its end.
@safe struct CompressedFile: ~Copyable {
    let path: String
    private let file: gzFile

    /// The fastest level: within a window of 32 KiB stand the same pages several times.
    private static let writing = "wb1"
    private static let bufferBytes: UInt32 = 128 * 1024

    /// - Parameter opened: The file itself: its name may be another one's by now.
    private init(_ opened: borrowing BinaryFile, _ mode: String) throws(DatabaseFileError) {
        let descriptor = try opened.duplicate()
        guard let file = unsafe gzdopen(descriptor.rawValue, mode) else {
            throw FileSystem.failure(opened.path)
        }
        _ = descriptor.release()
        unsafe gzbuffer(file, Self.bufferBytes)
        path = opened.path
        unsafe self.file = unsafe file
    }

    deinit { unsafe gzclose(file) }

    /// What is compressed, or is not.
    static func reading(_ path: String) throws(DatabaseFileError) -> CompressedFile {
        try CompressedFile(try BinaryFile.reading(path), "rb")
    }

    /// In the place of what is there; only its user may read it.
    static func filling(_ path: String) throws(DatabaseFileError) -> CompressedFile {
        try CompressedFile(try BinaryFile.making(path), writing)
    }

    /// - Returns: Fewer bytes at the end of the file, or where it is damaged.
    func read(_ count: Int) throws(DatabaseFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe gzread(file, buffer.baseAddress, UInt32(buffer.count))
        }
        guard length >= 0 else { throw .damagedPiece(path: path, reason: message) }
        bytes.removeLast(count - Int(length))
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(DatabaseFileError) {
        let length = unsafe bytes.withUnsafeBytes { buffer in
            unsafe gzwrite(file, buffer.baseAddress, UInt32(buffer.count))
        }
        guard Int(length) == bytes.count else { throw FileSystem.failure(path) }
    }

    /// Ends what is written.
    consuming func finish() throws(DatabaseFileError) {
        let (path, status) = (path, unsafe gzflush(file, Z_FINISH))
        guard status == Z_OK else { throw FileSystem.failure(path) }
    }

    private var message: String {
        var code: Int32 = 0
        return unsafe gzerror(file, &code).map { unsafe String(cString: $0) } ?? "\(code)"
    }
}
