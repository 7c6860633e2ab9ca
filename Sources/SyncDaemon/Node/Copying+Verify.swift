// `syncdaemon verify`: whether a backup, or an archive, is what it was made of.

import EventModel

extension Copying {
    /// - Parameter source: A backup, or an archive.
    /// - Returns: The exit code.
    static func verify(_ source: String) -> Int32 {
        report {
            () throws(CopyError) in
            do throws(DatabaseFileError) {
                guard FileSystem.isDirectory(source) else {
                    return "\(source) is sound: \(try DatabaseFile.verify(source))."
                }
                return try verify(ArchiveDirectory(path: source))
            } catch {
                throw .file(error)
            }
        }
    }

    private static func verify(
        _ archive: ArchiveDirectory
    ) throws(DatabaseFileError) -> String {
        // Where there is room for what the archive is of.
        let place = ProcessEnvironment.all()["TMPDIR"] ?? archive.path
        let part = try PartialFile(of: place + "/syncdaemon-verify")
        var report = VerifiedArchive()
        try filling(part.path, to: 0) { [path = part.path] () throws(DatabaseFileError) in
            try archive.verify(in: path) { report.add($0, $1) }
        }
        part.discard()
        guard !report.lines.isEmpty else {
            throw .nothingArchived(at: .end, path: archive.path, first: nil)
        }
        let text = report.lines.joined(separator: "\n")
        guard let fault = report.fault ?? report.lack else { return text }
        print(text)
        throw fault
    }
}

/// What is said of an archive, run by run.
private struct VerifiedArchive {
    private(set) var lines: [String] = []
    /// The first thing that is wrong.
    private(set) var fault: DatabaseFileError?
    private var last: VerifiedRun?
    /// Why nothing can be restored; `nil`: something can.
    private(set) var lack: DatabaseFileError?
    private var isOfUse = false

    mutating func add(
        _ run: ArchiveRun, _ result: Result<(VerifiedRun, DatabaseSummary), DatabaseFileError>
    ) {
        switch result {
        case .success((let verified, let summary)): add(verified, summary)
        case .failure(.noBase(let run, let pieces)):
            let found = DatabaseFileError.noBase(run: run, pieces: pieces)
            lines.append(found.description)
            if !isOfUse { lack = found }
        case .failure(let error):
            fault = fault ?? error
            last = nil
            lines.append("\(run.name) is not what was archived: \(error)")
        }
    }

    private mutating func add(_ run: VerifiedRun, _ summary: DatabaseSummary) {
        if let last, !last.isEnded, last.last < run.first {
            lines.append(
                "A gap: of what was written between \(last.last.dateText) and"
                    + " \(run.first.dateText) nothing is known.")
        }
        last = run
        (isOfUse, lack) = (true, nil)
        lines.append(
            "\(run.name) is sound: any moment from \(run.first.dateText) to \(run.last.dateText)"
                + " can be restored (\(run.bases) copies, \(run.pieces) pieces with"
                + " \(run.transactions) transactions); at the end it holds \(summary).")
    }
}
