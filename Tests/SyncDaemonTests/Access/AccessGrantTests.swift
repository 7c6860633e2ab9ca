// What a grant allows whom, where and when.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access grants")
struct AccessGrantTests {
    private static func grant(
        _ channels: PermissionTable, groups: PermissionTable = PermissionTable(),
        user: String? = "alice", device: String? = nil
    ) -> Grant {
        Grant(
            tenant: ExactText("k"), user: user.map { ExactText($0) },
            device: device.map { ExactText($0) }, expiry: 100,
            permissions: Permissions(channels: channels, groups: groups), id: TokenID(of: [1]))
    }

    private static func refusal(
        _ grant: Grant, _ rights: Rights, _ channel: String, keyset: String = "k",
        user: String = "alice", device: String? = nil, at now: Int64 = 99
    ) -> AccessRefusal? {
        grant.refusal(
            of: Need(places: [Need.Place(kind: .channel, name: channel, rights: rights)]),
            in: keyset, for: user, device: device, at: now)
    }

    @Test("a grant is one tenant's, one user's, one device's, and ends")
    func bearer() {
        let grant = Self.grant(PermissionTable(exact: [ExactText("room"): .write]))
        #expect(Self.refusal(grant, .write, "room") == nil)
        #expect(Self.refusal(grant, .write, "room", device: "any") == nil)
        #expect(Self.refusal(grant, .write, "room", at: 100) == .expired)
        #expect(Self.refusal(grant, .write, "room", user: "bob") == .wrongUser)
        #expect(Self.refusal(grant, .write, "room", keyset: "other") == .wrongTenant)
        #expect(Self.refusal(grant, .read, "room") == .notPermitted)
        #expect(Self.refusal(grant, [.read, .write], "room") == .notPermitted)
        #expect(Self.refusal(grant, .write, "room2") == .notPermitted)
        let phone = Self.grant(PermissionTable(exact: [ExactText("room"): .write]), device: "phone")
        #expect(Self.refusal(phone, .write, "room", device: "phone") == nil)
        #expect(Self.refusal(phone, .write, "room", device: "desk") == .wrongUser)
        #expect(Self.refusal(phone, .write, "room") == .wrongUser)
        let open = Self.grant(PermissionTable(exact: [ExactText("room"): .write]), user: nil)
        #expect(Self.refusal(open, .write, "room", user: "bob") == nil)
        // The same to the eye, and other bytes.
        let accent = Self.grant(
            PermissionTable(exact: [ExactText("caf\u{E9}"): .write]), user: "Ren\u{E9}")
        #expect(Self.refusal(accent, .write, "caf\u{E9}", user: "Ren\u{E9}") == nil)
        #expect(Self.refusal(accent, .write, "cafe\u{301}", user: "Ren\u{E9}") == .notPermitted)
        #expect(Self.refusal(accent, .write, "caf\u{E9}", user: "Rene\u{301}") == .wrongUser)
    }

    @Test("rights of a name and of all its patterns add up")
    func patterns() throws {
        let grant = Self.grant(
            PermissionTable(
                exact: [ExactText("room-1"): .read],
                patterns: [
                    (try AccessPattern("^room-"), .write), (try AccessPattern("1$"), .react),
                ]))
        #expect(Self.refusal(grant, [.read, .write, .react], "room-1") == nil)
        #expect(Self.refusal(grant, [.write, .react], "room-11") == nil)
        #expect(Self.refusal(grant, .read, "room-11") == .notPermitted)
        #expect(Self.refusal(grant, .react, "room-2") == .notPermitted)
    }

    @Test("a wildcard needs its own name, since a pattern may match its text and not its channels")
    func wildcards() throws {
        let any = Rights(rawValue: .max)
        let pattern = Self.grant(
            PermissionTable(patterns: [(try AccessPattern("^room\\..$"), any)]))
        #expect(Self.refusal(pattern, .read, "room.1") == nil)
        #expect(Self.refusal(pattern, .read, "room.*") == .notPermitted)
        #expect(Self.refusal(pattern, .read, "room.*-pnpres") == .notPermitted)
        let all = Self.grant(PermissionTable(patterns: [(try AccessPattern(".*"), any)]))
        #expect(Self.refusal(all, .read, "room.*") == .notPermitted)
        let name = Self.grant(PermissionTable(exact: [ExactText("room.*"): Rights(pubNub: 1)]))
        #expect(Self.refusal(name, .read, "room.*") == nil)
        #expect(Self.refusal(name, .read, "room.*-pnpres") == nil)
        // The wildcard is one name: it says nothing of a channel that it covers.
        #expect(Self.refusal(name, .read, "room.1") == .notPermitted)
    }

