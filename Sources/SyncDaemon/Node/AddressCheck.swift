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
        guard !ServiceNotifier.passesSockets(environment) else { return }
        let listeners: [(path: String, title: String, address: ListenAddress?)] = [
            ("server.listen", "[server] listen", configuration.listen),
            ("tls.listen", "[tls] listen", configuration.tlsListen),
            ("server.admin_listen", "[server] admin_listen", configuration.adminListen),
            ("cluster.listen", "[cluster] listen", configuration.clusterListen),
        ]
        for (index, one) in listeners.enumerated() {
            guard let address = one.address,
                let other = listeners[..<index].first(where: {
                    $0.address?.overlaps(address) == true
                })
            else { continue }
            let source = configuration.sources[one.path] ?? configuration.sources[other.path]
            mistakes.append(
                .sameAddress(
                    source ?? .standard, setting: one.title, address, other: other.title))
        }
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
