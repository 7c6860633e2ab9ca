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
    /// What is not known when a moment is behind what a run leads to, and something may have been
    /// written until then; `nil`: nothing was, or there is no later run.
    ///
    /// - Parameter isShort: Whether the newest run is missing.
    fileprivate func gap(
        behind run: ArchiveRun, at moment: Timetoken, isShort: Bool
    ) -> ArchiveGap? {
        guard let index = firstIndex(of: run), index + 1 < count else {
            return isShort && moment > run.through ? ArchiveGap(start: run.through, end: nil) : nil
        }
        let later = self[(index + 1)...]
        let end = later.flatMap(\.bases).map(\.through).filter { $0 > moment }.min()
        guard moment > run.through else {
            // One that went on from an earlier state began before the end of what was taken back.
            let begun = later.compactMap { $0.start?.through }.filter { $0 <= moment }.max()
            return begun.map { ArchiveGap(start: $0, end: end) }
        }
        let next = self[index + 1]
        if run.isContinued(by: next), let start = next.start, moment < start.through { return nil }
        return ArchiveGap(start: run.through, end: end)
    }
}

extension ArchiveDirectory {
    /// Whether it has all that was written until a moment, as far as it tells.
    func reaches(_ moment: Timetoken) throws(DatabaseFileError) -> Bool {
        let runs = try runs()
        guard let last = runs.last, !last.bases.isEmpty, try missingRun(of: runs) == nil else {
            return false
        }
        return moment <= last.through || last.isEnded
    }

    /// Makes the database of a moment in a new or empty file.
    ///
    /// - Parameter moment: ``Timetoken/end``: the newest.
    func restore(
        _ moment: Timetoken, to target: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        let runs = try runs()
        // Where an earlier state was put back, a run before it may lead further than those behind.
        let found = runs.compactMap { run in run.base(at: moment).map { (run, $0) } }.last
        guard let (run, base) = found else {
            throw .nothingArchived(
                at: moment, path: path, first: runs.flatMap(\.bases).map(\.through).min())
        }
        let isShort = try missingRun(of: runs) != nil
        if moment != .end, let gap = runs.gap(behind: run, at: moment, isShort: isShort) {
            throw .gap(gap, at: moment, path: path)
        }
        return try summary(of: target, restore(run, from: base, moment, to: target))
    }

    /// The same, from a base of one's choice.
    func restore(
        _ run: ArchiveRun, from base: ArchiveName, _ moment: Timetoken, to target: String
    ) throws(DatabaseFileError) -> ArchiveOutcome {
        var outcome = ArchiveOutcome(run: run.name, base: base.through, through: base.through)
        guard case .base(let first, _) = base.kind else { return outcome }
        let strange = DatabaseFileError.damagedPiece(
            path: "\(path)/\(base.path)", reason: "it is a copy of another time than its run")
        guard run.holds(base) else { throw strange }
        try copy(base, to: target)
        if let life = try DatabaseFile(path: target, isShared: false).life(),
            !run.isOfLife(startedAfter: life.startedAfter, began: life.began)
        {
            throw strange
        }
        var replay = LogReplay(
            of: try .changing(target), from: base.through, behind: run.position(before: first),
            to: moment)
        var next = first
        var isReached = false
        for piece in run.pieces(from: first, to: moment) {
            guard case .piece(let number) = piece.kind else { continue }
            guard number == next else {
                // Up to there it is all there.
                guard replay.through < moment else { break }
                throw .missingPiece(next, run: "\(path)/\(run.name)")
            }
            next += 1
            outcome.pieces += 1
            guard try replay.add("\(path)/\(piece.path)") else {
                isReached = true
                break
            }
        }
        if let end = run.end, !isReached, replay.through < min(moment, end.through) {
            throw .missingPiece(next, run: "\(path)/\(run.name)")
        }
        (outcome.through, outcome.transactions) = (replay.through, replay.transactions)
        try replay.finish()
        return outcome
    }

    /// What a restored database has, which leads to where its files' names say that it does.
    ///
    /// - Parameter path: Of the database.
    func summary(
        of path: String, _ outcome: ArchiveOutcome
    ) throws(DatabaseFileError) -> DatabaseSummary {
        let database = try DatabaseFile(path: path, isShared: false)
        try database.check()
        let summary = try database.summary()
        try require(summary, toBe: outcome)
        return summary
    }

    /// - Throws: `damagedPiece` when a database does not lead to where its files' names say.
    func require(
        _ summary: DatabaseSummary, toBe outcome: ArchiveOutcome
    ) throws(DatabaseFileError) {
        guard summary.last != outcome.through else { return }
        throw .damagedPiece(
            path: "\(path)/\(outcome.run)",
            reason: "what it leads to is not what its files' names say")
    }

    /// - Throws: `damaged` when it is not what was archived.
    private func copy(_ base: ArchiveName, to target: String) throws(DatabaseFileError) {
        let source = try BinaryFile.reading("\(path)/\(base.path)")
        // One with holes takes more than it seems to.
        let free = FileSystem.freeBytes(beside: target) ?? .max
        guard FileSystem.size(source.path) <= free else { throw .noRoom(path: target) }
        let copy = try BinaryFile.changing(target)
        let sum = try source.forEachPart { bytes, offset throws(DatabaseFileError) in
            try copy.write(bytes, at: offset)
        }
        guard case .base(let next, _) = base.kind,
            base == ArchiveName(run: base.run, ofBytes: sum, next: next, through: base.through)
        else {
            throw .damagedPiece(path: source.path, reason: "it is not what its name says")
        }
    }
}
