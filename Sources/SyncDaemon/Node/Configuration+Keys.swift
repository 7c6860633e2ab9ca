// The table of settings. A new setting is a field in Configuration and a row here.

import EventModel

extension Configuration {
    /// Every setting, section by section.
    static let keys: [SettingKey<Configuration>] =
        section("server", server) + section("tls", tls) + section("store", store)
        + section("archive", archive) + section("cluster", cluster) + section("log", log)
        + section("tracing", tracing) + section("limits", limits)

    /// The sections, in the table's order.
    static let sections: [String] = keys.reduce(into: []) { sections, key in
        if sections.last != key.section { sections.append(key.section) }
    }

    static func key(_ name: String, in section: String) -> SettingKey<Configuration>? {
        keys.first { $0.section == section && $0.name == name }
    }

    private static func section(
        _ name: String, _ keys: [SettingKey<Configuration>]
    ) -> [SettingKey<Configuration>] {
        keys.map { $0.with(\.section, name) }
    }

    private static let server: [SettingKey<Configuration>] = [
        .address(
            "listen", into: \.listen,
            "Address and port for WebSocket and HTTP. Port 0 takes any free one."),
        .optionalAddress(
            "admin_listen", into: \.adminListen,
            "Address and port where operators read /metrics, and where /readyz says what is wrong."
                + " Without one both are shown at listen, while only this machine reaches that."
        ).with(\.example, "127.0.0.1:8081"),
        .socketPath(
            "admin_socket", into: \.adminSocket,
            "Path of a socket where whoever may open that file sees and does everything, or no: see"
                + " syncctl admin --help."
        ).with(\.example, "/run/syncdaemon/admin.sock"),
        .name(
            "admin_socket_group", into: \.adminSocketGroup,
            "The members of this group may open admin_socket, too, whose mode is then 0660 instead"
                + " of 0600. The daemon's user has to be in it."
        ).with(\.example, "operators"),
        .optionalSecret(
            "admin_key_file", into: \.adminKeySource,
            "A key with which the same is to be had at admin_listen, as long as that is on"
                + " loopback: \(Limits.adminKeyBytesMin) to \(Limits.adminKeyBytesMax) visible"
                + " ASCII characters. credential:NAME stands for what systemd passes."
        ).with(\.isReloaded, true).with(\.example, "/etc/syncdaemon/admin.key"),
        .optionalDirectory(
            "console", into: \.console,
            "Directory of the web console, which has console and web in it: it is at /console/ of"
                + " admin_listen, and without one at listen while only this machine reaches that."
        ).with(\.example, "/usr/share/syncdaemon"),
        .yesOrNo(
            "console_for_clients", into: \.hasPublicConsole,
            "Shows the console at listen and [tls] listen, too, to whoever connects; without what"
                + " operators see."),
        .number(
            "reactors", 0...256, into: \.reactors,
            "Threads that serve connections. 0 means one per core."),
        .number(
            "readers", 1...64, into: \.readers,
            "Threads that read the store for history and catching up."),
        .origins(
            "allowed_origins", into: \.allowedOrigins,
            "Web pages of these origins may connect and send requests. Pages of this machine may"
                + " while the daemon listens on loopback; programs that send no Origin are not"
                + " concerned. null stands for files and sandboxed frames, whoever made them."
        ).with(\.isReloaded, true),
        .hosts(
            "allowed_hosts", into: \.allowedHosts,
            "Names by which clients call the daemon, as a proxy passes them on in Host. On loopback"
                + " others than localhost and loopback addresses are refused; elsewhere"
                + " all are taken while none is named here."
        ).with(\.isReloaded, true),
        .ranges(
            "proxy_protocol_from", into: \.proxyProtocolFrom,
            "Addresses of proxies whose connections begin with a PROXY header, version 1 or 2: then"
                + " the client is who that names. Nobody else may send one."),
        .number(
            "connections", 1...10_000_000, into: \.connections,
            "Open connections in all. Further ones are closed at once."
        ).with(\.isReloaded, true),
        .number(
            "connections_per_address", 1...10_000_000, into: \.connectionsPerAddress,
            "Open connections from one address. Further ones are closed at once. Behind a proxy"
                + " all connections have the proxy's address, unless it is in proxy_protocol_from."
        ).with(\.isReloaded, true),
        .yesOrNo(
            "insecure", into: \.insecure,
            "Lets other machines connect although not every keyset asks for tokens: whoever"
                + " connects may read and write everything in the others."
        ).with(\.isReloaded, true),
    ]

