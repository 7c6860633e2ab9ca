// Reading and writing small files without Foundation.

import Glibc

/// Whole files as text.
enum File {
    /// - Returns: `nil` when it cannot be read.
    static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws(BenchError) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(file, bytes, bytes.count)
        _ = close(file)
        guard count == bytes.count else {
            throw BenchError("\(path) cannot be written: \(SystemError.text).")
        }
    }

    /// The names in a folder; none when there is no such folder.
    static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    static func isProgram(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// Makes a folder and those above it.
    static func makeFolder(_ path: String) throws(BenchError) {
        var partial = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            partial += "\(part)/"
            guard unsafe mkdir(partial, 0o755) == 0 || errno == EEXIST else {
                throw BenchError("\(partial) cannot be made: \(SystemError.text).")
            }
        }
    }
}

/// The last error of a system call, in words.
enum SystemError {
    static var text: String { unsafe String(cString: strerror(errno)) }
}
