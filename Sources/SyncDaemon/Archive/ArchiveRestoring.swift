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

extension [ArchiveRun] {
    /// Where the archive goes on, when a moment is behind what one run has, and something may have
    /// been written there; `nil`: it is not, or nothing was, or nobody knows more.
    fileprivate func gap(behind run: ArchiveRun, at moment: Timetoken) -> Timetoken? {
        guard moment > run.through, !run.isEnded else { return nil }
        return flatMap(\.bases).map(\.through).filter { $0 > moment }.min()
    }
}

extension ArchiveDirectory {
    /// Whether it has all that was written until a moment, as far as it tells.
    func reaches(_ moment: Timetoken) throws(DatabaseFileError) -> Bool {
        guard let last = try runs().last(where: { !$0.bases.isEmpty }) else { return false }
        return moment <= last.through || last.isEnded
    }

    /// Makes the database of a moment in a new or empty file.
    ///
    /// - Parameter moment: ``Timetoken/end``: the newest.
    func restore(
        _ moment: Timetoken, to target: String
    ) throws(DatabaseFileError) -> ArchiveOutcome {
        let runs = try runs()
        let found = runs.compactMap { run in run.base(at: moment).map { (run, $0) } }
            .max { left, right in
                // Of the newest, the one that leads furthest.
                moment == .end
                    ? left.0.through < right.0.through : left.1.through < right.1.through
            }
        guard let (run, base) = found else {
            throw .nothingArchived(
                at: moment, path: path, first: runs.flatMap(\.bases).map(\.through).min())
        }
        if let next = runs.gap(behind: run, at: moment) {
            throw .gap(at: moment, from: run.through, to: next, path: path)
        }
        return try restore(run, from: base, moment, to: target)
    }

    /// The same, from a base of one's choice.
    func restore(
        _ run: ArchiveRun, from base: ArchiveName, _ moment: Timetoken, to target: String
    ) throws(DatabaseFileError) -> ArchiveOutcome {
        var outcome = ArchiveOutcome(run: run.name, base: base.through, through: base.through)
        try copy(base, to: target)
        var replay = LogReplay(of: try .changing(target), from: base.through, to: moment)
        var next: Int?
        var isReached = false
        for piece in run.pieces(from: base, to: moment) {
            guard case .piece(let number) = piece.kind else { continue }
            if let next, number != next {
                // Up to there it is all there.
                guard replay.through < moment else { break }
                throw .missingPiece(next, run: "\(path)/\(run.name)")
            }
            next = number + 1
            outcome.pieces += 1
            guard try replay.add("\(path)/\(piece.path)") else {
                isReached = true
                break
            }
        }
        if let end = run.end, !isReached, replay.through < min(moment, end.through) {
            throw .missingPiece(run.nextNumber, run: "\(path)/\(run.name)")
        }
        (outcome.through, outcome.transactions) = (replay.through, replay.transactions)
        try replay.finish()
        return outcome
    }

    /// - Throws: `damaged` when it is not what was archived.
    private func copy(_ base: ArchiveName, to target: String) throws(DatabaseFileError) {
        let source = try BinaryFile.reading("\(path)/\(base.path)")
        let copy = try BinaryFile.changing(target)
        let sum = try source.forEachPart { bytes, offset throws(DatabaseFileError) in
            try copy.write(bytes, at: offset)
        }
        guard base.kind == .base(sum: sum) else {
            throw .damagedPiece(path: source.path, reason: "it is not what its name says")
        }
    }
}
