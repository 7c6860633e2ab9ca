// What a log line consists of.

/// How much a line matters.
enum LogLevel: String, CaseIterable, Sendable, Comparable {
    /// Somebody has to act: data or service is at risk.
    case error
    /// It may get worse: a limit is reached, something was refused.
    case warning
    /// What an administrator did or should see once: start, stop, drain.
    case notice
    /// The normal course of things, now and then.
    case info
    /// Every connection and command.
    case debug

    /// syslog(3) priority: the smaller, the more important.
    var priority: Int {
        switch self {
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug: 7
        }
    }

    /// More important levels are smaller.
    static func < (one: LogLevel, other: LogLevel) -> Bool { one.priority < other.priority }
}

/// How records are written.
enum LogFormat: String, CaseIterable, Sendable {
    case auto
    case text
    case journal
}

/// A moment on the wall clock, since 1970.
struct LogTime: Hashable, Sendable {
    let seconds: Int
    let nanoseconds: Int
}

struct LogField: Hashable, Sendable {
    /// Lower-case words joined by `_`.
    let name: String
    /// May hold anything that a client sent.
    let value: String
}

/// One line before it is written.
struct LogRecord: Hashable, Sendable {
    let level: LogLevel
    let time: LogTime
    let message: String
    let fields: [LogField]
}
