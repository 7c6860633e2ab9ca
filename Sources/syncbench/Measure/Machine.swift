// What the measurements were made on.

import Glibc

/// The machine and how busy it was.
enum Machine {
    static var cores: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    static var kernel: String {
        (File.text("/proc/sys/kernel/osrelease") ?? "unknown").trimmingLineEnd
    }

    static var processor: String { processorName(inCPUInfo: File.text("/proc/cpuinfo") ?? "") }

    /// How many threads wanted to run in the last minute, on average.
    static var load: Double {
        File.text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) } ?? 0
    }

    /// UTC, as `2026-01-02`.
    static var date: String { date(daysSince1970: time(nil) / 86_400) }

    /// Counts in years that start in March, so that the leap day is a year's last.
    ///
    /// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    static func date(daysSince1970 days: Int) -> String {
        let shifted = days + 719_468
        let (era, day) = (shifted / 146_097, shifted % 146_097)
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let civil = month < 10 ? month + 3 : month - 9
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year + era * 400 + (civil <= 2 ? 1 : 0))-\(two(civil))-\(two(dayOfMonth))"
    }

    static func processorName(inCPUInfo text: String) -> String {
        for line in text.split(separator: "\n") where line.hasPrefix("model name") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { return String(parts[1].drop { $0 == " " }) }
        }
        return "unknown processor"
    }

    /// Lifts the limit of open files as far as it goes.
    ///
    /// - Returns: How many this process may have.
    static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

extension String {
    var trimmingLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
