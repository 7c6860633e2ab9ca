// Which time it is when the wall clock cannot be believed: decides, and reads no clock itself.

import EventModel

/// What the machine's clocks say at one moment; all times in ticks of 100 ns.
struct ClockReading: Sendable, Hashable {
    /// Since 1970.
    var wall: UInt64
    /// Since the machine was started.
    var uptime: UInt64
    /// Names this boot of the machine; empty: unknown.
    var boot: String
    /// Whether the kernel says that the wall clock is kept right.
    var isSynchronised: Bool
}

/// What a store keeps of time: one moment on each clock.
struct ClockAnchor: Sendable, Hashable {
    var boot: String
    var uptime: UInt64
    /// The daemon's time, which timetokens follow.
    var ticks: UInt64
    /// The retention clock: begins at the wall clock when the store is made, and then only real
    /// time moves it.
    var age: UInt64
}

/// Derives the daemon's time and the retention clock from the time since the machine's start.
///
/// The wall clock is followed at once while it is near. A jump is followed when it has stood for
/// some time, so that a slip of a person or a program costs nothing; ages do not follow it at all.
struct ClockJudge {
    enum Finding: Hashable {
        /// The wall clock is so far off, in seconds, and is not followed.
        case jumped(seconds: Int)
        /// It stood there: it is followed.
        case followed(seconds: Int)
        /// It came back by itself.
        case returned
    }

    private struct Jump {
        var distance: Int64
        var since: UInt64
    }

    /// What makes the daemon's time of the uptime.
    private(set) var offset: Int64
    /// What makes the retention clock of the uptime, on this boot.
    let ageOffset: Int64
    private var jump: Jump?

    /// - Parameter anchor: What the store kept last; `nil` for one that has not kept any yet.
    init(resuming anchor: ClockAnchor?, at reading: ClockReading) {
        let uptime = Int64(reading.uptime)
        guard let anchor else {
            offset = Int64(reading.wall) - uptime
            ageOffset = offset
            return
        }
        let isSameBoot =
            !anchor.boot.isEmpty && anchor.boot == reading.boot && reading.uptime >= anchor.uptime
        let passed: UInt64
        if isSameBoot {
            passed = reading.uptime - anchor.uptime
        } else {
            // Only the wall clock knows how long the machine was off. Too little costs some memory
            // of old writes; too much would forget what must be kept.
            let shown = reading.wall > anchor.ticks ? reading.wall - anchor.ticks : 0
            passed = reading.isSynchronised ? shown : min(shown, Limits.downtimeTicksMax)
        }
        ageOffset = Int64(anchor.age + passed) - uptime
        offset =
            !isSameBoot && reading.isSynchronised
            ? Int64(reading.wall) - uptime : Int64(anchor.ticks + passed) - uptime
    }

    /// How far the wall clock is from the daemon's time while it is not followed, in ticks.
    var unfollowed: Int64 { jump?.distance ?? 0 }

    /// Compares the clocks, about once a second and with each commit.
    ///
    /// - Returns: What is new.
    mutating func observe(wall: UInt64, uptime: UInt64) -> Finding? {
        let distance = Int64(wall) - Int64(uptime) - offset
        guard distance.magnitude > Limits.clockStepTicksMax else {
            offset += distance
            defer { jump = nil }
            return jump == nil ? nil : .returned
        }
        let seconds = Int(distance / 10_000_000)
        guard let known = jump,
            (distance - known.distance).magnitude <= Limits.clockStepTicksMax
        else {
            jump = Jump(distance: distance, since: uptime)
            return .jumped(seconds: seconds)
        }
        guard uptime - known.since >= Limits.clockJumpTicks else { return nil }
        offset += distance
        jump = nil
        return .followed(seconds: seconds)
    }
}
