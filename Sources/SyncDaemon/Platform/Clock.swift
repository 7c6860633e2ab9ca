// Reading time. Whoever decides anything gets these values passed in.

import Glibc

/// The two clocks of the machine.
enum Clock {
    /// Ticks of 100 ns since 1970: what timetokens are made of; may step in either direction.
    static func wallTicks() -> UInt64 {
        let now = read(CLOCK_REALTIME)
        return UInt64(now.tv_sec) * 10_000_000 + UInt64(now.tv_nsec) / 100
    }

    /// Milliseconds since some moment in the past; never steps back.
    static func monotonicMilliseconds() -> UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1000 + UInt64(now.tv_nsec) / 1_000_000
    }

    /// Microseconds since some moment in the past; never steps back.
    static func monotonicMicroseconds() -> UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return now
    }
}
