// Reactions from many connections to many channels, each durable and seen by one subscriber.

/// The daemon with its writers and followers.
private final class AddLoad {
    let server: Server
    private let crowd: Crowd
    private let writers: [Connection]
    private let channels: Int
    private var template: FrameTemplate
    private var count = 0
    /// Writes of each writer that have no answer yet.
    private var waiting: [Int]

    struct Outcome {
        var sent = 0
        var acknowledged = 0
        var delivered = 0
        var seconds = 0.0
        var cpuMicroseconds = 0.0
        var acknowledgedTimes = Histogram()
        var deliveredTimes = Histogram()

        var rate: Double { Double(acknowledged) / seconds }

        var values: [Metric: Double] {
            var values: [Metric: Double] = [
                .acknowledgedPerSecond: rate,
                .cpuPerAdd: cpuMicroseconds / Double(max(1, acknowledged)),
            ]
            values[.acknowledgedMedian] = acknowledgedTimes.percentile(0.5).map { $0 / 1e6 }
            values[.acknowledgedTail] = acknowledgedTimes.percentile(0.99).map { $0 / 1e6 }
            values[.median] = deliveredTimes.percentile(0.5).map { $0 / 1e6 }
            values[.tail] = deliveredTimes.percentile(0.99).map { $0 / 1e6 }
            return values
        }
    }

    init(_ run: Run) throws(BenchError) {
        server = try Server(.syncdaemon, run)
        channels = run.settings[.channels]
        let dialect = server.dialect
        template = dialect.add(isRetryable: run.settings[.mutations] > 0)
        crowd = try Crowd(ports: server.ports)
        try crowd.open(channels, parallel: run.settings[.parallel]) { index in
            dialect.subscriber(index, channels: index..<index + 1)
        }
        try crowd.open(run.settings[.writers], parallel: run.settings[.parallel]) {
            dialect.writer($0)
        }
        writers = Array(crowd.connections[channels...])
        waiting = Array(repeating: 0, count: writers.count)
    }

    /// Keeps every writer busy.
    func runFull(depth: Int, seconds: Double) throws(BenchError) -> Outcome {
        try run(seconds: seconds) { (outcome, now) throws(BenchError) in
            for (index, writer) in writers.enumerated() where waiting[index] < depth {
                while waiting[index] < depth { send(index, at: Clock.nanoseconds(), &outcome) }
                try crowd.flush(writer)
            }
        }
    }

    /// Sends on a schedule, and counts from when the schedule says so.
    func run(rate: Double, seconds: Double) throws(BenchError) -> Outcome {
        var schedule = Schedule(start: Clock.nanoseconds(), rate: rate)
        return try run(seconds: seconds) { (outcome, now) throws(BenchError) in
            while let due = schedule.next(at: now) {
                send(outcome.sent % writers.count, at: due, &outcome)
            }
            for writer in writers { try crowd.flush(writer) }
        }
    }

    private func send(_ writer: Int, at time: UInt64, _ outcome: inout Outcome) {
        let frame = template.fill(channel: count % channels, time: time, number: count)
        crowd.queue(frame, on: writers[writer])
        count += 1
        outcome.sent += 1
        waiting[writer] += 1
    }

    private func run(
        seconds: Double, sendDue: (inout Outcome, UInt64) throws(BenchError) -> Void
    ) throws(BenchError) -> Outcome {
        var outcome = Outcome()
        let cpu = try server.cpuNanoseconds
        let start = Clock.nanoseconds()
        let end = start + UInt64(seconds * 1e9)
        var progress = start
        var last = start
        while true {
            let now = Clock.nanoseconds()
            if now < end {
                try sendDue(&outcome, now)
            } else if outcome.acknowledged >= outcome.sent, outcome.delivered >= outcome.sent {
                break
            }
            try crowd.poll(milliseconds: 1) { connection, sent, now in
                last = now
                let time = now > sent ? now - sent : 0
                if connection.plan.role == .subscriber {
                    outcome.delivered += 1
                    outcome.deliveredTimes.add(time)
                } else {
                    outcome.acknowledged += 1
                    outcome.acknowledgedTimes.add(time)
                    waiting[connection.index - channels] -= 1
                }
            }
            if last > progress { progress = last }
            guard now < progress + 10_000_000_000 else {
                throw BenchError(
                    "Of \(outcome.sent) adds \(outcome.acknowledged) were acknowledged and"
                        + " \(outcome.delivered) delivered, and then nothing came for 10 s. The"
                        + " last answer: \(crowd.lastAnswer)")
            }
        }
        outcome.seconds = Double(last - start) / 1e9
        outcome.cpuMicroseconds = Double(try server.cpuNanoseconds - cpu) / 1000
        return outcome
    }
}

extension Scenario {
    /// At full rate, and at half of it.
    static func adds(_ run: Run) throws(BenchError) -> [Record] {
        let load = try AddLoad(run)
        let depth = run.settings[.depth]
        let seconds = Double(run.settings[.seconds])
        _ = try load.runFull(depth: depth, seconds: 0.5)
        let full = try load.runFull(depth: depth, seconds: seconds)
        let half = try load.run(rate: full.rate / 2, seconds: seconds)
        return [(100, full), (50, half)].map { percent, outcome in
            Record(
                scenario: "adds", server: .syncdaemon,
                parameters: [
                    "writers": run.settings[.writers], "channels": run.settings[.channels],
                    "percent": percent,
                ],
                values: outcome.values)
        }
    }
}
