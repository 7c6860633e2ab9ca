// Settings that each are right, and cannot be together, or can never do what they say.

extension Examination {
    /// Adds addresses of two listeners that are one, and origins that no browser has.
    mutating func lookAtAddresses(_ environment: [String: String]) {
        lookAtListeners(environment)
        let source = configuration.sources["server.allowed_origins"] ?? .standard
        for origin in configuration.allowedOrigins {
            guard let written = Self.withoutDefaultPort(origin) else { continue }
            mistakes.append(.defaultPort(source, origin: origin, written: written))
        }
    }

    private mutating func lookAtListeners(_ environment: [String: String]) {
        // A socket that was passed stands for `listen`.
        guard !ServiceNotifier.passesSockets(environment), let admin = configuration.adminListen,
            admin.overlaps(configuration.listen)
        else { return }
        let source =
            configuration.sources["server.admin_listen"] ?? configuration.sources["server.listen"]
        mistakes.append(
            .sameAddress(
                source ?? .standard, setting: "[server] admin_listen", admin,
                other: "[server] listen"))
    }

    /// An origin as browsers write it (RFC 6454, section 6.2); `nil` when it is so already.
    private static func withoutDefaultPort(_ origin: String) -> String? {
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return nil
    }
}
