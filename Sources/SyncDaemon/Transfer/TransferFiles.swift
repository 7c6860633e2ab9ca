// Where lines come from and go to: files, standard input and standard output, in large pieces.

import EventModel
import Glibc

/// What is read, from its beginning.
struct TransferInput: ~Copyable {
    /// As errors name it.
    let name: String
    /// Bytes in all; `nil`: nobody knows.
    let size: Int64?
    /// Where the next byte is.
    private(set) var offset: Int64 = 0
    private let descriptor: FileDescriptor

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws(TransferError) {
        name = path == "-" ? "standard input" : path
        let opened = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else {
            throw .input(path: name, reason: systemMessage(errno).lowercased())
        }
        descriptor = FileDescriptor(owning: opened)
        var status = stat()
        let isFile = unsafe fstat(opened, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isFile && path != "-" ? Int64(status.st_size) : nil
    }

    /// The next bytes; none at the end.
    mutating func chunk() throws(TransferError) -> [UInt8] {
        var failure: Int32 = 0
        let descriptor = descriptor.rawValue
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Limits.transferChunkBytes) {
            buffer, count in
            repeat {
                failure = 0
                let found = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                if found < 0 { failure = errno }
                count = max(found, 0)
            } while failure == EINTR
        }
        guard failure == 0 else { throw .input(path: name, reason: systemMessage(failure)) }
        offset += Int64(bytes.count)
        return bytes
    }

    /// Goes on from a place; what comes through a pipe is read up to there.
    mutating func skip(to place: Int64) throws(TransferError) {
        if size != nil, lseek(descriptor.rawValue, Int(place), SEEK_SET) == Int(place) {
            offset = place
            return
        }
        while offset < place {
            let left = Int(place - offset)
            guard left >= Limits.transferChunkBytes else { break }
            guard try !chunk().isEmpty else { return }
        }
    }
}

/// Lines of an input, one at a time.
struct TransferLines: ~Copyable {
    private var input: TransferInput
    private var chunk: [UInt8] = []
    private var start = 0
    /// Behind the last line that was read.
    private(set) var offset: Int64 = 0
    /// The last line that was read, counted from 1.
    private(set) var number = 0

    var name: String { input.name }
    var size: Int64? { input.size }
    /// Whether nothing was there yet to be read.
    var isEmpty: Bool { input.offset == 0 }

    init(_ input: consuming TransferInput) {
        self.input = input
    }

    /// The next line without its end, `nil` when there is none.
    ///
    /// What has no line end is no line.
    mutating func next() throws(TransferError) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            let rest = chunk[start...]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                start = end + 1
                offset += Int64(line.count + 1)
                number += 1
                return line
            }
            line += rest
            guard line.count <= Limits.transferLineBytesMax else {
                throw .lineTooLong(path: name, number: number + 1)
            }
            (chunk, start) = (try input.chunk(), 0)
            if chunk.isEmpty { return nil }
        }
    }

    /// The number of the next line that is not blank, with or without an end; `nil`: none is.
    ///
    /// It reads up to there: nothing is to be read afterwards.
    mutating func numberOfMore() throws(TransferError) -> Int? {
        var number = self.number + 1
        repeat {
            for byte in chunk[start...] {
                switch byte {
                case UInt8(ascii: "\n"): number += 1
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
                default: return number
                }
            }
            (chunk, start) = (try input.chunk(), 0)
        } while !chunk.isEmpty
        return nil
    }

    /// Goes on behind a line that an earlier run read; it is none of those that were read here.
    mutating func skip(to offset: Int64, behind number: Int) throws(TransferError) {
        if input.offset >= offset {
            // It was read together with the first line.
            start = max(start, chunk.count - Int(input.offset - offset))
        } else {
            try input.skip(to: offset)
            (chunk, start) = ([], 0)
        }
        // Of a pipe a little more is to be passed over.
        while input.offset < offset {
            let found = try input.chunk()
            guard !found.isEmpty else { throw .shorter(path: name, line: number) }
            let surplus = input.offset - offset
            if surplus >= 0 { (chunk, start) = (found, found.count - Int(surplus)) }
        }
        (self.offset, self.number) = (offset, number)
    }
}

/// Where lines go; in large pieces.
struct TransferOutput: ~Copyable {
    /// As errors name it; `nil` is standard output.
    private let name: String?
    private let descriptor: FileDescriptor
    private var waiting: [UInt8] = []
    private(set) var bytes: Int64 = 0
    /// Why nothing more is written.
    private(set) var failure: TransferError?

    /// - Parameters:
    ///   - path: `nil` is standard output.
    ///   - name: The file that errors name; `nil`: this one.
    init(_ path: String?, as name: String? = nil) throws(TransferError) {
        let opened =
            if let path { unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) } else {
                dup(STDOUT_FILENO)
            }
        guard opened >= 0 else { throw .output(path: name ?? path, code: errno) }
        self.name = name ?? path
        descriptor = FileDescriptor(owning: opened)
        waiting.reserveCapacity(2 * Limits.transferChunkBytes)
    }

    /// Writes a line and its end.
    ///
    /// - Returns: Whether that went well; see ``failure``.
    mutating func write(_ line: [UInt8]) -> Bool {
        waiting += line
        waiting.append(UInt8(ascii: "\n"))
        return waiting.count < Limits.transferChunkBytes || flush()
    }

    /// Writes what waits.
    mutating func flush() -> Bool {
        guard failure == nil else { return false }
        var rest = waiting[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor.rawValue, buffer.baseAddress, buffer.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                failure = .output(path: name, code: errno)
                return false
            }
            rest = rest.dropFirst(written)
        }
        bytes += Int64(waiting.count)
        waiting.removeAll(keepingCapacity: true)
        return true
    }
}
