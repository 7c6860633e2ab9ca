// What the strings of a text say, their escapes undone.

extension [UInt8] {
    /// The characters of a string node as UTF-8.
    func unescaped(_ node: JSONNode) -> [UInt8] {
        let inner = self[Int(node.start) + 1..<Int(node.end) - 1]
        guard !node.isPlain else { return Array(inner) }
        var text: [UInt8] = []
        text.reserveCapacity(inner.count)
        var index = inner.startIndex
        while index < inner.endIndex {
            let byte = inner[index]
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                index += 1
                continue
            }
            let letter = inner[index + 1]
            index += 2
            guard letter == UInt8(ascii: "u") else {
                text.append(meaning(of: letter))
                continue
            }
            var scalar = codeUnit(at: index)
            index += 4
            if 0xD800...0xDBFF ~= scalar {
                scalar = 0x10000 + (scalar - 0xD800) << 10 + codeUnit(at: index + 2) - 0xDC00
                index += 6
            }
            text.append(utf8: scalar)
        }
        return text
    }

    private func codeUnit(at index: Int) -> Int {
        self[index..<index + 4].reduce(0) { $0 << 4 | (hexDigit($1) ?? 0) }
    }

    /// - Source: RFC 3629, section 3.
    private mutating func append(utf8 scalar: Int) {
        switch scalar {
        case ..<0x80: append(UInt8(scalar))
        case ..<0x800:
            append(UInt8(0xC0 | scalar >> 6))
            append(UInt8(0x80 | scalar & 0x3F))
        case ..<0x10000:
            append(UInt8(0xE0 | scalar >> 12))
            append(UInt8(0x80 | scalar >> 6 & 0x3F))
            append(UInt8(0x80 | scalar & 0x3F))
        default:
            append(UInt8(0xF0 | scalar >> 18))
            append(UInt8(0x80 | scalar >> 12 & 0x3F))
            append(UInt8(0x80 | scalar >> 6 & 0x3F))
            append(UInt8(0x80 | scalar & 0x3F))
        }
    }
}

/// What an escape of one letter stands for.
private func meaning(of letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
}

func hexDigit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
}
