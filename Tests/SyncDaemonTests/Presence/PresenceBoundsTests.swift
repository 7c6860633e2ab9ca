// What presence does when one of its limits is reached.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Presence bounds")
struct PresenceBoundsTests {
    private func bench(_ change: (inout Presence.Bounds) -> Void) -> PresenceBench {
        var bounds = Presence.Bounds()
        change(&bounds)
        return PresenceBench(bounds: bounds)
    }

    @Test("when all places are taken, who is in stays in and nobody new gets in")
    func memberships() {
        let bench = bench { $0.memberships = 2 }
        #expect(bench.beat("ada", "a", "b") == nil)

        #expect(bench.beat("bob", "a") == .tooManyMemberships)
        #expect(bench.beat("ada", "c", "a", "b", seconds: 600) == .tooManyMemberships)
        #expect(bench.presence.channels(of: bench.member("ada")) == ["a", "b"])
        #expect(bench.notices(after: 599_000) == ["join ada 1", "join ada 1"])
        bench.leave("ada", "a")

        #expect(bench.beat("bob", "a") == nil)
        #expect(bench.users("a") == ["bob"])
    }

    @Test("a state that is too long is not set; the user is in all the same")
    func stateTooLong() {
        let bench = bench { $0.stateBytes = 7 }
        #expect(bench.setState("ada", "room", to: #"{"a":1}"#) == nil)

        #expect(bench.setState("ada", "room", to: #"{"a":12}"#) == .stateTooLong)
        #expect(bench.beat("ada", "room", state: #"{"a":12}"#) == .stateTooLong)
        #expect(bench.users("room") == ["ada"])
        #expect(bench.state("ada", "room") == #"{"a":1}"#)
        #expect(bench.beat("ada", "room", state: #"{"a":12}"#) == .stateTooLong)
        #expect(bench.state("ada", "room") == #"{"a":1}"#)
    }

    @Test("states of absent users: the one set longest ago makes room")
    func absent() {
        let bench = bench { $0.absentStates = 2 }
        for user in ["a", "b", "a", "c"] { bench.setState(user, "room", to: #"{"a":1}"#) }

        let left = ["a", "b", "c"].filter { bench.state($0, "room") != nil }

        #expect(left == ["a", "c"])
        #expect(bench.presence.absentStates.count == 2)
    }

    @Test("the memory of states: absent users' go first, then new ones are refused")
    func allStates() {
        let bench = bench { $0.allStateBytes = 21 }
        bench.setState("x", "room", to: #"{"a":1}"#)
        for user in ["a", "b"] { #expect(bench.beat(user, "room", state: #"{"a":1}"#) == nil) }
        #expect(bench.state("x", "room") != nil)

        #expect(bench.beat("c", "room", state: #"{"a":1}"#) == nil)
        #expect(bench.state("x", "room") == nil)
        #expect(bench.beat("d", "room", state: #"{"a":1}"#) == .tooMuchState)
        #expect(bench.setState("x", "room", to: #"{"a":1}"#) == .tooMuchState)
        #expect(bench.setState("a", "room", to: #"{"a":12}"#) == .tooMuchState)
        #expect(bench.state("a", "room") == #"{"a":1}"#)
        #expect(bench.users("room") == ["a", "b", "c", "d"])
        bench.leave("b", "room")

        #expect(bench.setState("d", "room", to: #"{"a":1}"#) == nil)
    }

    @Test("while too many announcements wait, only leaving goes on; nothing is lost")
    func announcements() {
        let bench = bench { $0.announcements = 3 }
        bench.beat("old", "room", seconds: 20)
        _ = bench.pass(milliseconds: 19_900)
        for user in ["a", "b", "c"] { #expect(bench.beat(user, "room") == nil) }

        #expect(bench.beat("d", "room") == .tooManyAnnouncements)
        #expect(bench.setState("a", "room", to: #"{"a":1}"#) == .tooManyAnnouncements)
        #expect(bench.beat("a", "room", state: #"{"a":1}"#) == .tooManyAnnouncements)
        #expect(bench.state("a", "room") == nil)
        bench.leave("b", "room")
        #expect(bench.presence.nextDeadline == bench.now.milliseconds + 500)
        #expect(bench.notices(after: 499) == [])
        #expect(bench.users("room") == ["a", "c", "old"])

        #expect(bench.notices(after: 1) == ["join a 2", "join b 3", "join c 4", "leave b 3"])
        #expect(bench.beat("d", "room") == nil)
        #expect(bench.notices(after: 1000) == ["timeout old 2", "join d 3"])
    }

    @Test("states that come and go leave nothing behind")
    func churn() {
        let bench = bench { $0.absentStates = 10 }
        for round in 0..<5000 {
            bench.setState("u\(round % 7)", "room", to: #"{"a":\#(round)}"#)
            if round % 3 == 0 { bench.leave("u\(round % 5)", "room") }
            if round % 11 == 0 { bench.beat("u\(round % 7)", "room") }
            if round % 13 == 0 { bench.leave("u\(round % 7)", "room") }
        }
        for user in 0..<7 { bench.leave("u\(user)", "room") }

        #expect(bench.presence.absentStates.count == 0)
        #expect(bench.presence.absentStates.byteCount == 0)
        #expect(bench.presence.membershipCount == 0)
    }
}
