// The log: structured, bounded, and passed along as a value.

import Basis
import Glibc
import Synchronization

/// Writes records at or above a level to one sink; any thread may use it.
///
/// Made once at start and handed to whoever logs, so that tests can hand over one of their own.
struct Log: Sendable {
    private let threshold: LogThreshold
    private let sink: any LogSink
    private let limiter = Locked(LogRateLimiter())
    private let now: @Sendable () -> LogTime

    init(
        level: LogLevel, sink: any LogSink, now: @escaping @Sendable () -> LogTime = Self.wallClock
    ) {
        threshold = LogThreshold(level)
        self.sink = sink
        self.now = now
    }

    /// The log of a process, on its standard error or in the journal.
    init(level: LogLevel, format: LogFormat) {
        let wantsJournal =
            switch format {
            case .auto: JournalSink.isStandardError
            case .text: false
            case .journal: true
            }
        let usesJournal = wantsJournal && JournalSink.isReachable
        self.init(level: level, sink: usesJournal ? JournalSink() : TextSink())
        if wantsJournal, !usesJournal {
            warning("There is no journal here, so the log goes to standard error.")
        }
    }

    /// The least important level that is written.
    var level: LogLevel { threshold.level }

    /// Writes from now on what is at least as important, in every copy of this log.
    func setLevel(_ level: LogLevel) { threshold.level = level }

    func error(
        _ message: String, _ fields: @autoclosure () -> Fields = [:],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.error, message, fields, LogSite(file, line))
    }

    func warning(
        _ message: String, _ fields: @autoclosure () -> Fields = [:],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.warning, message, fields, LogSite(file, line))
    }

    func notice(
        _ message: String, _ fields: @autoclosure () -> Fields = [:],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.notice, message, fields, LogSite(file, line))
    }

    func info(
        _ message: String, _ fields: @autoclosure () -> Fields = [:],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.info, message, fields, LogSite(file, line))
    }

    func debug(
        _ message: String, _ fields: @autoclosure () -> Fields = [:],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.debug, message, fields, LogSite(file, line))
    }

    /// Names and values: `["peer": address, "bytes": count]`.
    typealias Fields = KeyValuePairs<String, any CustomStringConvertible>

    /// Writes how many lines were left out and not yet accounted for.
    ///
    /// Call it when nothing else may be logged for a while, and before the process ends.
    func reportSuppressed() {
        let time = now()
        for report in limiter.withLock({ $0.reports(at: .max) }) { sink.write(report.record(time)) }
    }

    private func write(
        _ level: LogLevel, _ message: String, _ fields: () -> Fields, _ site: LogSite
    ) {
        guard threshold.admits(level) else { return }
        let time = now()
        let (isAdmitted, reports) = limiter.withLock { limiter in
            let reports = limiter.reports(at: time.seconds)
            return (limiter.admit(site, level: level, message: message, at: time.seconds), reports)
        }
        for report in reports { sink.write(report.record(time)) }
        guard isAdmitted else { return }
        sink.write(
            LogRecord(
                level: level, time: time, message: message,
                fields: fields().map { LogField(name: $0.key, value: $0.value.description) }))
    }

    @Sendable static func wallClock() -> LogTime {
        let time = Clock.wallTime()
        return LogTime(seconds: time.seconds, nanoseconds: time.nanoseconds)
    }
}

/// The level of a log, which may change while threads write to it.
private final class LogThreshold: Sendable {
    private let priority: Atomic<Int>

    init(_ level: LogLevel) {
        priority = Atomic(level.priority)
    }

    var level: LogLevel {
        get {
            let priority = priority.load(ordering: .relaxed)
            return LogLevel.allCases.first { $0.priority == priority } ?? .error
        }
        set { priority.store(newValue.priority, ordering: .relaxed) }
    }

    func admits(_ level: LogLevel) -> Bool {
        level.priority <= priority.load(ordering: .relaxed)
    }
}

/// A place in the source that logs.
struct LogSite: Hashable, Sendable {
    private let file: String
    private let line: UInt

    init(_ file: StaticString, _ line: UInt) {
        self.file = file.description
        self.line = line
    }
}
