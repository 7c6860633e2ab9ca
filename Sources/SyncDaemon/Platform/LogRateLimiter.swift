// Keeps one busy place in the source from filling the log.

/// Counts lines per place and second.
///
/// Holds one small entry for each place that has ever logged: as many as there are such places.
struct LogRateLimiter: Sendable {
    /// Lines per place and second; the rest of that second is counted only.
    static let linesPerSecondMax = 10

    /// What one place had to leave out.
    struct Report: Hashable, Sendable {
        let level: LogLevel
        let message: String
        let count: Int

        func record(_ time: LogTime) -> LogRecord {
            LogRecord(
                level: level, time: time, message: message,
                fields: [LogField(name: "suppressed", value: String(count))])
        }
    }

    private struct Window: Sendable {
        var second: Int
        var admitted = 0
        var suppressed = 0
        var level = LogLevel.error
        var message = ""
    }

    private var windows: [LogSite: Window] = [:]
    /// Places with something left out, oldest first: usually none, so that asking costs nothing.
    private var suppressedSites: [LogSite] = []

    /// Whether the line may be written; `second` is the clock's, in any epoch.
    mutating func admit(
        _ site: LogSite, level: LogLevel, message: String, at second: Int
    ) -> Bool {
        var window = windows[site] ?? Window(second: second)
        // A clock that was set back starts a new window too: better a few lines too many.
        if window.second != second {
            window.second = second
            window.admitted = 0
        }
        defer { windows[site] = window }
        if window.admitted < Self.linesPerSecondMax {
            window.admitted += 1
            return true
        }
        if window.suppressed == 0 { suppressedSites.append(site) }
        window.suppressed += 1
        window.level = level
        window.message = message
        return false
    }

    /// Takes what was left out in other seconds than this one.
    mutating func reports(at second: Int) -> [Report] {
        if suppressedSites.isEmpty { return [] }
        var reports: [Report] = []
        suppressedSites.removeAll { site in
            guard let window = windows[site], window.second != second else { return false }
            reports.append(
                Report(level: window.level, message: window.message, count: window.suppressed))
            windows[site]?.suppressed = 0
            return true
        }
        return reports
    }
}
