// Waiting for a schema that another daemon serves, and putting that one out when it is silent.

import EventModel
import SQL

/// One look after the other at who has a schema; each is a few statements of a session of its own.
final class SeatWatch {
    enum Finding: Hashable {
        /// Nobody has it, or there is none yet.
        case free
        /// - Parameter address: Where daemons find it that follow; empty: nowhere.
        case taken(by: String)
        /// The session of a daemon that was silent was told to end.
        case ended
        /// A daemon is silent, and its session cannot be ended: it waits for the server, or is of
        /// another role.
        case silent
    }

    private let connection: StoreConnection
    private let schema: String
    private let tryLock: StoreStatement
    private let unlock: StoreStatement
    private let endSilent: StoreStatement
    private let findSilent: StoreStatement
    private let findAddress: StoreStatement

    private let lease: SQLValue

    /// - Parameter lease: Seconds without a sign of life, after which a daemon counts as silent.
    init(
        target: String, schema: String, lease: Int = Limits.seatLeaseSeconds
    ) throws(StoreError) {
        self.lease = .integer(Int64(lease))
        let place = DatabasePlace.server(target: target, schema: schema)
        self.schema = schema
        connection = try place.connect(for: .reserve)
        // All that is asked is answered at once, or by nobody.
        connection.onSilence(after: Int32(Limits.seatLeaseSeconds) * 1000) { _ in false }
        tryLock = try connection.prepare(
            "SELECT \(StoreConnection.lock("pg_try_advisory_lock")) FROM pg_namespace"
                + " WHERE nspname = ?")
        unlock = try connection.prepare(
            "SELECT \(StoreConnection.lock("pg_advisory_unlock")) FROM pg_namespace"
                + " WHERE nspname = ?")
        // Never one that the server keeps waiting: what it is committing would be shown to all
        // before a standby has it; nor one that was let go just now. Nor one that only has the
        // number of the one that is gone.
        endSilent = try connection.prepare(
            """
            SELECT pg_terminate_backend(a.pid) FROM seat JOIN pg_stat_activity AS a
            ON a.pid = seat.pid WHERE a.wait_event = 'ClientRead'
            AND a.application_name = '\(DatabasePlace.Purpose.ledger.sessionName)'
            AND greatest(seat.renewed, a.state_change)
                < clock_timestamp() - make_interval(secs => ?::bigint)
            """)
        findSilent = try connection.prepare(
            """
            SELECT 1 FROM seat WHERE pid <> 0
            AND renewed < clock_timestamp() - make_interval(secs => ?::bigint)
            """)
        // A schema that no daemon of this release has served yet has no such column.
        findAddress = try connection.prepare(
            "SELECT coalesce(to_jsonb(seat) ->> 'address', '') FROM seat")
    }

    /// Connects again, if it has to.
    func look() throws(StoreError) -> Finding {
        try connection.revive()
        guard let isFree = try tryLock.first([.text(schema)], body: { $0.integer(0) == 1 }) else {
            return .free
        }
        if isFree {
            _ = try unlock.first([.text(schema)]) { _ in true }
            return .free
        }
        if try endSilent.first([lease], body: { $0.integer(0) == 1 }) == true { return .ended }
        if try findSilent.first([lease], body: { _ in true }) == true { return .silent }
        return .taken(by: try findAddress.first { $0.text(0) } ?? "")
    }
}
