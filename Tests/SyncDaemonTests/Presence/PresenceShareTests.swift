// Nobody locks others out of presence: shares of its places, of an answer, and of a step.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Presence shares")
struct PresenceShareTests {
    private let now = Presence.Instant(milliseconds: 10_000, wallSeconds: 10)

    private func presence(
        _ tenants: String..., change: (inout Presence.Bounds) -> Void
    ) -> Presence {
        var bounds = Presence.Bounds()
        change(&bounds)
        return Presence(
            keysets: Keysets(tenants.map { Keyset(subscribeKey: $0) }), bounds: bounds)
    }

    /// How many of a tenant's users get into a channel through one connection, each a new one.
    private func fill(
        _ presence: Presence, _ tenant: String, connection: UInt32, users: Int = 5000
    ) -> Int {
        let source = PresenceSource(
            reactor: 0, connection: SessionID(slot: connection, generation: 1))
        return (0..<users).count { number in
            presence.beat(
                Presence.Member(userID: "\(connection)-\(number)", keyset: tenant),
                channels: ["room"], from: source, at: now) == nil
        }
    }

    @Test("a beat for more channels than the quota has room for joins none that is new")
    func quota() {
        var keyset = Keyset(subscribeKey: "k")
        keyset.quotas.memberships = 3
        let presence = Presence(keysets: Keysets([keyset]))
        func beat(_ user: String, _ channels: String...) -> Presence.Refusal? {
            presence.beat(
                Presence.Member(userID: user, keyset: "k"), channels: channels, at: now)
        }
        #expect(beat("ada", "a", "b") == nil)

        #expect(beat("bob", "a", "b") == .quotaExceeded)
        #expect(presence.membershipCount == 2)
        // Where somebody is already is no new place, nor is a name that comes twice.
        #expect(beat("ada", "a", "b", "c", "c", "c-pnpres") == nil)
        #expect(beat("ada", "a", "b", "c") == nil)
        #expect(beat("ada", "a", "d") == .quotaExceeded)
        #expect(presence.membershipCount == 3)
    }

