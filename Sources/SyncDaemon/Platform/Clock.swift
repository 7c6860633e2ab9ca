// Reading time. Whoever decides anything gets these values passed in.
//
// The one file that looks into a `timespec`: which of our C modules is its home differs from build
// to build, and a file that looks into it must import that one.

import CLinux
import Glibc

/// The clocks of the machine.
enum Clock {
    /// Ticks of 100 ns since 1970; may step in either direction.
    ///
    /// Timetokens are made of ``DaemonClock``, which does not follow every step.
    static func wallTicks() -> UInt64 { ticks(CLOCK_REALTIME) }

    /// Ticks of 100 ns since the machine was started, its sleep included; never steps back.
    static func uptimeTicks() -> UInt64 { ticks(CLOCK_BOOTTIME) }

    /// What a start of the daemon knows of time.
    static func reading() -> ClockReading {
        ClockReading(
            wall: wallTicks(), uptime: uptimeTicks(), boot: bootID(),
            isSynchronised: sync_clock_is_synchronised() != 0 || hasTimesync())
    }

    /// Ticks between the machine's start and this process's.
    ///
    /// - Source: proc(5), `starttime`; nil when it cannot be read.
    static func processStartTicks() -> UInt64? {
        // The name of the program, in parentheses, may hold spaces and parentheses.
        guard let line = firstLine(of: "/proc/self/stat"), let end = line.lastIndex(of: ")")
        else { return nil }
        let fields = line[end...].split(separator: " ")
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        guard fields.count > 20, let start = UInt64(fields[20]) else { return nil }
        return start * 10_000_000 / perSecond
    }

    /// Names this boot of the machine; empty when nobody says.
    private static func bootID() -> String {
        // In the unit's sandbox the file is out of sight, and the unit says it.
        let text =
            firstLine(of: "/proc/sys/kernel/random/boot_id")
            ?? (unsafe getenv("SYNCDAEMON_BOOT_ID").map { unsafe String(cString: $0) } ?? "")
        return text.filter { $0 != "-" }
    }

    /// What systemd-timesyncd says, where the sandbox hides the kernel's word.
    private static func hasTimesync() -> Bool {
        unsafe access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    private static func firstLine(of path: String) -> String? {
        guard let file = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(file) }
        var line = [UInt8](repeating: 0, count: 1024)
        let count = unsafe fread(&line, 1, line.count, file)
        let text = String(decoding: line.prefix(count), as: UTF8.self)
        return text.split(separator: "\n").first.map(String.init)
    }

    private static func ticks(_ clock: clockid_t) -> UInt64 {
        let now = read(clock)
        return UInt64(max(0, now.tv_sec)) * 10_000_000 + UInt64(now.tv_nsec) / 100
    }

    /// Milliseconds since some moment in the past; never steps back.
    static func monotonicMilliseconds() -> UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1000 + UInt64(now.tv_nsec) / 1_000_000
    }

    /// Nanoseconds since some moment in the past; never steps back.
    static func monotonicNanoseconds() -> UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Microseconds since some moment in the past; never steps back.
    static func monotonicMicroseconds() -> UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    }

    /// A length of time, for a wait of the C library.
    static func span(nanoseconds: Int) -> timespec {
        timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }

    /// That clock in so many milliseconds, for a wait of the C library.
    static func monotonic(in milliseconds: UInt64) -> timespec {
        var end = read(CLOCK_MONOTONIC)
        let nanoseconds = end.tv_nsec + Int(milliseconds % 1000) * 1_000_000
        end.tv_sec += Int(milliseconds / 1000) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        return end
    }

    /// Time since 1970; may step in either direction.
    static func wallTime() -> (seconds: Int, nanoseconds: Int) {
        let now = read(CLOCK_REALTIME)
        return (now.tv_sec, now.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return now
    }
}
