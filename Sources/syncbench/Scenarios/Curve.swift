// What a delivery costs as there are more and more subscribers, and more and more channels.

extension Scenario {
    /// A fresh daemon for each point, and beside it a fresh floor, if that is installed: what more
    /// sockets cost the kernel is in both.
    static func curve(_ run: Run) throws(BenchError) -> [Record] {
        var records: [Record] = []
        for subscribers in [10, 100, 1000, 10_000] {
            for kind in run.servers where kind == .syncdaemon || kind == .floor {
                let load = try Fanout(
                    Server(kind, run), subscribers: subscribers, followers: subscribers,
                    bytes: run.settings[.bytes], parallel: run.settings[.parallel])
                for window in [1, 50] {
                    let values = try measured(load, window: window, run)
                    records.append(
                        Record(
                            scenario: "subscribers", server: kind,
                            parameters: ["subscribers": subscribers, "window": window],
                            values: values))
                }
            }
        }
        records = withMarginalCosts(records)
        for channels in [1, 100, 10_000, 100_000] {
            let load = try Fanout(
                Server(.syncdaemon, run), subscribers: 1000, channels: channels, followers: 10,
                bytes: run.settings[.bytes], parallel: run.settings[.parallel])
            records.append(
                Record(
                    scenario: "channels", server: .syncdaemon,
                    parameters: ["channels": channels, "window": 1],
                    values: try measured(load, window: 1, run)))
        }
        return records
    }

    /// Adds what each delivery costs that a row has more than the one before it.
    ///
    /// An event costs `a + b·n` for `n` subscribers: `a` for making it durable, `b` for each
    /// delivery. The cost per delivery falls as `a` is shared by more of them; only this difference
    /// shows whether `b` is flat.
    static func withMarginalCosts(_ records: [Record]) -> [Record] {
        var last: [ServerKind: [Int: Record]] = [:]
        return records.map { record in
            var record = record
            guard let window = record.parameters["window"] else { return record }
            if let before = last[record.server]?[window] {
                record.values[.marginalCPUPerDelivery] = marginalCost(of: record, over: before)
            }
            last[record.server, default: [:]][window] = record
            return record
        }
    }

    private static func marginalCost(of more: Record, over less: Record) -> Double? {
        guard let many = more.parameters["subscribers"], let few = less.parameters["subscribers"],
            let cost = more.values[.cpuPerDelivery], let lessCost = less.values[.cpuPerDelivery],
            many > few
        else { return nil }
        return (cost * Double(many) - lessCost * Double(few)) / Double(many - few)
    }

    private static func measured(
        _ load: Fanout, window: Int, _ run: Run
    ) throws(BenchError) -> [Metric: Double] {
        _ = try load.run(window: window, burst: 1, seconds: 0.2)
        return try load.run(
            window: window, burst: 1, seconds: Double(run.settings[.seconds])
        ).values
    }
}
