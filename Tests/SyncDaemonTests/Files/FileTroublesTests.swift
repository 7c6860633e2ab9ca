// What is said of a disk of files that fails, and for how long.

import Basis
import EventModel
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

    @Test("a full disk says how much of it uploads leave free")
    func need() {
        let health = Health()
        FileTroubles(health: health, log: Lines().log).looked(.full)
        let text = health.troubles.first?.text ?? ""
        #expect(text.contains("256 MiB") && text.contains("fileReserveBytes"), "\(text)")
    }

    @Test("a file of the wrong size is told of until it is mended or gone, whatever else ends")
    func wrongSize() throws {
        let health = Health()
        let lines = Lines()
        let troubles = FileTroubles(health: health, log: lines.log)
        let ids = try (1...2).map {
            try #require(FileID("01234567-89ab-4cde-8f01-23456789abc\($0)"))
        }
        for _ in 0..<3 {
            for id in ids {
                troubles.heard(
                    .failed(.wrongSize(id, path: "/f/\(id.text)", bytes: 500, expected: 1000)))
            }
        }
        #expect(lines.all.count == 2)
        #expect(troubles.wrongSizes == [ids[0]: 1000, ids[1]: 1000])
        troubles.looked(.full)
        let both = health.troubles.first?.text ?? ""
        #expect(both.contains("disk") && both.contains("500 bytes instead of 1000"), "\(both)")
        #expect(both.contains("2 files"), "\(both)")
        troubles.heard(.stored(size: 1))
        #expect(health.troubles.first?.text.contains("disk") == false)
        troubles.looked(nil, mended: [ids[0]])
        #expect(health.troubles.first?.text.contains("/f/\(ids[1].text)") == true)
        troubles.looked(nil, mended: [ids[1]])
        #expect(health.troubles == [])
    }
}

/// Keeps what is logged.
private final class Lines: LogSink {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var log: Log { Log(level: .debug, sink: self) { LogTime(seconds: 0, nanoseconds: 0) } }

    func write(_ record: LogRecord) { lines.withLock { $0.append(record.message) } }
}
