// Bytes as text in tokens: RFC 4648 section 5, each text in one spelling only.

enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// - Parameter isPadded: With `=` up to a multiple of four digits, as PubNub's tokens are;
    ///   RFC 7515 wants none.
    static func text(_ bytes: [UInt8], isPadded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { bits, offset in
                bits << 8 | (offset < group.count ? Int(group[start + offset]) : 0)
            }
            for digit in 0...group.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
        }
        while isPadded, !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads only what ``text(_:isPadded:)`` writes; `nil` for anything else, such as the digits of
    /// another alphabet, padding where none belongs, or bits behind the last byte.
    static func bytes(_ text: some StringProtocol, isPadded: Bool) -> [UInt8]? {
        var digits = Array(text.utf8)
        if isPadded {
            guard digits.count.isMultiple(of: 4) else { return nil }
            let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }
            digits.removeLast(padding.count)
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        for (index, digit) in digits.enumerated() {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | value
            if index % 4 > 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(index % 4))))
            }
        }
        let spare: UInt32 = digits.count % 4 == 2 ? 4 : digits.count % 4 == 3 ? 2 : 0
        return bits & (1 << spare - 1) == 0 ? bytes : nil
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
