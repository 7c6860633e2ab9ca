// What one user's flood, or text, does to an interceptor's others.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors: floods")
struct InterceptorFloodTests {
    /// What became of a user's writes.
    private struct Tally {
        var answered = 0
        /// Had no answer, or were not asked about, as `on_failure` decides.
        var failed = 0
        var overloaded = 0
    }

    /// An interceptor, those who write, and the time between them, in milliseconds.
    private struct World {
        var turns = InterceptorTurns()
        var tallies: [String: Tally] = [:]
        var now: UInt64 = 0
        /// What an answer takes; one after the other, or all at the same time.
        var milliseconds: UInt64 = 30
        var isSerial = true
        var isDead = false
        /// On whose texts it hangs.
        var hangsOn: Set<String> = []
        /// How often somebody writes.
        var intervals: [String: UInt64] = [:]
        private var next: UInt64 = 0
        private var underWay: [(question: InterceptorQuestion, end: UInt64, timeout: UInt64)] = []
        private var busyUntil: UInt64 = 0
        private let interceptor = Interceptor(name: "moderator")

        init(_ intervals: [String: UInt64]) { self.intervals = intervals }

        mutating func run(_ milliseconds: UInt64) {
            for _ in 0..<milliseconds {
                now += 1
                for (user, interval) in intervals where now % interval == 0 { write(user) }
                step()
                let isOver = { [now] (end: UInt64) in end <= now }
                let over = underWay.filter { isOver($0.end) || isOver($0.timeout) }
                underWay.removeAll { isOver($0.end) || isOver($0.timeout) }
                for (question, end, _) in over {
                    let isAnswered = isOver(end)
                    let isTooMuch = turns.ended(question, isAnswered ? .right : .none, at: now)
                    count(question) { tally in
                        if isAnswered {
                            tally.answered += 1
                        } else if isTooMuch {
                            tally.overloaded += 1
                        } else {
                            tally.failed += 1
                        }
                    }
                }
            }
        }

        private mutating func write(_ user: String) {
            next += 1
            let origin = Origin(
                reactor: 0, session: SessionID(slot: 1, generation: 0), command: 1)
            // Bob has a keyset of his own.
            let announcement = Announcement(
                channel: Channel("room", keyset: user == "bob" ? "den" : "app"), uuid: user,
                event: .signal(Message(payload: "1")), origin: origin)
            turns.add(
                InterceptorQuestion(
                    number: next, interceptor: interceptor,
                    item: .announcement(announcement, origin: origin),
                    deadline: now + UInt64(interceptor.timeoutMilliseconds)))
        }

        private mutating func step() {
            let step = turns.step(at: now)
            for (question, verdict) in step.decided {
                count(question) { tally in
                    if verdict == .unasked { tally.overloaded += 1 } else { tally.failed += 1 }
                }
            }
            for question in step.asked {
                var end = UInt64.max
                if !isDead, !hangsOn.contains(question.item.userID) {
                    // It goes on with what nobody waits for any more.
                    if isSerial { busyUntil = max(busyUntil, now) + milliseconds }
                    end = isSerial ? busyUntil : now + milliseconds
                }
                underWay.append((question, end, now + UInt64(interceptor.timeoutMilliseconds)))
            }
        }

        private mutating func count(
            _ question: InterceptorQuestion, _ change: (inout Tally) -> Void
        ) {
            change(&tallies[question.item.userID, default: Tally()])
        }

        func of(_ user: String) -> Tally { tallies[user] ?? Tally() }
        var state: InterceptorState { turns.state(of: "moderator") }
    }

    @Test("a flood that a slow receiver cannot look at is refused itself, and nothing fails")
    func slow() {
        var world = World(["eve": 2, "ada": 400, "bob": 400])
        world.run(20_000)
        #expect(world.of("eve").failed == 0, "with on_failure = allow it would have passed")
        #expect(world.of("eve").answered > 400 && world.of("eve").overloaded > 5000)
        for user in ["ada", "bob"] {
            #expect(world.of(user).failed == 0 && world.of(user).overloaded == 0)
            #expect(world.of(user).answered >= 45)
        }
        #expect(world.state == .works)
    }

    @Test("a flood of one who writes alone neither")
    func alone() {
        var world = World(["eve": 2])
        world.run(20_000)
        #expect(world.of("eve").failed == 0 && world.of("eve").answered > 400)
        #expect(world.state == .works)
    }

