// Runs `export` and `import`, and says how far they are.

import Glibc
import SyncDaemon

/// The jobs that read and write the data itself, without a daemon.
struct TransferJobRunner {
    private enum Work {
        case export(ExportRequest)
        case `import`(ImportRequest)
    }

    private let work: Work
    private let options: Options
    private let json: JSONFormat

    /// - Returns: `nil` when a job is another one.
    init?(_ job: Job, options: Options) {
        switch job {
        case .export(let request): work = .export(request)
        case .import(let request): work = .import(request)
        default: return nil
        }
        self.options = options
        json = JSONFormat(user: options.user)
    }

    func run() throws {
        let progress = TransferProgress(isQuiet: options.writesJSON)
        defer { progress.end() }
        switch work {
        case .export(let request):
            let report = try Program.export(request, tell: progress.show)
            progress.end()
            // Standard output may be the export's.
            show(report, isOutputTaken: request.output == nil)
        case .import(let request):
            let report = try Program.import(request, tell: progress.show)
            progress.end()
            show(report, isOutputTaken: false)
        }
    }

    private func show(_ report: TransferReport, isOutputTaken: Bool) {
        if options.writesJSON {
            let line = json.line(for: report)
            if isOutputTaken {
                Terminal.complain(line, isWhole: true)
            } else {
                Terminal.print(line)
            }
            return
        }
        if isOutputTaken {
            Terminal.complain(report.sentence)
        } else {
            Terminal.print(report.sentence)
        }
        for remark in report.remarks { Terminal.complain(remark) }
    }
}

/// One line on standard error that tells how far it is: anew in its place at a terminal, else now
/// and then.
private final class TransferProgress {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let isQuiet: Bool
    private let start = ContinuousClock.now
    private var next: ContinuousClock.Instant
    private var isLineOpen = false

    /// What is over sooner needs no word.
    private static let patience = Duration.seconds(2)

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        next = start.advanced(by: Self.patience)
    }

    func show(rows: Int, percent: Int?) {
        guard !isQuiet, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now.advanced(by: .seconds(isTerminal ? 1 : 10))
        let seconds = (ContinuousClock.now - start).components.seconds
        let text =
            "\(rows) rows" + (percent.map { ", \($0) %" } ?? "") + ", \(seconds) s"
        if isTerminal {
            isLineOpen = true
            Terminal.overwrite(text)
        } else {
            Terminal.complain(text)
        }
    }

    func end() {
        if isLineOpen { Terminal.complain("", isWhole: true) }
        isLineOpen = false
    }
}