    private static let tls: [SettingKey<Configuration>] = [
        .optionalAddress(
            "listen", into: \.tlsListen,
            "Address and port for WebSocket and HTTP over TLS, besides that of [server] listen."
        ).with(\.flag, "--tls-listen").with(\.example, "0.0.0.0:8443"),
        .optionalSecret(
            "certificate_file", into: \.certificateSource,
            "The server's certificate, and behind it those of the authorities up to the root, in"
                + " PEM. credential:NAME stands for what systemd passes with"
                + " LoadCredential=NAME:/PATH."
        ).with(\.flag, "--tls-certificate-file").with(\.isReloaded, true)
            .with(\.example, "/etc/syncdaemon/fullchain.pem"),
        .optionalSecret(
            "key_file", into: \.certificateKeySource,
            "The private key of that certificate, in PEM and without a password, likewise."
        ).with(\.flag, "--tls-key-file").with(\.isReloaded, true)
            .with(\.example, "/etc/syncdaemon/privkey.pem"),
    ]

    private static let store: [SettingKey<Configuration>] = [
        .choice(
            "kind", into: \.storeKind,
            "sqlite keeps the data in one file and acknowledges a write when it is on the disk."
                + " postgres keeps it in a schema of a PostgreSQL server's, likewise."
                + " memory is for tests: everything is gone when the daemon stops."
        ).with(\.flag, "--store"),
        .directory(
            "directory", into: \.directory,
            "Directory of the data. It is created when it is absent. With postgres only contents of"
                + " files are there."
        ).with(\.flag, "--data-dir"),
        .databaseURL(
            "url", into: \.storeURL,
            "Where the PostgreSQL server is, as its own programs take it, without a password. Put"
                + " sslmode=verify-full into it where the way there is not this machine's."
        ).with(\.flag, "--store-url")
            .with(\.example, "postgresql://syncdaemon@db.internal/syncdaemon?sslmode=verify-full"),
        .optionalSecret(
            "url_file", into: \.storeURLSource,
            "The same from a file, where a password is in it. credential:NAME stands for what"
                + " systemd passes with LoadCredential=NAME:/PATH."
        ).with(\.flag, "--store-url-file").with(\.example, "/etc/syncdaemon/postgres-url"),
        .schemaName(
            "schema", into: \.storeSchema,
            "The schema in that server's database; made when it is absent. One daemon writes to it"
                + " at a time."
        ).with(\.flag, "--store-schema"),
        .yesOrNo(
            "reserve", into: \.waitsInReserve,
            "Whether a daemon that finds the schema in use waits until that daemon is gone, and"
                + " then serves in its place, instead of ending."
        ).with(\.flag, "--store-reserve"),
        .yesOrNo(
            "require_standby", into: \.needsStandby,
            "Whether a write on a PostgreSQL server counts only when a synchronous standby has it,"
                + " too: without synchronous_standby_names nothing is acknowledged."
        ).with(\.flag, "--store-require-standby"),
        .number(
            "tombstone_days", 0...36_500, into: \.tombstoneDays,
            "Days for which it is remembered that a reaction was removed. Devices that were away"
                + " for longer compare their reactions with the server's when they come back."),
        .number(
            "mutation_days", 1...36_500, into: \.mutationDays,
            "Days for which a write's mutation id is remembered. A retry after that is a new write."
        ),
    ]

    private static let archive: [SettingKey<Configuration>] = [
        .optionalDirectory(
            "directory", into: \.archiveDirectory,
            "Where every change of the file goes, so that \"syncdaemon restore\" can put back any"
                + " moment: an empty directory, on another disk, that the daemon may write to."
        ).with(\.flag, "--archive-directory").with(\.example, "/var/backups/syncdaemon"),
        .number(
            "seconds", 1...3600, into: \.archiveSeconds,
            "Seconds after which what was written is in the archive."
        ).with(\.flag, "--archive-seconds"),
        .number(
            "base_hours", 1...8760, into: \.archiveBaseHours,
            "Hours between two copies of the whole file. Restoring takes longer with more."
        ).with(\.flag, "--archive-base-hours"),
        .number(
            "keep_days", 1...3650, into: \.archiveKeepDays,
            "Days of which any moment can be restored. What only older ones need is removed."
        ).with(\.flag, "--archive-keep-days"),
        .program(
            "command", into: \.archiveCommand,
            "Program that takes each file of the archive to another place: it is called with the"
                + " file's path and with where that belongs in the archive, until it ends with 0."
        ).with(\.flag, "--archive-command").with(\.example, "/usr/local/sbin/take-archive"),
    ]

