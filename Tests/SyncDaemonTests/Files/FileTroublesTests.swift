// What is said of a disk of files that fails, and for how long.

import Basis
import Testing

@testable import SyncDaemon

@Suite("Troubles of files")
struct FileTroublesTests {
    @Test("a look ends what it finds, and an upload what no look does; each is said once")
    func ends() {
        let health = Health()
        let lines = Lines()
        let troubles = FileTroubles(health: health, log: lines.log)
        let broken = FileError.failed(path: "/f", reason: "input/output error")
        let gone = FileError.notWritable(path: "/f", reason: "it was removed or replaced")

        for error in [gone, .full] {
            for _ in 0..<3 { troubles.heard(.failed(error)) }
            #expect(health.has(.filesFailing))
            troubles.looked(nil)
            #expect(!health.has(.filesFailing))
        }
        troubles.heard(.failed(broken))
        troubles.looked(nil)
        #expect(health.has(.filesFailing))
        troubles.heard(.stored(size: 1))
        #expect(!health.has(.filesFailing))
        troubles.looked(gone)
        #expect(health.has(.filesFailing) && !health.has(.diskFull))
        for error in [FileError.absent, .exists] { troubles.heard(.failed(error)) }
        troubles.looked(nil)
        #expect(health.troubles == [])
        let said = ["cannot be written.", "is full", "cannot be read", "cannot be written."]
        #expect(lines.all.count == 2 * said.count)
        for (line, words) in zip(lines.all.filter { !$0.contains("again") }, said) {
            #expect(line.contains(words))
        }
    }
}

/// Keeps what is logged.
private final class Lines: LogSink {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var log: Log { Log(level: .debug, sink: self) { LogTime(seconds: 0, nanoseconds: 0) } }

    func write(_ record: LogRecord) { lines.withLock { $0.append(record.message) } }
}
