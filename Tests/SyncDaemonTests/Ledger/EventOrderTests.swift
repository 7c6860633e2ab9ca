// The order of stored and unstored events: none appears behind a cursor that was handed out.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// An order under a clock that the test moves.
private struct World {
    let clock = Locked<UInt64>(17_000_000_000_000_000)
    let steps = Steps()
    let order: EventOrder

    /// How often it asked for a ceiling.
    let asked = Locked(0)

    init(after visible: Timetoken = .zero, ceiling: Timetoken = .end) {
        let (clock, asked) = (self.clock, self.asked)
        order = EventOrder(
            after: visible, ceiling: ceiling, wallTicks: { clock.withLock { $0 } },
            receiver: steps, askForCeiling: { asked.withLock { $0 += 1 } })
    }

    /// A cursor as of now.
    func now() -> Timetoken {
        guard case .at(let timetoken) = order.now() else { return .zero }
        return timetoken
    }

    func announce(_ text: String, by origin: Origin? = nil) -> Announced {
        order.announce(
            Announcement(
                channel: Channel("room"), uuid: "u", event: .signal(Message(payload: text)),
                origin: origin))
    }

    /// What reactors heard, in order.
    var events: [Envelope] { steps.all.flatMap(\.events) }
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
        _ = world.now()
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

        let steps = world.steps.all
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
            case 3..<5: cursors.append((world.now(), world.events.count))
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

    // MARK: The ceiling

    private func at(_ announced: Announced) -> UInt64? {
        if case .at(let timetoken) = announced { timetoken.rawValue } else { nil }
    }

    @Test("near the ceiling it asks once, and goes on tick by tick when the answer takes long")
    func nearCeiling() throws {
        let start: UInt64 = 17_000_000_000_000_000
        let world = World(ceiling: tick(start + Limits.ceilingTicks))
        #expect(at(world.announce("1")) == start)
        #expect(world.asked.withLock { $0 } == 0)
        world.clock.withLock { $0 = start + Limits.ceilingTicks * 6 / 10 }
        #expect(at(world.announce("2")) == start + Limits.ceilingTicks * 6 / 10)
        world.clock.withLock { $0 = start + 5 * Limits.ceilingTicks }
        let tight = try #require(at(world.announce("3")))
        #expect(tight == start + Limits.ceilingTicks * 6 / 10 + 1)
        #expect(at(world.order.now()) == tight + 1)
        #expect(world.asked.withLock { $0 } == 1)

        world.order.raise(to: tick(start + 6 * Limits.ceilingTicks))
        #expect(at(world.announce("4")) == start + 5 * Limits.ceilingTicks)
    }

