// Auth keys of version 2 at the door of SDKs: each right by itself, and how what is open ends.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Auth keys of version 2")
struct KeyGrantAccessTests {
    private static let end = AccessBench.seconds + 300
    private static let poll = "/v2/subscribe/sub/room/0?tt=\(AccessBench.now.rawValue)"
    private static let publish = "/publish/pub/sub/0/room/0/1"

    private func grant(
        _ key: String?, _ name: String = "room", level: KeyGrantSubject.Level = .channel,
        bits: UInt8 = 239, expiry: Int64 = KeyGrantAccessTests.end
    ) -> KeyGrant {
        .room(key, of: "sub", level: level, name: name, bits: bits, expiry: expiry)
    }

    @Test(
        "a request without its right changes nothing", arguments: GuardedRequest.requests,
        [0, 1, 2, 4, 8, 32, 64, 128, 239] as [UInt8])
    func requests(request: GuardedRequest, bits: UInt8) throws {
        guard case .request(let method, let target, let body) = request.form else { return }
        for key in ["key", nil] {
            let bench = AccessBench()
            bench.keyGrants.apply([
                grant(key, "other"), grant(key, "others", level: .group), grant("x"),
                request.group.map { grant(key, $0, level: .group, bits: bits) }
                    ?? grant(key, bits: bits),
            ])
            if request.group != nil { bench.keyGrants.apply([grant(key)]) }

            let status = bench.status(method, target, body: body, token: key)

            let rights = Rights(pubNub: bits)
            let isAllowed =
                request.right == [.read, .manage]
                ? !rights.isDisjoint(with: request.right) : rights.isSuperset(of: request.right)
            #expect((status == 403) == !isAllowed)
            if !isAllowed { #expect(bench.asked + bench.interests == 0) }
        }
    }

    @Test(
        "no grant opens what is the backend's", arguments: GuardedRequest.administrative)
    func administrative(request: GuardedRequest) throws {
        guard case .request(let method, let target, let body) = request.form else { return }
        let bench = AccessBench()
        bench.keyGrants.apply([grant("key"), grant(nil, "", level: .keyset)])
        for token in ["key", nil] {
            #expect(bench.status(method, target, body: body, token: token) == 403)
        }
        #expect(bench.asked == 0)
    }

    @Test("a session of the daemon's own protocol takes no auth key")
    func sessions() throws {
        let bench = AccessBench()
        bench.keyGrants.apply([grant("key"), grant(nil, "", level: .keyset)])
        #expect(try bench.session("key").1 == ["token_invalid"])
        #expect(try bench.session(nil).1 == ["token_missing"])
    }

    @Test("a token that is worth nothing any more is no auth key, whatever everybody may do")
    func tokens() throws {
        let bench = AccessBench()
        bench.keyGrants.apply([grant(nil)])
        let tokens = try ["room", "other"].map { try AccessBench.token(channels: [$0: 255]) }
        #expect(bench.status(.get, Self.publish, token: tokens[0]) == nil)
        // A good one is asked alone.
        #expect(bench.status(.get, Self.publish, token: tokens[1]) == 403)
        try bench.revoke(tokens[0])
        #expect(bench.status(.get, Self.publish, token: tokens[0]) == 403)
        bench.time.seconds += 299
        #expect(bench.status(.get, Self.publish, token: nil) == nil)
        bench.time.seconds += 1
        #expect(bench.status(.get, Self.publish, token: nil) == 403)
    }

    @Test("without a secret_key nobody can have granted anything")
    func noSecret() {
        var keyset = AccessBench.keyset
        (keyset.secretKey, keyset.webKeys) = (nil, AccessBench.webKeys)
        let bench = AccessBench(keyset: keyset)
        bench.keyGrants.apply([grant("key")])
        #expect(bench.status(.get, Self.publish, token: "key") == 403)
        #expect(bench.signedStatus(.get, "/v2/auth/audit/sub-key/sub") == 403)
    }

    @Test(
        "a poll ends within a second of the grant that it rests on, and no other does",
        arguments: [
            (KeyGrant.room("key", of: "sub", bits: 0), true),
            (.room("key", of: "sub", bits: 2, expiry: end), true),
            (.room("key", of: "sub", bits: 239, expiry: end), false),
            (.room("other", of: "sub", bits: 0), false),
        ])
    func ends(change: KeyGrant, isEnd: Bool) {
        let bench = AccessBench()
        bench.keyGrants.apply([grant("key"), grant("other")])
        #expect(bench.status(.get, Self.poll, token: "key") == nil)

        bench.keyGrants.apply([change])
        bench.core.turn(at: 2000)

        // An SDK that is refused listens no more: its next poll is.
        #expect(bench.transport.responses.values.map(\.status) == (isEnd ? [200] : []))
        #expect(bench.interests == (isEnd ? 0 : 1))
        #expect(bench.status(.get, Self.poll, token: "key") == (isEnd ? 403 : nil))
    }

    @Test("a poll ends when its grant's time is over, and one that was renewed comes again")
    func expires() {
        let bench = AccessBench()
        bench.keyGrants.apply([grant("key"), grant("key", "den", expiry: KeyGrant.never)])
        let den = Self.poll.replacing("room", with: "den")
        for target in [Self.poll, den] {
            #expect(bench.status(.get, target, token: "key") == nil)
        }
        bench.time.seconds = Self.end - 1
        bench.core.turn(at: 2000)
        #expect(bench.interests == 2)

        bench.time.seconds = Self.end
        bench.core.turn(at: 4000)

        #expect(bench.interests == 1)
        #expect(bench.status(.get, Self.poll, token: "key") == 403)
        bench.keyGrants.apply([grant("key", expiry: Self.end + 60)])
        #expect(bench.status(.get, Self.poll, token: "key") == nil)
    }

    @Test("other keys of a tenant end no poll by an auth key, unless nobody can grant any more")
    func reload() {
        let bench = AccessBench()
        bench.keyGrants.apply([grant("key"), grant("key", "den", expiry: Self.end + 1)])
        #expect(bench.status(.get, Self.poll, token: "key") == nil)
        bench.keyGrants.apply([grant("key", "den", bits: 1)])
        var keyset = AccessBench.keyset
        keyset.previousSecretKey = "sec-before"
        bench.apply(keyset)
        #expect(bench.transport.responses.isEmpty && bench.interests == 1)

        (keyset.secretKey, keyset.previousSecretKey) = (nil, nil)
        keyset.webKeys = AccessBench.webKeys
        bench.apply(keyset)
        #expect(bench.transport.responses.values.map(\.status) == [403])
        #expect(bench.interests == 0)
    }

    @Test("a signed request of version 2 writes what it grants, and an audit answers at once")
    func signed() throws {
        let bench = AccessBench()
        let path = "/v2/auth/audit/sub-key/sub"
        #expect(bench.signedStatus(.get, path) == 200)
        #expect(bench.signedStatus(.get, path, with: "another") == 403)
        #expect(bench.signedStatus(.get, "/v2/auth/grant/sub-key/sub", with: "another") == 403)
        #expect(bench.writes.isEmpty)
        #expect(bench.signedStatus(.get, "/v2/auth/grant/sub-key/sub") == nil)
        let day = Int64(Limits.keyGrantMinutesDefault) * 60
        #expect(
            bench.writes.map(\.operation) == [
                .grant([
                    grant(
                        nil, "", level: .keyset, bits: 0, expiry: AccessBench.seconds + day)
                ])
            ])
    }
}
