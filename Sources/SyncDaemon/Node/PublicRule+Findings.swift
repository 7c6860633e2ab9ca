// What the rules of the public check look for.

import EventModel

extension PublicRule {
    // MARK: Access

    static func openKeysets(_ configuration: Configuration) -> [PublicFinding] {
        guard !configuration.namedKeysets.isEmpty else {
            return [
                PublicFinding(
                    source: .standard,
                    text: "there is no [keyset NAME]: every key names the one tenant \"default\","
                        + " and nobody needs a token. Write a keyset with access_control = yes.")
            ]
        }
        return configuration.namedKeysets.filter { !$0.keyset.isAccessControlled }.map { named in
            configuration.finding(
                of: named, at: ["access_control", "subscribe_key"],
                "[keyset \(named.name)] asks for no token: whoever knows its subscribe_key may read"
                    + " and write everything in it. Write access_control = yes.")
        }
    }

    // MARK: Doors

    static func openListeners(_ configuration: Configuration) -> [PublicFinding] {
        guard !configuration.listen.isLoopback else { return unusedCertificate(configuration) }
        return [
            configuration.finding(
                "server.listen",
                "others reach \(configuration.listen) without TLS, and whoever is on the way has"
                    + " their tokens. Write listen = 127.0.0.1:8080, and have clients come by"
                    + " [tls], or by a proxy that ends TLS.")
        ]
    }

    private static func unusedCertificate(_ configuration: Configuration) -> [PublicFinding] {
        guard configuration.certificateSource != nil, configuration.tlsListen == nil else {
            return []
        }
        return [
            configuration.finding(
                "tls.certificate_file",
                "there is a certificate, and [tls] listen is not set: nobody is shown it, unless"
                    + " systemd passes a socket for TLS. Write listen = 0.0.0.0:8443, or remove"
                    + " both files.", isAdvice: true)
        ]
    }

    static func openAdmin(_ configuration: Configuration) -> [PublicFinding] {
        let text: String
        if let admin = configuration.adminListen {
            guard AddressRange(admin.host)?.isPrivate != true else { return [] }
            text = "strangers reach \(admin), where /metrics and all of /readyz are shown."
        } else {
            text =
                "[server] admin_listen is not set: clients and operators, and behind a proxy"
                + " strangers, have one door."
        }
        return [
            configuration.finding(
                "server.admin_listen", text + " Write admin_listen = 127.0.0.1:8081.")
        ]
    }

    static func wideProxies(_ configuration: Configuration) -> [PublicFinding] {
        configuration.proxyProtocolFrom.filter { $0.isWide && !$0.isPrivate }.map { range in
            configuration.finding(
                "server.proxy_protocol_from",
                "proxy_protocol_from has \(range), and in it strangers: each may say that somebody"
                    + " else connects, and so have as many connections as there are addresses."
                    + " Name the proxies themselves, or their network up to /24, of IPv6 /64.")
        }
    }

    static func looseOrigins(_ configuration: Configuration) -> [PublicFinding] {
        configuration.allowedOrigins.compactMap { origin in
            let text: String
            if origin == "null" {
                text =
                    "allowed_origins has null, which every page can be in a sandboxed frame. Remove"
                    + " it."
            } else if isLocal(origin) {
                text =
                    "allowed_origins has \(origin), which any program and many an app on its"
                    + " reader's machine can be. Give page or app a host name of its own"
                    + " (Capacitor: server.hostname), and write that here."
            } else if origin.hasPrefix("http://") {
                text =
                    "allowed_origins has \(origin): whoever is on the way to its reader can change"
                    + " that page. Serve it by https, and write https here."
            } else {
                return nil
            }
            return configuration.finding("server.allowed_origins", text)
        }
    }

    /// Whether an origin's host is the machine of who looks at the page.
    private static func isLocal(_ origin: String) -> Bool {
        guard let start = origin.firstRange(of: "://")?.upperBound else { return false }
        let host = origin[start...]
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return name == "localhost" || name.hasSuffix(".localhost") || name == "[::1"
            || name.hasPrefix("127.")
    }

    // MARK: Bounds

    static func unfairConnections(_ configuration: Configuration) -> [PublicFinding] {
        let (own, all) = (configuration.connectionsPerAddress, configuration.connections)
        let path = "server.connections_per_address"
        // All come from the proxy's address, unless it says for whom it connects.
        if configuration.tlsListen == nil, configuration.proxyProtocolFrom.isEmpty,
            configuration.listen.isLoopback
        {
            guard own < all else { return [] }
            return [
                configuration.finding(
                    path,
                    "behind a proxy all clients have its address, so that one of them can use up"
                        + " connections_per_address (\(own)) for all. Write connections_per_address"
                        + " = \(all), and have the proxy count by client; or let it say for whom"
                        + " it connects: proxy_protocol_from.")
            ]
        }
        guard own > max(1, all / 10) else { return [] }
        return [
            configuration.finding(
                path,
                "one address may have \(own) of \(all) connections. Write connections_per_address"
                    + " = \(max(1, all / 10)) or less.")
        ]
    }

    static func unboundMemory(_ configuration: Configuration, _ memory: Int) -> [PublicFinding] {
        let max = configuration.memoryMax
        let text: String
        if max == 0 {
            text =
                "memory_max is not set: three quarters of the machine's memory are the daemon's,"
                + " whatever else runs there. Say how much it may have, such as memory_max = 2G."
        } else if max > memory {
            text =
                "memory_max is \(max) bytes, and there are \(memory): the kernel ends the daemon"
                + " before it refuses anybody. Write less."
        } else {
            return []
        }
        return [configuration.finding("limits.memory_max", text)]
    }

    static func sharedPlaces(_ configuration: Configuration) -> [PublicFinding] {
        guard configuration.namedKeysets.count > 1 else { return [] }
        let quotas = [
            "connections_max", "subscriptions_max", "memberships_max", "groups_max",
            "commands_per_second_max",
        ]
        let standard = NamedKeyset(name: "")
        return configuration.namedKeysets.compactMap { named in
            let open = quotas.filter { name in
                let key = NamedKeyset.key(named: name)
                return key?.write(named) == key?.write(standard)
            }
            guard !open.isEmpty else { return nil }
            return configuration.finding(
                of: named, at: ["subscribe_key"],
                "[keyset \(named.name)] may have as much as the whole daemon. Say what it needs:"
                    + " \(open.joined(separator: ", ")).", isAdvice: true)
        }
    }
}

extension Configuration {
    /// Something to be said about a keyset, at the first of its settings that is set.
    func finding(
        of named: NamedKeyset, at keys: [String], _ text: String, isAdvice: Bool = false
    ) -> PublicFinding {
        let paths = keys.map { "keyset \(named.name).\($0)" }
        let source = paths.lazy.compactMap { self.sources[$0] }.first
        return PublicFinding(source: source ?? .standard, text: text, isAdvice: isAdvice)
    }
}