    @Test("after a long rest what is announced waits for the ceiling, in its order")
    func rested() {
        let start: UInt64 = 17_000_000_000_000_000
        let world = World(after: tick(1000), ceiling: tick(2000))
        let origins = (1...2).map {
            Origin(reactor: 0, session: SessionID(slot: 1, generation: 1), command: $0)
        }
        #expect(world.announce("1", by: origins[0]) == .waits)
        #expect(world.order.now(for: origins[1]) == .waits)
        // Who cannot wait gets an older position.
        #expect(world.order.now() == .at(tick(1000)))
        #expect(world.announce("2") == .waits)
        #expect(world.asked.withLock { $0 } == 1)
        #expect(world.order.asksForCeiling)

        world.order.raise(to: tick(start + Limits.ceilingTicks))

        let answers = world.steps.all.flatMap(\.answers)
        #expect(
            answers == [
                Answer(origin: origins[0], result: .success(.published(tick(start)))),
                Answer(origin: origins[1], result: .success(.pong(tick(start + 1)))),
            ])
        #expect(world.events.map(\.timetoken) == [tick(start), tick(start + 2)])
    }

    @Test("what presence says never overtakes what waits, also when the clock steps back")
    func behind() {
        let world = World(after: tick(100), ceiling: tick(17_000_000_000_000_000))
        world.clock.withLock { $0 += Limits.ceilingTicks }
        #expect(world.announce("one came") == .waits)
        // Now there would be a place.
        world.clock.withLock { $0 = 1_000_000 }
        #expect(world.announce("another one came") == .waits)

        world.order.raise(to: .end)

        let texts = world.events.compactMap { envelope -> String? in
            guard case .signal(let message) = envelope.event else { return nil }
            return message.payload
        }
        #expect(texts == ["one came", "another one came"])
    }

    @Test("with a full disk it uses up what is below the ceiling, refuses then, and comes back")
    func fullDisk() {
        let world = World(after: tick(1000), ceiling: tick(1005))
        #expect(world.announce("waits") == .waits)
        world.order.raise(to: nil)
        var places = world.events.map(\.timetoken.rawValue)
        for _ in 0..<9 { if let place = at(world.announce("1")) { places.append(place) } }
        #expect(places == [1001, 1002, 1003, 1004, 1005])
        #expect(world.announce("2") == .refused)
        #expect(world.order.now() == .at(tick(1005)))
        #expect(world.asked.withLock { $0 } == 1)

        world.clock.withLock { $0 += 2 * Limits.ceilingTicks }
        // It asks again after a while; this one waits for the answer, which is no again.
        #expect(world.announce("3") == .waits)
        world.order.raise(to: nil)
        #expect(world.order.visible == tick(1005))
        world.clock.withLock { $0 += 2 * Limits.ceilingTicks }
        #expect(world.announce("4") == .waits)
        let now = world.clock.withLock { $0 }
        world.order.finish(Commit(last: tick(now), durable: tick(now), ceiling: tick(now + 50)))
        // Nobody waits for answers to these two, and would announce them again.
        #expect(world.events.suffix(2).map(\.timetoken) == [tick(now + 1), tick(now + 2)])
    }

    @Test(
        "no position is beyond the ceiling that was durable then, whatever fails",
        arguments: UInt64(1)...60)
    func obeysCeiling(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let start: UInt64 = 17_000_000_000_000_000
        var ceiling = tick(start)
        var world = World(after: tick(start - 500), ceiling: ceiling)
        var newest = tick(start - 500)
        var reserved: Timetoken?
        func note(_ announced: Announced) {
            guard case .at(let timetoken) = announced else { return }
            #expect(timetoken <= ceiling)
            newest = max(newest, timetoken)
        }
        for _ in 0..<3000 {
            switch choices.below(12) {
            case 0..<4: note(world.announce("1"))
            case 4..<6: note(world.order.now())
            case 6: world.clock.withLock { $0 += UInt64(choices.below(8_000_000)) }
            case 7: world.clock.withLock { $0 -= UInt64(choices.below(9_000_000)) }
            case 8:
                // kill -9, and another start on the same disk.
                guard choices.chance(10) else { continue }
                let clock = world.clock.withLock { $0 }
                world = World(after: max(ceiling, newest), ceiling: ceiling)
                world.clock.withLock { $0 = clock - UInt64(choices.below(100_000_000)) }
                reserved = nil
                newest = world.order.visible
            case 9:
                guard reserved == nil, world.order.asksForCeiling else { continue }
                let clock = world.clock.withLock { $0 }
                let raised = max(
                    ceiling, max(world.order.visible, tick(clock)).advanced(by: 10_000_000))
                if choices.chance(70) { ceiling = raised }
                world.order.raise(to: ceiling == raised ? ceiling : nil)
            default:
                guard let place = reserved else {
                    reserved = world.order.reserve()
                    continue
                }
                reserved = nil
                let last = place.advanced(by: 3)
                guard choices.chance(80) else {
                    world.order.finish(Commit(last: .zero))
                    continue
                }
                ceiling = max(ceiling, last.advanced(by: 10_000_000))
                world.order.finish(Commit(last: last, durable: last, ceiling: ceiling))
            }
            #expect(world.order.visible >= newest)
            #expect(world.order.visible <= ceiling)
            let timetokens = world.events.suffix(5).map(\.timetoken)
            #expect(timetokens == timetokens.sorted())
        }
    }
}
