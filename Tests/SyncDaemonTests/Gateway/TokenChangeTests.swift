// A session's token is taken back, or another one is put in its place.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Tokens that change")
struct TokenChangeTests {
    private let publish = #"{"id":3,"op":"publish","channel":"room","payload":1}"#

    private func shown(_ token: String) -> String { #"{"id":5,"op":"token","token":"\#(token)"}"# }

    @Test("what is open ends when its token is taken back, and nothing else does")
    func revocation() throws {
        let bench = AccessBench()
        let poll = "/v2/subscribe/sub/room/0?tt=\(AccessBench.now.rawValue)"
        let tokens = try [255, 1].map { try AccessBench.token(channels: ["room": $0]) }
        var sessions: [SessionID] = []
        for token in tokens {
            sessions.append(try bench.session(token).0)
            #expect(bench.status(.get, poll, token: token) == nil)
        }

        try bench.revoke(tokens[0])

        #expect(bench.core.hub.sessions.values.filter(\.isClosing).map(\.id) == [sessions[0]])
        #expect(bench.transport.responses.values.map(\.status) == [200])
        #expect(try bench.session(tokens[0]).1 == ["token_revoked"])
        #expect(bench.status(.get, poll, token: tokens[0]) == 403)
        #expect(bench.status(.get, "/publish/pub/sub/0/room/0/1", token: tokens[0]) == 403)
        #expect(try bench.session(tokens[1]).1 == [nil])
        #expect(bench.interests == 1)
    }

    @Test("another token holds from its reply on, and the session goes on beyond the one before")
    func refresh() throws {
        let bench = AccessBench()
        let (session, _) = try bench.session(try AccessBench.token(channels: ["room": 1]))
        let subscribe = #"{"id":2,"op":"subscribe","channels":[{"name":"room"}]}"#
        #expect(try bench.send(subscribe, session) == [nil])
        #expect(try bench.send(publish, session) == ["forbidden"])

        let longer = try AccessBench.token(channels: ["room": 3], minutes: 10)
        #expect(try bench.send(shown(longer), session) == [nil])
        bench.time.seconds = AccessBench.seconds + 301
        bench.core.turn(at: 5000)

        #expect(bench.interests == 1)
        #expect(try bench.send(publish, session) == [])
        #expect(bench.asked == 1)
        // It is the one that is taken back now.
        try bench.revoke(longer)
        #expect(bench.interests == 0)
    }

    @Test("a command that comes after the token's time ends the session, and has no answer")
    func lapsed() throws {
        let bench = AccessBench()
        let (session, _) = try bench.session(try AccessBench.token(channels: ["room": 3]))
        #expect(try bench.send(publish, session) == [])
        bench.time.seconds = AccessBench.seconds + 301

        #expect(try bench.send(publish, session) == [])

        #expect(bench.asked == 1)
        #expect(bench.core.hub.sessions.values.allSatisfy { $0.isClosing })
    }

    @Test("another token that comes just after the time of the one before is taken")
    func justInTime() throws {
        let bench = AccessBench()
        let (session, _) = try bench.session(try AccessBench.token(channels: ["room": 3]))
        bench.time.seconds = AccessBench.seconds + 301

        let next = try AccessBench.token(channels: ["room": 3], minutes: 10)
        #expect(try bench.send(shown(next), session) == [nil])

        #expect(try bench.send(publish, session) == [])
        #expect(bench.asked == 1)
    }

    @Test("a token that is not good, or another's, leaves the one before")
    func badRefresh() throws {
        let bench = AccessBench()
        let (session, _) = try bench.session(try AccessBench.token(channels: ["room": 1]))
        for (token, code) in [
            ("garbage", "token_invalid"), ("", "invalid_field"),
            (try AccessBench.token(channels: ["room": 255], user: "bob"), "token_of_another"),
        ] {
            #expect(try bench.send(shown(token), session) == [code])
        }
        let revoked = try AccessBench.token(channels: ["room": 255])
        try bench.revoke(revoked)
        #expect(try bench.send(shown(revoked), session) == ["token_revoked"])

        #expect(try bench.send(#"{"id":9,"op":"ping"}"#, session) == [nil])
        #expect(try bench.send(publish, session) == ["forbidden"])
    }

    @Test("who may not be seen any more is not, also when they hear of nobody")
    func unseen() throws {
        var keyset = AccessBench.keyset
        keyset.webKeys = AccessBench.webKeys
        let bench = AccessBench(keyset: keyset)
        let (session, _) = try bench.session(AccessBench.webToken(["read", "presence"]))
        let subscribe = #"{"id":2,"op":"subscribe","channels":[{"name":"room","presence":true}]}"#
        #expect(try bench.send(subscribe, session) == [nil])
        let deaf = #"{"id":3,"op":"unsubscribe","channels":["room-pnpres"]}"#
        #expect(try bench.send(deaf, session) == [nil])

        #expect(try bench.send(shown(AccessBench.webToken(["read"])), session) == [nil])

        #expect(bench.core.hub.sessions.values.allSatisfy { $0.isClosing })
    }

    @Test("what is followed and not allowed any more ends the session", arguments: [true, false])
    func narrower(isAllowed: Bool) throws {
        let bench = AccessBench()
        let (session, _) = try bench.session(
            try AccessBench.token(channels: ["room": 1, "other": 1]))
        let subscribe = #"{"id":2,"op":"subscribe","channels":[{"name":"room"},{"name":"other"}]}"#
        #expect(try bench.send(subscribe, session) == [nil])

        let next = try AccessBench.token(
            channels: ["room": 1, "other": isAllowed ? 1 : 2], minutes: 10)
        #expect(try bench.send(shown(next), session) == [nil])

        #expect(bench.core.hub.sessions.values.allSatisfy { $0.isClosing != isAllowed })
        #expect(bench.interests == (isAllowed ? 2 : 0))
    }
}
