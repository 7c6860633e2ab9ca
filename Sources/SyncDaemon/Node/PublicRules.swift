// The table: what a configuration needs before strangers may connect.

import EventModel

extension PublicRule {
    /// Every rule, in the order of the checklist in docs/OPERATIONS.md, which has the same words.
    static let all: [PublicRule] = access + secrets + doors + bounds + rest

    private static let access = [
        PublicRule(
            name: "keysets",
            demand: "There are keysets, and each asks for tokens and has a key to check them with.",
            promotes: { if case .noKeyForTokens = $0 { true } else { false } },
            find: { configuration, _ in openKeysets(configuration) }),
        PublicRule(
            name: "insecure",
            demand: "`insecure` is off.",
            find: { configuration, _ in
                guard configuration.insecure else { return [] }
                return [
                    configuration.finding(
                        "server.insecure",
                        "[server] insecure is on: a keyset that is added without access_control is"
                            + " open to everybody. Remove it.")
                ]
            }),
    ]

    private static let secrets = [
        PublicRule(
            name: "strength",
            demand:
                "Each `secret_key`, and each shared key of a `jwks_file`, has at least 32 bytes,"
                + " looks like chance, and is of one keyset alone.",
            find: { configuration, _ in weakSecrets(configuration) }),
        PublicRule(
            name: "files",
            demand: "Nobody else on the machine may read a secret, or write what decides who comes"
                + " in, or put something in its place.",
            promotes: { warning in
                switch warning {
                case .secretForOthers, .secretFileForOthers, .writableByOthers,
                    .directoryWritableByOthers, .ownedByAnother, .uncheckedCredential:
                    true
                default: false
                }
            }),
    ]

    private static let doors = [
        PublicRule(
            name: "tls",
            demand: "No other machine reaches the daemon without TLS: `[server] listen` is on"
                + " loopback, and clients come by `[tls]`, with a"
                + " certificate that they take, or a proxy that ends it.",
            promotes: { warning in
                switch warning {
                case .certificateEnds(_, _, let seconds): seconds <= 0
                case .certificateBegins, .certificateNotForServers: true
                default: false
                }
            },
            find: { configuration, _ in openListeners(configuration) }),
        PublicRule(
            name: "proxies",
            demand: "`proxy_protocol_from` names proxies: no range wider than /24, of IPv6 /64, but"
                + " in private networks.",
            find: { configuration, _ in wideProxies(configuration) }),
        PublicRule(
            name: "admin",
            demand: "`admin_listen` is set, on loopback or in a private network.",
            find: { configuration, _ in openAdmin(configuration) }),
        PublicRule(
            name: "console",
            demand: "`console_for_clients` is off.",
            find: { configuration, _ in
                guard configuration.hasPublicConsole, configuration.console != nil else {
                    return []
                }
                return [
                    configuration.finding(
                        "server.console_for_clients",
                        "[server] console_for_clients is on: strangers load the console, which is"
                            + " for those who operate the daemon or try it out. Remove it.")
                ]
            }),
        PublicRule(
            name: "origins",
            demand: "`allowed_origins` names only pages that nobody else can make: https, and no"
                + " `null`.",
            find: { configuration, _ in looseOrigins(configuration) }),
        PublicRule(
            name: "hosts",
            demand: "`allowed_hosts` says by which names clients call the daemon.",
            find: { configuration, _ in
                guard configuration.allowedHosts.isEmpty else { return [] }
                return [
                    configuration.finding(
                        "server.allowed_hosts",
                        "[server] allowed_hosts is empty. Name the host of the URL that clients"
                            + " have, such as allowed_hosts = chat.example.")
                ]
            }),
    ]

    private static let bounds = [
        PublicRule(
            name: "connections",
            demand: "No address can take more than a tenth of `connections`; behind a proxy that"
                + " does not say for whom it connects, the proxy sees to that.",
            find: { configuration, _ in unfairConnections(configuration) }),
        PublicRule(
            name: "memory",
            demand: "`memory_max` is set, to what the machine and its control group have or less.",
            find: { configuration, memory in unboundMemory(configuration, memory) }),
        PublicRule(
            name: "quotas",
            demand: "Where there are several keysets, each has quotas below the defaults (advice).",
            find: { configuration, _ in sharedPlaces(configuration) }),
    ]

    private static let rest = [
        PublicRule(
            name: "log",
            demand: "The log has what was refused, and not every connection: `level` is `notice` or"
                + " `info`.",
            find: { configuration, _ in
                guard ![.notice, .info].contains(configuration.logLevel) else { return [] }
                let isDebug = configuration.logLevel == .debug
                return [
                    configuration.finding(
                        "log.level",
                        "[log] level is \(configuration.logLevel), which "
                            + (isDebug
                                ? "writes a line for whatever a stranger does"
                                : "leaves out who was refused") + ". Write info.")
                ]
            }),
        PublicRule(
            name: "store",
            demand:
                "The data is on a disk, in a directory of the daemon's user alone, or on a server"
                + " that proves who it is.",
            promotes: { warning in
                switch warning {
                case .directoryForAll, .directoryInMemory, .unprovenDatabase: true
                default: false
                }
            },
            find: { configuration, _ in
                guard configuration.storeKind == .memory else { return [] }
                return [
                    configuration.finding(
                        "store.kind",
                        "[store] kind is memory: a restart forgets everything. Write sqlite or"
                            + " postgres.")
                ]
            }),
    ]
}
