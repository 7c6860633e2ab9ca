// Whether a copy can be relied upon: its pages, its tables, and the digests of its channels.

import EventModel

extension DatabaseFile {
    /// Reads a whole file, and computes each channel's digest from its rows.
    ///
    /// - Throws: `damaged` when anything in it is not what was written.
    static func verify(_ path: String) throws(DatabaseFileError) -> DatabaseSummary {
        // A daemon may have it open; else nothing is to be left beside it.
        let file = try DatabaseFile(path: path, isShared: FileSystem.exists(path + "-wal"))
        try file.check()
        let summary = try file.summary()
        guard file.version == SQLiteSchema.version else { return summary }
        let fault: String?
        do throws(StoreError) {
            fault = try StoreConnection(path: path).fault()
        } catch {
            throw .damaged(path: path, reason: "\(error)")
        }
        if let fault { throw .damaged(path: path, reason: fault) }
        // It is closed last, and takes what the other one has left along.
        _ = consume file
        return summary
    }
}

extension StoreConnection {
    /// The first thing that is not what was written; `nil`: nothing is.
    fileprivate func fault() throws(StoreError) -> String? {
        let finding = try prepare("PRAGMA integrity_check(1)").first { $0.text(0) }
        guard finding == "ok" else { return finding ?? "it cannot be checked" }
        let unsound = [
            ("messages", try unsoundMessages().count), ("reactions", try unsoundActions().count),
            ("mutations", try unsoundMutations().count),
        ]
        if let (rows, count) = unsound.first(where: { $0.1 > 0 }) {
            return "\(count) \(rows) have a wrong checksum"
        }
        return try DigestCheck(self).difference
    }
}

/// What an archive has, as it was found to be.
struct VerifiedRun: Hashable, Sendable {
    let name: String
    let bases: Int
    let pieces: Int
    let transactions: Int
    let isEnded: Bool
    /// What can be restored of it.
    let first: Timetoken
    let last: Timetoken
}

extension ArchiveDirectory {
    /// Makes the database of each run's last moment from its oldest base, and reads it whole; each
    /// other base by itself.
    ///
    /// - Parameters:
    ///   - scratch: A new or empty file, which is of no use afterwards.
    ///   - told: Hears of each run, sound or not.
    func verify(
        in scratch: String,
        _ told: (ArchiveRun, Result<(VerifiedRun, DatabaseSummary), DatabaseFileError>) -> Void
    ) throws(DatabaseFileError) {
        for run in try runs() {
            told(
                run,
                Result { () throws(DatabaseFileError) in try verify(run, in: scratch) })
        }
    }

    private func verify(
        _ run: ArchiveRun, in scratch: String
    ) throws(DatabaseFileError) -> (VerifiedRun, DatabaseSummary) {
        guard let base = run.bases.first else {
            throw .noBase(run: "\(path)/\(run.name)", pieces: run.pieces.count)
        }
        for other in run.bases.dropFirst() {
            try BinaryFile.changing(scratch).setLength(0)
            let outcome = try restore(run, from: other, other.through, to: scratch)
            _ = try self.summary(of: scratch, outcome)
        }
        try BinaryFile.changing(scratch).setLength(0)
        let outcome = try restore(run, from: base, .end, to: scratch)
        let summary = try DatabaseFile.verify(scratch)
        try require(summary, toBe: outcome)
        let verified = VerifiedRun(
            name: run.name, bases: run.bases.count, pieces: outcome.pieces,
            transactions: outcome.transactions, isEnded: run.isEnded, first: base.through,
            last: outcome.through)
        return (verified, summary)
    }
}
