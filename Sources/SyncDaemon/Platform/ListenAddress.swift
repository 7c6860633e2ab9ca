// Where the daemon listens: a numeric address and a port.

import Glibc

/// An IPv4 or IPv6 address with a TCP port.
struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// `127.0.0.1` or `::1`; without brackets, never a name.
    let host: String
    /// 0 lets the kernel choose.
    let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080` (which means 127.0.0.1).
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        let host = text[..<colon]
        if host == "localhost" {
            self.init(host: "127.0.0.1", port: port)
        } else if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = String(host.dropFirst().dropLast())
            guard Self.isNumeric(inner, family: AF_INET6) else { return nil }
            self.init(host: inner, port: port)
        } else {
            guard Self.isNumeric(String(host), family: AF_INET) else { return nil }
            self.init(host: String(host), port: port)
        }
    }

    var isIPv6: Bool { host.contains(":") }

    /// Whether only this machine can reach it: 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        if !isIPv6 { return host.hasPrefix("127.") }
        return bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether it stands for all addresses of the machine.
    var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Whether the kernel would refuse one while the other is open; port 0 is never another's.
    func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, port != 0 else { return false }
        // A listener at [::] is at 0.0.0.0, too.
        if isIPv6 != other.isIPv6 { return isIPv6 ? isWildcard : other.isWildcard }
        return bytes == other.bytes || isWildcard || other.isWildcard
    }

    /// In the network's order; of what is no address 16 zeros.
    private var bytes: [UInt8] {
        var address = in6_addr()
        let family = isIPv6 ? AF_INET6 : AF_INET
        _ = unsafe inet_pton(family, host, &address)
        let bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
        return Array(bytes.prefix(isIPv6 ? 16 : 4))
    }

    var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func isNumeric(_ text: String, family: Int32) -> Bool {
        var address = in6_addr()
        return unsafe inet_pton(family, text, &address) == 1
    }
}
