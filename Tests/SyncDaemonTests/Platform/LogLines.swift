// What a test reads of a log.

import Basis

@testable import SyncDaemon

/// A log that is kept.
final class LogLines: LogSink {
    private let records = Locked<[LogRecord]>([])

    /// All lines come in one second, however slow the machine is.
    var log: Log { Log(level: .debug, sink: self) { LogTime(seconds: 0, nanoseconds: 0) } }
    var messages: [String] { records.withLock { $0.map(\.message) } }

    func write(_ record: LogRecord) { records.withLock { $0.append(record) } }
}
