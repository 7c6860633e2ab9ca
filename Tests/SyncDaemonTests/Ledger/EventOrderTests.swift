// The order of stored and unstored events: none appears behind a cursor that was handed out.

import EventModel
import Testing
import TestSupport

@testable import SyncDaemon

/// An order under a clock that the test moves.
private struct World {
    let clock = Locked<UInt64>(17_000_000_000_000_000)
    let steps = Locked<[Commit]>([])
    let order: EventOrder

    init(after visible: Timetoken = .zero) {
        let (clock, steps) = (self.clock, self.steps)
        order = EventOrder(
            after: visible, wallTicks: { clock.withLock { $0 } },
            publish: { step in steps.withLock { $0.append(step) } })
    }

    func announce(_ text: String, by origin: Origin? = nil) -> Announced {
        order.announce(
            Announcement(
                channel: Channel("room"), uuid: "u", event: .signal(Message(payload: text)),
                origin: origin))
    }

    /// What reactors heard, in order.
    var events: [Envelope] { steps.withLock { $0.flatMap(\.events) } }
}

@Suite("Event order")
struct EventOrderTests {
    @Test("a signal during a commit goes out at once, below the commit's rows")
    func below() throws {
        let world = World()
        let reserved = world.order.reserve()

        guard case .at(let timetoken) = world.announce("1") else {
            Issue.record("The signal waited.")
            return
        }
        #expect(timetoken < reserved)
        #expect(world.events.map(\.timetoken) == [timetoken])
        #expect(world.events.allSatisfy { !$0.isStored })
        let last = reserved.successor(at: 0)
        world.order.finish(Commit(last: last, durable: last))
        #expect(world.order.visible == last)
    }

    @Test("a signal that finds no place waits for the commit, and its answer comes with it")
    func waits() {
        let world = World()
        _ = world.order.now()
        let reserved = world.order.reserve()
        // The clock passes the commit's first timetoken: places below it are used up one by one.
        world.clock.withLock { $0 = reserved.rawValue + 1000 }
        var placed = 0
        while case .at = world.announce("\(placed)") { placed += 1 }
        let origin = Origin(reactor: 0, session: SessionID(slot: 1, generation: 1), command: 7)
        #expect(placed > 100)
        #expect(world.announce("late", by: origin) == .waits)
        #expect(world.events.count == placed)

        world.order.finish(Commit(last: Timetoken(rawValue: reserved.rawValue + 5)))

        let steps = world.steps.withLock { $0 }
        let answers = steps.flatMap(\.answers)
        #expect(answers.map(\.origin) == [origin])
        #expect(world.events.count == placed + 2)
        #expect(answers.first?.result == .success(.published(world.events[placed + 1].timetoken)))
        #expect(world.events.map(\.timetoken) == world.events.map(\.timetoken).sorted())
    }

    @Test("so many wait and no more")
    func refuses() {
        let world = World()
        let reserved = world.order.reserve()
        world.clock.withLock { $0 = reserved.rawValue }
        var waiting = 0
        var result = world.announce("0")
        while result != .refused {
            if result == .waits { waiting += 1 }
            result = world.announce("1")
        }
        #expect(waiting == Limits.announcementsWaitingMax)
    }

    @Test("everything appears in order and after each cursor", arguments: UInt64(1)...40)
    func ordered(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let world = World(after: Timetoken(rawValue: UInt64(choices.below(2)) * 10))
        var cursors: [(cursor: Timetoken, seen: Int)] = []
        var reserved: Timetoken?
        for _ in 0..<2000 {
            switch choices.below(10) {
            case 0..<3: _ = world.announce("1")
            case 3..<5: cursors.append((world.order.now(), world.events.count))
            case 5: world.clock.withLock { $0 += UInt64(choices.below(200_000)) }
            case 6: world.clock.withLock { $0 -= UInt64(choices.below(20_000)) }
            default:
                guard let start = reserved else {
                    reserved = world.order.reserve()
                    continue
                }
                reserved = nil
                var commit = Commit()
                commit.last = start
                for _ in 0..<choices.below(4) {
                    commit.last = commit.last.successor(at: world.clock.withLock { $0 })
                    commit.events.append(
                        Envelope(
                            channel: Channel("room"), timetoken: commit.last, uuid: "u",
                            event: .message(Message(payload: "1"))))
                }
                world.order.finish(commit)
            }
        }
        let timetokens = world.events.map(\.timetoken)
        #expect(timetokens == timetokens.sorted())
        #expect(Set(timetokens).count == timetokens.count)
        for (cursor, seen) in cursors {
            #expect(timetokens[seen...].allSatisfy { $0 > cursor })
            #expect(timetokens[..<seen].allSatisfy { $0 <= cursor })
        }
    }

    @Test("what was announced is found again, until it is too old or too much")
    func remembers() {
        var memory = UnstoredEvents(bytesMax: 3000, ticksMax: 100, runLength: 1)
        func event(_ timetoken: UInt64, _ name: String) -> Envelope {
            Envelope(
                channel: Channel(name), timetoken: Timetoken(rawValue: timetoken), uuid: "u",
                event: .signal(Message(payload: "1")), isStored: false)
        }
        for tick in 1...5 { memory.append(event(UInt64(tick), tick == 3 ? "den" : "room")) }
        let room = Channel("room")
        func found(after cursor: UInt64) -> [UInt64] {
            memory.events(after: Timetoken(rawValue: cursor), limit: 1000) { $0 == room }
                .map(\.timetoken.rawValue)
        }
        #expect(found(after: 0) == [1, 2, 4, 5])
        #expect(found(after: 2) == [4, 5])
        memory.append(event(104, "room"))
        #expect(found(after: 0) == [4, 5, 104])
        for tick in 105...130 { memory.append(event(UInt64(tick), "room")) }
        #expect(found(after: 0).last == 130)
        #expect((5...12).contains(found(after: 0).count))
    }
}