    private static let tracing: [SettingKey<Configuration>] = [
        .value(
            "endpoint", into: \.tracesEndpoint, placeholder: "URL",
            expected: "an address that begins with https://, or with http:// on this machine",
            "Where an OpenTelemetry collector takes traces by HTTP (OTLP): what became when of a"
                + " publish, an addAction or a removeAction, down to where it left; with the names"
                + " of their channels.",
            parse: { SignedAddress.isValid($0) ? .some($0) : nil }, format: { $0 }
        ).with(\.flag, "--tracing-endpoint")
            .with(\.example, "http://127.0.0.1:4318/v1/traces"),
        .number(
            "one_in", 1...1_000_000, into: \.tracesOneIn, "Of so many of these one is traced."
        ).with(\.flag, "--tracing-one-in"),
    ]

    private static let cluster: [SettingKey<Configuration>] = [
        .optionalAddress(
            "listen", into: \.clusterListen,
            "Address and port where the other daemons over the same schema come, on a network of"
                + " theirs alone: what they say there is not encrypted. With it a daemon that finds"
                + " the schema in use follows the one that uses it, and serves clients as well."
        ).with(\.flag, "--cluster-listen").with(\.example, "10.0.0.1:8090"),
        .optionalAddress(
            "advertise", into: \.clusterAdvertise,
            "Where they find this one, when that is not listen."
        ).with(\.flag, "--cluster-advertise").with(\.example, "10.0.0.1:8090"),
        .optionalSecret(
            "key_file", into: \.clusterKeySource,
            "What the daemons of a cluster know and nobody else does: \(Limits.linkKeyBytesMin) to"
                + " \(Limits.linkKeyBytesMax) visible ASCII characters. credential:NAME stands for"
                + " what systemd passes."
        ).with(\.flag, "--cluster-key-file").with(\.example, "/etc/syncdaemon/cluster.key"),
    ]

    private static let log: [SettingKey<Configuration>] = [
        .choice(
            "level", into: \.logLevel, "The least important level that is still logged."
        ).with(\.flag, "--log-level").with(\.isReloaded, true),
        .choice(
            "format", into: \.logFormat,
            "text writes lines to standard error, journal sends fields to systemd's journal,"
                + " auto takes journal when standard error is the journal."
        ).with(\.flag, "--log-format"),
    ]

    private static let limits: [SettingKey<Configuration>] = [
        .number(
            "send_queue_bytes", (64 * 1024)...(1024 * 1024 * 1024), bytes: true,
            into: \.sendQueueBytes,
            "Bytes that may wait for one client that reads slowly. Over it they are dropped, and"
                + " read again from the store once the client reads."
        ).with(\.isReloaded, true),
        .number(
            "batch_window", 0...Limits.batchWindowMax, into: \.batchWindow,
            "Milliseconds that events wait for more, so that fewer and larger batches leave. 0"
                + " sends at once what came together. A subscriber may ask for longer."
        ).with(\.isReloaded, true),
        .number(
            "commands_per_second", 1...1_000_000, into: \.commandsPerSecond,
            "Commands per second from one WebSocket, or requests from one HTTP connection, after a"
                + " burst of as many. Further ones are answered with rate_limited, or 429."
        ).with(\.isReloaded, true),
        .number(
            "memory_max", Limits.memoryMaxMin...(1 << 50), bytes: true, orZero: true,
            into: \.memoryMax,
            "Memory that the daemon may have. Near it new keysets are refused, then new sessions,"
                + " then the longest queues are dropped; nothing that was acknowledged. Below 1G"
                + " caches are smaller. 0 means three quarters of what the machine or its control"
                + " group has."
        ).with(\.isReloaded, true),
    ]
}

extension SettingKey<Configuration> {
    /// Such as `server.listen`.
    var path: String { "\(section).\(name)" }
    /// Such as `[server] listen`.
    var title: String { "[\(section)] \(name)" }
    /// Such as `SYNCDAEMON_SERVER_LISTEN`.
    var variable: String { "SYNCDAEMON_\(section)_\(name)".uppercased() }
    /// The default, for people.
    var standard: String {
        if let text = Configuration.defaultTexts[path] { return text }
        return write(Configuration()) ?? ""
    }
}
