// The files of the console, read once at the start: a request reads no disk, and names no path.

import EventModel
import Glibc

/// Why there is no console.
enum ConsoleError: Error, Hashable, CustomStringConvertible {
    case absent(path: String)
    case unreadable(path: String, reason: String)
    case tooMuch(path: String)

    var description: String {
        switch self {
        case .absent(let path):
            "There is no \(path). [server] console names the directory with console and web in it."
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .tooMuch(let path):
            "\(path) has more than \(Limits.consoleFilesMax) files, or than"
                + " \(Limits.consoleBytesMax) bytes. Name the directory of the console alone."
        }
    }
}

/// One of them, with what tells whether a browser has it.
struct ConsoleFile: Sendable, Hashable {
    let mediaType: String
    let bytes: [UInt8]
    /// Quoted, as in ETag.
    let tag: String

    init(mediaType: String, bytes: [UInt8]) {
        (self.mediaType, self.bytes) = (mediaType, bytes)
        let digits = Signing.hash(bytes).prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        tag = "\"\(digits.joined())\""
    }
}

/// All of them, by their paths without a slash before it.
struct ConsoleFiles: Sendable {
    /// Folders of the directory that are looked at: the console, and what it is made of.
    static let folders = ["console", "web"]
    /// What is served, by how its name ends; a page, a script or a picture, and nothing else.
    private static let mediaTypes = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    private var files: [String: ConsoleFile] = [:]
    private var bytes = 0

    /// Reads them.
    ///
    /// - Parameter directory: The one with `console` and `web` in it.
    init(in directory: String) throws(ConsoleError) {
        for folder in Self.folders {
            guard let names = DirectoryListing.names(in: "\(directory)/\(folder)") else {
                throw .absent(path: "\(directory)/\(folder)")
            }
            try read(names, of: folder, in: directory, depth: 1)
        }
        guard files["console/index.html"] != nil else {
            throw .absent(path: "\(directory)/console/index.html")
        }
    }

    /// - Parameter path: As a request has it, without a slash before it; one that ends with a
    ///   slash, or is a folder's, stands for its `index.html`.
    subscript(path: String) -> ConsoleFile? {
        files[path.hasSuffix("/") ? path + "index.html" : path]
    }

    /// Whether a path lacks nothing but the slash at its end.
    func isFolder(_ path: String) -> Bool { files[path + "/index.html"] != nil }

    private mutating func read(
        _ names: [String], of folder: String, in directory: String, depth: Int
    ) throws(ConsoleError) {
        // Tests are for who has the source.
        for name in names.sorted() where !name.hasPrefix(".") && name != "tests" {
            let path = "\(folder)/\(name)"
            if let ending = name.split(separator: ".").last,
                name.contains("."), let mediaType = Self.mediaTypes[String(ending)]
            {
                try add(path, mediaType, in: directory)
            } else if depth < Limits.consoleDepthMax,
                let names = DirectoryListing.names(in: "\(directory)/\(path)")
            {
                try read(names, of: path, in: directory, depth: depth + 1)
            }
        }
    }

    private mutating func add(
        _ path: String, _ mediaType: String, in directory: String
    ) throws(ConsoleError) {
        let whole = "\(directory)/\(path)"
        let room = Limits.consoleBytesMax - bytes
        guard files.count < Limits.consoleFilesMax else { throw .tooMuch(path: directory) }
        switch Self.contents(of: whole, atMost: room) {
        case .bytes(let found):
            bytes += found.count
            files[path] = ConsoleFile(mediaType: mediaType, bytes: found)
        case .tooMany: throw .tooMuch(path: directory)
        // A library that is not installed, and what is no file: the console does without.
        case .failed(ENOENT), .failed(EISDIR): return
        case .failed(let code):
            throw .unreadable(path: whole, reason: unsafe String(cString: strerror(code)))
        }
    }

    // MARK: The disk

    private enum Contents {
        case bytes([UInt8])
        case tooMany
        case failed(Int32)
    }

    private static func contents(of path: String, atMost limit: Int) -> Contents {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { return .failed(errno) }
        let file = FileDescriptor(owning: opened)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(file.rawValue, &chunk, chunk.count)
            if count < 0 { return .failed(errno) }
            if count == 0 { return .bytes(bytes) }
            bytes += chunk[..<count]
            if bytes.count > limit { return .tooMany }
        }
    }
}
