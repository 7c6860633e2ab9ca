// Where a store's database is, and how a connection to it is made.

import EventModel
import Glibc
import Postgres
import SQL
import SQLite

/// A file of SQLite's, or a schema of PostgreSQL's.
enum DatabasePlace: Sendable, Hashable {
    /// - `vfs`: What leads to the file; `nil`: the system.
    case file(path: String, vfs: String?)
    /// - `target`: A URL or keywords, as libpq has them; may hold a password.
    case server(target: String, schema: String)

    /// What errors and lines of the log call it.
    var name: String {
        switch self {
        case .file(let path, _): path
        case .server(_, let schema): "the PostgreSQL schema \(schema)"
        }
    }

    /// What a connection is for.
    enum Purpose: String {
        case ledger
        case reader
        case reserve
        /// An operator looks.
        case look

        /// As operators see it in pg_stat_activity.
        var sessionName: String { "syncdaemon \(self)" }
    }

    /// Makes a connection.
    func connect(for purpose: Purpose) throws(StoreError) -> StoreConnection {
        switch self {
        case .file(let path, let vfs): return try StoreConnection(path: path, vfs: vfs)
        case .server(let target, let schema):
            let path =
                "SET application_name = '\(purpose.sessionName)';"
                + "SET search_path TO \(PostgresSchema.quoted(schema));"
            return try StoreConnection.server(
                target, name: name, session: "\(path) \(Self.session)")
        }
    }

    /// What every session is told.
    ///
    /// Plans that are made while tables are small would read them whole, and go on doing so. What
    /// has to be read whole then counts as dear, and would be compiled to machine code each time.
    /// And what is committed is durable, whatever others are content with.
    private static let session = """
        SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
        SET jit = off;
        SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') = 'off';
        SET client_min_messages = warning; SET idle_in_transaction_session_timeout = '60s';
        """
}

extension StoreConnection {
    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - name: What errors call the database.
    ///   - session: As ``PostgresConnection/init(_:session:patience:failure:)`` has it.
    fileprivate static func server(
        _ target: String, name: String, session: String
    ) throws(StoreError) -> StoreConnection {
        let connection = try PostgresConnection<StoreError>(
            target, session: session, patience: Self.patience
        ) { error in
            if error.isFull { return .full }
            if error.isDamage { return .damaged(path: name, reason: error.message) }
            if error.isOfData { return .unstorable(name: name, reason: error.message) }
            return .server(name: name, reason: error.message, advice: ServerAdvice(error))
        }
        guard connection.serverVersion >= Self.oldestServer else {
            let major = connection.serverVersion / 10_000
            throw .server(
                name: name, reason: "it runs in version \(major), and 14 is needed",
                advice: .replace)
        }
        let encoding = try connection.prepare(
            "SELECT current_setting('server_encoding')"
        ).first { $0.text(0) }
        guard encoding == "UTF8" else {
            throw .server(
                name: name, reason: "its texts are in \(encoding ?? "?"), not in UTF8",
                advice: .replace)
        }
        return .postgres(connection)
    }

    private static var patience: PostgresConnection<StoreError>.Patience {
        PostgresConnection<StoreError>.Patience(
            connecting: Limits.databaseConnectMilliseconds,
            waiting: Limits.databasePatienceMilliseconds)
    }

    /// As libpq has it.
    private static var oldestServer: Int { 140_000 }

    /// A call about the lock of a row of pg_namespace.
    static func lock(_ function: String) -> String {
        "\(function)((1398361667::bigint << 32) | oid::bigint)"
    }

    /// Keeps every other writer out for as long as the connection lives.
    ///
    /// The lock of one that has just ended is waited for: a server notices it a moment later.
    ///
    /// - Parameter isPatient: Not, when it is `false`.
    /// - Returns: `false` when there is one.
    func lockOut(ofSchema schema: String, isPatient: Bool = true) throws(StoreError) -> Bool {
        let lock = try prepare(
            "SELECT \(Self.lock("pg_try_advisory_lock")) FROM pg_namespace WHERE nspname = ?")
        return try hasLocked(
            lock, [.text(schema)], tries: isPatient ? Limits.databaseLockTries : 1)
    }

    /// Keeps every other one out that makes a schema, for as long as the transaction lives.
    ///
    /// - Returns: `false` when there is one that goes on doing so.
    func lockOutOfMaking() throws(StoreError) -> Bool {
        // No schema has the number 0.
        try hasLocked(
            prepare("SELECT pg_try_advisory_xact_lock(1398361667::bigint << 32)"), [],
            tries: Limits.databaseLockTries)
    }

    private func hasLocked(
        _ lock: borrowing StoreStatement, _ values: [SQLValue], tries: Int
    ) throws(StoreError) -> Bool {
        for number in 0..<tries {
            if number > 0 { usleep(50_000) }
            if try lock.first(values, body: { $0.integer(0) == 1 }) == true { return true }
        }
        return false
    }
}

extension ServerAdvice {
    /// What ``PostgresSchema``'s `fence` says has codes of its own.
    fileprivate init(_ error: PostgresError) {
        self =
            switch error.state {
            case "SD001": .leave
            case "SD002": .standby
            case "57P01": .ended
            case "3F000", "42501": .rights
            default: .reach
            }
    }
}
