// Commands over real sockets: what becomes of them when replies are lost, late or unwelcome.

import EventModel
import SyncClient
import Testing

@Suite("Commands", .timeLimit(.minutes(10)))
struct CommandTests {
    private static let published = ok(#"{"timetoken":"17952187953729999"}"#)

    @Test("a write whose reply is lost is sent again under the same mutation id")
    func writesAgain() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("publish"), drop),
            connection(greeting(), expect("publish"), drop),
            connection(greeting(), expect("publish"), Self.published))
        let client = try SyncClient(of: server)

        try await client.connect()
        let timetoken = try await client.publish(Message(payload: "1"), to: "room")

        #expect(timetoken == Timetoken(rawValue: 17_952_187_953_729_999))
        let mutations = try await server.commands(6).compactMap { $0.members["mutation"] }
        #expect(mutations.count == 3)
        #expect(Set(mutations).count == 1)
        await client.close()
    }

    @Test("a write that a stopping daemon refuses waits for the next session")
    func outlivesDraining() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("publish"), refusal(503, "draining"), close(1001)),
            connection(greeting(), expect("publish"), Self.published))
        let client = try SyncClient(of: server)

        try await client.connect()
        try await client.publish(Message(payload: "1"), to: "room")

        try await server.expect([["hello", "publish"], ["hello", "publish"]])
        await client.close()
    }

    @Test("a write that is given while there is no connection waits for one")
    func waitsForConnection() async throws {
        let server = try await ScriptedServer(
            connection(drop), connection(greeting(), expect("publish"), Self.published))
        let client = try SyncClient(of: server)

        await client.start()
        try await client.publish(Message(payload: "1"), to: "room")

        try await eventually("it came") { server.operations.last == ["hello", "publish"] }
        await client.close()
    }

    @Test("two writes have two mutation ids")
    func mutationsDiffer() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("publish"), Self.published, expect("publish"), Self.published))
        let client = try SyncClient(of: server)

        try await client.connect()
        try await client.publish(Message(payload: "1"), to: "room")
        try await client.publish(Message(payload: "1"), to: "room")

        let mutations = try await server.commands(3).compactMap { $0.members["mutation"] }
        #expect(Set(mutations).count == 2)
        await client.close()
    }

    @Test("a read whose reply is lost fails, and says so")
    func readFails() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("history"), drop), connection(greeting()))
        let client = try SyncClient(of: server)

        try await client.connect()

        let error = await #expect(throws: SyncClientError.self) {
            try await client.history(HistoryQuery(channel: "room"))
        }
        guard case .connectionLost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await client.close()
    }

    @Test("a signal is sent at once or not at all")
    func signals() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("signal"), Self.published, expect("signal"), drop),
            connection(greeting()))
        let client = try SyncClient(of: server)
        let typing = Message(payload: #"{"typing":true}"#)

        await #expect(throws: SyncClientError.notConnected) {
            try await client.signal(typing, to: "room")
        }
        try await client.connect()
        let timetoken = try await client.signal(typing, to: "room")
        #expect(timetoken == Timetoken(rawValue: 17_952_187_953_729_999))
        let error = await #expect(throws: SyncClientError.self) {
            try await client.signal(typing, to: "room")
        }
        guard case .connectionLost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await client.close()
    }

    @Test("a command without a reply fails in time, and the session goes on")
    func timesOut() async throws {
        // A machine that does much else needs longer, also for the replies that do come.
        for timeout in [1, 4, 16] where try await timesOut(after: .seconds(timeout)) {
            return
        }
        #expect(try await timesOut(after: .seconds(60)))
    }

    /// Whether the replies that came were in time, so that the one that did not could be tried.
    private func timesOut(after timeout: Duration) async throws -> Bool {
        let server = try await ScriptedServer(
            connection(greeting(), expect("history"), expect("ping"), ok(#"{"time":"5"}"#)))
        let client = try SyncClient(of: server, commandTimeout: timeout)
        do {
            try await client.connect()
        } catch {
            await client.close()
            return false
        }
        await #expect(throws: SyncClientError.timedOut(after: timeout)) {
            try await client.history(HistoryQuery(channel: "room"))
        }
        let time = try? await client.ping()
        await client.close()
        return time == Timetoken(rawValue: 5)
    }

    @Test("a cancelled task waits no longer")
    func cancels() async throws {
        let server = try await ScriptedServer(connection(greeting(), expect("ping")))
        let client = try SyncClient(of: server)
        try await client.connect()

        let task = Task { try await client.ping() }
        try await eventually("the command is there") { server.operations == [["hello", "ping"]] }
        task.cancel()

        await #expect(throws: SyncClientError.cancelled) { try await task.value }
        await client.close()
    }

    @Test("a frame over the daemon's limit is not sent, and the session goes on")
    func tooLarge() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("publish"), Self.published))
        let client = try SyncClient(of: server)
        let long = "\"" + String(repeating: "x", count: 40_000) + "\""

        try await client.connect()

        let error = await #expect(throws: SyncClientError.self) {
            try await client.publish(Message(payload: long), to: "room")
        }
        guard case .frameTooLarge(_, max: 32768) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await client.publish(Message(payload: "\"short\""), to: "room")
        try await server.expect([["hello", "publish"]])
        await client.close()
    }

    @Test("a refusal reaches the caller")
    func refused() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("addAction"), refusal(409, "mutation_reused")))
        let client = try SyncClient(of: server)

        try await client.connect()

        await #expect(
            throws: SyncClientError.refused(
                ProtocolError(status: 409, code: "mutation_reused", message: "No."))
        ) {
            try await client.addAction("👍", to: Timetoken(rawValue: 1), in: "room")
        }
        await client.close()
    }

    @Test("a subscription whose reply is lost starts where it was to start")
    func subscribesAgain() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("subscribe"), drop),
            connection(greeting(), subscribed("delta", at: 41), push(42)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room", after: Timetoken(rawValue: 41))
        let taken = await take(from: events) { $0.positions.count == 1 }

        #expect(taken.positions == [42])
        let channels = try await server.commands(4).compactMap { $0.members["channels"] }
        #expect(channels.count == 2)
        #expect(channels[0] == channels[1])
        await client.close()
    }

    @Test("of a channel that was left nothing more is told or resumed")
    func leaves() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), subscribed("current", at: 10), push(11), expect("unsubscribe"),
                push(12), ok(#"{"channels":["room"]}"#), expect("ping"), drop),
            connection(greeting(), expect("ping"), ok(#"{"time":"5"}"#)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        _ = await take(from: events) { $0.positions == [11] }
        await client.unfollow("room")
        await #expect(throws: SyncClientError.self) { try await client.ping() }
        try await eventually("it is back") { (try? await client.ping()) != nil }

        try await server.expect([
            ["hello", "subscribe", "unsubscribe", "ping"], ["hello", "ping"],
        ])
        await client.close()
        #expect(await take(from: events) { _ in false }.positions.isEmpty)
    }

    @Test("close() fails what still waits")
    func closes() async throws {
        let server = try await ScriptedServer(connection(greeting(), expect("ping")))
        let client = try SyncClient(of: server)
        try await client.connect()

        let task = Task { try await client.ping() }
        try await eventually("the command is there") { server.operations == [["hello", "ping"]] }
        await client.close()

        await #expect(throws: SyncClientError.closed(reason: "close() was called")) {
            try await task.value
        }
    }
}
