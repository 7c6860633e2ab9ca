// Which time it is when the wall clock jumps, within a run and from one to the next.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

private let second: UInt64 = 10_000_000
private let day: UInt64 = 24 * 3600 * second
private let noon: UInt64 = 17_952_000_000_000_000

/// A machine whose clocks the test moves, and the judge of one run of the daemon on it.
private struct Machine {
    var now: ClockReading
    var judge: ClockJudge

    init(synchronised: Bool = false) {
        now = ClockReading(wall: noon, uptime: 5 * second, boot: "b", isSynchronised: synchronised)
        judge = ClockJudge(resuming: nil, at: now)
    }

    var ticks: UInt64 { UInt64(Int64(now.uptime) + judge.offset) }
    var age: UInt64 { UInt64(Int64(now.uptime) + judge.ageOffset) }
    var anchor: ClockAnchor {
        ClockAnchor(boot: now.boot, uptime: now.uptime, ticks: ticks, age: age)
    }

    mutating func pass(_ ticks: UInt64) {
        now.uptime += ticks
        now.wall += ticks
    }

    mutating func step(_ ticks: Int64) { now.wall = UInt64(Int64(now.wall) + ticks) }

    mutating func observe() -> ClockJudge.Finding? {
        judge.observe(wall: now.wall, uptime: now.uptime)
    }

    /// Another run of the daemon.
    mutating func restart() { judge = ClockJudge(resuming: anchor, at: now) }

    /// The machine is off for a while.
    mutating func reboot(off ticks: UInt64, shown: Int64? = nil) {
        let last = anchor
        step(shown ?? Int64(ticks))
        now.uptime = 3 * second
        now.boot += "+"
        judge = ClockJudge(resuming: last, at: now)
    }
}

@Suite("Clock judge")
struct ClockJudgeTests {
    @Test("a new store begins at the wall clock, on both clocks")
    func begins() {
        let machine = Machine()
        #expect(machine.ticks == noon)
        #expect(machine.age == noon)
    }

    @Test(
        "small differences are followed at once, and ages do not follow",
        arguments: [-59, 59] as [Int64])
    func followsSmall(seconds: Int64) {
        var machine = Machine()
        machine.pass(second)
        machine.step(seconds * Int64(second))
        #expect(machine.observe() == nil)
        #expect(machine.ticks == machine.now.wall)
        #expect(machine.age == noon + second)
    }

    @Test(
        "a jump is told once, and followed when it has stood", arguments: [-31, 31] as [Int64])
    func jump(days: Int64) {
        var machine = Machine()
        machine.step(days * Int64(day))
        #expect(machine.observe() == .jumped(seconds: Int(days) * 24 * 3600))
        for _ in 0..<599 {
            machine.pass(second)
            #expect(machine.observe() == nil)
        }
        #expect(machine.ticks == noon + 599 * second)
        #expect(machine.judge.unfollowed == days * Int64(day))
        machine.pass(second)
        #expect(machine.observe() == .followed(seconds: Int(days) * 24 * 3600))
        #expect(machine.ticks == machine.now.wall)
        #expect(machine.age == noon + 600 * second)
        #expect(machine.judge.unfollowed == 0)
    }

    @Test("a jump that is taken back was nothing, and the next one has to stand anew")
    func returns() {
        var machine = Machine()
        machine.step(Int64(31 * day))
        #expect(machine.observe() != nil)
        machine.pass(590 * second)
        machine.step(-Int64(31 * day))
        #expect(machine.observe() == .returned)
        machine.step(Int64(31 * day))
        #expect(machine.observe() == .jumped(seconds: 31 * 24 * 3600))
        machine.pass(20 * second)
        #expect(machine.observe() == nil)
        machine.step(Int64(day))
        #expect(machine.observe() == .jumped(seconds: 32 * 24 * 3600))
        machine.pass(595 * second)
        #expect(machine.observe() == nil)
        #expect(machine.ticks == noon + 1205 * second)
    }

    @Test("a restart on the same boot knows how much time passed, whatever the wall clock says")
    func sameBoot() {
        var machine = Machine()
        machine.pass(1000 * second)
        machine.step(Int64(31 * day))
        machine.restart()
        machine.pass(100 * second)
        #expect(machine.observe() == .jumped(seconds: 31 * 24 * 3600))
        #expect(machine.ticks == noon + 1100 * second)
        #expect(machine.age == noon + 1100 * second)
    }

    @Test("the time that the machine was off is believed if something keeps the clock right")
    func otherBoot() {
        var kept = Machine(synchronised: true)
        kept.reboot(off: 40 * day)
        #expect(kept.ticks == noon + 40 * day)
        #expect(kept.age == noon + 40 * day)

        var alone = Machine()
        alone.reboot(off: 40 * day)
        #expect(alone.ticks == noon + day)
        #expect(alone.age == noon + day)
        #expect(alone.observe() == .jumped(seconds: 39 * 24 * 3600))
        alone.pass(600 * second)
        #expect(alone.observe() == .followed(seconds: 39 * 24 * 3600))
        #expect(alone.age == noon + day + 600 * second)

        var dead = Machine()
        dead.reboot(off: 40 * day, shown: -Int64(noon))
        #expect(dead.ticks == noon)
        #expect(dead.age == noon)
    }

    @Test("an uptime of the same boot that runs backwards is of no boot that is known")
    func strangeUptime() {
        var machine = Machine()
        let anchor = machine.anchor
        machine.now.uptime -= second
        machine.now.wall += 30 * second
        let judge = ClockJudge(resuming: anchor, at: machine.now)
        #expect(UInt64(Int64(machine.now.uptime) + judge.ageOffset) == noon + 30 * second)
    }

    @Test(
        "ages never run ahead of the time that passed, and time stays near where the clock stood",
        arguments: UInt64(1)...50)
    func property(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        var machine = Machine()
        for _ in 0..<2000 {
            let before = (ticks: machine.ticks, age: machine.age)
            switch choices.below(20) {
            case 0:
                machine.step((Int64(choices.below(80)) - 40) * Int64(day))
            case 1:
                machine.step((Int64(choices.below(100)) - 50) * Int64(second))
            case 2: machine.restart()
            case 3:
                let off = UInt64(choices.below(3600)) * second
                machine.reboot(off: off)
            default:
                let ticks = UInt64(choices.below(100)) * second
                machine.pass(ticks)
            }
            let finding = machine.observe()
            if case .followed = finding {
            } else {
                // Without a jump that stood, an hour's reboot is the most that time moves by.
                let moved = Int64(machine.ticks) - Int64(before.ticks)
                #expect(moved.magnitude <= 25 * 3600 * second)
            }
            #expect(machine.age >= before.age)
            let distance = Int64(machine.now.wall) - Int64(machine.ticks)
            #expect(
                (distance - machine.judge.unfollowed).magnitude <= Limits.clockStepTicksMax)
        }
        // On one boot the retention clock is real time, whatever the wall clock does.
        var honest = Machine()
        var real: UInt64 = 0
        for _ in 0..<500 {
            let ticks = UInt64(choices.below(100)) * second
            switch choices.below(4) {
            case 0: honest.restart()
            case 1:
                honest.step((Int64(choices.below(80)) - 40) * Int64(day))
            default:
                honest.pass(ticks)
                real += ticks
            }
            _ = honest.observe()
            #expect(honest.age == noon + real)
        }
    }
}
