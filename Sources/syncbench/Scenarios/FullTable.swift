// Everything in one run, one step after the other.

extension Scenario {
    /// A part of a full run, with the settings it has by itself.
    private struct Step {
        let title: String
        let subcommand: Subcommand
        /// Whether the peers take part.
        var isSideBySide = false
        var settings: [Setting: Int] = [:]
        let measure: (Run) throws(BenchError) -> [Record]
    }

    private static var steps: [Step] {
        [
            Step(title: "fan-out", subcommand: .fanout, isSideBySide: true) {
                (run) throws(BenchError) in try fanout(run, loads: [(1, 1), (50, 1), (50, 50)])
            },
            Step(
                title: "connecting and waiting", subcommand: .idle, isSideBySide: true,
                measure: waiting),
            Step(
                title: "one reaction at a time", subcommand: .adds,
                settings: [.writers: 1, .depth: 1, .channels: 1, .seconds: 2], measure: adds),
            Step(title: "durable adds", subcommand: .adds, measure: adds),
            Step(title: "slow readers", subcommand: .slow, measure: slow),
            Step(title: "curves", subcommand: .curve, isSideBySide: true, measure: curve),
            Step(title: "reconnect storm", subcommand: .storm, measure: storm),
            Step(title: "repairs", subcommand: .repair, measure: repair),
            Step(title: "return with caches", subcommand: .return, measure: comingBack),
        ]
    }

    /// Goes on after a step that fails.
    ///
    /// - Parameters:
    ///   - say: Gets a line about what is being done.
    ///   - complain: Gets what failed.
    static func everything(
        _ run: Run, say: (String) -> Void, complain: (String) -> Void
    ) -> [Record] {
        var records: [Record] = []
        for step in steps {
            say("syncbench: \(step.title)")
            var part = Run(
                subcommand: step.subcommand, settings: Settings(step.subcommand.defaults),
                servers: step.isSideBySide ? run.servers : [.syncdaemon], places: run.places)
            for (setting, value) in step.settings { part.settings[setting] = value }
            part.settings[.reactors] = run.settings[.reactors]
            if step.subcommand == .fanout {
                part.settings[.rounds] = run.settings[.rounds]
                part.settings[.seconds] = run.settings[.seconds]
            }
            do throws(BenchError) {
                records += try step.measure(part)
            } catch {
                complain("\(step.title): \(error)")
            }
        }
        return records
    }

    /// The servers that are installed and start.
    static func available(_ run: Run, say: (String) -> Void) -> [ServerKind] {
        run.servers.filter { kind in
            do throws(BenchError) {
                _ = try Server(kind, run)
                return true
            } catch {
                say("syncbench: skipped \(error)")
                return false
            }
        }
    }
}
