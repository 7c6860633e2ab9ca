// Which HTTP connections count among their tenant's, and which requests among its rate.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("HTTP clients")
struct HTTPClientTests {
    private static let room = "/v1/channel-registration/sub-key/sub/channel-group/friends"
    private static let poll = "/v2/subscribe/sub/room/0?tt=\(AccessBench.now.rawValue)"

    private static func bench(_ change: (inout Quotas) -> Void) -> AccessBench {
        var keyset = AccessBench.keyset
        change(&keyset.quotas)
        return AccessBench(keyset: keyset)
    }

    private static func held(_ bench: AccessBench) -> Int {
        bench.accounts.account(of: AccessBench.keyset).held(.connections)
    }

    @Test("clients that have all the connections of a tenant do not keep its backend out")
    func backendBesideConnections() throws {
        let bench = Self.bench { $0.connections = 1 }
        let token = try AccessBench.token(groups: ["friends": 1])
        let revocation = "/v3/pam/sub/grant/" + token.replacing("=", with: "%3D")
        #expect(bench.status(.get, Self.room, token: token) == 200)
        #expect(bench.status(.get, Self.room, token: token) == 429)

        let grant = #"{"ttl":5,"permissions":{"resources":{"channels":{"room":1}}}}"#
        #expect(bench.signedStatus(.post, "/v3/pam/sub/grant", body: grant) == 200)
        #expect(bench.signedStatus(.delete, revocation) == nil)
        #expect(bench.writes.count == 1)
        // What only looks signed passes nothing over.
        #expect(bench.signedStatus(.delete, revocation, with: "another") == 403)
        #expect(bench.signedStatus(.get, Self.room) == 429)
        #expect(Self.held(bench) == 1)
    }

    @Test("clients that ask as often as a tenant may do not keep its backend out")
    func backendBesideRate() throws {
        let bench = Self.bench { $0.commandsPerSecond = 1 }
        let token = try AccessBench.token(groups: ["friends": 1])
        let revocation = "/v3/pam/sub/grant/" + token.replacing("=", with: "%3D")
        while bench.status(.get, Self.room, token: token) != 429 {}

        for _ in 0..<5 { #expect(bench.signedStatus(.delete, revocation) == nil) }
        #expect(bench.signedStatus(.get, Self.room) == 429)
    }

    @Test("who is sent away for a token does not count")
    func refusedToken() throws {
        let bench = Self.bench { $0.connections = 1 }
        let (first, second) = (bench.newConnection(), bench.newConnection())
        let token = try AccessBench.token(groups: ["friends": 1])
        #expect(bench.ask(first, Self.room, token: token)?.status == 200)
        #expect(Self.held(bench) == 1)

        #expect(bench.ask(first, Self.room, token: "garbage")?.status == 403)
        #expect(Self.held(bench) == 0)
        #expect(bench.ask(second, Self.room, token: token)?.status == 200)
        #expect(bench.ask(first, Self.room, token: token)?.status == 429)
        bench.core.http.connectionDidClose(first)
        bench.core.http.connectionDidClose(second)
        #expect(Self.held(bench) == 0)
    }

    @Test("a token that is taken back, or over, does not hold a tenant's connections")
    func lapsedToken() throws {
        let bench = Self.bench { $0.connections = 3 }
        let tokens = try [1, 3].map { try AccessBench.token(groups: ["friends": $0]) }
        #expect(bench.status(.get, Self.room, token: tokens[0]) == 200)
        #expect(bench.status(.get, Self.room, token: tokens[1]) == 200)
        #expect(
            bench.status(.get, Self.poll, token: try AccessBench.token(channels: ["room": 1]))
                == nil)
        #expect(Self.held(bench) == 3)

        try bench.revoke(tokens[0])
        #expect(Self.held(bench) == 2)
        // The poll is ended, too.
        bench.time.seconds += 301
        bench.core.turn(at: 2000)
        #expect(Self.held(bench) == 0)
    }

    @Test("a connection that asks for nothing counts again with its next request")
    func idle() throws {
        let bench = Self.bench { $0.connections = 2 }
        let token = try AccessBench.token(channels: ["room": 1], groups: ["friends": 1])
        let (idle, poller) = (bench.newConnection(), bench.newConnection())
        #expect(bench.ask(idle, Self.room, token: token)?.status == 200)
        #expect(bench.ask(poller, Self.poll, token: token) == nil)

        let seconds = UInt64(Limits.quotaIdleSeconds)
        for second in 1..<seconds { bench.core.turn(at: second * 1000) }
        #expect(Self.held(bench) == 2)
        bench.core.turn(at: seconds * 1000)
        // Who waits does not idle.
        #expect(Self.held(bench) == 1)
        #expect(bench.ask(idle, Self.room, token: token, at: seconds * 1000)?.status == 200)
        #expect(Self.held(bench) == 2)
    }

    @Test("the transport hears that a request which had to wait is a poll now")
    func latePoll() throws {
        let bench = Self.bench { _ in }
        let token = try AccessBench.token(channels: ["room": 1])
        let names = String(repeating: ",room", count: Limits.dearNamesPerTurnMax * 7)
        let poll = "/v2/subscribe/sub/room\(names)/0?tt=\(AccessBench.now.rawValue)"
        let (first, second) = (bench.newConnection(), bench.newConnection())
        #expect(bench.ask(first, poll, token: token) == nil)
        #expect(bench.ask(second, poll, token: token) == nil)
        #expect(bench.core.hub.polls.count == 1)
        #expect(bench.transport.long.isEmpty)

        bench.core.turn(at: 1000)
        #expect(bench.core.hub.polls.count == 2)
        #expect(bench.transport.long == [second])
    }

    @Test("whose tokens are checked otherwise shows one again")
    func otherKeys() throws {
        let bench = Self.bench { $0.connections = 2 }
        #expect(
            bench.status(.get, Self.room, token: try AccessBench.token(groups: ["friends": 1]))
                == 200)
        var keyset = AccessBench.keyset
        keyset.secretKey = "another"
        bench.apply(keyset)
        #expect(Self.held(bench) == 0)
    }
}
