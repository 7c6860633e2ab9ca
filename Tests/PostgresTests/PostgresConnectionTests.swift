// Connections to a real server: pipelines, transactions, and errors that say what happened.

import Postgres
import SQL
import Testing

@testable import TestSupport

typealias PlainConnection = PostgresConnection<PostgresError>

func patience(_ waiting: Int32, connecting: Int32 = 5000) -> PlainConnection.Patience {
    PlainConnection.Patience(connecting: connecting, waiting: waiting)
}

/// A connection in a schema of its own, with a table.
func plainConnection(_ waiting: Int32 = 30_000) throws -> PlainConnection {
    let server = try TestPostgres.shared
    let schema = server.newSchema()
    let connection = try PlainConnection(
        server.target(schema: schema), patience: patience(waiting)
    ) { $0 }
    try connection.execute("CREATE SCHEMA \(schema); CREATE TABLE t(number bigint, name text)")
    return connection
}

@Suite("PostgreSQL connection")
struct PostgresConnectionTests {
    private func count(_ connection: PlainConnection) throws(PostgresError) -> Int64? {
        try connection.prepare("SELECT count(*) FROM t").first { $0.integer(0) }
    }

    @Test("the server's version is known")
    func version() throws {
        #expect(try plainConnection().serverVersion >= 140_000)
    }

    @Test("what is queued takes place in order, before what waits for an answer")
    func order() throws {
        let connection = try plainConnection()
        let insert = connection.prepare("INSERT INTO t VALUES ($1, 'a')")
        let double = connection.prepare("UPDATE t SET number = number * 2")

        try insert.run(.integer(3))
        try double.run()
        try insert.run(.integer(5))

        var numbers: [Int64] = []
        try connection.prepare("SELECT number FROM t ORDER BY number").query { row in
            numbers.append(row.integer(0))
            return true
        }
        #expect(numbers == [5, 6])
    }

    @Test("more than a socket holds can be queued, with answers that are as long")
    func longPipeline() throws {
        let connection = try plainConnection()
        let insert = connection.prepare(
            "INSERT INTO t VALUES ($1, $2) RETURNING name")
        let text = String(repeating: "x", count: 100_000)

        for number in 0..<100 as Range<Int64> { try insert.run(.integer(number), .text(text)) }

        #expect(try count(connection) == 100)
    }

    @Test("the first failure is told by whoever waits, and nothing behind it takes place")
    func failureInPipeline() throws {
        let connection = try plainConnection()
        let insert = connection.prepare("INSERT INTO t VALUES (10 / $1::bigint, 'a')")
        try connection.execute("BEGIN")

        try insert.run(.integer(5))
        try insert.run(.integer(0))
        try insert.run(.integer(1))

        let error = #expect(throws: PostgresError.self) { try connection.settle() }
        #expect(error?.state == "22012")
        #expect(error?.message == "division by zero")
        #expect(error?.isLost == false)
        #expect(connection.isInTransaction)
        connection.rollBack()
        #expect(!connection.isInTransaction)
        #expect(try count(connection) == 0)
    }

    @Test("what was queued for a transaction that is rolled back leaves no trace")
    func rollBack() throws {
        let connection = try plainConnection()
        let insert = connection.prepare("INSERT INTO t VALUES ($1, 'a')")
        let begin = connection.prepare("BEGIN")
        let commit = connection.prepare("COMMIT")

        try begin.run()
        try insert.run(.integer(1))
        connection.rollBack()

        #expect(try count(connection) == 0)
        try begin.run()
        try insert.run(.integer(2))
        try commit.run()
        try connection.settle()
        #expect(!connection.isInTransaction)
        #expect(try count(connection) == 1)
    }

    @Test("a transaction is open until it is ended")
    func openTransaction() throws {
        let connection = try plainConnection()
        #expect(!connection.isInTransaction)

        try connection.execute("BEGIN")
        #expect(connection.isInTransaction)

        try connection.execute("COMMIT")
        #expect(!connection.isInTransaction)
    }

    @Test("SQL that is none is told at the next wait")
    func notSQL() throws {
        let connection = try plainConnection()
        let statement = connection.prepare("SELEC 1")

        let error = #expect(throws: PostgresError.self) { try statement.first { $0.integer(0) } }

        #expect(error?.state == "42601")
        #expect(try count(connection) == 0)
    }

    @Test("a server that is not there is told by its place")
    func noServer() {
        let error = #expect(throws: PostgresError.self) {
            try PlainConnection("host=/tmp/no-such-directory", patience: patience(1000)) { $0 }
        }

