// The load tool: reads the command line, measures, and prints what came out.

import Glibc

@main
enum SyncBench {
    /// What the shell learns.
    private enum ExitCode {
        static let failed: Int32 = 1
        static let usage: Int32 = 2
    }

    static func main() {
        let daemon = unsafe getenv("SYNCDAEMON_BINARY").map { unsafe String(cString: $0) }
        do throws(BenchError) {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch try ArgumentParser.parse(arguments, daemon: daemon) {
            case .help(let subcommand): print(Help.text(for: subcommand), terminator: "")
            case .compare(let old, let new, let percent):
                try compare(old, new, tolerance: Double(percent) / 100)
            case .run(let run): try measure(run)
            }
        } catch {
            complain("\(error)\(error.isUsage ? " See syncbench --help." : "")")
            exit(error.isUsage ? ExitCode.usage : ExitCode.failed)
        }
    }

    private static func measure(_ run: Run) throws(BenchError) {
        let files = Machine.raiseOpenFiles()
        guard files > run.settings[.subscribers] + 100 else {
            throw BenchError(
                "This process may open \(files) files only, too few for that many subscribers."
                    + " Raise the limit (ulimit -n).")
        }
        try File.makeFolder(run.places.work)
        var run = run
        var hasFailed = false
        var records: [Record] = []
        let isTable = run.subcommand == .table
        if isTable { run.servers = Scenario.available(run, say: note) }
        let circumstances = Circumstances(run.servers, places: run.places)
        if isTable {
            records = Scenario.everything(run, say: note) { failure in
                complain(failure)
                hasFailed = true
            }
        } else {
            records = try Scenario.records(run)
        }
        let lines = ([circumstances.json] + records.map(\.json)).map { "\($0)\n" }.joined()
        if !run.places.save.isEmpty { try File.write(lines, to: run.places.save) }
        if run.writesJSON {
            print(lines, terminator: "")
        } else {
            let tables =
                isTable
                ? FullReport.text(records, servers: run.servers)
                : run.subcommand == .repair
                    ? RepairTable.text(records) : MarkdownTable.listing(records)
            print("\(circumstances.text)\n\(tables)", terminator: "")
        }
        if hasFailed { exit(ExitCode.failed) }
    }

    private static func compare(
        _ old: String, _ new: String, tolerance: Double
    ) throws(BenchError) {
        let findings = Comparison.findings(
            old: try records(in: old), new: try records(in: new), tolerance: tolerance)
        guard !findings.isEmpty else {
            throw BenchError("\(old) has nothing to compare: no daemon beside a floor.")
        }
        for finding in findings { print(finding.description) }
        if findings.contains(where: \.isWorse) { exit(ExitCode.failed) }
    }

    private static func records(in path: String) throws(BenchError) -> [Record] {
        guard let text = File.text(path) else { throw BenchError("\(path) cannot be read.") }
        do throws(BenchError) {
            return try Record.read(text)
        } catch {
            throw BenchError("\(path): \(error)")
        }
    }

    private static func note(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }

    private static func complain(_ message: String) {
        note("syncbench: \(message)")
    }
}
