// Percent-encoding, as far as every reader of a target agrees on it.

/// Escapes of a target.
enum PercentEscapes {
    /// The bytes that escaped ones stand for, decoded once; a `+` stands for itself.
    ///
    /// - Returns: `nil` when an escape is broken.
    static func decode(_ raw: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            var byte = raw[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < raw.endIndex, let high = hexDigit(raw[index]),
                    let low = hexDigit(raw[index + 1])
                else { return nil }
                byte = high << 4 | low
                index += 2
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// A text as one segment of a path.
///
/// - Source: RFC 3986, section 2.3: only these need no escaping anywhere.
func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
