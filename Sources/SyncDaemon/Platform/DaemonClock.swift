// The daemon's own time, readable from any thread at the price of one clock.

import Basis
import EventModel
import Synchronization

/// What timetokens and ages are made of; see ``ClockJudge``.
final class DaemonClock: Sendable {
    /// How often the wall clock jumped.
    let jumps = Atomic<Int>(0)
    private let judge: Locked<ClockJudge>
    private let offset: Atomic<Int64>
    private let unfollowed = Atomic<Int64>(0)
    private let ageOffset: Int64
    private let boot: String
    /// By how much `CLOCK_BOOTTIME` is ahead of what the kernel means.
    private let skew: UInt64

    /// - Parameter anchor: What the store kept last.
    init(resuming anchor: ClockAnchor?) {
        var reading = Clock.reading()
        // A preloaded library that fakes the clocks does not fake when this process was started. An
        // uptime that is not of this boot must not pass for one: ages would leap with it.
        let start = Clock.processStartTicks() ?? reading.uptime
        let isFaked = reading.uptime > start + Limits.downtimeTicksMax
        skew = isFaked ? reading.uptime - start : 0
        reading.uptime -= skew
        let judge = ClockJudge(resuming: anchor, at: reading)
        offset = Atomic(judge.offset)
        ageOffset = judge.ageOffset
        boot = reading.boot
        self.judge = Locked(judge)
    }

    /// The daemon's time, in ticks of 100 ns since 1970: one reading, no lock.
    func ticks() -> UInt64 { ticks(at: uptime()) }

    /// Now, on all clocks.
    func anchor() -> ClockAnchor {
        let uptime = uptime()
        return ClockAnchor(
            boot: boot, uptime: uptime, ticks: ticks(at: uptime),
            age: UInt64(max(0, Int64(uptime) + ageOffset)))
    }

    /// Seconds by which the wall clock is ahead while it is not followed.
    var unfollowedSeconds: Int { Int(unfollowed.load(ordering: .relaxed) / 10_000_000) }

    /// Follows the wall clock, or notes that it jumped.
    func observe() -> ClockJudge.Finding? {
        let (wall, uptime) = (Clock.wallTicks(), uptime())
        let (finding, judge) = judge.withLock { judge in
            (judge.observe(wall: wall, uptime: uptime), judge)
        }
        offset.store(judge.offset, ordering: .relaxed)
        unfollowed.store(judge.unfollowed, ordering: .relaxed)
        if case .jumped = finding { jumps.add() }
        return finding
    }

    private func uptime() -> UInt64 { Clock.uptimeTicks() - skew }

    private func ticks(at uptime: UInt64) -> UInt64 {
        UInt64(max(0, Int64(uptime) + offset.load(ordering: .relaxed)))
    }
}
