// Bytes as text inside JSON: RFC 4648 section 4, with padding, which browsers read with `atob`.

/// Text of the alphabet with `+` and `/`.
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { bits, offset in
                bits << 8 | (offset < group.count ? Int(group[start + offset]) : 0)
            }
            for digit in 0..<4 {
                let isPadding = digit > group.count
                text.append(
                    isPadding ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * digit) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads only what ``text(_:)`` writes; `nil` for anything else.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4) else { return nil }
        let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var bits: UInt32 = 0
        for (index, digit) in digits.dropLast(padding).enumerated() {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | value
            if index % 4 > 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(index % 4))))
            }
        }
        // The last digit's bits that no byte takes have to be zero.
        guard bits & (1 << (2 * UInt32(padding)) - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
