// Grants of version 2: who may do what by them, until when, and what changes tell.

import EventModel
import Testing

@testable import SyncDaemon

/// What is granted, what is asked for, and which of PubNub's bits that finds.
private struct Case: CustomTestStringConvertible {
    let testDescription: String
    let granted: [KeyGrant]
    var key: String? = "a"
    var channel: String? = "room"
    var group: String?
    let bits: UInt8

    static let all = [
        Case(testDescription: "nothing", granted: [.room("b")], bits: 0),
        Case(testDescription: "to the key", granted: [.room("a", bits: 1)], bits: 1),
        Case(testDescription: "to everybody", granted: [.room(nil, bits: 1)], bits: 1),
        Case(
            testDescription: "to everybody, of whom one has no key",
            granted: [.room(nil, bits: 1)], key: nil, bits: 1),
        Case(
            testDescription: "to a key, asked without one",
            granted: [.room("a"), .room(nil, name: "x")],
            key: nil, bits: 0),
        Case(
            testDescription: "in the whole keyset",
            granted: [.room(nil, level: .keyset, name: "", bits: 8)], key: nil, bits: 8),
        Case(
            testDescription: "all levels together",
            granted: [
                .room(nil, level: .keyset, name: "", bits: 8), .room(nil, bits: 1),
                .room("a", bits: 2), .room("b", bits: 4), .room("a", name: "other", bits: 4),
            ], bits: 11),
        Case(testDescription: "of another level", granted: [.room("a", level: .group)], bits: 0),
        Case(
            testDescription: "of a group", granted: [.room("a", level: .group, bits: 4)],
            channel: nil, group: "room", bits: 4),
        Case(
            testDescription: "of a channel, not of the group of its name", granted: [.room("a")],
            channel: nil, group: "room", bits: 0),
        Case(
            testDescription: "by a wildcard", granted: [.room("a", name: "a.*", bits: 1)],
            channel: "a.b", bits: 1),
        Case(
            testDescription: "by a wildcard of two levels",
            granted: [.room("a", name: "a.b.*", bits: 1)], channel: "a.b.c", bits: 1),
        Case(
            testDescription: "a wildcard covers no sibling",
            granted: [.room("a", name: "a.*"), .room("a", name: "a")], channel: "ab.c", bits: 0),
        Case(
            testDescription: "a wildcard is followed by its own grant alone",
            granted: [.room("a", name: "a.*")], channel: "a.b.*", bits: 0),
        Case(
            testDescription: "a wildcard that was granted",
            granted: [.room("a", name: "a.*", bits: 1)],
            channel: "a.*", bits: 1),
        Case(
            testDescription: "an asterisk is a name like others",
            granted: [.room("a", name: "*"), .room("a", name: ".*")], bits: 0),
        Case(
            testDescription: "canonically equivalent, and another key", granted: [.room("é")],
            key: "e\u{301}", bits: 0),
        Case(testDescription: "of another tenant", granted: [.room("a", of: "x")], bits: 0),
        Case(testDescription: "over", granted: [.room("a", expiry: 10)], bits: 0),
        Case(
            testDescription: "about to be over", granted: [.room("a", bits: 1, expiry: 11)], bits: 1
        ),
    ]
}

@Suite("Grants of version 2")
struct KeyGrantsTests {
    private func need(_ rights: Rights, _ example: Case) -> Need {
        .having(
            rights, on: [example.channel].compactMap(\.self),
            groups: [example.group].compactMap(\.self))
    }

    @Test("what is granted is granted, and nothing else", arguments: Case.all)
    private func rights(_ example: Case) throws {
        let grants = KeyGrants(example.granted)
        let bearer = grants.bearer(of: example.key, in: "k")
        for right in (0..<13).map({ Rights(rawValue: 1 << $0) }) {
            let need = need(right, example)
            let grant = bearer.map { grants.grant(to: $0, for: need, at: 10).grant }
            let isAllowed = (try? grant?.check(need, in: "k", for: "ada", at: 10)) != nil
            #expect(isAllowed == Rights(pubNub: example.bits).contains(right))
        }
    }

