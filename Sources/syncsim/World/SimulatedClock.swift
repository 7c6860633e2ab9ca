// The daemon's own time in one of its lives: the real judge of clocks, on simulated ones.

import Basis
import EventModel

@testable import SyncDaemon

/// What `DaemonClock` is, without a machine.
final class SimulatedClock: Sendable {
    private let wall: WallClock
    private let boot: String
    private let judge: Locked<ClockJudge>
    /// For a planted bug: ages by the clock on the wall.
    private let agesByWall: Bool

    /// - Parameters:
    ///   - anchor: What the store kept last.
    ///   - boot: Names the present boot of the machine.
    ///   - isSynchronised: Whether somebody keeps the clock on the wall right.
    init(
        _ wall: WallClock, resuming anchor: ClockAnchor?, boot: String, isSynchronised: Bool,
        agesByWall: Bool
    ) {
        self.wall = wall
        self.boot = boot
        self.agesByWall = agesByWall
        judge = Locked(
            ClockJudge(
                resuming: anchor,
                at: ClockReading(
                    wall: wall.ticks, uptime: wall.uptime, boot: boot,
                    isSynchronised: isSynchronised)))
    }

    func ticks() -> UInt64 {
        let offset = judge.withLock { $0.offset }
        return UInt64(max(0, Int64(wall.uptime) + offset))
    }

    func anchor() -> ClockAnchor {
        let (ticks, uptime) = (ticks(), wall.uptime)
        let age = judge.withLock { UInt64(max(0, Int64(uptime) + $0.ageOffset)) }
        return ClockAnchor(
            boot: boot, uptime: uptime, ticks: ticks, age: agesByWall ? wall.ticks : age)
    }

    /// Compares the clocks, as the ledger's thread does with each batch.
    func observe() {
        _ = judge.withLock { $0.observe(wall: wall.ticks, uptime: wall.uptime) }
    }
}
