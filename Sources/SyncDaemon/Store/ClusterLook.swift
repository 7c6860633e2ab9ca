// Who is at a schema of a server's, and on which machines its commits are: a look for operators.

import EventModel
import SQL

/// What one look found.
///
/// Times are texts in UTC, as PostgreSQL has them.
struct ClusterLook: Sendable {
    /// A session of some daemon with the database.
    struct Member: Sendable {
        /// `serves`, `reserve`, `follows`, or `elsewhere`: it writes to another schema.
        var role: String
        /// 0: it has none of its own.
        var session: Int
        /// Empty: on the server's own machine.
        var address: String
        var since: String
        /// What it waits for; empty: nothing.
        var waitsFor: String
    }

    /// A machine that follows the server.
    struct Standby: Sendable {
        var name: String
        var address: String
        var state: String
        /// `sync`, `quorum`, `potential` or `async`.
        var sync: String
        /// Bytes of the log that are not on its disk; `nil`: this role may not know.
        var behindBytes: Int?
    }

    var server = ""
    var synchronousNames = ""
    var term = 0
    /// The last sign of life of whoever serves.
    var renewed = ""
    var members: [Member] = []
    var standbys: [Standby] = []

    /// Looks by a session of its own.
    init(target: String, schema: String) throws(StoreError) {
        let place = DatabasePlace.server(target: target, schema: schema)
        let connection = try place.connect(for: .look)
        connection.onSilence(after: Int32(Limits.seatLeaseSeconds) * 1000) { _ in false }
        let found = try connection.prepare(
            """
            SELECT current_setting('server_version'), current_setting('synchronous_standby_names'),
            term, \(Self.time("renewed")), pid FROM seat
            """
        ).first { row in
            (row.text(0), row.text(1), Int(row.integer(2)), row.text(3), row.integer(4))
        }
        guard let found else { throw .damaged(path: schema, reason: "its seat is missing") }
        (server, synchronousNames, term, renewed) = (found.0, found.1, found.2, found.3)
        try findMembers(connection, serving: found.4)
        try findStandbys(connection)
    }

    private static func time(_ column: String) -> String {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    }

    private mutating func findMembers(
        _ connection: borrowing StoreConnection, serving pid: Int64
    ) throws(StoreError) {
        let (ledger, reserve) = (
            DatabasePlace.Purpose.ledger.sessionName, DatabasePlace.Purpose.reserve.sessionName
        )
        var members: [Member] = []
        try connection.prepare(
            """
            SELECT pid::bigint, application_name, coalesce(host(client_addr), ''),
            \(Self.time("backend_start")), coalesce(wait_event, '') FROM pg_stat_activity
            WHERE datname = current_database() AND application_name IN (?, ?)
            ORDER BY application_name, backend_start
            """
        ).query(.text(ledger), .text(reserve)) { row in
            let isServing = row.integer(0) == pid
            let role = row.text(1) == reserve ? "reserve" : isServing ? "serves" : "elsewhere"
            let waitsFor = row.text(4)
            members.append(
                Member(
                    role: role, session: Int(row.integer(0)), address: row.text(2),
                    since: row.text(3),
                    // For a word of its own daemon: that is no wait.
                    waitsFor: waitsFor == "ClientRead" ? "" : waitsFor))
            return true
        }
        self.members = members
    }

    private mutating func findStandbys(
        _ connection: borrowing StoreConnection
    ) throws(StoreError) {
        var standbys: [Standby] = []
        try connection.prepare(
            """
            SELECT application_name, coalesce(host(client_addr), ''), coalesce(state, ''),
            coalesce(sync_state, ''), pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint
            FROM pg_stat_replication ORDER BY application_name
            """
        ).query { row in
            standbys.append(
                Standby(
                    name: row.text(0), address: row.text(1), state: row.text(2), sync: row.text(3),
                    behindBytes: row.optionalInteger(4).map(Int.init)))
            return true
        }
        self.standbys = standbys
    }
}
