// The mark that an event carries through any server: when it was sent.

import Glibc

/// `@T` and 16 hexadecimal digits of nanoseconds; it survives every protocol unchanged.
enum Marker {
    static let text = "@T0000000000000000"
    static let byteCount = 18

    private static let at = UInt8(ascii: "@")
    private static let letter = UInt8(ascii: "T")

    static func write(_ time: UInt64, to bytes: inout [UInt8], at place: Int) {
        for digit in 0..<16 {
            let value = UInt8(truncatingIfNeeded: time >> UInt64(60 - 4 * digit)) & 15
            bytes[place + 2 + digit] =
                value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
        }
    }

    /// Reports the time of each complete mark.
    ///
    /// - Returns: How many bytes at the end may begin another one: 0 to 17. They belong in front
    ///   of what comes next.
    static func scan(_ bytes: UnsafeRawBufferPointer, found: (UInt64) -> Void) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var index = 0
        while index < bytes.count {
            guard let hit = unsafe memchr(base + index, Int32(at), bytes.count - index) else {
                return 0
            }
            index = unsafe UnsafeRawPointer(hit) - base
            let rest = bytes.count - index
            if rest > 1, unsafe bytes[index + 1] != letter {
                index += 1
            } else if rest < byteCount {
                return rest
            } else if let time = unsafe hexadecimal(bytes[(index + 2)..<(index + byteCount)]) {
                found(time)
                index += byteCount
            } else {
                index += 2
            }
        }
        return 0
    }

    private static func hexadecimal(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var value: UInt64 = 0
        for index in unsafe digits.startIndex..<digits.endIndex {
            let digit = unsafe digits.base[index]
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