    @Test("one that gets slow while much is under way is soon asked what it can answer")
    func slower() {
        var world = World(["eve": 2, "ada": 400, "bob": 400])
        (world.milliseconds, world.isSerial) = (50, false)
        world.run(5000)
        (world.milliseconds, world.isSerial) = (50, true)
        // What is under way takes longer than anybody waits, and for so long it is dead.
        world.run(6000)
        world.tallies = [:]
        world.run(20_000)
        #expect(["eve", "ada", "bob"].allSatisfy { world.of($0).failed == 0 })
        #expect(world.of("ada").answered >= 45 && world.of("bob").answered >= 45)
        #expect(world.state == .works)
    }

    @Test("one that always takes long is asked as much at a time as a quick one")
    func steady() {
        var world = World(["ada": 20, "bob": 20])
        (world.milliseconds, world.isSerial) = (600, false)
        world.run(10_000)
        #expect(world.of("ada").failed == 0 && world.of("ada").overloaded < 60)
        world.tallies = [:]
        world.run(10_000)
        #expect(world.of("ada").answered >= 499 && world.of("bob").answered >= 499)
    }

    @Test("one that hangs on one user's texts answers others", arguments: [UInt64(10), 2000])
    func hanging(interval: UInt64) {
        var world = World(["eve": interval, "ada": 50, "bob": 50])
        (world.milliseconds, world.isSerial, world.hangsOn) = (20, false, ["eve"])
        world.run(40_000)
        for user in ["ada", "bob"] {
            #expect(world.of(user).failed == 0 && world.of(user).overloaded == 0)
            #expect(world.of(user).answered > 790)
        }
        // After so many nobody has leave to write what it hangs on; each second one tries it.
        let most = Limits.interceptorFailuresMax + 40
        #expect(world.of("eve").answered == 0 && world.of("eve").failed <= most)
        #expect(world.state == .works)
    }

    /// Found by an attack: ten of their questions timed out together, and nobody was asked about.
    @Test(
        "one that hangs on the texts of many users of a tenant answers others",
        arguments: [UInt64(20), 500], [UInt64(50), 300])
    func hangingOnMany(interval: UInt64, other: UInt64) {
        let puppets = (1...12).map { "eve\($0)" }
        var world = World(
            Dictionary(uniqueKeysWithValues: puppets.map { ($0, interval) }).merging(
                ["bob": other], uniquingKeysWith: max))
        (world.milliseconds, world.isSerial, world.hangsOn) = (40, false, Set(puppets))
        world.run(20_000)
        #expect(world.of("bob").failed == 0)
        #expect(world.of("bob").answered > 9 * 20_000 / other / 10)
        #expect(world.state == .works)
    }

    @Test("while nobody else writes it fails, and is found by who comes then")
    func hangingOnAll() {
        let puppets = (1...12).map { "eve\($0)" }
        var world = World(Dictionary(uniqueKeysWithValues: puppets.map { ($0, 20) }))
        (world.milliseconds, world.isSerial, world.hangsOn) = (40, false, Set(puppets))
        world.run(20_000)
        #expect(world.state == .fails)
        // It is tried of another tenant before it is of theirs once more.
        world.intervals["bob"] = 700
        world.run(4000)
        #expect(world.of("bob").answered >= 2)
        #expect(world.state == .works)
    }

    @Test("a dead one fails for all in bounded time, and is found when it is back")
    func dead() {
        var world = World(["eve": 5, "ada": 100, "bob": 100])
        world.milliseconds = 1
        world.run(2000)
        world.isDead = true
        world.run(15_000)
        #expect(world.state == .fails)
        world.tallies = [:]
        world.run(5000)
        // At once, and not when it is too late.
        for user in ["eve", "ada", "bob"] {
            #expect(world.of(user).failed > 40 && world.of(user).overloaded == 0)
        }
        world.isDead = false
        world.run(4000)
        world.tallies = [:]
        world.run(5000)
        #expect(world.state == .works)
        for user in ["ada", "bob"] { #expect(world.of(user).answered >= 49) }
        #expect(world.of("eve").answered > 900)
    }

    @Test("a dead one fails for one who writes alone, and is tried once a second")
    func deadAlone() {
        var world = World(["ada": 100])
        world.isDead = true
        world.run(15_000)
        world.tallies = [:]
        world.run(5000)
        #expect(world.state == .fails && world.of("ada").overloaded == 0)
        #expect(world.of("ada").failed >= 49)
        // Somebody else is asked about all the same.
        world.hangsOn = ["ada"]
        world.isDead = false
        world.intervals["bob"] = 100
        world.run(5000)
        #expect(world.of("bob").answered >= 48 && world.of("bob").failed == 0)
        world.hangsOn = []
        world.run(3000)
        world.tallies = [:]
        world.run(2000)
        #expect(world.of("ada").answered >= 19 && world.of("ada").failed == 0)
    }
}
