// The table of settings. A new setting is a field in Configuration and a row here.

import EventModel

extension ConfigurationKey {
    /// Every setting, section by section.
    static let all: [ConfigurationKey] = server + store + log + limits

    /// The sections, in the table's order.
    static let sections: [String] = all.reduce(into: []) { sections, key in
        if sections.last != key.section { sections.append(key.section) }
    }

    /// What SIGHUP changes while the daemon runs; the others need a restart.
    fileprivate static let reloadedPaths: Set<String> = [
        "server.allowed_origins", "server.connections", "server.connections_per_address",
        "server.insecure", "log.level", "limits.send_queue_bytes", "limits.batch_window",
        "limits.commands_per_second",
    ]

    static func named(_ name: String, in section: String) -> ConfigurationKey? {
        all.first { $0.section == section && $0.name == name }
    }

    private static let server = [
        address(
            "server", "listen", flag: "--listen", into: \.listen,
            "Address and port for WebSocket and HTTP. Port 0 takes any free one."),
        number(
            "server", "reactors", flag: "--reactors", 0...256, into: \.reactors,
            "Threads that serve connections. 0 means one per core."),
        number(
            "server", "readers", flag: "--readers", 1...64, into: \.readers,
            "Threads that read the store for history and catching up."),
        origins(
            "server", "allowed_origins", flag: "--allowed-origins", into: \.allowedOrigins,
            "Web pages of these origins may connect. Pages from this machine always may;"
                + " programs that send no Origin are not concerned."),
        number(
            "server", "connections", flag: "--connections", 1...10_000_000, into: \.connections,
            "Open connections in all. Further ones are closed at once."),
        number(
            "server", "connections_per_address", flag: "--connections-per-address",
            1...10_000_000, into: \.connectionsPerAddress,
            "Open connections from one address. Further ones are closed at once. Behind a proxy"
                + " all connections have the proxy's address."),
        yesOrNo(
            "server", "insecure", flag: "--insecure", into: \.insecure,
            "Lets other machines connect although there is no access control yet: whoever"
                + " connects may read and write everything."),
    ]

    private static let store = [
        choice(
            "store", "kind", flag: "--store", into: \.storeKind,
            "sqlite keeps the data in one file and acknowledges a write when it is on the disk."
                + " memory is for tests: everything is gone when the daemon stops."),
        directory(
            "store", "directory", flag: "--data-dir", into: \.directory,
            "Directory of the data. It is created when it is absent."),
        number(
            "store", "tombstone_days", flag: "--tombstone-days", 0...36_500, into: \.tombstoneDays,
            "Days for which it is remembered that a reaction was removed. Devices that were away"
                + " for longer compare their reactions with the server's when they come back."),
        number(
            "store", "mutation_days", flag: "--mutation-days", 1...36_500, into: \.mutationDays,
            "Days for which a write's mutation id is remembered. A retry after that is a new write."
        ),
    ]

    private static let log = [
        choice(
            "log", "level", flag: "--log-level", into: \.logLevel,
            "The least important level that is still logged."),
        choice(
            "log", "format", flag: "--log-format", into: \.logFormat,
            "text writes lines to standard error, journal sends fields to systemd's journal,"
                + " auto takes journal when standard error is the journal."),
    ]

    private static let limits = [
        number(
            "limits", "send_queue_bytes", flag: "--send-queue-bytes",
            (64 * 1024)...(1024 * 1024 * 1024), bytes: true, into: \.sendQueueBytes,
            "Bytes that may wait for one client that reads slowly. Over it they are dropped, and"
                + " read again from the store once the client reads."),
        number(
            "limits", "batch_window", flag: "--batch-window", 0...Limits.batchWindowMax,
            into: \.batchWindow,
            "Milliseconds that events wait for more, so that fewer and larger batches leave. 0"
                + " sends at once what came together. A subscriber may ask for longer."),
        number(
            "limits", "commands_per_second", flag: "--commands-per-second", 1...1_000_000,
            into: \.commandsPerSecond,
            "Commands per second from one connection, after a burst of as many. Further ones are"
                + " answered with rate_limited."),
    ]
}

extension ConfigurationKey {
    /// Whether SIGHUP changes it while the daemon runs.
    var isReloaded: Bool { Self.reloadedPaths.contains(path) }
}
