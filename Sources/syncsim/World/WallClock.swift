// The clock on the wall of the simulated machine: it steps in both directions.

import Basis

@testable import SyncDaemon

/// Simulated time as the daemon reads it.
final class WallClock: Sendable {
    private let state: Locked<(microseconds: UInt64, offset: Int64)>

    /// 21 November 2026, in ticks of 100 ns since 1970.
    private static let start: Int64 = 17_952_000_000_000_000

    init() {
        state = Locked((0, Self.start))
    }

    var ticks: UInt64 {
        state.withLock { UInt64(Int64($0.microseconds * 10) + $0.offset) }
    }

    /// Ticks since the machine was started; never steps.
    var uptime: UInt64 {
        state.withLock { $0.microseconds * 10 }
    }

    /// Whether it shows the time.
    var isRight: Bool {
        state.withLock { $0.offset == Self.start }
    }

    /// Somebody sets it right.
    func setRight() {
        state.withLock { $0.offset = Self.start }
    }

    func advance(to microseconds: UInt64) {
        state.withLock { $0.microseconds = microseconds }
    }

    /// - Parameters:
    ///   - seconds: May be negative.
    ///   - earliest: The clock is not before it afterwards.
    func step(by seconds: Int, notBefore earliest: UInt64) {
        state.withLock { state in
            state.offset += Int64(seconds) * 10_000_000
            let ticks = Int64(state.microseconds * 10) + state.offset
            state.offset += max(0, Int64(earliest) - ticks)
        }
    }
}
