// The daemon beside the floor and its peers, with how many times as much each takes.

/// The first table of a full run.
enum SideBySide {
    private struct Row {
        let title: String
        let scenario: String
        let metric: Metric
        var parameters: [String: Int] = [:]
        /// Bytes are shown in KiB.
        var inKiB = false
    }

    private static let rows =
        fanout("one event in flight", ["window": 1])
        + fanout("50 in flight", ["window": 50, "burst": 1])
        + fanout("batches of 50", ["window": 50, "burst": 50])
        + [
            Row(
                title: "idle connection: memory, KiB", scenario: "idle", metric: .idleBytes,
                inKiB: true),
            Row(title: "… CPU of all, % of a core", scenario: "idle", metric: .idleCPU),
            Row(
                title: "connected and subscribed, per second", scenario: "connect",
                metric: .connectsPerSecond),
            Row(title: "… CPU, µs per connection", scenario: "connect", metric: .cpuPerConnect),
        ]

    private static func fanout(_ title: String, _ parameters: [String: Int]) -> [Row] {
        let metrics: [(Metric, String)] = [
            (.cpuPerDelivery, "\(title): CPU, µs per delivery"),
            (.deliveriesPerSecond, "… deliveries/s"), (.median, "… p50, ms"), (.tail, "… p99, ms"),
            (.bytesPerDelivery, "… bytes per delivery"),
        ]
        return metrics.map { metric, title in
            Row(title: title, scenario: "fanout", metric: metric, parameters: parameters)
        }
    }

    /// - Parameter servers: Those that were measured, in the order of the columns.
    static func text(_ records: [Record], servers: [ServerKind]) -> String {
        var table = MarkdownTable([""] + servers.map(\.title))
        for row in rows {
            let values = servers.map { value(row, $0, records) }
            guard values.contains(where: { $0 != nil }) else { continue }
            let own = servers.firstIndex(of: .syncdaemon).flatMap { values[$0] }
            let cells = zip(servers, values).map { server, value in
                cell(value, own: server == .syncdaemon ? nil : own, inKiB: row.inKiB)
            }
            table.add([row.title] + cells)
        }
        return table.text
    }

    private static func value(_ row: Row, _ server: ServerKind, _ records: [Record]) -> Double? {
        records.first { record in
            record.scenario == row.scenario && record.server == server
                && row.parameters.allSatisfy { record.parameters[$0.key] == $0.value }
        }?.values[row.metric]
    }

    /// `9.71 (×0.58)`: in parentheses the daemon's value divided by this one.
    private static func cell(_ value: Double?, own: Double?, inKiB: Bool) -> String {
        guard let value else { return "–" }
        let text = inKiB ? (value / 1024).readable : value.readable
        // The floor keeps nothing per connection: a ratio to nothing says nothing.
        guard let own, value > 0, own / value < 100 else { return text }
        return "\(text) (×\((own / value).fixed(2)))"
    }
}
