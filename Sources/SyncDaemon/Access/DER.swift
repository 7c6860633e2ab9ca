// The few shapes of DER that a public key and a signature take on their way into OpenSSL.

/// - Source: ITU-T X.690, section 8; lengths up to 65,535 bytes.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { item(0x30, parts.flatMap(\.self)) }

    static func bitString(_ bytes: [UInt8]) -> [UInt8] { item(0x03, [0] + bytes) }

    /// A number that is not negative, from its bytes, the most significant first.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let isPlain = (digits.first ?? 0x80) < 0x80
        return item(0x02, isPlain ? digits : [0] + digits)
    }

    /// Names of algorithms, as they stand in a SubjectPublicKeyInfo, with their parameters.
    ///
    /// - Source: RFC 8017, A.1; RFC 5480, 2.1.1.
    static let rsa = sequence(
        [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1], [0x05, 0])
    static let p256 = sequence(
        [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1],
        [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7])

    private static func item(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : count < 0x100
                ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}
