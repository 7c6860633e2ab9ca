// A full run as text: the machine, the servers beside each other, and the daemon's own tables.

import JSON

/// What a full run prints.
enum FullReport {
    static func text(_ records: [Record], servers: [ServerKind]) -> String {
        var parts = [SideBySide.text(records, servers: servers)]
        for (scenario, title) in sections {
            let own = records.filter { $0.scenario == scenario }
            if !own.isEmpty { parts.append("\(title)\n\n\(MarkdownTable.listing(own))") }
        }
        let repairs = RepairTable.text(records)
        if !repairs.isEmpty {
            parts.append("A cache that is too old, beside PubNub's pages:\n\n\(repairs)")
        }
        return parts.joined(separator: "\n")
    }

    private static let sections = [
        ("adds", "Durable reactions, as fast as they go (100 %) and at half that rate:"),
        ("slow", "Subscribers that stop reading:"),
        ("subscribers", "One channel, more and more subscribers:"),
        ("channels", "Ten subscribers to each event, more and more channels:"),
        ("storm", "All devices reconnect at once:"),
        ("return", "All devices reconnect with their caches:"),
    ]
}

/// The machine and the versions, for a person and as a line of JSON.
struct Circumstances {
    let versions: [String]

    init(_ servers: [ServerKind], places: Places) {
        let installed = Installed(places: places)
        versions = servers.map { "\($0.title): \(installed.version(of: $0))" }
    }

    private var machine: String {
        "\(Machine.date); \(Machine.cores) cores, \(Machine.processor); Linux \(Machine.kernel);"
            + " load \(Machine.load.fixed(2)) before"
    }

    var text: String { "\(machine).\n\(versions.joined(separator: "; ")).\n" }

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("machine", machine)
        writer.member("versions", versions)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
