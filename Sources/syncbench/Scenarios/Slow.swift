// Some subscribers stop reading: does the daemon stay small, and do the others feel it?

/// The daemon with subscribers of one channel, some of which will stop.
private final class SlowLoad {
    let server: Server
    let crowd: Crowd
    private let writer: Connection
    private let run: Run
    private var template: FrameTemplate
    /// The most memory that was seen.
    private(set) var peakBytes = 0

    init(_ run: Run) throws(BenchError) {
        self.run = run
        server = try Server(
            .syncdaemon, run, flags: ["--send-queue-bytes", "\(run.settings[.queueBytes])"])
        let dialect = server.dialect
        template = dialect.event(bytes: run.settings[.bytes])
        crowd = try Crowd(ports: server.ports)
        let count = run.settings[.subscribers]
        try crowd.open(count, parallel: run.settings[.parallel]) { index in
            var plan = dialect.subscriber(index, channels: 0..<1)
            plan.hasShortSegments = true
            return plan
        }
        try crowd.open(1, parallel: 1) { dialect.writer($0) }
        writer = crowd.connections[count]
    }

    /// Publishes at the rate of the run for its time, and waits until those who read have all.
    ///
    /// - Returns: How long deliveries took to those who read in every part.
    func publish() throws(BenchError) -> Histogram {
        var times = Histogram()
        let stuck = run.settings[.stuck]
        let readers = run.settings[.subscribers] - stuck
        let start = Clock.nanoseconds()
        let end = start + UInt64(run.settings[.seconds]) * 1_000_000_000
        var schedule = Schedule(start: start, rate: Double(run.settings[.rate]))
        var sent = 0
        while Clock.nanoseconds() < end || times.count < sent * readers {
            let now = Clock.nanoseconds()
            if now < end, let due = schedule.next(at: now) {
                crowd.queue(template.fill(channel: 0, time: due, number: 0), on: writer)
                try crowd.flush(writer)
                sent += 1
                peakBytes = max(peakBytes, try server.residentBytes)
            }
            try crowd.poll(milliseconds: 2) { connection, sent, now in
                if connection.index >= stuck, connection !== writer { times.add(now - sent) }
            }
            guard now < end + 20_000_000_000 else {
                throw BenchError("Those who read got \(times.count) of \(sent * readers).")
            }
        }
        peakBytes = max(peakBytes, try server.residentBytes)
        return times
    }
}

extension Scenario {
    /// Two records: `stuck=0`, when all read, and `stuck=N`.
    static func slow(_ run: Run) throws(BenchError) -> [Record] {
        let load = try SlowLoad(run)
        let all = try load.publish()
        let memory = load.peakBytes
        let stuck = run.settings[.stuck]
        for connection in load.crowd.connections[..<stuck] { load.crowd.pause(connection, true) }
        let others = try load.publish()
        let metrics = try load.server.metrics()
        let setBack = try metrics.value("slow_consumers_collapsed_total")
        let closed = try metrics.value("slow_consumers_closed_total")
        guard setBack + closed >= stuck else {
            throw BenchError(
                "Only \(setBack + closed) of \(stuck) stuck readers had more waiting than"
                    + " \(run.settings[.queueBytes]) bytes. Give more --seconds or --bytes.")
        }
        func record(_ stuck: Int, _ times: Histogram) -> Record {
            var record = Record(
                scenario: "slow", server: .syncdaemon,
                parameters: [
                    "subscribers": run.settings[.subscribers], "stuck": stuck,
                    "rate": run.settings[.rate], "bytes": run.settings[.bytes],
                ],
                values: [:])
            record.values[.median] = times.percentile(0.5).map { $0 / 1e6 }
            record.values[.tail] = times.percentile(0.99).map { $0 / 1e6 }
            return record
        }
        var after = record(stuck, others)
        after.values[.grownBytes] = Double(load.peakBytes - memory)
        after.values[.budgetBytes] = Double(stuck * run.settings[.queueBytes])
        after.values[.stuckSetBack] = Double(setBack)
        after.values[.stuckClosed] = Double(closed)
        return [record(0, all), after]
    }
}
