// The bounds of the archive.

import EventModel

extension Limits {
    /// Bytes of the log that wait in the log itself; with more they go to the shelf at once.
    static let archiveTakeBytes = 4 * 1024 * 1024
    /// Bytes of a piece; one that has more ends, before its time.
    static let archivePieceBytes = 16 * 1024 * 1024
    /// Frames of one chunk; an archive with more is no archive.
    static let archiveChunkFramesMax: UInt64 = 268_435_456
    /// Transactions of one chunk likewise: fewer than `archiveTakeBytes` has pages, and one.
    static let archiveChunkMarksMax: UInt64 = 16_384
    /// Frames of the log that are read at a time.
    static let archiveFramesPerRead = 64
    /// Bytes of a file that are copied at a time.
    static let archiveCopyBytes = 1024 * 1024
    /// Bytes that wait beside the data because the archive takes none; over it: what comes is not
    /// archived, until there is room and the database has been copied anew.
    static let archiveWaitingBytesMax = 1024 * 1024 * 1024
    /// Bytes that are left free on the disk of the data; with fewer nothing waits there, and there
    /// is a gap.
    static let archiveReserveBytes: Int64 = 64 * 1024 * 1024
    /// Milliseconds after a gap before archiving begins anew.
    static let archivePauseMilliseconds: UInt64 = 5000
    /// Seconds between two tries when the archive's directory cannot be written to.
    static let archiveRetrySeconds: UInt64 = 5
    /// Seconds that the command may take for one file; then it is ended, and tried again.
    static let archiveCommandSeconds: UInt64 = 3600
    /// Seconds after which operators are told that it still runs.
    static let archiveCommandSlowSeconds: UInt64 = 300
    /// Milliseconds that it has to end when it is asked to.
    static let childGraceMilliseconds: UInt64 = 2000
    /// Files that it is told of while it has not come to them; others it finds in the directory.
    static let archiveUntakenMax = 4096
    /// Milliseconds between two looks of the archive's thread, when nothing wakes it.
    static let archiveRoundMilliseconds: UInt64 = 1000
}
