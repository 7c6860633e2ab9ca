// Joining, staying, leaving, vanishing, and what is announced about it.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Presence")
struct PresenceTests {
    @Test("a first beat joins, further ones are silent")
    func joins() {
        let bench = PresenceBench()

        bench.beat("ada", "room")
        bench.beat("ada", "room")
        bench.beat("bob", "room", "room", "hall")

        #expect(bench.users("room") == ["ada", "bob"])
        #expect(bench.users("hall") == ["bob"])
        let published = bench.pass(milliseconds: 500)
        #expect(published.map(\.notice.text) == ["join ada 1", "join bob 2", "join bob 1"])
        #expect(
            published.map(\.channel)
                == ["room-pnpres", "room-pnpres", "hall-pnpres"].map { Channel($0, keyset: "k") })
    }

    @Test("announcements go out half a second after the fact, in order, with the fact's time")
    func delay() {
        let bench = PresenceBench()
        bench.beat("ada", "room")
        #expect(bench.presence.nextDeadline == bench.now.milliseconds + 500)
        bench.move(to: 10_300)
        bench.beat("bob", "room")
        bench.leave("ada", "room")

        #expect(bench.users("room") == ["bob"])
        #expect(bench.notices(after: 199) == [])
        #expect(bench.notices(after: 1) == ["join ada 1"])
        #expect(bench.notices(after: 299) == [])
        #expect(bench.presence.nextDeadline == 10_800)
        bench.move(to: 15_000)
        let late = bench.presence.advance(to: bench.now)
        #expect(late.map(\.notice.text) == ["join bob 2", "leave ada 1"])
        #expect(late.map(\.notice.seconds) == [1_700_000_010, 1_700_000_010])
    }

    @Test("a keyset says how long is too short, and how long it is when nobody says")
    func keysetTimes() {
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.presenceSecondsMin = 30
        keyset.defaults.presenceSeconds = 60
        let bench = PresenceBench(keyset)
        bench.beat("ada", "room", seconds: 5)
        bench.presence.beat(bench.member("bob"), channels: ["room"], at: bench.now)

        _ = bench.pass(milliseconds: 29_999)
        #expect(bench.users("room") == ["ada", "bob"])
        _ = bench.pass(milliseconds: 1)
        #expect(bench.users("room") == ["bob"])
        _ = bench.pass(milliseconds: 29_999)
        #expect(bench.users("room") == ["bob"])
        _ = bench.pass(milliseconds: 1)
        #expect(bench.users("room") == [])
    }

    /// SDKs with an event engine name the time in heartbeats only, and poll again at each event.
    @Test("polls that name no time do not prolong what a heartbeat promised")
    func brokenHeartbeat() {
        let bench = PresenceBench()
        bench.poll("ada", "room")
        bench.beat("ada", "room", seconds: 8)
        for _ in 0..<7 {
            _ = bench.pass(milliseconds: 1000)
            bench.poll("ada", "room")
        }
        #expect(bench.users("room") == ["ada"])
        _ = bench.pass(milliseconds: 1000)
        #expect(bench.notices(after: 500) == ["timeout ada 0"])
        #expect(bench.users("room") == [])
    }

    @Test("polls prolong what only polls began, and polls that name a time are heartbeats")
    func polling() {
        let bench = PresenceBench()
        bench.poll("ada", "room")
        bench.poll("bob", "room", seconds: 8)
        for _ in 0..<5 {
            _ = bench.pass(milliseconds: 7000)
            bench.poll("bob", "room", seconds: 8)
        }
        #expect(bench.users("room") == ["ada", "bob"])
        _ = bench.pass(milliseconds: 8000)
        #expect(bench.users("room") == ["ada"])
        _ = bench.pass(milliseconds: 200_000)
        bench.poll("ada", "room")
        _ = bench.pass(milliseconds: 299_999)
        #expect(bench.users("room") == ["ada"])
        _ = bench.pass(milliseconds: 1)
        #expect(bench.users("room") == [])
    }

    @Test(
        "a user vanishes after the seconds of the last beat, at least 5",
        arguments: [
            (300, 300_000), (20, 20_000), (5, 5000), (4, 5000), (-1, 5000),
            (Int.max, 3_600_000),
        ] as [(Int, UInt64)])
    func vanishes(seconds: Int, milliseconds: UInt64) {
        let bench = PresenceBench()
        bench.beat("ada", "room", seconds: seconds, state: #"{"a":1}"#)
        #expect(bench.notices(after: 500) == [#"join ada 1 {"a":1}"#])

        #expect(bench.notices(after: milliseconds - 501) == [])
        #expect(bench.users("room") == ["ada"])
        #expect(bench.notices(after: 1) == [])
        #expect(bench.users("room") == [])
        #expect(bench.state("ada", "room") == nil)
        let published = bench.pass(milliseconds: 500)

        #expect(published.map(\.notice.text) == ["timeout ada 0"])
        #expect(published.map(\.notice.seconds) == [1_700_000_010 + milliseconds / 1000])
        #expect(bench.presence.nextDeadline == nil)
    }

    @Test("each beat replaces the promise of the one before, by more or by less")
    func beats() {
        let bench = PresenceBench()
        bench.beat("ada", "room", seconds: 20)
        for _ in 0..<10 {
            _ = bench.pass(milliseconds: 19_000)
            bench.beat("ada", "room", seconds: 20)
        }
        #expect(bench.users("room") == ["ada"])
        bench.beat("ada", "room", seconds: 300)
        #expect(bench.notices(after: 299_999) == [])
        bench.beat("ada", "room", seconds: 300)
        bench.beat("ada", "room", seconds: 20)

        #expect(bench.notices(after: 19_999) == [])
        #expect(bench.notices(after: 751) == ["timeout ada 0"])
    }

    @Test("a beat that is late is in time until somebody noticed")
    func lateBeat() {
        let bench = PresenceBench()
        bench.beat("ada", "room", seconds: 20)
        _ = bench.pass(milliseconds: 1000)

        bench.move(to: 60_000)
        bench.beat("ada", "room", seconds: 20)

        #expect(bench.notices(after: 10_000) == [])
        #expect(bench.users("room") == ["ada"])
    }

    @Test("those who vanish at one moment go in the order in which they came")
    func order() {
        let bench = PresenceBench()
        for user in ["d", "a", "c", "b"] { bench.beat(user, "room") }
        bench.leave("a", "room")
        bench.beat("a", "room")
        _ = bench.pass(milliseconds: 1000)

        let expected = ["timeout d 3", "timeout c 2", "timeout b 1", "timeout a 0"]
        #expect(bench.notices(after: 301_000) == expected)
    }

    @Test("leaving what one is not in does nothing")
    func leaves() {
        let bench = PresenceBench()
        bench.beat("ada", "room", "hall")
        bench.leave("bob", "room")
        bench.leave("ada", "cellar", "room", "room")

        #expect(bench.notices(after: 500) == ["join ada 1", "join ada 1", "leave ada 0"])
        #expect(bench.presence.channels(of: bench.member("ada")) == ["hall"])
    }

    @Test("nobody is in a presence channel, in a wildcard or nowhere; a star elsewhere is a letter")
    func names() {
        let bench = PresenceBench()

        bench.beat("ada", "room-pnpres", "foo.*", "*", "foo.*-pnpres", "", "-pnpres", "a*b", "*.a")
        bench.setState("ada", "room-pnpres", "foo.*", "", to: #"{"a":1}"#)
        bench.beat("", "room")
        bench.setState("", "room", to: #"{"a":1}"#)

        #expect(bench.presence.channels(of: bench.member("ada")) == ["*.a", "a*b"])
        #expect(bench.users("room") == [])
        #expect(bench.state("ada", "foo.*") == nil)
        #expect(bench.state("", "room") == nil)
    }

    @Test("a tenant without presence, or none at all, has nobody anywhere")
    func without() {
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.hasPresence = false
        let bench = PresenceBench(keyset)
        let stranger = Presence.Member(userID: "ada", keyset: "unknown")

        #expect(bench.beat("ada", "room", state: #"{"a":1}"#) == nil)
        #expect(bench.setState("ada", "room", to: #"{"a":1}"#) == nil)
        bench.presence.beat(stranger, channels: ["room"], at: bench.now)
        bench.leave("ada", "room")

        #expect(bench.presence.nextDeadline == nil)
        #expect(bench.users("room") == [])
        #expect(bench.state("ada", "room") == nil)
        #expect(bench.presence.channels(of: stranger) == [])
        #expect(bench.presence.occupancyEverywhere(keyset: "k") == Presence.Survey())
    }
}

@Suite("Presence states")
struct PresenceStateTests {
    @Test("a changed state of a member is announced, the same one is not")
    func changes() {
        let bench = PresenceBench()
        bench.beat("ada", "room", state: #"{"a":1}"#)
        bench.beat("ada", "room", state: #"{"a":1}"#)
        bench.setState("ada", "room", to: #"{"a":1}"#)
        bench.beat("ada", "room", state: #"{"a":2}"#)
        bench.setState("ada", "room", to: #"{"a":3}"#)
        bench.beat("ada", "room")
        #expect(bench.state("ada", "room") == #"{"a":3}"#)
        bench.setState("ada", "room", to: "{}")
        bench.setState("ada", "room", to: "{}")

        #expect(bench.state("ada", "room") == nil)
        #expect(
            bench.notices(after: 500) == [
                #"join ada 1 {"a":1}"#, #"state-change ada 1 {"a":2}"#,
                #"state-change ada 1 {"a":3}"#, "state-change ada 1 {}",
            ])
    }

    @Test("a state that was set before joining waits, silently, and comes along with the join")
    func before() {
        let bench = PresenceBench()
        bench.setState("ada", "room", "hall", "attic", to: #"{"a":1}"#)
        #expect(bench.presence.nextDeadline == nil)
        #expect(bench.state("ada", "room") == #"{"a":1}"#)
        bench.setState("ada", "attic", to: "{}")

        bench.beat("ada", "room", "attic")
        bench.beat("ada", "hall", state: #"{"b":1}"#)

        #expect(
            bench.notices(after: 500)
                == [#"join ada 1 {"a":1}"#, "join ada 1", #"join ada 1 {"b":1}"#])
        #expect(bench.presence.absentStates.count == 0)
        #expect(bench.state("ada", "hall") == #"{"b":1}"#)
    }

    @Test("whoever leaves or vanishes has no state any more")
    func cleared() {
        let bench = PresenceBench()
        bench.beat("ada", "room", "hall", seconds: 20, state: #"{"a":1}"#)
        bench.setState("bob", "room", to: #"{"a":1}"#)
        bench.leave("ada", "room")
        bench.leave("bob", "room")
        #expect(bench.state("ada", "room") == nil)
        #expect(bench.state("bob", "room") == nil)
        #expect(bench.state("ada", "hall") == #"{"a":1}"#)
        _ = bench.pass(milliseconds: 30_000)

        #expect(bench.state("ada", "hall") == nil)
        bench.beat("ada", "room", "hall")
        #expect(bench.notices(after: 500) == ["join ada 1", "join ada 1"])
    }

    @Test("states are answered in the order of the question")
    func answers() {
        let bench = PresenceBench()
        bench.beat("ada", "room", state: #"{"a":1}"#)
        bench.setState("ada", "hall", to: #"{"b":1}"#)

        let states = bench.presence.state(of: bench.member("ada"), channels: ["x", "hall", "room"])

        #expect(states.map(\.channel) == ["x", "hall", "room"])
        #expect(states.map(\.state) == [nil, #"{"b":1}"#, #"{"a":1}"#])
    }
}
