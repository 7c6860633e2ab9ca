// The right to write to a schema of a server's: one start of a daemon has it at a time.

import EventModel
import SQL

/// What a daemon asks of its right to write.
struct SeatTerms {
    /// Whether a commit counts only when a synchronous standby has it.
    var needsStandby = false
    /// Whether a schema that is taken is asked for again for a moment.
    var isPatient = true
    /// Where daemons find it that follow; empty: nowhere.
    var address = ""
}

/// A term of this daemon's, which each of its commits has to hold.
///
/// The lock of the session keeps others out for as long as the server knows the session. The term
/// is for what a lock cannot tell: whether the server that commits is the one that gave it.
final class DatabaseSeat {
    let term: Int
    private let needsStandby: Bool
    private let begin: StoreStatement
    private let commit: StoreStatement
    /// A sign of life need not be on two machines, nor wait for that.
    private let waitForNobody: StoreStatement
    private let fence: StoreStatement
    private let findStandby: StoreStatement
    private let place: DatabasePlace
    private var name: String { place.name }
    private var renewed = Clock.monotonicMilliseconds()

    /// Begins a term.
    ///
    /// What was committed before is then on two machines as well, where that is asked for: a commit
    /// waits for all that is before it.
    ///
    /// - Parameters:
    ///   - connection: Has the lock; in no transaction.
    ///   - place: Where that leads to.
    init(
        _ connection: borrowing StoreConnection, at place: DatabasePlace, _ terms: SeatTerms
    ) throws(StoreError) {
        (self.place, needsStandby) = (place, terms.needsStandby)
        begin = try connection.prepare("BEGIN")
        commit = try connection.prepare("COMMIT")
        waitForNobody = try connection.prepare(
            "SELECT set_config('synchronous_commit', 'local', true)")
        fence = try connection.prepare("SELECT fence(?, ?)")
        findStandby = try connection.prepare(
            "SELECT 1 WHERE current_setting('synchronous_standby_names') <> ''")
        try Self.makeRoomForAddress(connection)
        try begin.run()
        let take = try connection.prepare(
            """
            UPDATE seat SET term = term + 1, pid = pg_backend_pid(), renewed = clock_timestamp(),
            address = ? WHERE id = 0 RETURNING term, pid
            """)
        let taken = try take.first([.text(terms.address)]) { ($0.integer(0), $0.integer(1)) }
        guard let (term, pid) = taken else {
            throw .damaged(path: place.name, reason: "its seat is missing")
        }
        self.term = Int(term)
        connection.onSilence(after: Int32(Limits.seatLeaseSeconds) * 1000) {
            Self.isBusy(pid, at: place, since: $0)
        }
        try hold(connection)
        try commit.run(expecting: "COMMIT")
        try requireDurable(connection)
    }

    /// Adds the column in a schema that was made before there was a link.
    private static func makeRoomForAddress(
        _ connection: borrowing StoreConnection
    ) throws(StoreError) {
        let isThere = try connection.prepare(
            """
            SELECT 1 FROM pg_attribute WHERE attrelid = 'seat'::regclass
            AND attname = 'address' AND NOT attisdropped
            """
        ).first { _ in true }
        guard isThere == nil else { return }
        try connection.execute(
            "ALTER TABLE seat ADD COLUMN address text COLLATE \"C\" NOT NULL DEFAULT ''")
    }

    /// Ends the open transaction with an error, unless the term goes on; told with the commit.
    func hold(_ connection: borrowing StoreConnection) throws(StoreError) {
        // Only what is said from here on may be about the commit.
        _ = connection.takeWarning()
        try fence.run(.integer(Int64(term)), .integer(needsStandby ? 1 : 0))
        renewed = Clock.monotonicMilliseconds()
    }

    /// Shows that this daemon lives, unless a commit just did; outside of transactions.
    func renew(_ connection: borrowing StoreConnection) throws(StoreError) {
        guard Clock.monotonicMilliseconds() - renewed >= Limits.seatRenewMilliseconds else {
            return
        }
        try begin.run()
        try waitForNobody.run()
        try hold(connection)
        try commit.run(expecting: "COMMIT")
    }

    /// Finds out whether the commit that just came back waited for a standby.
    ///
    /// A server whose setting changed meanwhile, or that was told to stop waiting, says that it has
    /// committed all the same: nobody may hear of it.
    func requireDurable(_ connection: borrowing StoreConnection) throws(StoreError) {
        guard needsStandby else { return }
        let isThere = try findStandby.first { _ in true } ?? false
        guard isThere, !connection.takeWarning() else {
            throw .server(
                name: name,
                reason: "a commit may be on one machine only, and require_standby is on",
                advice: .standby)
        }
    }

    /// Whether a server that says nothing is there, and at work for the ledger's session: another
    /// one asks.
    ///
    /// To wait with a commit for a standby is what it is to do, however long that takes. Who cannot
    /// even ask has no right to write any more as soon as the lease is over, and is to go.
    private static func isBusy(
        _ pid: Int64, at place: DatabasePlace, since milliseconds: Int32
    ) -> Bool {
        do throws(StoreError) {
            let event = try place.connect(for: .reserve).prepare(
                """
                SELECT coalesce(wait_event, '') FROM pg_stat_activity
                WHERE pid = ?::bigint AND state <> 'idle'
                """
            ).first([.integer(pid)]) { $0.text(0) }
            guard let event else { return false }
            return event == "SyncRep" || milliseconds < Limits.databasePatienceMilliseconds
        } catch {
            return false
        }
    }

    /// Refuses a server whose commits would wait for a standby that is not there.
    static func requireStandby(
        _ connection: borrowing StoreConnection, name: String
    ) throws(StoreError) {
        let isAway = try connection.prepare(
            """
            SELECT 1 WHERE current_setting('synchronous_standby_names') <> ''
            AND current_setting('synchronous_commit') NOT IN ('off', 'local')
            AND NOT EXISTS (SELECT FROM pg_stat_replication)
            """
        ).first { _ in true }
        guard isAway == nil else {
            throw .server(
                name: name, reason: "its commits wait for a standby, and none is connected",
                advice: .standby)
        }
    }
}

extension StoreConnection {
    /// Tells operators how long the server has let a start wait, and systemd to be patient.
    func tellWaits(of schema: String, _ log: Log) {
        var seconds = 0
        onProgress(every: 0) {
            seconds += 1
            let notifier = ServiceNotifier()
            // One in reserve is watched already.
            notifier.feedWatchdog()
            guard seconds % Limits.startReminderSeconds == Limits.stalledSeconds else { return }
            let words =
                "The database server lets the start wait. Look whether a standby is away that"
                + " commits wait for."
            notifier.starting(status: words, forSeconds: 60)
            log.warning(words, ["schema": schema, "seconds": seconds])
        }
    }
}