    @Test("presence may be followed by who may see it, or was let follow it by name")
    func presence() throws {
        let grant = Self.grant(
            PermissionTable(
                exact: [
                    ExactText("a"): .presence, ExactText("b"): .read,
                    ExactText("c-pnpres"): .read,
                ], patterns: [(try AccessPattern("^d[0-9]$"), Rights(pubNub: 1))]),
            groups: PermissionTable(exact: [ExactText("g"): Rights(pubNub: 1)]))
        #expect(Self.refusal(grant, .read, "a-pnpres") == nil)
        #expect(Self.refusal(grant, .read, "b-pnpres") == .notPermitted)
        #expect(Self.refusal(grant, .read, "c-pnpres") == nil)
        #expect(Self.refusal(grant, .read, "c") == .notPermitted)
        #expect(Self.refusal(grant, .read, "d1-pnpres") == nil)
        #expect(Self.refusal(grant, .write, "a-pnpres") == .notPermitted)
        #expect(Self.refusal(grant, .read, "-pnpres") == .notPermitted)
        for (name, isAllowed) in [("g", true), ("g-pnpres", true), ("a", false)] {
            for (rights, isAllowed) in [(Rights.read, isAllowed), (.manage, false)] {
                let need = Need(places: [Need.Place(kind: .group, name: name, rights: rights)])
                #expect(
                    grant.refusal(of: need, in: "k", for: "alice", at: 99)
                        == (isAllowed ? nil : .notPermitted))
                #expect(grant.refusal(of: need, in: "other", for: "alice", at: 99) == .wrongTenant)
            }
        }
    }

    @Test("PubNub's bits mean what PubNub lets them do")
    func bits() {
        #expect(Rights(pubNub: 0) == [])
        #expect(Rights(pubNub: 1) == [.read, .history, .presence])
        #expect(Rights(pubNub: 2) == [.write, .react])
        #expect(Rights(pubNub: 4) == .manage)
        #expect(Rights(pubNub: 8) == [.delete, .moderate, .unreact])
        #expect(Rights(pubNub: 16 + 32 + 64 + 128) == [.create, .get, .update, .join])
        #expect(Rights(pubNub: 255).rawValue == 0x1FFF)
        // Each word has its own bit; two have that of taking back one's own besides.
        let own = Rights.words.map { $0.right.subtracting(.unreact).rawValue }
        #expect(own == (0..<12).map { 1 << $0 })
        let taking = Rights.words.filter { $0.right.contains(.unreact) }
        #expect(taking.map(\.word) == ["delete", "react"])
        #expect(Rights(word: "Read") == nil)
    }

    @Test("a revoked token is one of its tenant, and forgotten when a commit says so")
    func revocations() throws {
        func token(_ number: UInt8, of keyset: String = "k") -> RevokedToken {
            RevokedToken(keyset: ExactText(keyset), id: TokenID(of: [number]), expiry: 20)
        }
        let revoked = Revocations([token(1)])
        revoked.apply([token(2), token(3)])
        revoked.apply([token(4)], forgotten: [token(2), token(4, of: "other")])

        let found = (0..<6).filter { revoked.contains(token($0).id, of: ExactText("k")) }
        #expect(found == [1, 3, 4])
        #expect(!revoked.contains(token(1).id, of: ExactText("other")))
        #expect(TokenID("short") == nil && TokenID(String(repeating: "A", count: 44)) == nil)
    }

    @Test("a pattern grants no wildcard of lists either, whose text it matches")
    func listWildcards() throws {
        let every = PermissionTable(patterns: [(try AccessPattern("^team\\.[^.]+$"), .get)])
        var patterned = Permissions(channels: every)
        patterned.users = every
        var named = Permissions(channels: PermissionTable(exact: [ExactText("team.*"): .get]))
        named.users = PermissionTable(exact: [ExactText("team.*"): .get])
        for list in ["$members:", "$memberships:"] {
            func rights(_ permissions: Permissions, _ name: String) -> Rights {
                var steps = Int.max
                return permissions.rights(on: Channel(list + name), wanted: .read, within: &steps)
            }
            #expect(rights(patterned, "team.a").contains(.read))
            #expect(!rights(patterned, "team.*").contains(.read))
            #expect(!rights(patterned, "team.a.b").contains(.read))
            #expect(rights(named, "team.*").contains(.read))
        }
    }
}
