// Every operation, every door, every missing right: refused, and nothing happens.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access, at every door")
struct AccessMatrixTests {
    /// PubNub's bits, each by itself, and all.
    private static let bits: [UInt8] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 255]

    private func allows(_ bits: UInt8, _ request: GuardedRequest) -> Bool {
        let rights = Rights(pubNub: bits)
        // To list a group, one of two is enough.
        return request.right == [.read, .manage]
            ? !rights.isDisjoint(with: request.right) : rights.isSuperset(of: request.right)
    }

    @Test("a command without its right changes nothing", arguments: GuardedRequest.commands, bits)
    func commands(request: GuardedRequest, bits: UInt8) throws {
        guard case .command(let command) = request.form else { return }
        let bench = AccessBench()
        let token = try AccessBench.token(channels: ["room": bits, "other": 255])
        let (session, greeting) = try bench.session(token)
        #expect(greeting == [nil])

        let codes = try bench.send(command, session)

        let isAllowed = allows(bits, request)
        #expect(codes.contains("forbidden") == !isAllowed)
        #expect((bench.asked + bench.interests > 0) == isAllowed)
    }

    @Test("a request without its right changes nothing", arguments: GuardedRequest.requests, bits)
    func requests(request: GuardedRequest, bits: UInt8) throws {
        guard case .request(let method, let target, let body) = request.form else { return }
        let bench = AccessBench()
        let token = try AccessBench.token(
            channels: request.group == nil ? ["room": bits, "other": 255] : ["room": 255],
            groups: request.group.map { [$0: bits, "others": 255] } ?? [:])

        let status = bench.status(method, target, body: body, token: token)

        let isAllowed = allows(bits, request)
        #expect((status == 403) == !isAllowed)
        if !isAllowed { #expect(bench.asked + bench.interests == 0) }
    }

    @Test(
        "no token opens what is the backend's, nor does a wrong signature",
        arguments: GuardedRequest.administrative)
    func administrative(request: GuardedRequest) throws {
        guard case .request(let method, let target, let body) = request.form else { return }
        let bench = AccessBench()
        let token = try AccessBench.token(channels: ["room": 255], groups: ["friends": 255])

        #expect(bench.status(method, target, body: body, token: token) == 403)
        #expect(bench.status(method, target, body: body, token: nil) == 403)
        let forged = target + "?timestamp=\(AccessBench.seconds)&signature=v2.AAAA"
        #expect(bench.status(method, forged, body: body, token: token) == 403)
        #expect(bench.asked + bench.interests == 0)
    }

    @Test("where nothing is guarded, everybody may do everything but make tokens")
    func unguarded() throws {
        var keyset = AccessBench.keyset
        keyset.isAccessControlled = false
        for request in GuardedRequest.requests + GuardedRequest.administrative {
            guard case .request(let method, let target, let body) = request.form else { continue }
            let bench = AccessBench(keyset: keyset)
            let status = bench.status(method, target, body: body, token: nil)
            let isSigned =
                ["grant", "revoke"].contains(request.name) || request.name.hasPrefix("/v2/auth/")
            #expect((status == 403) == isSigned, "\(request.name)")
        }
        for request in GuardedRequest.commands {
            guard case .command(let command) = request.form else { continue }
            let bench = AccessBench(keyset: keyset)
            let (session, greeting) = try bench.session(nil)
            #expect(greeting == [nil])
            #expect(try !bench.send(command, session).contains("forbidden"))
        }
    }

    @Test("without a token, or with one that is worth nothing, nobody is let in")
    func tokens() throws {
        let good = try AccessBench.token(channels: ["room": 255], user: "ada")
        let cases: [(token: String?, user: String, seconds: Int64, code: String)] = [
            (nil, "ada", 0, "token_missing"), ("", "ada", 0, "missing_field"),
            ("garbage", "ada", 0, "token_invalid"), ("a.b.c", "ada", 0, "token_invalid"),
            (good, "bob", 0, "token_of_another"), (good, "ada", 300, "token_expired"),
            (good, "ada", -61, "token_invalid"),
        ]
        for (token, user, later, code) in cases where token != "" {
            let bench = AccessBench(seconds: AccessBench.seconds + later)
            #expect(try bench.session(token, user: user).1 == [code])
            #expect(
                bench.status(.get, "/publish/pub/sub/0/room/0/1", token: token, user: user) == 403)
            #expect(bench.asked == 0)
        }
        let bench = AccessBench()
        #expect(try bench.session(good).1 == [nil])
    }

    @Test("nobody speaks for another user with a token of their own")
    func others() throws {
        let bench = AccessBench()
        let token = try AccessBench.token(channels: ["room": 255], user: "ada")
        let presence = "/v2/presence/sub-key/sub"

        for target in [
            "\(presence)/channel/room/uuid/bob/data?state=%7B%7D", "\(presence)/uuid/bob",
        ] {
            #expect(bench.status(.get, target, token: token) == 403)
        }
        let (session, _) = try bench.session(token)
        let command = #"{"id":2,"op":"whereNow","userId":"bob"}"#
        #expect(try bench.send(command, session) == ["token_of_another"])
        #expect(bench.asked == 0)
        #expect(try bench.send(#"{"id":3,"op":"whereNow"}"#, session) == [])
        #expect(bench.asked == 1)
    }

    @Test("who may only read is not seen and sees nobody, on the WebSocket, too")
    func unseenSession() throws {
        var keyset = AccessBench.keyset
        keyset.webKeys = AccessBench.webKeys
        for right in ["read", "presence"] {
            let bench = AccessBench(keyset: keyset)
            let (session, _) = try bench.session(AccessBench.webToken([right]))
            let command =
                #"{"id":2,"op":"subscribe","channels":[{"name":"room","presence":true}]}"#
            #expect(try bench.send(command, session) == ["forbidden"])
            #expect(bench.asked + bench.interests == 0)
        }
    }

    @Test("a poll of who may only read tells presence nothing", arguments: [true, false])
    func unseen(isSeen: Bool) throws {
        var keyset = AccessBench.keyset
        keyset.webKeys = AccessBench.webKeys
        let bench = AccessBench(keyset: keyset)
        let token = AccessBench.webToken(isSeen ? ["read", "presence"] : ["read"])
        let poll = "/v2/subscribe/sub/room/0?tt=0&state=%7B%22room%22:%7B%22a%22:1%7D%7D"

        #expect(bench.status(.get, poll, token: token) == 200)
        #expect(bench.asked == (isSeen ? 1 : 0))
    }

    @Test("dear patterns and many long names cost no more than is allowed")
    func dear() throws {
        var token = AccessToken(issued: AccessBench.seconds, minutes: 5)
        token.patterns.channels[ExactText("((a?)(a?)){240}[0-9]{4}$")] = 255
        let permissions = try token.permissions()
        let names = (0..<110).map { String(repeating: "a", count: 250) + "\(1000 + $0)x" }
        var steps = Limits.accessStepsMin + names.count * Limits.accessStepsPerName
        for name in names {
            _ = permissions.rights(on: Channel(name), wanted: .read, within: &steps)
        }

        // The last name may cost more than is left.
        #expect(steps <= 0 && steps > -2 * Limits.tokenStatesMax * 256)
        #expect(permissions.rights(on: Channel("a1000"), wanted: .read, within: &steps) == [])
        var few = Limits.accessStepsMin
        #expect(permissions.rights(on: Channel("a1000"), wanted: .read, within: &few) != [])
    }

    @Test("an old cursor, a wildcard and a group are no rights")
    func capabilities() throws {
        let bench = AccessBench()
        let token = try AccessBench.token(channels: ["room": 1, "other": 255], groups: ["g": 4])
        let (session, _) = try bench.session(token)

        for name in ["room.*", "*", "secret", "room-pnpres2"] {
            let target = "/v2/subscribe/sub/\(name)/0?tt=0"
            #expect(bench.status(.get, target, token: token) == 403)
        }
        // To put a channel into a group is to show it to the group's readers.
        let groups = "/v1/channel-registration/sub-key/sub/channel-group/g"
        #expect(bench.status(.get, groups + "?add=secret", token: token) == 403)
        #expect(bench.interests == 0)
        #expect(bench.asked == 0)
        #expect(
            try bench.send(
                #"{"id":2,"op":"subscribe","channels":[{"name":"room"},{"name":"secret"}]}"#,
                session) == ["forbidden"])
        #expect(bench.interests == 0)
        // One channel that may be read is followed, and so is who is there.
        #expect(
            bench.status(.get, "/v2/subscribe/sub/room,room-pnpres/0?tt=0", token: token) == 200)
    }

    @Test("what is open ends when the token's time is over")
    func expiry() throws {
        let token = try AccessBench.token(channels: ["room": 255])
        let bench = AccessBench()
        let (session, _) = try bench.session(token)
        _ = try bench.send(#"{"id":2,"op":"subscribe","channels":[{"name":"room"}]}"#, session)
        let poll = "/v2/subscribe/sub/room/0?tt=\(AccessBench.now.rawValue)"
        #expect(bench.status(.get, poll, token: token) == nil)
        #expect(bench.interests == 2)

        bench.time.seconds = AccessBench.seconds + 300
        bench.core.turn(at: 5000)

        #expect(bench.interests == 0)
        // With nothing: the next poll may come with another token, and is refused without.
        #expect(bench.transport.responses.values.map(\.status) == [200])
        bench.core.turn(at: 5001)
        #expect(bench.status(.get, poll, token: token) == 403)
    }

    @Test(
        "without history nobody is sent the past: not by another store's cursor, nor for a repair",
        arguments: [
            #""cursor":"0""#, #""cursor":"17950000000000000","epoch":"a.b","repair":true"#,
            #""cursor":"17950000000000000","epoch":"foreign.b""#,
            #""cursor":"17950000000000000","epoch":"beyond.b""#,
        ])
    func past(start: String) throws {
        var keyset = AccessBench.keyset
        keyset.webKeys = AccessBench.webKeys
        for isAllowed in [true, false] {
            let bench = AccessBench(keyset: keyset)
            let token = AccessBench.webToken(isAllowed ? ["read", "history"] : ["read"])
            let (session, greeting) = try bench.session(token)
            #expect(greeting == [nil])
            let command =
                #"{"id":2,"op":"subscribe","channels":[{"name":"room",\#(start)}]}"#

            #expect(try bench.send(command, session).contains("forbidden") == !isAllowed)
            #expect((bench.interests > 0) == isAllowed)
        }
    }

    @Test("a token is looked at again when the keys change, and only who has no good one goes")
    func rotation() throws {
        let bench = AccessBench()
        let (_, greeting) = try bench.session(try AccessBench.token(channels: ["room": 255]))
        #expect(greeting == [nil])
        var more = AccessBench.keyset
        more.webKeys = AccessBench.webKeys
        bench.apply(more)
        #expect(bench.core.hub.sessions.values.allSatisfy { !$0.isClosing })
        var keyset = AccessBench.keyset
        keyset.publishKey = "another"
        bench.apply(keyset)
        #expect(bench.core.hub.sessions.values.allSatisfy { !$0.isClosing })

        keyset.secretKey = "another secret"
        bench.apply(keyset)

        #expect(bench.core.hub.sessions.values.allSatisfy { $0.isClosing })
    }
    @Test("where tokens are asked for from now on, what was opened without one ends")
    func guarding() throws {
        var open = AccessBench.keyset
        open.isAccessControlled = false
        let bench = AccessBench(keyset: open)
        let token = try AccessBench.token(channels: ["room": 255])
        let (session, greeting) = try bench.session(token)
        #expect(greeting == [nil])
        // The token does not say so, but nobody asks yet.
        let command = #"{"id":2,"op":"subscribe","channels":[{"name":"secret"}]}"#
        #expect(try !bench.send(command, session).contains("forbidden"))
        let poll = "/v2/subscribe/sub/secret/0?tt=\(AccessBench.now.rawValue)"
        #expect(bench.status(.get, poll, token: token) == nil)
        #expect(bench.interests == 2)

        bench.apply(AccessBench.keyset)

        #expect(bench.core.hub.sessions.values.allSatisfy { $0.isClosing })
        #expect(bench.transport.responses.values.map(\.status) == [403])
    }

    @Test("where tokens are not asked for any more, everybody stays")
    func unguarding() throws {
        let bench = AccessBench()
        let token = try AccessBench.token(channels: ["room": 255])
        let (session, greeting) = try bench.session(token)
        #expect(greeting == [nil])
        var open = AccessBench.keyset
        open.isAccessControlled = false

        bench.apply(open)

        #expect(bench.core.hub.sessions.values.allSatisfy { !$0.isClosing })
        let command = #"{"id":2,"op":"subscribe","channels":[{"name":"secret"}]}"#
        #expect(try !bench.send(command, session).contains("forbidden"))
    }
}