    @Test("one connection cannot take all places, nor can a hundred")
    func connections() {
        let presence = presence("k") { $0.memberships = 2000 }
        #expect((20...40).contains(fill(presence, "k", connection: 1)))
        // Who is in stays in, and comes again.
        let source = PresenceSource(reactor: 0, connection: SessionID(slot: 1, generation: 1))
        #expect(
            presence.beat(
                Presence.Member(userID: "1-0", keyset: "k"), channels: ["room"], from: source,
                at: now) == nil)
        #expect(
            presence.beat(
                Presence.Member(userID: "new", keyset: "k"), channels: ["room"], from: source,
                at: now) == .tooManyMemberships)
        for connection in 2..<100 as Range<UInt32> {
            #expect(fill(presence, "k", connection: connection, users: 50) > 5)
        }
    }

    @Test("when all is full, the largest tenant is the one that is refused")
    func tenants() {
        let presence = presence("eve", "ada", "bob") { $0.memberships = 2000 }
        let taken = (1...900 as ClosedRange<UInt32>).map {
            fill(presence, "eve", connection: $0, users: 30)
        }.reduce(0, +)
        // The common half and its own sixth.
        #expect(taken == 1334)

        #expect(fill(presence, "eve", connection: 1000, users: 5) == 0)
        for connection in 2000..<2020 as Range<UInt32> {
            #expect(fill(presence, "ada", connection: connection, users: 3) == 3)
            #expect(fill(presence, "bob", connection: connection, users: 3) == 3)
        }
        #expect(presence.membershipCount < 2000)
        // When some leave, there is room again, and for everybody.
        for number in 0..<10 {
            presence.leave(
                Presence.Member(userID: "1-\(number)", keyset: "eve"), channels: ["room"], at: now)
        }
        #expect(fill(presence, "eve", connection: 1001, users: 5) > 0)
        presence.apply(Keysets([Keyset(subscribeKey: "ada")]), at: now)
        #expect(presence.membershipCount == 60)
        #expect(presence.sharedCount == 0)
    }

    @Test("a user's connection is the one that was heard last")
    func moves() throws {
        let presence = presence("k") { $0.memberships = 10_000 }
        let member = Presence.Member(userID: "ada", keyset: "k")
        for slot in [1, 2, 1, 3] as [UInt32] {
            presence.beat(
                member, channels: ["a", "b"],
                from: PresenceSource(reactor: 0, connection: SessionID(slot: slot, generation: 1)),
                at: now)
        }
        let tenant = try #require(presence.tenants[ExactText("k")])
        #expect(tenant.countBySource.map { [Int($0.key.connection.slot), $0.value] } == [[3, 2]])

        presence.leave(member, channels: ["a", "b"], at: now)
        #expect(tenant.countBySource.isEmpty)
    }

    @Test("a user is in so many channels at most")
    func channelsPerUser() {
        let presence = presence("k") { $0.channelsPerUser = 3 }
        let member = Presence.Member(userID: "ada", keyset: "k")
        #expect(
            presence.beat(member, channels: ["a", "b", "c", "d"], at: now) == .tooManyChannels)
        #expect(presence.channels(of: member) == ["a", "b", "c"])
    }

    @Test("a client names an hour at most, or what the owner decided", arguments: [300, 7200])
    func seconds(usual: Int) {
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.presenceSeconds = usual
        let bench = PresenceBench(keyset)
        bench.beat("ada", "room", seconds: 24 * 3600)

        let end = UInt64(max(3600, usual)) * 1000
        _ = bench.pass(milliseconds: end - 300)
        #expect(bench.users("room") == ["ada"])
        _ = bench.pass(milliseconds: 600)
        #expect(bench.users("room") == [])
    }

    @Test("an answer lists so many users at most, and counts all")
    func namesPerAnswer() {
        let presence = presence("k") { $0.namesPerAnswer = 5 }
        for channel in ["a", "b", "c"] {
            for user in 0..<3 {
                presence.beat(
                    Presence.Member(userID: "\(user)", keyset: "k"), channels: [channel], at: now)
            }
        }
        let survey = presence.occupancyEverywhere(keyset: "k")
        #expect(survey.channels.map(\.users.count) == [3, 2, 0])
        #expect(survey.channels.map(\.count) == [3, 3, 3])
        let named = presence.occupancy(of: ["c", "b", "a"], keyset: "k")
        #expect(named.map(\.users.count) == [3, 2, 0])
    }

    @Test("many who time out at one moment do so in steps")
    func steps() {
        let presence = presence("k") { $0.perStep = 10 }
        for user in 0..<35 {
            presence.beat(
                Presence.Member(userID: "\(user)", keyset: "k"), channels: ["room"], at: now)
        }
        let later = Presence.Instant(milliseconds: 400_000, wallSeconds: 400)
        var counts: [Int] = []
        while let deadline = presence.nextDeadline, deadline <= later.milliseconds {
            let published = presence.advance(to: later)
            #expect(published.count <= 10)
            counts.append(presence.membershipCount)
            guard counts.count < 100 else { break }
        }
        #expect(counts == [25, 15, 5, 0])
    }

    @Test("pages of a crowded channel are right while users come and go")
    func crowdedChannel() {
        let bench = PresenceBench()
        for number in 0..<600 { bench.beat("u\(1000 + number)", "room") }
        #expect(bench.users("room", limit: 2) == ["u1000", "u1001"])
        bench.leave("u1001", "room")
        bench.beat("u", "room")
        #expect(bench.users("room", limit: 3) == ["u", "u1000", "u1002"])
        #expect(bench.users("room", limit: 5, offset: 598) == ["u1598", "u1599"])
        for number in 0..<590 { bench.leave("u\(1000 + number)", "room") }
        #expect(bench.users("room", limit: 2) == ["u", "u1590"])
    }
}
