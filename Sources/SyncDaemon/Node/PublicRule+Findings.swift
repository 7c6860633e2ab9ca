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

    // MARK: Secrets

    /// Different characters of a key that was drawn: 32 hexadecimal digits have fewer once in ten
    /// million draws.
    private static let charactersMin = 8

    /// What people write who mean to come back to it.
    private static let examples = [
        "example", "secret", "password", "changeme", "default", "syncdaemon", "123456",
    ]

    static func weakSecrets(_ configuration: Configuration) -> [PublicFinding] {
        configuration.namedKeysets.flatMap { named in
            let keys = [
                ("secret_key", named.keyset.secretKey),
                ("secret_key_previous", named.keyset.previousSecretKey),
            ]
            return keys.compactMap { name, key -> PublicFinding? in
                guard let flaw = key.flatMap(flaw) else { return nil }
                return configuration.finding(
                    of: named, at: [name, name + "_file"],
                    "the \(name) of [keyset \(named.name)] \(flaw): whoever has a token can try"
                        + " keys until one fits. Draw one: head -c 32 /dev/urandom | base64")
            }
        }
    }

    /// Why somebody could guess a secret; says nothing of what stands in it.
    private static func flaw(of key: String) -> String? {
        let text = key.lowercased()
        if key.utf8.count < Limits.sharedKeyBytesMin {
            return "has fewer than \(Limits.sharedKeyBytesMin) bytes"
        }
        if examples.contains(where: { text.contains($0) }) { return "looks like an example" }
        return Set(key.utf8).count < charactersMin ? "is made of very few characters" : nil
    }

    // MARK: Doors

    static func openListeners(_ configuration: Configuration) -> [PublicFinding] {
        guard !configuration.listen.isLoopback else { return [] }
        return [
            configuration.finding(
                "server.listen",
                "others reach \(configuration.listen) without TLS, and whoever is on the way has"
                    + " their tokens. Write listen = 127.0.0.1:8080, and have clients come by"
                    + " [tls], or by a proxy that ends TLS.")
        ]
    }

    static func openAdmin(_ configuration: Configuration) -> [PublicFinding] {
        let text: String
        if let admin = configuration.adminListen {
            guard !admin.isLoopback, !admin.isOfPrivateNetwork else { return [] }
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

    static func looseOrigins(_ configuration: Configuration) -> [PublicFinding] {
        configuration.allowedOrigins.compactMap { origin in
            let text: String
            if origin == "null" {
                text =
                    "allowed_origins has null, which every page can be in a sandboxed frame. Remove"
                    + " it."
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
    fileprivate func finding(
        of named: NamedKeyset, at keys: [String], _ text: String, isAdvice: Bool = false
    ) -> PublicFinding {
        let paths = keys.map { "keyset \(named.name).\($0)" }
        let source = paths.lazy.compactMap { self.sources[$0] }.first
        return PublicFinding(source: source ?? .standard, text: text, isAdvice: isAdvice)
    }
}
