// `syncctl stats`: what is read of a daemon's metrics, and what becomes of it.

import JSON
import Testing

@testable import syncctl

@Suite("syncctl stats")
struct StatsToolTests {
    /// A scrape with so many commands, and commits that took up to 1 ms, 10 ms and longer.
    private func reading(
        commands: Int, commits: [Int] = [0, 0, 0], start: Int = 7
    ) -> MetricsReading {
        MetricsReading(
            """
            # HELP syncdaemon_sessions Connections.
            # TYPE syncdaemon_sessions gauge
            syncdaemon_sessions 3
            syncdaemon_commands_total \(commands)
            syncdaemon_requests_total 0
            syncdaemon_keyset_held{keyset="a \\"b\\" }",quota="channels"} 5
            syncdaemon_keyset_held{keyset="c",quota="channels"} 6
            syncdaemon_commit_seconds_bucket{le="0.001"} \(commits[0])
            syncdaemon_commit_seconds_bucket{le="0.01"} \(commits[0] + commits[1])
            syncdaemon_commit_seconds_bucket{le="+Inf"} \(commits.reduce(0, +))
            syncdaemon_wait_bucket{kind="a",le="0.5"} 1
            syncdaemon_wait_bucket{kind="b",le="0.5"} 2
            process_start_time_seconds \(start)
            no number
            """)
    }

