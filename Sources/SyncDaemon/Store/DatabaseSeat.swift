// The right to write to a schema of a server's: one start of a daemon has it at a time.

import EventModel
import SQL

/// What a daemon asks of its right to write.
struct SeatTerms {
    /// Whether a commit counts only when a synchronous standby has it.
    var needsStandby = false
    /// Whether a schema that is taken is asked for again for a moment.
    var isPatient = true
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
        try begin.run()
        let take = try connection.prepare(
            """
            UPDATE seat SET term = term + 1, pid = pg_backend_pid(), renewed = clock_timestamp()
            WHERE id = 0 RETURNING term, pid
            """)
        guard let (term, pid) = try take.first(body: { ($0.integer(0), $0.integer(1)) }) else {
            throw .damaged(path: place.name, reason: "its seat is missing")
        }
        self.term = Int(term)
        connection.onSilence { Self.waitsForStandby(pid, at: place) }
        try hold(connection)
        try commit.run(expecting: "COMMIT")
        try requireDurable(connection)
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

    /// Whether a server that says nothing is there, and waits with a commit for a standby.
    ///
    /// That is what it is to do, however long it takes. Another session asks.
    private static func waitsForStandby(_ pid: Int64, at place: DatabasePlace) -> Bool {
        do throws(StoreError) {
            return try place.connect(for: .reserve).prepare(
                "SELECT 1 FROM pg_stat_activity WHERE pid = ?::bigint AND wait_event = 'SyncRep'"
            ).first([.integer(pid)]) { _ in true } ?? false
        } catch {
            return false
        }
    }
}