        #expect(error?.isLost == true)
        #expect(error?.message.contains("/tmp/no-such-directory") == true)
    }

    @Test("of several servers one that says nothing is passed over, and all have their say")
    func several() throws {
        let silent = SilentServer()
        let (server, port) = (try TestPostgres.shared, silent.port)
        // libpq would wait for the first as long as it is let.
        let target =
            server.target.replacing("host=", with: "host=127.0.0.1,")
            + #" port=\#(port),5432 password='it\'s \\'"#

        let connection = try PlainConnection(target, patience: patience(30_000, connecting: 600)) {
            $0
        }

        #expect(try connection.prepare("SELECT 1").first { $0.integer(0) } == 1)
        let error = #expect(throws: PostgresError.self) {
            try PlainConnection(
                "host=127.0.0.1,/tmp/no-such port=\(port)",
                patience: patience(30_000, connecting: 600)
            ) { $0 }
        }
        #expect(error?.message.hasPrefix("the server did not answer within 300 ms; ") == true)
        #expect(error?.message.contains("/tmp/no-such") == true)
    }

    @Test("a server that says nothing is given up")
    func silence() throws {
        let connection = try plainConnection(200)
        let sleep = connection.prepare("SELECT pg_sleep(20)")

        let error = #expect(throws: PostgresError.self) { try sleep.first { _ in } }

        #expect(error?.isLost == true)
        #expect(error?.message == "the server did not answer within 200 ms")
        #expect(!connection.isInTransaction)
        #expect(throws: PostgresError.self) { try connection.settle() }
    }

    @Test("one that somebody vouches for is waited for on")
    func silenceThatIsExplained() throws {
        let connection = try plainConnection(100)
        let sleep = connection.prepare("SELECT pg_sleep(20)")
        var asked = 0
        connection.onSilence(after: 100) { _ in
            asked += 1
            return asked < 4
        }

        #expect(throws: PostgresError.self) { try sleep.first { _ in } }

        #expect(asked == 4)
    }

    @Test("a connection that the server ends is lost, and says so at every call")
    func terminated() throws {
        let (connection, other) = (try plainConnection(), try plainConnection())
        let pid = try connection.prepare("SELECT pg_backend_pid()").first { $0.integer(0) }
        let insert = connection.prepare("INSERT INTO t VALUES ($1, 'a')")
        try connection.execute("BEGIN")
        try insert.run(.integer(1))

        _ = try other.prepare("SELECT pg_terminate_backend($1::bigint::int)")
            .first([.integer(try #require(pid))]) { _ in }

        let error = #expect(throws: PostgresError.self) { try connection.settle() }
        #expect(error?.isLost == true)
        #expect(throws: PostgresError.self) { try insert.run(.integer(2)) }
        connection.rollBack()
    }

    @Test("one that was lost is made again with its session, and compiles what it knows anew")
    func revived() throws {
        let (connection, other) = (try plainConnection(), try plainConnection())
        let schema = try connection.prepare("SELECT current_setting('search_path')").first {
            $0.text(0)
        }
        let session = "SET search_path TO \(try #require(schema)); SET work_mem = '3MB'"
        let again = try PlainConnection(
            TestPostgres.shared.target, session: session, patience: patience(30_000)
        ) { $0 }
        let insert = again.prepare("INSERT INTO t VALUES ($1, 'a')")
        try insert.run(.integer(1))
        try again.settle()
        let pid = try again.prepare("SELECT pg_backend_pid()").first { $0.integer(0) }
        try again.execute("BEGIN")
        _ = try other.prepare("SELECT pg_terminate_backend($1::bigint::int)")
            .first([.integer(try #require(pid))]) { _ in }
        #expect(throws: PostgresError.self) { try count(again) }

        try again.revive()

        #expect(!again.isInTransaction)
        try insert.run(.integer(2))
        #expect(try count(again) == 2)
        let memory = try again.prepare("SELECT current_setting('work_mem')").first { $0.text(0) }
        #expect(memory == "3MB")
    }

    @Test("who waits is told so each second")
    func waits() throws {
        let connection = try plainConnection()
        var seconds = 0
        connection.onProgress { seconds += 1 }

        _ = try connection.prepare("SELECT pg_sleep(2.5)").first { _ in }

        #expect(seconds == 2)
    }

    @Test(
        "a server of another machine has to prove who it is",
        arguments: [
            ("postgresql:///syncdaemon", true, false),
            ("host=/run/postgresql dbname=a", true, false),
            ("postgresql://ada@127.0.0.1:5433/a", true, false),
            ("postgresql://db.internal/a?sslmode=require", false, false),
            ("postgresql://db.internal,10.0.0.1/a?sslmode=verify-full", false, true),
            ("host=localhost,db.internal", false, false),
        ])
    func target(_ text: String, _ isLocal: Bool, _ isProven: Bool) throws {
        let target = try PostgresTarget(text)
        #expect((target.isLocal, target.provesServer) == (isLocal, isProven))
        #expect(!target.hasPassword)
    }

    @Test(
        "a password is seen",
        arguments: [
            "postgresql://ada:secret@db/a", "host=db password=secret",
        ])
    func password(_ text: String) throws {
        #expect(try PostgresTarget(text).hasPassword)
    }

    @Test(
        "what cannot be read is not said either",
        arguments: ["postgresql://ada:secret@[::1/a", "host=db password='secret", "secret"])
    func unreadable(_ text: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresTarget(text) }
        #expect(error?.message.contains("secret") == false)
        #expect(error?.message.isEmpty == false)
    }

    @Test("nobody else sees a transaction before it is committed")
    func isolation() throws {
        let server = try TestPostgres.shared
        let target = server.target(schema: server.newSchema())
        let writer = try PlainConnection(target, patience: patience(30_000)) { $0 }
        let reader = try PlainConnection(target, patience: patience(30_000)) { $0 }
        let schema = try writer.prepare("SELECT current_setting('search_path')").first {
            $0.text(0)
        }
        try writer.execute("CREATE SCHEMA \(try #require(schema)); CREATE TABLE t(number bigint)")

        try writer.execute("BEGIN; INSERT INTO t VALUES (1)")
        #expect(try count(reader) == 0)
        try writer.execute("COMMIT")
        #expect(try count(reader) == 1)
    }
}
