// Says of a text that comes in pieces whether it can still be UTF-8.

/// UTF-8 as far as it has come.
///
/// - Source: The Unicode Standard, table 3-7: well-formed byte sequences.
struct TextCheck {
    /// Bytes that the present character lacks.
    private var missing: UInt8 = 0
    /// What the next of them must be between: the first one's bounds depend on the lead byte.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether no character is open.
    var isComplete: Bool { missing == 0 }

    /// Takes the next bytes.
    ///
    /// - Returns: Whether they go on as UTF-8; after a `false` all is over.
    mutating func accepts(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = Self.endOfASCII(in: bytes, from: index)
                guard index < bytes.count else { return true }
            }
            guard accepts(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func accepts(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            missing -= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case ...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF4: (missing, highest) = (3, 0x8F)
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }

    /// Where ASCII ends, eight bytes at a time.
    private static func endOfASCII(in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        let raw = unsafe bytes.bytes
        while index + 8 <= bytes.count {
            // In bounds by the condition above; any eight bytes are a UInt64.
            let word = unsafe raw.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }
}
