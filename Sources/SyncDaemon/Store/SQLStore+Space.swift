// The sizes of the store's files: a log with a bound that can always be copied, and pages that go
// back to the disk.

import EventModel
import SQL

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
    ///
    /// - Parameter archive: Has the log before.
    mutating func checkpointIfLong(
        _ connection: borrowing StoreConnection, _ archive: LogArchive?
    ) throws(StoreError) {
        let pages = connection.logPages
        // After a whole copy SQLite starts the log anew. While a reader prevents that, the log
        // grows, and trying at each commit would only cost time.
        if pages + StoreLog.pagesBetweenCopies < copyAt { self = StoreLog(pagesMax: pagesMax) }
        guard pages >= copyAt else { return }
        copyAt = pages + StoreLog.pagesBetweenCopies
        archive?.takeAll()
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

extension SQLStore {
    /// Takes the room that copying the log will need, for the pages that the open transaction adds.
    ///
    /// Otherwise a full disk could have the log hold more than the file has room for: then the log
    /// cannot be copied, so it cannot begin anew, and all the room that is freed is eaten by it.
    func reserveRoom() throws(StoreError) {
        guard let pages else { return }
        try connection.lengthenFile(toPages: pages.count(), of: pages.size)
    }

    var roomMissing: Int {
        guard let pages else { return 0 }
        do throws(StoreError) {
            let bytes = Int(try pages.count()) * pages.size
            return max(0, bytes - Int(try connection.fileLength()))
        } catch {
            return 0
        }
    }

    func freeBytes() throws(StoreError) -> Int? {
        guard let pages else { return nil }
        return Int(try pages.freeCount()) * pages.size
    }

    func emptyLog() throws(StoreError) -> Bool {
        // Nobody who writes is to suffer for it.
        archive?.makeRoom()
        // Of the log of an earlier run nothing is known before the first commit.
        guard pages != nil else { return false }
        let hasPages = connection.logPages > 0 || !isRunStored
        do throws(StoreError) {
            return try truncateLog(waitingAtMost: Limits.logWaitMilliseconds) && hasPages
        } catch {
            switch error {
            case .full, .damaged: return false
            default: throw error
            }
        }
    }

    func copyLog() throws(StoreError) {
        guard pages != nil else { return }
        _ = try truncateLog(waitingAtMost: Limits.logWaitMilliseconds)
    }

    /// As ``SQLiteConnection/truncateLog(waitingAtMost:)``; the archive has the log before.
    private func truncateLog(waitingAtMost milliseconds: Int) throws(StoreError) -> Bool {
        archive?.takeAll()
        return try connection.truncateLog(waitingAtMost: Int32(milliseconds))
    }

    func passTime() { archive?.passTime() }

    /// Bounds the bytes of the file's pages that stay in memory for the one who writes.
    func limitCache(to bytes: Int) throws(StoreError) {
        guard pages != nil else { return }
        try connection.execute("PRAGMA cache_size=-\(bytes / 1024)")
    }

    func giveSpaceBack() throws(StoreError) -> Bool {
        guard let pages else { return false }
        if try pages.freeCount() > Int64(Limits.freePagesKept) {
            // In the log first, as any other change.
            try connection.execute("PRAGMA incremental_vacuum(\(Limits.freedPagesPerStepMax))")
            archive?.note(connection.logPages, through: last)
            try log.checkpointIfLong(connection, archive)
            return true
        }
        guard connection.logPages > 0 else { return false }
        // A reader in the way is met again after the next write.
        _ = try truncateLog(waitingAtMost: 0)
        return false
    }

    func giveRoomBack() throws(StoreError) -> Bool {
        guard let pages else { return false }
        var (given, step) = (0, 1)
        do throws(StoreError) {
            while given < Limits.roomPagesMax, try pages.freeCount() > 0 {
                do throws(StoreError) {
                    try connection.execute("PRAGMA incremental_vacuum(\(step))")
                } catch {
                    guard error == .full, step > 1 else { throw error }
                    step = 1
                    continue
                }
                archive?.note(connection.logPages, through: last)
                given += step
                step = min(2 * step, Limits.roomPagesPerCommitMax)
                // The file is as short as it can be only then, and the log has no length.
                guard try truncateLog(waitingAtMost: Limits.logWaitMilliseconds) else { break }
            }
        } catch {
            guard error == .full else { throw error }
        }
        return given > 0
    }
}
