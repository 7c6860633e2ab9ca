// Makes of an archive the database that was there at a moment.

import EventModel

/// What a database was made of.
struct ArchiveOutcome: Hashable, Sendable {
    let run: String
    let base: Timetoken
    /// The newest position in the database.
    var through: Timetoken
    var pieces = 0
    var transactions = 0
}

extension ArchiveDirectory {
    /// Makes the database of a moment in a new or empty file.
    ///
    /// - Parameter moment: ``Timetoken/end``: the newest.
    func restore(
        _ moment: Timetoken, to target: String
    ) throws(DatabaseFileError) -> ArchiveOutcome {
        let runs = try runs()
        let found = runs.compactMap { run in run.base(at: moment).map { (run, $0) } }
            .max { $0.1.through < $1.1.through }
        guard let (run, base) = found else {
            throw .nothingArchived(
                at: moment, path: path, first: runs.flatMap(\.bases).map(\.through).min())
        }
        return try restore(run, from: base, moment, to: target)
    }

    /// The same, from a base of one's choice.
    func restore(
        _ run: ArchiveRun, from base: ArchiveName, _ moment: Timetoken, to target: String
    ) throws(DatabaseFileError) -> ArchiveOutcome {
        var outcome = ArchiveOutcome(run: run.name, base: base.through, through: base.through)
        let pieces = run.pieces(from: base, to: moment)
        if let missing = ArchiveRun.missingPiece(of: pieces) {
            throw .missingPiece(missing, run: "\(path)/\(run.name)")
        }
        try copy(base, to: target)
        var replay = LogReplay(of: try .changing(target), from: base.through, to: moment)
        for piece in pieces {
            outcome.pieces += 1
            guard try replay.add("\(path)/\(piece.path)") else { break }
        }
        (outcome.through, outcome.transactions) = (replay.through, replay.transactions)
        try replay.finish()
        return outcome
    }

    private func copy(_ base: ArchiveName, to target: String) throws(DatabaseFileError) {
        let source = try BinaryFile.reading("\(path)/\(base.path)")
        let copy = try BinaryFile.changing(target)
        var length = 0
        while true {
            let bytes = try source.read(Limits.archiveCopyBytes, at: length)
            guard !bytes.isEmpty else { return }
            try copy.write(bytes, at: length)
            length += bytes.count
        }
    }
}
