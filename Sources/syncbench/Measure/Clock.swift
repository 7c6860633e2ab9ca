// Reading the clock, and sending on a schedule.

import Glibc

/// The machine's clock that never steps back.
enum Clock {
    static func nanoseconds() -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}

/// When the events of an open loop are due, whatever becomes of the earlier ones.
struct Schedule {
    let start: UInt64
    /// Per second.
    let rate: Double
    private(set) var count = 0

    /// - Parameter start: When the first is due, in nanoseconds.
    init(start: UInt64, rate: Double) {
        self.start = start
        self.rate = rate
    }

    /// The moment of the next event, if that is not after `now`.
    mutating func next(at now: UInt64) -> UInt64? {
        let due = start + UInt64(Double(count) / rate * 1e9)
        guard due <= now else { return nil }
        count += 1
        return due
    }
}
