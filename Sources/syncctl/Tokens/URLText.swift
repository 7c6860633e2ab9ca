// Bytes and names as URLs and tokens have them.

enum URLText {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Base64url without padding: RFC 4648, section 5.
    static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0...group.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` for what is no base64url, with padding or without.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var digits = Array(text.utf8)[...]
        while digits.last == UInt8(ascii: "=") { digits = digits.dropLast() }
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for digit in digits {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xFF))
            }
        }
        return count < 6 ? bytes : nil
    }

    /// A segment of a path, with everything escaped but what never means anything.
    static func segment(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }.joined()
    }
}
