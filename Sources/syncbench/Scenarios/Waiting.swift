// Connections that are opened, subscribe, and then wait: how fast, and what do they cost?

import Glibc

extension Scenario {
    /// `connect` and `idle` of each server.
    static func waiting(_ run: Run) throws(BenchError) -> [Record] {
        var records: [Record] = []
        for kind in run.servers { records += try waiting(run, kind) }
        return records
    }

    private static func waiting(_ run: Run, _ kind: ServerKind) throws(BenchError) -> [Record] {
        let count = run.settings[.subscribers]
        let server = try Server(kind, run)
        let crowd = try Crowd(ports: server.ports)
        // A first one brings what the server makes once only.
        try crowd.open(1, parallel: 1) { server.dialect.subscriber($0, channels: 0..<1) }
        usleep(300_000)
        let memory = try server.residentBytes
        let cpu = try server.cpuNanoseconds
        let seconds = try crowd.open(count, parallel: run.settings[.parallel]) { index in
            server.dialect.subscriber(index, channels: 0..<1)
        }
        let connectCPU = Double(try server.cpuNanoseconds - cpu) / 1000
        // Whoever collects garbage afterwards gets the time to do so.
        try wait(crowd, seconds: 2)
        let grown = try server.residentBytes - memory
        let parameters = ["subscribers": count]
        var records = [
            Record(
                scenario: "connect", server: kind, parameters: parameters,
                values: [
                    .connectsPerSecond: Double(count) / seconds,
                    .cpuPerConnect: connectCPU / Double(count),
                ])
        ]
        if run.settings[.seconds] > 0 {
            let cpu = try server.cpuNanoseconds
            let start = Clock.nanoseconds()
            try wait(crowd, seconds: run.settings[.seconds])
            let share =
                Double(try server.cpuNanoseconds - cpu) / Double(Clock.nanoseconds() - start)
            records.append(
                Record(
                    scenario: "idle", server: kind, parameters: parameters,
                    values: [
                        .idleBytes: Double(grown) / Double(count), .idleCPU: share * 100,
                    ]))
        }
        return records
    }

    /// Reading goes on: pings have to be answered.
    private static func wait(_ crowd: Crowd, seconds: Int) throws(BenchError) {
        let end = Clock.nanoseconds() + UInt64(seconds) * 1_000_000_000
        while Clock.nanoseconds() < end { try crowd.poll(milliseconds: 50) { _, _, _ in } }
    }
}
