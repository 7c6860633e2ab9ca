// Tokens that a provider makes: for each session, and before the time of one is over.

import Basis
import EventModel
import SyncClient
import Testing

/// Makes `t1`, `t2` and so on, unless it is told to fail.
private final class TokenSource: Sendable {
    private let state = Locked((made: 0, failures: 0))

    init(failures: Int = 0) {
        state.withLock { $0.failures = failures }
    }

    struct NoToken: Error {}

    func next() throws -> String {
        let token: String? = state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                return nil
            }
            state.made += 1
            return "t\(state.made)"
        }
        guard let token else { throw NoToken() }
        return token
    }
}

@Suite("Tokens", .serialized)
struct TokenTests {
    private func client(
        of server: ScriptedServer, _ source: TokenSource = TokenSource()
    ) throws -> SyncClient {
        var configuration = try SyncClient.Configuration(
            url: server.url, userID: "ada", deviceID: "phone")
        configuration.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        configuration.random = { 0 }
        configuration.sleep = { _ in await Task.yield() }
        configuration.tokenProvider = { try source.next() }
        return SyncClient(configuration)
    }

    private func welcome(expires: Int) -> String {
        """
        {"expect":"hello"},{"send":{"id":"$id","ok":{"session":"0-1","time":"17952187953729000",\
        "epoch":"e1","heartbeat":25,"tokenExpires":\(expires),\
        "limits":{"frameBytes":32768,"channels":10000}}}}
        """
    }

    @Test("another one is shown before its time is over, and another one for the next session")
    func refreshes() async throws {
        let server = try await ScriptedServer(
            connection(
                welcome(expires: 600), expect("token"), ok(#"{"tokenExpires":600}"#),
                expect("token"), ok("{}"), expect("ping"), drop),
            connection(greeting(), expect("ping"), ok(#"{"time":"5"}"#)))
        let client = try client(of: server)

        let welcome = try await client.connect()
        #expect(welcome.tokenExpires == 600)
        try await eventually("two were shown") { server.operations.first?.count == 3 }
        await #expect(throws: SyncClientError.self) { try await client.ping() }
        try await eventually("it is back") { (try? await client.ping()) != nil }

        #expect(server.operations[0] == ["hello", "token", "token", "ping"])
        #expect(server.tokens == ["t1", "t2", "t3", "t4"])
        await client.close()
    }

    @Test(
        "what is closed or refused because of a token comes back with another",
        arguments: ["token_expired", "token_revoked", "token_invalid", "token_missing"])
    func comesBack(code: String) async throws {
        let server = try await ScriptedServer(
            connection(greeting(), #"{"close":1008,"reason":"\#(code): x"}"#),
            connection(expect("hello"), refusal(401, code), drop), connection(greeting()))
        let client = try client(of: server)
        await client.start()

        try await eventually("it came back") { server.tokens == ["t1", "t2", "t3"] }
        await client.close()
    }

    @Test("a token of one's own is not shown again when it is refused")
    func givesUp() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), #"{"close":1008,"reason":"token_expired: x"}"#))
        let client = try SyncClient(of: server)
        await client.start()

        try await eventually("it gave up") {
            if case .closed = await client.connectionState { true } else { false }
        }
        #expect(server.operations == [["hello"]])
    }

    @Test("a provider that fails is asked again, and a refused token is told")
    func fails() async throws {
        let server = try await ScriptedServer(
            connection(
                welcome(expires: 600), expect("token"), refusal(401, "token_invalid"),
                expect("token"), ok("{}")))
        let client = try client(of: server, TokenSource(failures: 2))
        await client.start()

        try await eventually("all were shown") { server.tokens == ["t1", "t2", "t3"] }
        #expect(await client.problemCount == 1)
        await client.close()
    }
    @Test("a write that a token's end refuses goes out in the next session, with another one")
    func keepsWrites() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("publish"), refusal(401, "token_expired"),
                #"{"close":1008,"reason":"token_expired: x"}"#),
            connection(greeting(), expect("publish"), ok(#"{"timetoken":"5"}"#)))
        let client = try client(of: server)
        try await client.connect()

        let timetoken = try await client.publish(Message(payload: "1"), to: "room")

        #expect(timetoken == Timetoken(rawValue: 5))
        #expect(server.operations == [["hello", "publish"], ["hello", "publish"]])
        await client.close()
    }

    @Test("the same of a kept channel, and without a provider it stays in the outbox")
    func keepsWishes() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("subscribe"), refusal(403, "forbidden"), expect("publish"),
                refusal(401, "token_expired"), #"{"close":1008,"reason":"token_expired: x"}"#))
        let client = try SyncClient(of: server)
        try await client.connect()
        let room = try await client.channel("room")
        try await room.publish(Message(payload: "1"))

        try await eventually("it gave up") {
            if case .closed = await client.connectionState { true } else { false }
        }
        #expect(await client.unsentWrites.count == 1)
    }

    @Test("a channel that was refused is asked for again when another token was taken")
    func asksAgain() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("subscribe"), refusal(403, "forbidden"), expect("token"),
                ok("{}"), subscribed("current", at: 7)))
        let client = try client(of: server)
        let events = await client.events()
        try await client.connect()
        try await client.follow("room")
        _ = await take(from: events) {
            if case .channelRefused = $0.last { true } else { false }
        }

        await client.renewToken()

        try await eventually("it is asked for again") {
            server.operations == [["hello", "subscribe", "token", "subscribe"]]
        }
        #expect(server.tokens == ["t1", "t2"])
        await client.close()
    }

    @Test("a provider that gives nothing in time, or no token, is asked again")
    func hangs() async throws {
        let server = try await ScriptedServer(
            connection(welcome(expires: 600), expect("token"), ok("{}")))
        var configuration = try SyncClient.Configuration(
            url: server.url, userID: "ada", deviceID: "phone")
        configuration.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        configuration.sleep = { _ in await Task.yield() }
        configuration.tokenTimeout = .milliseconds(50)
        let calls = Locked(0)
        configuration.tokenProvider = {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            switch call {
            case 1, 4: await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
            case 2: return ""
            case 5: return String(repeating: "x", count: Limits.tokenBytesMax + 1)
            default: break
            }
            return "t\(call)"
        }
        let client = SyncClient(configuration)
        await client.start()

        try await eventually("good ones were shown") { server.tokens == ["t3", "t6"] }
        #expect(await client.problemCount == 2)
        await client.close()
    }

    @Test("close() does not wait for a provider that heeds nothing")
    func closes() async throws {
        var configuration = try SyncClient.Configuration(userID: "ada", deviceID: "phone")
        configuration.tokenProvider = {
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
            return ""
        }
        let client = SyncClient(configuration)
        await client.start()
        await client.close()
        guard case .closed = await client.connectionState else {
            Issue.record("It is not closed.")
            return
        }
    }
}