    @Test("values of one name are summed up over their labels, and comments are none")
    func sums() {
        let reading = reading(commands: 1)

        #expect(reading["syncdaemon_sessions"] == 3)
        #expect(reading["syncdaemon_keyset_held"] == 11)
        #expect(reading["no"] == nil)
        #expect(reading["syncdaemon_wait_bucket"] == nil)
        #expect(reading.buckets(of: "syncdaemon_wait").map(\.count) == [3])
        #expect(
            reading.buckets(of: "syncdaemon_commit_seconds").map(\.bound.isFinite)
                == [true, true, false])
    }

    @Test("rates are of what came, and there are none across a start")
    func rates() throws {
        let interval = try #require(
            StatsInterval(from: reading(commands: 10), to: reading(commands: 40), seconds: 2))
        #expect(interval.rate("syncdaemon_commands_total", "syncdaemon_requests_total") == 15)
        #expect(interval.rate("syncdaemon_unknown") == nil)
        #expect(interval.sum("syncdaemon_sessions", "syncdaemon_unknown") == 3)

        let (before, after) = (reading(commands: 40), reading(commands: 1, start: 8))
        #expect(StatsInterval(from: before, to: after, seconds: 2) == nil)
        #expect(StatsInterval(from: before, to: before, seconds: 0) == nil)
    }

    @Test(
        "the bound of most is that of the interval alone",
        arguments: [
            ([99, 1, 0], 0.001), ([98, 2, 0], 0.01), ([0, 0, 1], 0.01), ([0, 0, 0], nil),
        ] as [([Int], Double?)])
    func bounds(commits: [Int], bound: Double?) throws {
        let old = [5, 5, 5]
        let interval = try #require(
            StatsInterval(
                from: reading(commands: 0, commits: old),
                to: reading(commands: 0, commits: zip(old, commits).map { $0 + $1 }), seconds: 1))

        #expect(interval.bound(of: "syncdaemon_commit_seconds", part: 0.99) == bound)
    }

    @Test(
        "a number has four columns at most, and as many digits as they have room for",
        arguments: [
            (0, "0"), (3, "3"), (0.126, "0.13"), (0.996, "1.0"), (9.94, "9.9"), (9.96, "10"),
            (120.4, "120"), (999, "999"), (999.6, "1.0k"), (1234, "1.2k"), (12_345, "12k"),
            (999_400, "999k"), (999_600, "1.0M"), (33_243_136, "33M"), (18_957_376_512, "19G"),
            (-1, "0"), (1e30, "999P"), (.infinity, "999P"), (-.infinity, "0"), (.nan, "-"),
        ] as [(Double, String)])
    func figures(value: Double, text: String) {
        #expect(Figure.text(value) == text)
    }

    @Test("a row stands below its titles, within 80 columns, and JSON has what it has")
    func formats() throws {
        let interval = try #require(
            StatsInterval(from: reading(commands: 10), to: reading(commands: 40), seconds: 2))
        let row = StatsFormat.row(interval, at: "10:32:05")

        #expect(row.count == StatsFormat.header.count)
        #expect(row.count <= 80)
        #expect(row.hasPrefix("10:32:05    3    -    15 "))
        #expect(StatsFormat.lines(interval).count == StatsColumn.all.count)
        let json = try JSONValue(parsing: StatsFormat.json(interval, at: 9))
        #expect(json.member("at")?.integer == 9)
        #expect(json.member("commandsPerSecond")?.integer == 15)
        #expect(json.member("subscriptions") == nil)
    }

    /// Numbers that are no count; beside them what JSON has of them.
    private static let oddNumbers: [(String, String?)] = [
        ("1e19", "1e+19"), ("9223372036854775808", "9.223372036854776e+18"),
        ("-9223372036854775808", "-9223372036854775808"), ("-9.3e18", "-9.3e+18"),
        ("1e308", "1e+308"), ("+Inf", "1.7976931348623157e+308"),
        ("-Inf", "-1.7976931348623157e+308"), ("NaN", nil), ("-0", "0"), ("0.5", "0.5"),
    ]

    @Test("a value of any size is shown, and what is no number is nothing", arguments: oddNumbers)
    func oddValues(value: String, written: String?) throws {
        let reading = MetricsReading("process_resident_memory_bytes \(value)")
        let interval = try #require(StatsInterval(from: reading, to: reading, seconds: 1))

        let json = try JSONValue(parsing: StatsFormat.json(interval, at: 9))
        #expect(json.member("residentBytes")?.compactText == written)
        #expect(StatsFormat.row(interval, at: "10:32:05").count == StatsFormat.header.count)
        #expect(StatsFormat.lines(interval).count == StatsColumn.all.count)
    }

    @Test(
        "nothing that a daemon says ends stats, or has it wait for ever",
        arguments: oddNumbers.map(\.0))
    func oddReadings(value: String) throws {
        let names = [
            "process_start_time_seconds", "process_resident_memory_bytes",
            "process_cpu_seconds_total", "syncdaemon_commands_total", "syncdaemon_sessions",
            "syncdaemon_ledger_backlog", "syncdaemon_reader_backlog",
            "syncdaemon_commit_seconds_bucket{le=\"\(value)\"}",
            "syncdaemon_commit_seconds_bucket{le=\"+Inf\"}",
        ]
        let odd = MetricsReading(names.map { "\($0) \(value)" }.joined(separator: "\n"))
        let without = MetricsReading(
            names.dropFirst().map { "\($0) 1" }.joined(separator: "\n")
                + "\nprocess_start_time_seconds \(value)")

        for (before, now) in [(odd, odd), (without, odd), (odd, without)] {
            let interval = try #require(StatsInterval(from: before, to: now, seconds: 1))
            _ = try JSONValue(parsing: StatsFormat.json(interval, at: 9))
            #expect(StatsFormat.row(interval, at: "10:32:05").count == StatsFormat.header.count)
            for column in StatsColumn.all + StatsColumn.stored {
                #expect(column.value(interval)?.isNaN != true)
                #expect(column.text(interval).count <= Figure.columns)
            }
        }
    }

    // MARK: The command line

    private func work(_ line: [String]) throws -> StatsWork? {
        switch try ArgumentParser(surroundings: Surroundings()).parse(line) {
        case .run(.stats(let work), _), .run(.top(let work), _): work
        default: nil
        }
    }

    @Test("options say where, how often and how long")
    func options() throws {
        #expect(try work(["stats"]) == StatsWork())
        #expect(
            try work(["stats", "--watch", "--interval", "5", "--count", "2", "--data-dir", "d"])
                == StatsWork(
                    place: AdminPlace(directory: "d"), isWatching: true, interval: 5, count: 2))
        #expect(
            try work(["top", "--socket", "/s"])
                == StatsWork(place: AdminPlace(socket: "/s"), isWatching: true))
    }

    @Test(
        "what makes no sense is refused",
        arguments: [
            ["stats", "room"], ["stats", "--count", "2"], ["stats", "--interval", "0"],
            ["stats", "--interval", "3601"], ["top", "room"], ["top", "--json"],
            ["top", "--watch"],
            // They ask at the socket: another daemon's address would say nothing to them.
            ["stats", "--url", "ws://h"], ["top", "--url", "ws://h"], ["stats", "--ca-file", "f"],
            ["admin", "status", "--url", "ws://h"], ["--url", "ws://h", "stats"],
        ])
    func refuses(line: [String]) {
        #expect(throws: UsageError.self) { try work(line) }
    }
}
