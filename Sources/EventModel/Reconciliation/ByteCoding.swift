// Integers as bytes: little-endian words, and varints as protocol buffers have them.

/// Reads bytes from the front, and never beyond the end.
struct ByteReader {
    private let all: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        all = bytes
    }

    var isAtEnd: Bool { position == all.count }
    /// Bytes that are left.
    var count: Int { all.count - position }

    mutating func bytes(_ count: Int) throws(RepairError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= self.count else { throw .malformed }
        defer { position += count }
        return all[position..<position + count]
    }

    mutating func word<Word: FixedWidthInteger & UnsignedInteger>() throws(RepairError) -> Word {
        let size = Word.bitWidth / 8
        guard size <= count else { throw .malformed }
        var word: Word = 0
        for offset in 0..<size {
            word |= Word(truncatingIfNeeded: all[position + offset]) << Word(8 * offset)
        }
        position += size
        return word
    }

    /// Up to ten bytes, seven bits each, the lowest first; only the shortest form of a number.
    mutating func varint() throws(RepairError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard !isAtEnd else { throw .malformed }
            let byte = all[position]
            position += 1
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1, byte != 0 || shift == 0 else { throw .malformed }
            value |= bits << shift
            if byte < 0x80 { return value }
        }
        throw .malformed
    }

    /// A timetoken that was written as its distance to an earlier one.
    ///
    /// - Parameter least: A shorter distance is malformed.
    mutating func timetoken(
        behind timetoken: Timetoken, atLeast least: UInt64 = 1
    ) throws(RepairError) -> Timetoken {
        let ticks = try varint()
        let (sum, isTooLate) = timetoken.rawValue.addingReportingOverflow(ticks)
        guard ticks >= least, !isTooLate, sum <= Timetoken.end.rawValue else { throw .malformed }
        return Timetoken(rawValue: sum)
    }

    /// A varint whose lowest bit is the sign.
    mutating func signed() throws(RepairError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}

extension [UInt8] {
    mutating func appendWord(_ word: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: word.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func appendSigned(_ value: Int64) {
        appendVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }
}

extension String {
    /// - Returns: `nil` for what is not UTF-8.
    ///
    /// `String(validating:as:)` says the same, on newer systems of Apple's than the rest needs.
    init?(utf8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
