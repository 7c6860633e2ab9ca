// Users whom sessions hold where they are: as long as one does, and a while after a cut.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Presence of sessions")
struct PresenceSessionTests {
    private let bench = PresenceBench()

    private func session(_ slot: UInt32) -> PresenceSource {
        PresenceSource(reactor: 0, connection: SessionID(slot: slot, generation: 1))
    }

    @discardableResult
    private func enter(
        _ userID: String, _ channels: String..., through slot: UInt32 = 1, state: String? = nil
    ) -> Presence.Refusal? {
        let states = state.map { text in
            Dictionary(uniqueKeysWithValues: channels.map { (ExactText($0), text) })
        }
        return bench.presence.enter(
            bench.member(userID), channels: channels, states: states ?? [:],
            through: session(slot), at: bench.now)
    }

    private func exit(
        _ userID: String, _ channels: String..., through slot: UInt32 = 1, isCut: Bool = false
    ) {
        bench.presence.exit(
            bench.member(userID), channels: channels, through: session(slot), isCut: isCut,
            at: bench.now)
    }

    @Test("who follows is there for however long, and leaves at once")
    func follows() {
        enter("ada", "room", state: #"{"a":1}"#)
        enter("ada", "room")
        #expect(bench.notices(after: 90_000_000) == [#"join ada 1 {"a":1}"#])
        #expect(bench.users("room") == ["ada"])

        exit("ada", "room")
        #expect(bench.users("room") == [])
        exit("ada", "room")
        #expect(bench.notices(after: 1000) == ["leave ada 0"])
        #expect(bench.presence.nextDeadline == nil)
    }

    @Test("two sessions of a user are one member, whichever goes first", arguments: [1, 2])
    func two(first: UInt32) {
        enter("ada", "room", through: 1)
        enter("ada", "room", through: 2)
        exit("ada", "room", through: first, isCut: first == 1)
        #expect(bench.notices(after: 1_000_000) == ["join ada 1"])
        exit("ada", "room", through: 3 - first)
        #expect(bench.notices(after: 1000) == ["leave ada 0"])
    }

    @Test("many sessions of a user, in any order")
    func many() {
        for slot in 1...50 as ClosedRange<UInt32> { enter("ada", "room", through: slot) }
        for slot in (1...49).reversed() as [UInt32] { exit("ada", "room", through: slot) }
        #expect(bench.users("room") == ["ada"])
        exit("ada", "room", through: 50)
        #expect(bench.users("room") == [])
    }

    @Test(
        "who was cut times out after a while, which the owner may shorten and prolong",
        arguments: [(5, 300, 20), (30, 300, 30), (5, 10, 10)])
    func cut(secondsMin: Int, seconds: Int, grace: UInt64) {
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.presenceSecondsMin = secondsMin
        keyset.defaults.presenceSeconds = seconds
        let bench = PresenceBench(keyset)
        let member = bench.member("ada")
        bench.presence.enter(
            member, channels: ["room"], through: session(1), at: bench.now)
        #expect(bench.notices(after: 1000) == ["join ada 1"])
        bench.presence.exit(
            member, channels: ["room"], through: session(1), isCut: true, at: bench.now)

        #expect(bench.notices(after: grace * 1000 - 1) == [])
        #expect(bench.users("room") == ["ada"])
        #expect(bench.notices(after: 750) == ["timeout ada 0"])
    }

    @Test("who comes back in time was never gone, and leaves at once later")
    func comesBack() {
        enter("ada", "room", through: 1)
        exit("ada", "room", through: 1, isCut: true)
        _ = bench.pass(milliseconds: 19_000)
        enter("ada", "room", through: 2)
        #expect(bench.notices(after: 1_000_000) == [])
        exit("ada", "room", through: 2)
        #expect(bench.users("room") == [])

        enter("ada", "room", through: 3)
        exit("ada", "room", through: 3, isCut: true)
        enter("ada", "room", through: 4)
        exit("ada", "room", through: 4)
        #expect(bench.users("room") == [], "What the cut had left is not what a beat promised.")
    }

    @Test("what a heartbeat promised holds when the session has gone", arguments: [true, false])
    func heartbeat(isCut: Bool) {
        enter("ada", "room")
        bench.beat("ada", "room", seconds: 60)
        exit("ada", "room", isCut: isCut)
        #expect(bench.notices(after: 59_999) == ["join ada 1"])
        #expect(bench.notices(after: 1000) == ["timeout ada 0"])
    }

    @Test("a heartbeat that is over ends nobody whom a session holds")
    func outlives() {
        bench.beat("ada", "room", seconds: 10)
        enter("ada", "room")
        bench.poll("ada", "room", seconds: 10)
        #expect(bench.notices(after: 100_000) == ["join ada 1"])
        exit("ada", "room")
        #expect(bench.notices(after: 1000) == ["leave ada 0"])
    }

    @Test("an SDK that leaves ends what it promised, not what a session holds")
    func leaves() {
        enter("ada", "room", state: #"{"a":1}"#)
        bench.beat("ada", "room", seconds: 3000)
        bench.leave("ada", "room")
        #expect(bench.users("room") == ["ada"])
        #expect(bench.state("ada", "room") == #"{"a":1}"#)
        exit("ada", "room")
        #expect(bench.users("room") == [])
        #expect(bench.notices(after: 1000) == [#"join ada 1 {"a":1}"#, "leave ada 0"])
    }

    @Test("bounds are those of a beat, and who is refused is let go of without harm")
    func bounds() {
        var keyset = Keyset(subscribeKey: "k")
        keyset.quotas.memberships = 1
        let bench = PresenceBench(keyset)
        let (ada, bob) = (bench.member("ada"), bench.member("bob"))
        func enter(
            _ member: Presence.Member, _ channels: [String], _ slot: UInt32
        ) -> Presence.Refusal? {
            bench.presence.enter(member, channels: channels, through: session(slot), at: bench.now)
        }
        #expect(enter(ada, ["a", "b"], 1) == .quotaExceeded)
        #expect(enter(ada, ["a", "a-pnpres"], 1) == nil)
        #expect(enter(bob, ["a"], 2) == .quotaExceeded)
        bench.presence.exit(bob, channels: ["a"], through: session(2), isCut: true, at: bench.now)
        bench.presence.exit(ada, channels: ["b"], through: session(1), isCut: true, at: bench.now)
        #expect(bench.users("a") == ["ada"])
        bench.presence.exit(ada, channels: ["a"], through: session(1), isCut: false, at: bench.now)
        #expect(bench.presence.membershipCount == 0)
        #expect(bench.presence.tenants.isEmpty)
    }

    @Test("a membership counts for a session that holds it")
    func sources() throws {
        enter("ada", "room", through: 1)
        enter("ada", "room", through: 2)
        let tenant = try #require(bench.presence.tenants[ExactText("k")])
        #expect(tenant.countBySource == [session(2): 1])
        exit("ada", "room", through: 2)
        #expect(tenant.countBySource == [session(1): 1])
        exit("ada", "room", through: 1)
        #expect(tenant.countBySource.isEmpty)
    }

    @Test("where nobody wants presence any more everybody leaves, and may go twice")
    func unwanted() {
        enter("ada", "room")
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.hasPresence = false
        bench.presence.apply(Keysets([keyset]), at: bench.now)
        #expect(bench.notices(after: 1000) == ["join ada 1", "leave ada 0"])
        exit("ada", "room", isCut: true)
        #expect(bench.presence.nextDeadline == nil)
    }
}
