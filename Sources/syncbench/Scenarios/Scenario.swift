// The measurements; each stands in a file of its own.

/// A name to put them under.
enum Scenario {
    /// Runs what a command line asks for.
    static func records(_ run: Run) throws(BenchError) -> [Record] {
        switch run.subcommand {
        case .fanout: try fanout(run)
        case .idle: try waiting(run).filter { $0.scenario == "idle" }
        case .connect: try waiting(run).filter { $0.scenario == "connect" }
        case .adds: try adds(run)
        case .slow: try slow(run)
        case .curve: try curve(run)
        case .storm: try storm(run)
        case .repair: try repair(run)
        case .return: try comingBack(run)
        case .table, .compare: []
        }
    }
}
