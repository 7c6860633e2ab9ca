// Measurements as lines and tables, and the comparison of two runs.

import Testing

@testable import syncbench

@Suite("Reports")
struct ReportTests {
    private func fanout(
        _ server: ServerKind, window: Int = 1, _ values: [Metric: Double]
    ) -> Record {
        Record(
            scenario: "fanout", server: server,
            parameters: ["subscribers": 1000, "window": window], values: values)
    }

    private func worse(
        _ old: [Record], _ new: [Record], tolerance: Double = 0.25
    ) -> [Metric] {
        Comparison.findings(old: old, new: new, tolerance: tolerance)
            .filter(\.isWorse).map(\.metric)
    }

    @Test("a measurement survives being written and read")
    func roundTrip() throws {
        let records = [
            fanout(.syncdaemon, [.cpuPerDelivery: 0.3842, .deliveriesPerSecond: 2_359_602]),
            fanout(.floor, window: 50, [.cpuPerDelivery: 1e-7, .missed: 0]),
        ]
        let machine = Circumstances([], places: Places()).json

        let text = ([machine] + records.map(\.json)).joined(separator: "\n") + "\n"

        #expect(try Record.read(text) == records)
    }

    @Test("what is not a measurement is refused with its line, what is unknown is left out")
    func reading() throws {
        let unknown = #"{"scenario":"a","server":"b","parameters":{},"values":{}}"#
        let newer = #"{"scenario":"a","server":"floor","parameters":{},"values":{"new":1}}"#

        let records = try Record.read("\(unknown)\n\(newer)\n")

        #expect(records.map(\.server) == [.floor])
        #expect(records.first?.values.isEmpty == true)
        #expect(throws: BenchError.self) { try Record.read("{}\n") }
        let error = #expect(throws: BenchError.self) { try Record.read("\(newer)\nnonsense\n") }
        #expect(error?.description.hasPrefix("Line 2: ") == true)
    }

    @Test("a slower machine is no regression, a worse ratio is")
    func ratios() {
        let old = [fanout(.syncdaemon, [.cpuPerDelivery: 6]), fanout(.floor, [.cpuPerDelivery: 5])]
        let slower = [
            fanout(.syncdaemon, [.cpuPerDelivery: 60]), fanout(.floor, [.cpuPerDelivery: 50]),
        ]
        let worseRatio = [
            fanout(.syncdaemon, [.cpuPerDelivery: 6]), fanout(.floor, [.cpuPerDelivery: 3.8]),
        ]

        #expect(worse(old, slower).isEmpty)
        #expect(worse(old, worseRatio) == [.cpuPerDelivery])
        #expect(worse(old, worseRatio, tolerance: 0.35).isEmpty)
        #expect(worse(worseRatio, old).isEmpty)
        #expect(Comparison.findings(old: old, new: slower, tolerance: 0.25).first?.new == 1.2)
    }

    @Test("more connections per second are better, not worse")
    func directions() {
        func run(_ rate: Double) -> [Record] {
            [
                fanout(.syncdaemon, [.connectsPerSecond: rate]),
                fanout(.floor, [.connectsPerSecond: 100]),
            ]
        }

        #expect(worse(run(90), run(50)) == [.connectsPerSecond])
        #expect(worse(run(50), run(90)).isEmpty)
    }

    @Test(
        "bytes and losses are compared as they are, up to the tolerance",
        arguments: [
            (Metric.idleBytes, 1000, 1249, false), (.idleBytes, 1000, 1251, true),
            (.bytesPerDelivery, 200, 300, true), (.missed, 0, 1, true), (.missed, 0, 0, false),
            (.reads, 0, 3, true),
        ])
    func plain(metric: Metric, old: Double, new: Double, isWorse: Bool) {
        let found = worse(
            [fanout(.syncdaemon, [metric: old])], [fanout(.syncdaemon, [metric: new])])

        #expect(found == (isWorse ? [metric] : []))
    }

    @Test("times are not compared, and what is gone is a regression")
    func absence() {
        let floor = fanout(.floor, [.cpuPerDelivery: 1])
        let old = [fanout(.syncdaemon, [.cpuPerDelivery: 1, .tail: 5]), floor]

        #expect(
            worse(old, [fanout(.syncdaemon, [.cpuPerDelivery: 1, .tail: 500]), floor]).isEmpty)
        #expect(worse(old, [floor]) == [.cpuPerDelivery])
        #expect(
            worse(old, [fanout(.syncdaemon, window: 50, [.cpuPerDelivery: 1]), floor])
                == [.cpuPerDelivery])
        #expect(Comparison.findings(old: [floor], new: [floor], tolerance: 0.25).isEmpty)
    }

    @Test("the marginal cost of a delivery leaves out what an event costs by itself")
    func marginalCosts() {
        func point(_ subscribers: Int, window: Int, fixed: Double, each: Double) -> Record {
            let perDelivery = each + fixed / Double(subscribers)
            return Record(
                scenario: "subscribers", server: .syncdaemon,
                parameters: ["subscribers": subscribers, "window": window],
                values: [.cpuPerDelivery: perDelivery])
        }

        let curve = Scenario.withMarginalCosts([
            point(8, window: 1, fixed: 64, each: 4), point(8, window: 50, fixed: 16, each: 2),
            point(128, window: 1, fixed: 64, each: 4), point(128, window: 50, fixed: 16, each: 2),
            point(1024, window: 1, fixed: 64, each: 4),
        ])

        #expect(curve.map { $0.values[.marginalCPUPerDelivery] } == [nil, nil, 4, 2, 4])
        #expect(curve.map { $0.values[.cpuPerDelivery] } == [12, 4, 4.5, 2.125, 4.0625])
        #expect(MarkdownTable.listing(curve).contains("marginal CPU µs/delivery"))
    }

    @Test("a point that does not go further than the one before has no marginal cost")
    func marginalCostOfNothing() {
        let point = fanout(.syncdaemon, [.cpuPerDelivery: 1])
        let without = fanout(.syncdaemon, [:])

        let curve = Scenario.withMarginalCosts([point, point, without])

        #expect(curve.allSatisfy { $0.values[.marginalCPUPerDelivery] == nil })
    }

    @Test("a table's columns are as wide as they must be")
    func table() {
        var table = MarkdownTable(["server", "n"])
        table.add(["a", "12,345"])

        #expect(
            table.text == """
                | server |      n |
                |--------|-------:|
                | a      | 12,345 |

                """)
    }

    @Test("servers stand beside each other, with how much less the daemon takes")
    func sideBySide() {
        let records = [
            fanout(.syncdaemon, [.cpuPerDelivery: 6]), fanout(.nats, [.cpuPerDelivery: 12]),
            Record(
                scenario: "idle", server: .syncdaemon, parameters: ["subscribers": 10],
                values: [.idleBytes: 2048]),
        ]

        let lines = SideBySide.text(records, servers: [.syncdaemon, .nats])
            .split(separator: "\n").map { $0.split(separator: "|").map(trimmed) }

        #expect(lines.count == 4)
        #expect(lines[0] == ["", "SyncDaemon", "NATS"])
        #expect(lines[2] == ["one event in flight: CPU, µs per delivery", "6.00", "12.0 (×0.50)"])
        #expect(lines[3] == ["idle connection: memory, KiB", "2.00", "–"])
    }

    private func trimmed(_ cell: Substring) -> String {
        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
