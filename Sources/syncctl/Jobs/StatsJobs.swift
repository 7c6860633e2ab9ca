// Runs `stats`: reads what a daemon counts, again and again, and shows the difference.

import Glibc

/// Asks and waits in turn; blocks.
struct StatsJobRunner {
    let options: Options
    /// Rows after which the titles stand again.
    private static let rowsBetweenTitles = 20

    func run(_ work: StatsWork) throws(JobError) {
        let socket = AdminSocket(work.place)
        var earlier: StatsReading? = try StatsReading(from: socket)
        var left = work.isWatching ? work.count ?? .max : 1
        var rows = 0
        while left > 0 {
            sleep(UInt32(work.interval))
            let reading: StatsReading
            do throws(JobError) {
                reading = try StatsReading(from: socket)
            } catch {
                // Who watches sees the daemon come again.
                guard work.isWatching else { throw error }
                complain(of: error)
                earlier = nil
                continue
            }
            defer { earlier = reading }
            guard let interval = earlier.flatMap({ reading.interval(since: $0) }) else { continue }
            show(interval, work, rows)
            (left, rows) = (left - 1, rows + 1)
        }
    }

    private func complain(of error: JobError) {
        guard let failure = Failure(error) else { return }
        let writesJSON = options.writesJSON
        Terminal.complain(
            writesJSON ? JSONFormat(user: "").line(for: failure) : failure.sentence,
            isWhole: writesJSON)
    }

    private func show(_ interval: StatsInterval, _ work: StatsWork, _ rows: Int) {
        if options.writesJSON {
            Terminal.print(StatsFormat.json(interval, at: time(nil)))
        } else if work.isWatching {
            if rows % Self.rowsBetweenTitles == 0 { Terminal.print(StatsFormat.header) }
            Terminal.print(StatsFormat.row(interval, at: LocalTime.now))
        } else {
            for line in StatsFormat.lines(interval) { Terminal.print(line) }
        }
    }
}

/// A reading, and when it was made.
struct StatsReading: Sendable {
    private let metrics: MetricsReading
    private let moment: ContinuousClock.Instant

    init(from socket: AdminSocket) throws(JobError) {
        metrics = try socket.metrics()
        moment = ContinuousClock.now
    }

    /// - Returns: `nil`: the daemon was started anew meanwhile.
    func interval(since earlier: StatsReading) -> StatsInterval? {
        let (seconds, parts) = (moment - earlier.moment).components
        return StatsInterval(
            from: earlier.metrics, to: metrics, seconds: Double(seconds) + Double(parts) / 1e18)
    }
}
