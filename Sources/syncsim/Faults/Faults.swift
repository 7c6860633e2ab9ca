// What goes wrong, and when: one fault after the other until the world is calm.

import Basis
import EventModel

@testable import SyncDaemon

/// Throws the dice for everything that nobody wants.
struct Faults {
    /// No space on the disk before.
    private var fullUntil: UInt64 = 0
    private var backup: (platter: Platter, truth: Truth)?
    private(set) var isOver = false

    /// What happens with the next transaction.
    func fateOfCommit(
        _ choices: inout SeededGenerator, now: UInt64, isOnServer: Bool
    ) -> SimulatedStore.Fate {
        guard !isOver else { return .good }
        if now < fullUntil { return .full(atCall: choices.below(8)) }
        switch choices.below(1000) {
        case 0..<3 where isOnServer: return .unconfirmed
        case 0..<3: return .powerLoss(atCall: choices.below(12))
        case 3: return .badSync
        case 4: return .badRead(atCall: choices.below(12))
        default: return .good
        }
    }

    mutating func end() {
        isOver = true
        backup = nil
    }

    /// Lets something go wrong.
    mutating func strike(_ world: World) {
        if !world.followers.isEmpty, world.choices.chance(25) {
            return world.strike(world.choices.pick(world.followers))
        }
        let device = world.choices.pick(world.devices)
        switch world.choices.below(100) {
        case 0..<20: cut(device, world)
        case 20..<28:
            note("offline", world)
            device.goOffline(for: world.choices.span(Microseconds.second, 60 * Microseconds.second))
        case 28..<36:
            note("partition", world)
            for each in world.devices where each === device || world.choices.chance(20) {
                each.partition(
                    for: world.choices.span(Microseconds.second / 2, 60 * Microseconds.second))
            }
        case 36..<48:
            note("slow reader", world)
            device.beBusy(
                for: world.choices.span(Microseconds.second / 10, 30 * Microseconds.second))
        case 48..<54:
            guard !world.pollers.isEmpty, world.choices.chance(50) else {
                note("device crash", world)
                return device.crash(corrupting: false)
            }
            note("killed poller", world)
            world.choices.pick(world.pollers).kill()
        case 54..<60: device.crash(corrupting: true)
        case 60..<67:
            guard let reactors = world.daemon?.reactors, !reactors.isEmpty else { return }
            note("stalled reactor", world)
            world.choices.pick(reactors).stall(
                for: world.choices.span(Microseconds.second / 20, 4 * Microseconds.second))
        case 67..<74:
            if world.isOnServer, world.choices.chance(60) {
                note("frozen daemon", world)
                return world.freeze()
            }
            note("daemon crash", world)
            let isPowerLoss = world.choices.chance(40)
            world.crash(
                isPowerLoss ? "the machine loses power" : "it is killed", isPowerLoss: isPowerLoss)
        case 74..<77:
            note("drain", world)
            world.drain()
        case 77..<80:
            note("full disk begins", world)
            fullUntil =
                world.scheduler.now
                + world.choices.span(Microseconds.second / 2, 8 * Microseconds.second)
        case 80..<90: stepClock(world)
        default: changeStore(world)
        }
    }

    private func note(_ fault: String, _ world: World) {
        world.tally.count(fault)
        world.trace("--- \(fault)")
    }

    private func cut(_ device: SimulatedDevice, _ world: World) {
        let isSilent = world.choices.chance(30)
        note(isSilent ? "half-open connection" : "cut connection", world)
        let all = world.choices.chance(10) ? world.devices : [device]
        for each in all { each.connection?.cut(silently: isSilent) }
    }

    private func stepClock(_ world: World) {
        note("clock step", world)
        let seconds: Int
        switch world.choices.below(4) {
        case 0: seconds = world.choices.between(-50, 50)
        case 1: seconds = -world.choices.between(1, 7200)
        case 2: seconds = world.choices.between(1, 7200)
        default:
            world.tally.count("clock step of months")
            seconds = world.choices.between(-90, 90) * 24 * 3600
        }
        world.isSynchronised = false
        world.clock.step(by: seconds, notBefore: world.earliestTicks)
    }

    private mutating func changeStore(_ world: World) {
        switch world.choices.below(10) {
        case 0..<5:
            guard let platter = world.currentPlatter() else { return }
            note("backup", world)
            backup = (platter, world.truth)
        case 5..<9:
            guard let backup else { return }
            note("restored backup", world)
            world.replace(backup.platter, backup.truth)
        default:
            note("replaced store", world)
            world.replace(
                Platter(isFile: world.isFile, &world.choices), Truth())
        }
    }
}
