// The wheel that finds whoever is due among very many.

import Basis
import Testing

@testable import SyncDaemon

private final class Timer: Timed {
    var deadline: PresenceTick
    var place: WheelPlace?

    init(_ deadline: PresenceTick) {
        self.deadline = deadline
    }
}

@Suite("PresenceWheel")
struct PresenceWheelTests {
    @Test("a tick is never before its moment, and less than 250 ms after it")
    func ticks() {
        for milliseconds in [0, 1, 249, 250, 251, 1_000_000] as [UInt64] {
            let tick = PresenceTick(notBefore: milliseconds).milliseconds
            #expect(tick >= milliseconds && tick < milliseconds + 250)
        }
    }

    @Test("everything comes at its tick, however it moved before", arguments: UInt64(1)...10)
    func random(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        var wheel = PresenceWheel<Timer>()
        var now: UInt64 = 0
        func later() -> PresenceTick {
            PresenceTick(notBefore: now + UInt64(choices.below(50_000)))
        }
        var waiting: [Timer] = []
        for _ in 0..<5000 {
            switch choices.below(10) {
            case 0..<4:
                let timer = Timer(later())
                waiting.append(timer)
                wheel.schedule(timer)
            case 4..<7 where !waiting.isEmpty:
                let timer = choices.pick(waiting)
                timer.deadline = later()
                wheel.schedule(timer)
            case 7 where !waiting.isEmpty:
                let timer = waiting.remove(at: choices.below(waiting.count))
                wheel.remove(timer)
                wheel.remove(timer)
                #expect(timer.place == nil)
            default:
                now += UInt64(choices.below(2000))
                while let tick = wheel.nextTick, tick.milliseconds <= now {
                    let due = wheel.takeDue(atMost: .max)
                    let expected = waiting.filter { $0.deadline == tick }
                    waiting.removeAll { $0.deadline == tick }
                    #expect(
                        Set(due.map(ObjectIdentifier.init))
                            == Set(expected.map(ObjectIdentifier.init)))
                    #expect(due.allSatisfy { $0.place == nil })
                }
                #expect(waiting.allSatisfy { $0.deadline.milliseconds > now })
            }
        }
        while wheel.nextTick != nil {
            let due = wheel.takeDue(atMost: .max)
            waiting.removeAll { timer in due.contains { $0 === timer } }
        }
        #expect(waiting.isEmpty)
        #expect(wheel.takeDue(atMost: .max).isEmpty)
    }
}
