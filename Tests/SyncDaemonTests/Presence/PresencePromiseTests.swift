// Who is where stays so when another daemon comes to order, and nobody hears of that.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Presence that was promised")
struct PresencePromiseTests {
    private let before = PresenceBench()
    private let after = PresenceBench()

    private func session(_ slot: UInt32) -> PresenceSource {
        PresenceSource(reactor: 0, connection: SessionID(slot: slot, generation: 1))
    }

    private func enter(_ bench: PresenceBench, _ userID: String, _ channels: String...) {
        bench.presence.enter(
            bench.member(userID), channels: channels, through: session(1), at: bench.now)
    }

    private func handOver() {
        after.presence.keep(before.presence.promises(at: before.now), at: after.now)
    }

    @Test("nobody joins by it, and who does not come back times out when they would have")
    func quiet() {
        before.beat("ada", "room", seconds: 60, state: #"{"a":1}"#)
        enter(before, "bob", "room", "den")
        handOver()
        #expect(after.users("room") == ["ada", "bob"])
        #expect(after.state("ada", "room") == #"{"a":1}"#)
        #expect(after.notices(after: 19_000) == [])
        enter(after, "bob", "room")
        // Of the den alone, after the time in which one comes back.
        #expect(after.notices(after: 2000) == ["timeout bob 0"])
        #expect(after.notices(after: 50_000) == ["timeout ada 1"])
        #expect(after.users("room") == ["bob"])
    }

    @Test("who came meanwhile keeps their state, and is there for no less time")
    func meanwhile() {
        before.beat("ada", "room", seconds: 60, state: #"{"a":1}"#)
        after.beat("ada", "room", seconds: 10, state: #"{"a":2}"#)
        handOver()
        #expect(after.state("ada", "room") == #"{"a":2}"#)
        #expect(after.notices(after: 30_000) == [#"join ada 1 {"a":2}"#])
        #expect(after.notices(after: 40_000) == ["timeout ada 0"])
    }

    @Test("a session that came back and leaves, leaves at once")
    func leaves() {
        enter(before, "ada", "room")
        handOver()
        enter(after, "ada", "room")
        after.presence.exit(
            after.member("ada"), channels: ["room"], through: session(1), isCut: false,
            at: after.now)
        #expect(after.notices(after: 1000) == ["leave ada 0"])
    }

    @Test("who is said to have left elsewhere is promised no more, unless a session holds them")
    func forgotten() {
        before.beat("ada", "room")
        enter(before, "bob", "room")
        for user in ["ada", "bob", "nobody"] {
            before.presence.forget(before.member(user), channel: "room", at: before.now)
        }
        handOver()
        #expect(after.users("room") == ["bob"])
    }

    @Test("a promise of for ever is one of a day")
    func bounded() {
        let promise = PresencePromise(
            member: after.member("ada"), channel: "room", state: nil, rest: .max,
            promised: .max, isTimed: true)
        after.presence.keep([promise], at: after.now)
        #expect(after.notices(after: 86_401_000) == ["timeout ada 0"])
    }

    @Test("what the process leaves to itself it finds, once")
    func bequest() {
        before.beat("ada", "room", seconds: 60, state: #"{"a":1}"#)
        enter(before, "bob", "room", "den")
        let promises = before.presence.promises(at: before.now)
        #expect(promises.count == 3)
        #expect(PresencePromise.bequeath(promises))
        #expect(PresencePromise.bequeathed() == promises)
        #expect(PresencePromise.bequeathed() == [])
    }
}
