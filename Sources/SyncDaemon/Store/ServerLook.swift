// What a database server is to a daemon that is to use it: asked before one is started.

import EventModel
import SQL

/// One look at a server by a session of its own, which changes nothing.
struct ServerLook: Sendable, CustomStringConvertible {
    private let version: String
    private let schema: String
    /// The term of whoever serves, or did last; `nil`: the schema has yet to be made.
    private let term: Int?
    private let isServed: Bool

    /// - Throws: Also where a daemon could not serve.
    init(target: String, schema: String, needsStandby: Bool) throws(StoreError) {
        self.schema = schema
        let place = DatabasePlace.server(target: target, schema: schema)
        let connection = try place.connect(for: .look)
        connection.onSilence(after: Int32(Limits.seatLeaseSeconds) * 1000) { _ in false }
        let found = try connection.prepare(
            """
            SELECT current_setting('server_version'), pg_is_in_recovery()::int::bigint,
            (current_setting('synchronous_standby_names') <> '')::int::bigint,
            (to_regclass('seat') IS NOT NULL)::int::bigint, CASE
            WHEN to_regclass('seat') IS NOT NULL THEN has_table_privilege('seat', 'UPDATE')
            WHEN to_regnamespace(?) IS NOT NULL THEN has_schema_privilege(?, 'CREATE')
            ELSE has_database_privilege(current_database(), 'CREATE') END::int::bigint
            """
        ).first([.text(schema), .text(schema)]) { row in
            (row.text(0), (1...4).map { row.integer($0) == 1 })
        }
        guard let (version, flags) = found else {
            throw .server(name: place.name, reason: "it says nothing of itself")
        }
        let (isStandby, hasNames, isMade, mayWrite) = (flags[0], flags[1], flags[2], flags[3])
        self.version = version
        guard !isStandby else {
            throw .server(
                name: place.name, reason: "it is a standby, which takes no writes",
                advice: .primary)
        }
        guard mayWrite else {
            throw .server(
                name: place.name, reason: "this role may not write there", advice: .rights)
        }
        if needsStandby {
            guard hasNames else {
                throw .server(
                    name: place.name,
                    reason: "require_standby is on, and the server has no"
                        + " synchronous_standby_names",
                    advice: .standby)
            }
            try DatabaseSeat.requireStandby(connection, name: place.name)
        }
        let seat = isMade ? try Self.seat(connection) : nil
        (term, isServed) = (seat?.term, seat?.isServed ?? false)
    }

    private static func seat(
        _ connection: borrowing StoreConnection
    ) throws(StoreError) -> (term: Int, isServed: Bool)? {
        try connection.prepare(
            """
            SELECT term, (SELECT count(*) FROM pg_stat_activity AS a
            WHERE a.pid = seat.pid AND a.application_name = ?) FROM seat
            """
        ).first([.text(DatabasePlace.Purpose.ledger.sessionName)]) { row in
            (Int(row.integer(0)), row.integer(1) > 0)
        }
    }

    var description: String {
        let state =
            switch (term, isServed) {
            case (nil, _): "The schema \(schema) has yet to be made, and may be."
            case (let term?, true): "A daemon serves the schema \(schema), in term \(term)."
            case (let term?, false): "Nobody serves the schema \(schema); its last term is \(term)."
            }
        return "PostgreSQL \(version) lets this daemon in. \(state)"
    }
}
