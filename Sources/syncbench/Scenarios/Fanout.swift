// Events of one channel, or of several, to all who follow it: what does a delivery cost?

/// A server with subscribers and one publisher, ready to be loaded as often as one likes.
final class Fanout {
    let server: Server
    private let crowd: Crowd
    private let writer: Connection
    private var template: FrameTemplate
    private let channels: Int
    /// How many connections get each event.
    private let followers: Int
    private var nextChannel = 0

    /// For connections that get nothing.
    private static let silentChannel = 999_999

    /// What one run of the loop saw.
    struct Outcome {
        var events = 0
        var deliveries = 0
        var bytes = 0
        var seconds = 0.0
        var cpuMicroseconds = 0.0
        var times = Histogram()

        var values: [Metric: Double] {
            var values: [Metric: Double] = [
                .cpuPerDelivery: cpuMicroseconds / Double(deliveries),
                .deliveriesPerSecond: Double(deliveries) / seconds,
                .bytesPerDelivery: Double(bytes) / Double(deliveries),
            ]
            values[.median] = times.percentile(0.5).map { $0 / 1e6 }
            values[.tail] = times.percentile(0.99).map { $0 / 1e6 }
            return values
        }
    }

    /// - Parameters:
    ///   - subscribers: How many connections there are.
    ///   - followers: How many of them follow each channel; all must follow equally many.
    init(
        _ server: Server, subscribers: Int, channels: Int = 1, followers: Int, bytes: Int,
        parallel: Int
    ) throws(BenchError) {
        self.server = server
        self.channels = channels
        self.followers = followers
        let dialect = server.dialect
        template = dialect.event(bytes: bytes)
        crowd = try Crowd(ports: server.ports)
        // Connection i follows a run of channels; each channel is in as many runs as followers.
        let length = max(1, channels * followers / subscribers)
        let isUsed = { (index: Int) in index * length < channels * followers }
        try crowd.open(subscribers, parallel: parallel) { index in
            guard isUsed(index) else {
                return dialect.subscriber(index, channels: Self.silentChannel..<1_000_000)
            }
            let first = index * length % channels
            return dialect.subscriber(index, channels: first..<min(first + length, channels))
        }
        try crowd.open(1, parallel: 1) { dialect.writer($0) }
        writer = crowd.connections[subscribers]
        try crowd.drain(quietMilliseconds: 300)
    }

    /// Publishes so that at most `window` events are under way, and waits for the last of them.
    ///
    /// - Parameter burst: So many are published at once, when there is room for all of them.
    func run(window: Int, burst: Int, seconds: Double) throws(BenchError) -> Outcome {
        var outcome = Outcome()
        let bytesBefore = crowd.subscriberBytes
        let cpuBefore = try server.cpuNanoseconds
        let start = Clock.nanoseconds()
        let end = start + UInt64(seconds * 1e9)
        var progress = start
        while true {
            let now = Clock.nanoseconds()
            if now >= end {
                if outcome.deliveries >= outcome.events * followers { break }
            } else {
                try publish(&outcome, window: window, burst: burst)
            }
            let before = outcome.deliveries
            try crowd.poll(milliseconds: 100) { connection, sent, now in
                // NATS and Nchan show the publisher its own events.
                guard connection !== writer else { return }
                outcome.deliveries += 1
                outcome.times.add(now - sent)
            }
            if outcome.deliveries > before { progress = now }
            guard now < progress + 10_000_000_000 else {
                throw BenchError(
                    "\(server.kind.title) delivered \(outcome.deliveries) of"
                        + " \(outcome.events * followers) and then nothing for 10 s. Its last"
                        + " answer: \(crowd.lastAnswer)")
            }
        }
        outcome.seconds = Double(Clock.nanoseconds() - start) / 1e9
        outcome.cpuMicroseconds = Double(try server.cpuNanoseconds - cpuBefore) / 1000
        outcome.bytes = crowd.subscriberBytes - bytesBefore
        return outcome
    }

    private func publish(
        _ outcome: inout Outcome, window: Int, burst: Int
    ) throws(BenchError) {
        while outcome.events - outcome.deliveries / followers + burst <= window {
            for _ in 0..<burst {
                crowd.queue(
                    template.fill(channel: nextChannel, time: Clock.nanoseconds(), number: 0),
                    on: writer)
                nextChannel = (nextChannel + 1) % channels
            }
            outcome.events += burst
        }
        try crowd.flush(writer)
    }
}

extension Scenario {
    static func fanout(_ run: Run) throws(BenchError) -> [Record] {
        try fanout(run, loads: [(run.settings[.window], run.settings[.burst])])
    }

    /// All servers are loaded in turn, again and again, so that a busy moment of the machine
    /// does not hit one of them only.
    static func fanout(
        _ run: Run, loads: [(window: Int, burst: Int)]
    ) throws(BenchError) -> [Record] {
        var servers: [Fanout] = []
        for kind in run.servers {
            servers.append(
                try Fanout(
                    Server(kind, run), subscribers: run.settings[.subscribers],
                    followers: run.settings[.subscribers], bytes: run.settings[.bytes],
                    parallel: run.settings[.parallel]))
        }
        for server in servers { _ = try server.run(window: 10, burst: 1, seconds: 0.3) }
        let seconds = Double(run.settings[.seconds])
        // By load and server, a list with a place for each round.
        var rounds = loads.map { _ in servers.map { _ in [[Metric: Double]]() } }
        for _ in 0..<run.settings[.rounds] {
            for (index, load) in loads.enumerated() {
                for (place, server) in servers.enumerated() {
                    let outcome = try server.run(
                        window: load.window, burst: load.burst, seconds: seconds)
                    rounds[index][place].append(outcome.values)
                }
            }
        }
        return zip(loads, rounds).flatMap { load, rounds in
            zip(servers, rounds).map { server, rounds in
                Record(
                    scenario: "fanout", server: server.server.kind,
                    parameters: [
                        "subscribers": run.settings[.subscribers], "window": load.window,
                        "burst": load.burst, "bytes": run.settings[.bytes],
                    ],
                    values: medians(rounds))
            }
        }
    }

    private static func medians(_ rounds: [[Metric: Double]]) -> [Metric: Double] {
        Metric.allCases.reduce(into: [:]) { result, metric in
            result[metric] = rounds.compactMap { $0[metric] }.median
        }
    }
}
