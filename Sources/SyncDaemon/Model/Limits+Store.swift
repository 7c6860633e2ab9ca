// The bounds of what is written: the ledger, the files of the store, and its clock.

import EventModel

extension Limits {
    // MARK: The ledger

    /// Writes waiting for the ledger; over it: `overloaded`.
    static let ledgerQueueMax = 65_536
    /// Bytes of the writes waiting for the ledger; over it: `overloaded`.
    static let ledgerQueueBytesMax = 64 * 1024 * 1024
    /// Milliseconds that a database server may say nothing while it is waited for; over it: the
    /// connection is given up.
    static let databasePatienceMilliseconds: Int32 = 30_000
    /// Milliseconds that it may say nothing while a connection is made; over it: as above.
    static let databaseConnectMilliseconds: Int32 = 5000
    /// How often a start asks, each 50 ms, whether another daemon has left a schema of a database
    /// server's; over it: it says that the schema is in use.
    static let databaseLockTries = 40
    /// Milliseconds between two signs of life of an idle daemon on a database server.
    static let seatRenewMilliseconds: UInt64 = 500
    /// Seconds without one, after which a daemon in reserve ends the session of one that is silent.
    static let seatLeaseSeconds = 5
    /// Milliseconds between two looks of a daemon in reserve.
    static let seatLookMilliseconds = 250
    /// Rows that a database server sends at a time, of as many as a channel may have.
    static let rowsPerFetch = 5000
    /// Rows of a batch that a database server is told of in one statement; more go in further ones.
    static let rowsPerStatement = 1000
    /// Rows in one statement of a copy of a store.
    static let rowsPerInsert = 200
    /// Writes in one commit.
    static let commitWritesMax = 256
    /// Milliseconds that a commit may take; over it: a warning in the log.
    static let slowCommitMilliseconds = 1000
    /// Rows of messages and actions that one commit deletes; a larger deletion goes in steps.
    static let deletedRowsPerCommitMax = 1000
    /// Actions that one step of a larger deletion reads, between commits.
    static let deletionReadRowsMax = 4000
    /// Milliseconds that one step of removing a larger deletion's rows may take; over it: the next
    /// step removes fewer.
    static let deletionStepMilliseconds = 20
    /// Larger deletions that wait for their turn; over it: `overloaded`.
    static let deletionsWaitingMax = 1024
    /// Of these, those that one tenant asked for; over it: `overloaded`.
    static let deletionsWaitingPerKeysetMax = 16
    /// Announcements that wait for the commit under way; over it: `overloaded`.
    static let announcementsWaitingMax = 65_536
    /// Channels, and segments of channels, whose digests the ledger remembers; over it they are
    /// read again.
    static let digestsInMemoryMax = 100_000
    /// Messages of a segment on average.
    static let segmentMessages = 32
    /// Messages of one segment, as a multiple of that; a deletion makes no larger one of two, and
    /// the next message begins another.
    static let segmentMeansMax = 8
    /// Messages and actions of a segment; with more it is cut in two, unless all are on one
    /// timetoken, and a deletion makes no larger one of two.
    static let segmentRowsMax: Int64 = 8192
    /// Rows that are looked at to find where, removed actions too; a segment with more before its
    /// half grows on.
    static let segmentRowsScannedMax = 65_536
    /// Of these, those that are looked at in one go.
    static let segmentScanRows = 1024
    /// Actions on timetokens that are still to come which go with a new segment; where there are
    /// more, the old one grows on.
    static let segmentActionsMovedMax = 256
    /// Channel and device names whose ids the store remembers.
    static let internedNamesMax = 100_000
    /// How long a mutation id is remembered: 30 days, in timetoken ticks.
    static let mutationTicksKept: UInt64 = 30 * 24 * 3600 * 10_000_000

    // MARK: The files

    /// Pages of 4 KiB in the store's log; over it a commit waits for readers to let go of the log.
    static let logPagesMax = 16_384
    /// How long it waits, in milliseconds, and again after a quarter more pages.
    static let logWaitMilliseconds = 100
    /// Seconds without a write after which the store gives space back.
    static let idleSeconds = 10
    /// Pages that are given back in one step, between which writes are taken.
    static let freedPagesPerStepMax = 256
    /// Free pages that the store keeps for what comes next.
    static let freePagesKept = 1024
    /// Pages that a full disk gets of those; fewer in one commit, which needs room itself.
    static let roomPagesMax = 64
    static let roomPagesPerCommitMax = 16
    /// Messages, and actions, of an earlier release that get a checksum in one idle commit.
    static let oldRowsPerCommitMax = 1000
    /// Bytes that must be free before writes are taken again on a disk that was full.
    static let roomBytesMin = 1024 * 1024
    /// Seconds without a write that found no room on a database server's disk, after which it
    /// counts as having some again.
    static let serverRoomSeconds = 10
    /// Least time between two log lines that say that the disk is full, in seconds.
    static let reminderSeconds = 60
    /// Channels and the like that are left alone because the file is damaged there; over it further
    /// ones are tried each time.
    static let damagedPlacesMax = 10_000

    // MARK: The clock

    /// Runs of the daemon whose cursors are still good; over it the shortest is forgotten, and who
    /// has a cursor of that gets a snapshot.
    static let runsMax = 10_000
    /// How far timetokens may go on without a commit, in ticks: 1 second.
    static let ceilingTicks: UInt64 = 10_000_000
    /// What the clock of a file may say that has no checksum, in ticks: 17 digits, which last until
    /// the year 2286; over it the file is damaged.
    static let clockTicksMax: UInt64 = 99_999_999_999_999_999
    /// How far the wall clock may be off to be followed at once, in ticks: a minute.
    static let clockStepTicksMax: UInt64 = 60 * 10_000_000
    /// How long a larger jump of the wall clock has to stand until it is followed: 10 minutes.
    static let clockJumpTicks: UInt64 = 10 * 60 * 10_000_000
    /// How long the machine was off at most, as far as ages go, when only a clock says so that
    /// nothing keeps right: a day, in ticks.
    static let downtimeTicksMax: UInt64 = 24 * 3600 * 10_000_000
    /// How exactly it is known when old writes were made: to the hour, in ticks.
    static let ageTicksMax: UInt64 = 3600 * 10_000_000
}
