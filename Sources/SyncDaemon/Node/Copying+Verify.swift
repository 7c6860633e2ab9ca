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
        report.end(missing: try archive.missingRun(of: try archive.runs()))
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
    /// The run before.
    private var last: ArchiveRun?
    /// From where on nothing is known; `nil`: it is.
    private var unknown: Timetoken?
    /// Whether there was a copy: before the first one nothing is to be known.
    private var isCopied = false
    /// Why nothing can be restored; `nil`: something can.
    private(set) var lack: DatabaseFileError?
    private var isOfUse = false

    mutating func add(
        _ run: ArchiveRun, _ result: Result<(VerifiedRun, DatabaseSummary), DatabaseFileError>
    ) {
        addGap(before: run)
        switch result {
        case .success((let verified, let summary)):
            (isOfUse, lack) = (true, nil)
            lines.append(
                "\(run.name) is sound: any moment from \(verified.first.dateText) to"
                    + " \(verified.last.dateText) can be restored (\(verified.bases) copies,"
                    + " \(verified.pieces) pieces with \(verified.transactions) transactions); at"
                    + " the end it holds \(summary).")
        case .failure(.noBase(let run, let pieces)):
            let found = DatabaseFileError.noBase(run: run, pieces: pieces)
            lines.append(found.description)
            if !isOfUse { lack = found }
        case .failure(.noRoom(let path)):
            // That says nothing of the archive.
            let error = DatabaseFileError.noRoom(path: path)
            fault = fault ?? error
            lines.append("\(run.name) could not be read: \(error)")
        case .failure(let error):
            fault = fault ?? error
            lines.append("\(run.name) is not what was archived: \(error)")
        }
    }

    /// Says where what is behind the last run is in no other one.
    ///
    /// - Parameter run: The newest that came to the archive, where it is missing.
    mutating func end(missing run: String?) {
        if let run, let last {
            lines.append("\(run), the newest run that came here, is missing.")
            unknown = unknown ?? last.through
        }
        if let unknown { lines.append("A gap: \(ArchiveGap(start: unknown, end: nil)).") }
    }

    private mutating func addGap(before run: ArchiveRun) {
        if let last, case .start(let after) = run.start?.kind, after < last.through {
            lines.append(
                "Behind \(last.through.dateText) an earlier state, of \(after.dateText), was put"
                    + " back: what follows goes on from that.")
        }
        if let last, unknown == nil, isCopied {
            // What came first in the new life is in its copy, and in no piece.
            let start = run.start?.through
            unknown =
                last.isContinued(by: run) ? start : Swift.min(last.through, start ?? last.through)
        }
        last = run
        guard let base = run.bases.first?.through else { return }
        if let start = unknown, start < base {
            lines.append("A gap: \(ArchiveGap(start: start, end: base)).")
        }
        (unknown, isCopied) = (nil, true)
    }
}