    @Test(
        "the presence of a channel is its readers'", arguments: [("room", true), ("other", false)])
    func presence(channel: String, isAllowed: Bool) throws {
        let grants = KeyGrants([.room("a", bits: 1)])
        let need = Need.having(.read, on: [channel + "-pnpres"])
        let bearer = try #require(grants.bearer(of: "a", in: "k"))
        #expect(
            grants.grant(to: bearer, for: need, at: 10).grant.lacking(need, in: "k").isEmpty
                == isAllowed)
    }

    @Test("no grant opens what is the backend's or about everything")
    func administrative() throws {
        let grants = KeyGrants([.room(nil, level: .keyset, name: "", bits: 239)])
        let bearer = try #require(grants.bearer(of: nil, in: "k"))
        for need in [Need.all, .signature] {
            let grant = grants.grant(to: bearer, for: need, at: 10).grant
            #expect(throws: AccessRefusal.notPermitted) {
                try grant.check(need, in: "k", for: "ada", at: 10)
            }
        }
    }

    @Test("nobody is a bearer to whom nothing is granted")
    func strangers() {
        let grants = KeyGrants([.room("a"), .room(nil, of: "open")])
        for text in [nil, "", "b", "A", String(repeating: "a", count: Limits.authKeyBytesMax + 1)] {
            #expect(grants.bearer(of: text, in: "k") == nil)
            #expect(grants.bearer(of: text, in: "open")?.key == nil)
            #expect(grants.bearer(of: text, in: "open") != nil)
        }
        #expect(grants.bearer(of: "a", in: "k") != nil)
        #expect(grants.bearer(of: "a", in: "other") == nil)
    }

    @Test("what is open ends with the first grant that it rests on")
    func end() throws {
        let grants = KeyGrants([
            .room("a", expiry: 30), .room("a", name: "den", expiry: 25), .room("a", name: "x"),
            .room(nil, name: "den", expiry: 5), .room("a", name: "ever", expiry: KeyGrant.never),
        ])
        let bearer = try #require(grants.bearer(of: "a", in: "k"))
        func end(_ channels: String...) -> Int64 {
            grants.grant(to: bearer, for: .having(.read, on: channels), at: 10).end
        }
        #expect(end("room") == 30)
        #expect(end("room", "den") == 25)
        #expect(end("ever") == KeyGrant.never)
    }

    @Test(
        "whoever may do less is told from who may not",
        arguments: [
            (KeyGrant.room("a", bits: 0), true), (.room("a", bits: 1), true),
            (.room("a", expiry: 19), true), (.room("a"), false), (.room("a", bits: 7), false),
            (.room("a", expiry: KeyGrant.never), false), (.room("b", bits: 0), false),
            (.room(nil, bits: 1), true), (.room(nil, bits: 3, expiry: 50), false),
            (.room("a", name: "den", bits: 0), false), (.room("a", of: "x", bits: 0), false),
        ])
    func reduction(change: KeyGrant, isLess: Bool) throws {
        let grants = KeyGrants([.room("a"), .room("b"), .room(nil), .room("a", of: "x")])
        let bearer = try #require(grants.bearer(of: "a", in: "k"))
        #expect(grants.areUnchanged(for: bearer))

        grants.apply([change])

        #expect(grants.areUnchanged(for: bearer) != isLess)
    }

    @Test("one that went and came again is no unchanged one; one that was forgotten takes nothing")
    func changes() throws {
        let grants = KeyGrants([.room("a"), .room("b"), .room("b", name: "den")])
        let first = try #require(grants.bearer(of: "a", in: "k"))
        let second = try #require(grants.bearer(of: "b", in: "k"))
        grants.apply([.room("a", bits: 0)])
        #expect(!grants.areUnchanged(for: first))
        grants.apply([.room("a")], forgotten: [.room("b"), .room("b"), .room("none")])

        #expect(!grants.areUnchanged(for: first))
        #expect(grants.areUnchanged(for: second))
        #expect(grants.bearer(of: "a", in: "k") != nil)
        grants.apply([.room("a", bits: 0), .room("b", name: "den", bits: 0)])
        #expect(grants.bearer(of: "b", in: "k") == nil)
    }

    @Test("an audit shows what stands, up to its limit")
    func audit() {
        let grants = KeyGrants([
            .room("b"), .room("a"), .room(nil), .room("a", name: "den"), .room("c", expiry: 10),
            .room("a", level: .group), .room("a", of: "x"),
        ])
        func shown(_ query: KeyGrantQuery) -> [KeyGrant]? { grants.granted(query, in: "k", at: 10) }
        #expect(shown(KeyGrantQuery(channels: ["room"])) == [.room(nil), .room("a"), .room("b")])
        #expect(shown(KeyGrantQuery(channels: ["room"], authKeys: ["b"])) == [.room("b")])
        #expect(shown(KeyGrantQuery(groups: ["room"])) == [.room("a", level: .group)])
        #expect(shown(KeyGrantQuery(authKeys: ["a"]))?.count == 3)
        #expect(shown(KeyGrantQuery())?.count == 5)
        #expect(grants.granted(KeyGrantQuery(), in: "none", at: 10) == [])

        grants.apply((0...Limits.keyGrantsPerAuditMax).map { .room("n\($0)") })
        #expect(shown(KeyGrantQuery()) == nil)
        #expect(shown(KeyGrantQuery(channels: ["den"])) == [.room("a", name: "den")])
    }
}
