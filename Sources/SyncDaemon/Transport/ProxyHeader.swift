// What a proxy says before its client's first byte: for whom it connects. Pure: bytes in, a verdict
// out.

import EventModel

/// The PROXY protocol's header, versions 1 and 2.
///
/// - Source: The PROXY protocol, versions 1 & 2 (Willy Tarreau, HAProxy Technologies), revision of
///   2020/03/05, section 2.
enum ProxyHeader: Hashable {
    /// The proxy's client.
    case client(PeerAddress)
    /// The proxy connects for itself, or does not know for whom: the peer is the proxy.
    case proxy

    enum Progress: Hashable {
        /// More bytes are to come.
        case incomplete
        case complete(ProxyHeader, byteCount: Int)
        /// It is none, for a reason that goes into the log.
        case refused(String)
    }

    /// Reads the header at the beginning of what came so far.
    static func parse(_ bytes: [UInt8]) -> Progress {
        if bytes.starts(with: signature.prefix(bytes.count)) {
            return bytes.count < 16 ? .incomplete : parseBinary(bytes)
        }
        let word = Array("PROXY ".utf8)
        guard bytes.starts(with: word.prefix(bytes.count)) else {
            return .refused("it does not begin with a PROXY header")
        }
        guard let end = bytes.prefix(Self.lineBytesMax).firstIndex(of: 0x0A) else {
            return bytes.count < lineBytesMax
                ? .incomplete : .refused("its PROXY line is too long")
        }
        guard bytes[end - 1] == 0x0D,
            let line = String(validating: bytes[..<(end - 1)], as: UTF8.self),
            let header = parse(line: line)
        else { return .refused("its PROXY line is malformed") }
        return .complete(header, byteCount: end + 1)
    }

    // MARK: Version 1

    /// Of a line with its end.
    private static let lineBytesMax = 107

    /// - Source: Section 2.1.
    private static func parse(line: String) -> ProxyHeader? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2 else { return nil }
        switch words[1] {
        // What stands behind it is to be passed over.
        case "UNKNOWN": return .proxy
        case "TCP4", "TCP6":
            guard words.count == 6, isPort(words[4]), isPort(words[5]),
                let source = address(words[2], isIPv6: words[1] == "TCP6"),
                address(words[3], isIPv6: words[1] == "TCP6") != nil
            else { return nil }
            return .client(source)
        default: return nil
        }
    }

    private static func address(_ text: Substring, isIPv6: Bool) -> PeerAddress? {
        text.utf8.contains(UInt8(ascii: ":")) == isIPv6 ? PeerAddress(text) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        (1...5).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && (text == "0" || text.first != "0") && UInt16(text) != nil
    }

    // MARK: Version 2

    /// - Source: Section 2.2.
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// - Precondition: The 16 bytes are here that every header has.
    private static func parseBinary(_ bytes: [UInt8]) -> Progress {
        let end = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        guard bytes[12] >> 4 == 2, bytes[12] & 0x0F <= 1 else {
            return .refused("its PROXY header has an unknown version or command")
        }
        guard end <= Limits.proxyHeaderBytesMax else {
            return .refused("its PROXY header is too long")
        }
        guard bytes.count >= end else { return .incomplete }
        // LOCAL: whatever addresses it names are to be passed over.
        guard bytes[12] & 0x0F == 1 else { return .complete(.proxy, byteCount: end) }
        switch (bytes[13] >> 4, bytes[13] & 0x0F) {
        case (1, 1):
            guard end >= 16 + 12 else { return .refused("its PROXY header is too short") }
            return .complete(.client(PeerAddress(bytes[16..<20])), byteCount: end)
        case (2, 1):
            guard end >= 16 + 36 else { return .refused("its PROXY header is too short") }
            return .complete(.client(PeerAddress(bytes[16..<32])), byteCount: end)
        // UNSPEC, and a UNIX socket: nobody who could be counted or named.
        case (0, 0), (3, 1): return .complete(.proxy, byteCount: end)
        default: return .refused("its PROXY header is for another protocol than TCP")
        }
    }
}
