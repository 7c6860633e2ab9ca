// Where a daemon is, as people write it.

/// The parts of a `ws://` or `wss://` URL.
public struct WebSocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address; an IPv6 address without its brackets.
    public let host: String
    public let port: UInt16
    /// With its query, if it has one.
    public let path: String
    /// Whether it is `wss://`: encrypted, and with a certificate that proves the host.
    public let isSecure: Bool

    /// The path of the native protocol, when a URL names none.
    public static let defaultPath = "/v1/sync"

    /// Reads `ws://HOST[:PORT][/PATH]` or `wss://…`; `http://`, as the daemon prints it, and
    /// `https://` mean the same.
    ///
    /// - Throws: ``SyncClientError/invalidURL(_:reason:)``.
    public init(_ url: String) throws(SyncClientError) {
        func invalid(_ reason: String) -> SyncClientError { .invalidURL(url, reason: reason) }

        let schemes = ["ws://", "http://", "wss://", "https://"]
        guard let scheme = schemes.first(where: { url.hasPrefix($0) }) else {
            throw invalid("it must start with ws:// or wss://")
        }
        isSecure = scheme == "wss://" || scheme == "https://"
        let rest = url.dropFirst(scheme.count)
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw invalid("it must be printable ASCII without spaces")
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw invalid("it cannot carry a user name") }

        let (host, port) = try Self.split(
            authority, defaultPort: isSecure ? 443 : 80, invalid: invalid)
        self.host = host
        self.port = port
        let path = rest[authority.endIndex...]
        switch path.first {
        case "?": self.path = Self.defaultPath + path
        case "/" where path.count > 1: self.path = String(path)
        default: self.path = Self.defaultPath
        }
    }

    private static func split(
        _ authority: Substring, defaultPort: UInt16, invalid: (String) -> SyncClientError
    ) throws(SyncClientError) -> (host: String, port: UInt16) {
        var host = authority
        var portText: Substring?
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else {
                throw invalid("the bracket of its IPv6 address is not closed")
            }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else {
                throw invalid("only a port may follow the IPv6 address")
            }
            portText = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty else { throw invalid("the host is missing") }
        guard let portText else { return (String(host), defaultPort) }
        guard let port = UInt16(portText), port > 0 else {
            throw invalid("the port must be a number from 1 to 65535")
        }
        return (String(host), port)
    }

    /// The host with its port, as in a `Host` header.
    public var hostAndPort: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    public var description: String { "\(isSecure ? "wss" : "ws")://\(hostAndPort)\(path)" }
}
