// Reconnecting over real sockets, against a server that plays a script: drops, repeats, close
// codes.

import EventModel
import SyncClient
import Testing

@Suite("Sessions", .timeLimit(.minutes(10)))
struct SessionTests {
    @Test("after a drop the client resumes from its cursor, and a repeat is applied once")
    func resumes() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 100), push(101, 102), drop),
            connection(greeting(), subscribed("delta", at: 102), push(101, 102), push(102, 103)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        let taken = await take(from: events) { $0.positions.count == 3 }

        #expect(taken.positions == [101, 102, 103])
        let resumption = try #require(try await server.commands(4).last)
        #expect(resumption.connection == 1)
        #expect(resumption.members["channels"]?.contains("102") == true)
        #expect(resumption.members["channels"]?.contains("e1") == true)
        await client.close()
    }

    @Test("a drop while it resumes has it resume once more, and only once")
    func resumesOnce() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 100), push(101), drop),
            connection(greeting(), expect("subscribe"), drop),
            connection(
                greeting(), subscribed("delta", at: 101), push(102), expect("ping"),
                ok(#"{"time":"1"}"#)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        _ = await take(from: events) { $0.positions == [101, 102] }
        try await client.ping()

        let again = ["hello", "subscribe"]
        try await server.expect([again, again, again + ["ping"]])
        await client.close()
    }

    @Test("a store that was replaced is told from its beginning, and followed from there")
    func snapshot() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 500), push(501, 502), drop),
            connection(greeting(epoch: "e2"), subscribed("snapshot", at: 0), push(7), drop),
            connection(greeting(epoch: "e2"), subscribed("delta", at: 7), push(8)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        let taken = await take(from: events) { $0.positions.count == 4 }

        #expect(taken.positions == [501, 502, 7, 8])
        #expect(
            taken.flatMap { event -> [UInt64] in
                if case .began("room", let cursor) = event { [cursor.rawValue] } else { [] }
            } == [500, 0])
        let last = try await server.commands(6).last
        #expect(last?.members["channels"]?.contains("e2") == true)
        await client.close()
    }

    @Test(
        "a close code that means a broken client ends it for good",
        arguments: [1003, 1007, 1008, 1009, 3500, 3999])
    func staysAway(code: Int) async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("ping"), ok(#"{"time":"1"}"#), close(code)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.ping()
        let taken = await take(from: events) { _ in false }

        #expect(taken.last == .disconnected(reason: "scripted", retryIn: nil))
        await #expect(throws: SyncClientError.self) { try await client.ping() }
        try await server.expect([["hello", "ping"]])
    }

    @Test("after any other end it comes back", arguments: [1000, 1001, 1011, 1013, 3000, 4000])
    func comesBack(code: Int) async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("ping"), ok(#"{"time":"1"}"#), close(code)),
            connection(greeting(), expect("ping"), ok(#"{"time":"2"}"#)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.ping()
        _ = await take(from: events) { taken in
            taken.count { if case .connected = $0 { true } else { false } } == 2
        }

        #expect(try await client.ping() == Timetoken(rawValue: 2))
        await client.close()
    }

    @Test(
        "a frame that cannot be read costs that frame: it is counted and told, all else goes on",
        arguments: [
            #"{"sendText":"{\"id\":"}"#, #"{"sendText":"[]"}"#, #"{"sendText":"{\"t\":5}"}"#,
        ])
    func leavesGarbageOut(garbage: String) async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 1), push(2), garbage, push(3)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        let taken = await take(from: events) { $0.positions.count == 2 }

        #expect(taken.positions == [2, 3])
        #expect(taken.count { if case .problem = $0 { true } else { false } } == 1)
        #expect(await client.problemCount == 1)
        try await server.expect([["hello", "subscribe"]])
        await client.close()
    }

    @Test("a reply that cannot be read fails its command and no other")
    func badReply() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("ping"), ok(#"{"time":5}"#), expect("ping"),
                ok(#"{"time":"6"}"#)))
        let client = try SyncClient(of: server)

        try await client.connect()
        let error = await #expect(throws: SyncClientError.self) { try await client.ping() }
        #expect(error?.code == "bad_reply")
        #expect(try await client.ping() == Timetoken(rawValue: 6))
        try await server.expect([["hello", "ping", "ping"]])
        await client.close()
    }

    @Test(
        "a binary message ends the session, not the client",
        arguments: [#"{"sendBinary":"{}"}"#])
    func survivesGarbage(garbage: String) async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 1), push(2), garbage, push(3)),
            connection(greeting(), subscribed("delta", at: 2), push(3)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        let taken = await take(from: events) { $0.positions.count == 2 }

        #expect(taken.positions == [2, 3])
        try await server.expect([["hello", "subscribe"], ["hello", "subscribe"]])
        await client.close()
    }

    @Test("what it does not know is ignored")
    func ignoresTheUnknown() async throws {
        let future = """
            {"send":{"t":{"t":"3","r":1,"x":0},"c":"room","new":[],"m":[\
            {"f":0,"i":"bob","p":{"t":"3","r":1},"c":"room","d":"hi","z":{}}]}}
            """
        let server = try await ScriptedServer(
            connection(
                greeting(), subscribed("current", at: 1), #"{"send":{"id":999,"ok":{}}}"#,
                #"{"send":{"id":null,"error":{"status":400,"code":"x","message":"y"}}}"#, future))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        let taken = await take(from: events) { $0.positions.count == 1 }

        #expect(taken.positions == [3])
        try await server.expect([["hello", "subscribe"]])
        await client.close()
    }

    @Test("a refused hello is an answer, not a reason to come back")
    func refusedHello() async throws {
        let server = try await ScriptedServer(
            connection(expect("hello"), refusal(400, "invalid_field")))
        let client = try SyncClient(of: server)

        await #expect(
            throws: SyncClientError.refused(
                ProtocolError(status: 400, code: "invalid_field", message: "No."))
        ) { try await client.connect() }
        await #expect(throws: SyncClientError.closed(reason: "No.")) { try await client.ping() }
    }

    @Test("connect() fails when nobody listens, and works once somebody does")
    func cannotConnect() async throws {
        let server = try await ScriptedServer(connection(drop), connection(greeting()))
        let client = try SyncClient(of: server)

        await #expect(throws: SyncClientError.self) { try await client.connect() }
        await #expect(throws: SyncClientError.notConnected) { try await client.ping() }
        try await client.connect()

        await client.close()
        try await eventually("the server hears the close") { server.closeCodes[1] == 1000 }
    }

    @Test("start() goes on until somebody listens")
    func startsUntilThere() async throws {
        let server = try await ScriptedServer(
            connection(drop), connection(drop), connection(close(1011)), connection(greeting()))
        let client = try SyncClient(of: server)
        let events = await client.events()

        await client.start()
        let taken = await take(from: events) { taken in
            if case .connected = taken.last { true } else { false }
        }

        #expect(taken.count == 4)
        await client.close()
    }

    @Test("a closed client goes away with all that it held")
    func goesAway() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 1), push(2)))
        weak var forgotten: SyncClient?
        do {
            let client = try SyncClient(of: server)
            forgotten = client
            let events = await client.events()
            try await client.connect()
            try await client.follow("room")
            _ = await take(from: events) { $0.positions == [2] }
            await client.close()
        }

        try await eventually("it is gone") { forgotten == nil }
    }

    @Test("disconnect() ends the session and not the client: subscriptions go on at the next one")
    func disconnects() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 1), push(2), expect("ping")),
            connection(greeting(), subscribed("delta", at: 2), push(3)))
        let client = try SyncClient(of: server)
        let events = await client.events()

        try await client.connect()
        try await client.follow("room")
        _ = await take(from: events) { $0.positions == [2] }
        let waiting = Task { try await client.ping() }
        try await eventually("the ping is there") { server.operations[0].last == "ping" }
        await client.disconnect()

        #expect(await client.connectionState == .idle)
        await #expect(throws: SyncClientError.self) { try await waiting.value }
        await #expect(throws: SyncClientError.notConnected) { try await client.ping() }
        try await eventually("the server hears the close") { server.closeCodes[0] == 1000 }
        try await client.connect()
        _ = await take(from: events) { $0.positions == [3] }
        await client.close()
        await client.disconnect()
        #expect(await client.connectionState == .closed(reason: "close() was called"))
    }

    @Test("the wait for the next attempt can be seen, and ended")
    func reconnectsNow() async throws {
        let server = try await ScriptedServer(connection(drop), connection(greeting()))
        var configuration = try SyncClient.Configuration(
            url: server.url, userID: "ada", deviceID: "phone")
        configuration.backoff = Backoff(base: .seconds(3600), cap: .seconds(3600))
        configuration.random = { 1 }
        let client = SyncClient(configuration)
        let events = await client.events()

        #expect(await client.connectionState == .idle)
        await client.start()
        let taken = await take(from: events) { !$0.isEmpty }
        guard case .disconnected(let reason, .seconds(3600)) = taken.first,
            case .waiting(let until, reason) = await client.connectionState
        else {
            Issue.record("\(taken)")
            return
        }
        #expect(until > .now + .seconds(3000))
        await client.reconnectNow()
        _ = await take(from: events) { if case .connected = $0.last { true } else { false } }
        await client.reconnectNow()  // Nothing to do.
        guard case .online = await client.connectionState else {
            Issue.record("not online")
            return
        }
        await client.close()
    }

    @Test("disconnect() while it waits for the next attempt ends the wait")
    func disconnectsWhileWaiting() async throws {
        let server = try await ScriptedServer(connection(drop), connection(greeting()))
        var configuration = try SyncClient.Configuration(
            url: server.url, userID: "ada", deviceID: "phone")
        configuration.backoff = Backoff(base: .seconds(3600), cap: .seconds(3600))
        configuration.random = { 1 }
        let client = SyncClient(configuration)
        let events = await client.events()

        await client.start()
        _ = await take(from: events) { !$0.isEmpty }
        await client.disconnect()
        #expect(await client.connectionState == .idle)
        await client.reconnectNow()
        _ = await take(from: events) { if case .connected = $0.last { true } else { false } }
        await client.close()
    }

    @Test("many clients share one process")
    func manyClients() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("ping"), ok(#"{"time":"9"}"#)))

        let clients = try (0..<100).map { _ in try SyncClient(of: server) }
        let times = try await withThrowingTaskGroup(of: Timetoken.self) { group in
            for client in clients {
                group.addTask {
                    try await client.connect()
                    return try await client.ping()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for client in clients { await client.close() }

        #expect(times == Array(repeating: Timetoken(rawValue: 9), count: 100))
        try await eventually("all are closed") { server.closeCodes.count == 100 }
    }
}
