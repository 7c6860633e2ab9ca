// The sizes of the store's files: a log with a bound, and pages that go back to the disk.

import EventModel
import SQLite

/// When the write-ahead log is copied into the database, and when its file is emptied.
///
/// Only the writer does it: in SQLite before 3.51.3 two connections that do it at the same time can
/// corrupt the file.
struct StoreLog {
    private var copyAt = StoreLog.pagesBetweenCopies
    private var truncateAt: Int
    private let pagesMax: Int

    /// 4 MiB of log: short enough that copying it does not hold the next commit up for long.
    private static let pagesBetweenCopies = 1000

    init(pagesMax: Int = Limits.logPagesMax) {
        self.pagesMax = pagesMax
        truncateAt = pagesMax
    }

    /// Copies the log once it has grown, as far as no reader is in the way; when it has grown too
    /// long because one always was, waits for them a moment and empties it.
    mutating func checkpointIfLong(_ connection: borrowing StoreConnection) throws(StoreError) {
        let pages = connection.logPages
        // After a whole copy SQLite starts the log anew. While a reader prevents that, the log
        // grows, and trying at each commit would only cost time.
        if pages + StoreLog.pagesBetweenCopies < copyAt { self = StoreLog(pagesMax: pagesMax) }
        guard pages >= copyAt else { return }
        copyAt = pages + StoreLog.pagesBetweenCopies
        do throws(StoreError) {
            guard pages >= truncateAt else { return try connection.checkpoint() }
            truncateAt = pages + pagesMax / 4
            if try connection.truncateLog(waitingAtMost: Int32(Limits.logWaitMilliseconds)) {
                self = StoreLog(pagesMax: pagesMax)
            }
        } catch {
            // The commit before it is durable: a full disk, or a page that cannot be read, must
            // not make it look undone.
            switch error {
            case .full, .damaged: break
            default: throw error
            }
        }
    }
}

extension SQLiteStore {
    func giveSpaceBack() throws(StoreError) -> Bool {
        let free = try freePages.first { $0.integer(0) } ?? 0
        if free > Int64(Limits.freePagesKept) {
            // In the log first, as any other change.
            try connection.execute("PRAGMA incremental_vacuum(\(Limits.freedPagesPerStepMax))")
            try log.checkpointIfLong(connection)
            return true
        }
        guard connection.logPages > 0 else { return false }
        // A reader in the way is met again after the next write.
        _ = try connection.truncateLog(waitingAtMost: 0)
        return false
    }
}
