// A file of an archive: what a database's log had in some seconds, and when it was committed.
//
// It begins with a mark, has one chunk for each stretch of the log, and ends with another mark: so
// one that was cut off is not taken for a short one. Numbers are little-endian words of 8 bytes.

import EventModel

/// When a transaction was committed.
struct LogMark: Hashable, Sendable {
    /// Frames of the log after it.
    let frames: Int
    /// The newest position in the database then.
    let through: Timetoken
}

/// What stands before a stretch of frames.
struct LogChunk: Hashable, Sendable {
    /// Of the log that they are from, as it stands there.
    let header: [UInt8]
    /// The sum of what is in that log before these frames, as it stands there.
    let sumBefore: [UInt8]
    /// Frames of that log before these.
    let first: Int
    let count: Int
    /// Ascending; the last one is behind the last frame.
    let marks: [LogMark]

    static let start = Array("SDLOG-1\n".utf8)
    static let end = Array("SDLOGEND".utf8)
    private static let chunk = Array("SDLOGCHK".utf8)
    private static let wordBytes = 8
    /// Bytes before the marks.
    private static let fixedBytes = numbersOffset + 3 * wordBytes
    private static let sumOffset = 8 + LogHeader.byteCount
    private static let numbersOffset = sumOffset + LogFrame.sumBytes

    /// With a sum behind it.
    var bytes: [UInt8] {
        var bytes = Self.chunk + header + sumBefore
        for number in [first, count, marks.count] { bytes.append(word: UInt64(number)) }
        for mark in marks {
            bytes.append(word: UInt64(mark.frames))
            bytes.append(word: mark.through.rawValue)
        }
        bytes.append(word: Self.sum(bytes))
        return bytes
    }

    private static func sum(_ bytes: [UInt8]) -> UInt64 {
        var sum = RowSum()
        unsafe bytes.withUnsafeBytes { unsafe sum.add($0) }
        return sum.state
    }

    /// Reads it from a file.
    ///
    /// - Parameter read: Gives so many bytes; fewer at the end of the file.
    /// - Returns: `nil` at the end mark.
    static func read<Failure>(
        damaged: (String) -> Failure, _ read: (Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> LogChunk? {
        let mark = try read(8)
        if mark == end {
            guard try read(1).isEmpty else { throw damaged("something stands behind its end") }
            return nil
        }
        guard mark == chunk else { throw damaged("it is cut off, or was changed") }
        let fixed = mark + (try read(fixedBytes - 8))
        guard fixed.count == fixedBytes else { throw damaged("it is cut off") }
        let numbers = (0..<3).map { fixed.word(at: numbersOffset + $0 * wordBytes) }
        guard numbers[1] <= Limits.archiveChunkFramesMax, numbers[2] <= numbers[1],
            numbers[2] <= Limits.archiveChunkMarksMax, numbers[0] <= UInt64(UInt32.max)
        else { throw damaged("a number in it is impossible") }
        let marks = try read(Int(numbers[2]) * 2 * wordBytes)
        let sum = try read(wordBytes)
        guard marks.count == Int(numbers[2]) * 2 * wordBytes else { throw damaged("it is cut off") }
        guard sum.count == wordBytes, sum.word(at: 0) == self.sum(fixed + marks) else {
            throw damaged("its checksum is wrong")
        }
        return LogChunk(
            header: Array(fixed[8..<sumOffset]),
            sumBefore: Array(fixed[sumOffset..<numbersOffset]), first: Int(numbers[0]),
            count: Int(numbers[1]),
            marks: stride(from: 0, to: marks.count, by: 2 * wordBytes).map { place in
                LogMark(
                    frames: Int(clamping: marks.word(at: place)),
                    through: Timetoken(rawValue: marks.word(at: place + wordBytes)))
            })
    }
}

extension [UInt8] {
    fileprivate mutating func append(word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    fileprivate func word(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }
}
