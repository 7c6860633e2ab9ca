// Lower-case hexadecimal digits of fixed width.

package enum Hexadecimal {
    /// 16 digits, the most significant first.
    package static func text(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Reads 32 digits as two words; `nil` for any other text, upper case included.
    static func words(_ text: some StringProtocol) -> (UInt64, UInt64)? {
        let digits = Array(text.utf8)
        guard digits.count == 32, let first = word(digits[..<16]), let second = word(digits[16...])
        else { return nil }
        return (first, second)
    }

    /// Reads 16 digits, as ``text(_:)`` makes them; `nil` for any other text.
    package static func word(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard digits.count == 16 else { return nil }
        var word: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                word = word << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                word = word << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default:
                return nil
            }
        }
        return word
    }
}
