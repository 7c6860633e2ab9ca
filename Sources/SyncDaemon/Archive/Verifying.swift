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
        let difference: String?
        do throws(StoreError) {
            difference = try DigestCheck(StoreConnection(path: path)).difference
        } catch {
            throw .damaged(path: path, reason: "\(error)")
        }
        if let difference { throw .damaged(path: path, reason: difference) }
        // It is closed last, and takes what the other one has left along.
        _ = consume file
        return summary
    }
}

/// What an archive has, as it was found to be.
struct VerifiedRun: Hashable, Sendable {
    let name: String
    let bases: Int
    let pieces: Int
    let transactions: Int
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
    ///   - told: Hears of each run.
    func verify(
        in scratch: String, _ told: (VerifiedRun, DatabaseSummary) -> Void
    ) throws(DatabaseFileError) {
        for run in try runs() {
            guard let base = run.bases.first else { continue }
            for other in run.bases.dropFirst() {
                try BinaryFile.changing(scratch).setLength(0)
                _ = try restore(run, from: other, other.through, to: scratch)
                try DatabaseFile(path: scratch, isShared: false).check()
            }
            try BinaryFile.changing(scratch).setLength(0)
            let outcome = try restore(run, from: base, .end, to: scratch)
            let summary = try DatabaseFile.verify(scratch)
            told(
                VerifiedRun(
                    name: run.name, bases: run.bases.count, pieces: outcome.pieces,
                    transactions: outcome.transactions, first: base.through,
                    last: outcome.through),
                summary)
        }
    }
}
