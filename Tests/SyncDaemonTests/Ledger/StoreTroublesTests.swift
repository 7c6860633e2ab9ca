// What operators are told of a full disk: how much is needed, and nothing twice.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// A disk and a clock that a test sets, and what was told.
final class TroubleBench: Sendable, LogSink {
    let free = Locked<Int?>(0)
    let now = Locked<UInt64>(0)
    let records = Locked<[LogRecord]>([])
    let health = Health()

    func write(_ record: LogRecord) { records.withLock { $0.append(record) } }

    func troubles(isOnServer: Bool = false) -> StoreTroubles {
        StoreTroubles(
            directory: "/data", isOnServer: isOnServer, health: health, counters: Counters(),
            log: Log(level: .info, sink: self),
            freeBytes: { [self] in free.withLock { $0 } },
            milliseconds: { [self] in now.withLock { $0 } })
    }

    var text: String { health.troubles.first?.text ?? "" }

    /// Where damage was told of.
    var places: [String] {
        records.withLock { $0.compactMap { $0.fields.first { $0.name == "where" }?.value } }
    }
}

@Suite("Troubles of the store")
struct StoreTroublesTests {
    @Test("a full disk says how many bytes are needed, which those that the log lacks are first")
    func needs() {
        let bench = TroubleBench()
        let troubles = bench.troubles()
        troubles.full(refusing: 1, missing: 196_608)
        #expect(bench.text.contains("(196608 bytes at least)"))
        // Who only looks at the disk knows nothing of the log.
        troubles.look()
        #expect(bench.text.contains("(196608 bytes at least)"))

        bench.free.withLock { $0 = Limits.roomBytesMin - 1000 }
        troubles.foundRoom()
        #expect(bench.text.contains("(1000 bytes at least)"))
        #expect(troubles.isFull)
        bench.free.withLock { $0 = Limits.roomBytesMin }
        troubles.foundRoom()
        #expect(!troubles.isFull)
    }

    @Test("a disk that is full every second is told once a minute, its end as often")
    func tellsOnce() {
        let bench = TroubleBench()
        let troubles = bench.troubles()
        for second in 0..<UInt64(Limits.reminderSeconds) {
            bench.now.withLock { $0 = second * 1000 }
            bench.free.withLock { $0 = 0 }
            troubles.full(refusing: 1, missing: 0)
            bench.free.withLock { $0 = nil }
            troubles.foundRoom()
            #expect(!troubles.isFull)
        }
        #expect(bench.records.withLock { $0.count } == 2)

        bench.now.withLock { $0 += 1000 }
        troubles.full(refusing: 1, missing: 0)
        troubles.foundRoom()
        #expect(bench.records.withLock { $0.count } == 4)
    }

    @Test("of a server's disk nobody knows what it lacks: it has room when writes find some")
    func ofAServer() {
        let bench = TroubleBench()
        bench.free.withLock { $0 = nil }
        let troubles = bench.troubles(isOnServer: true)
        troubles.full(refusing: 1)
        #expect(bench.text.contains("unknown bytes free"))
        #expect(!bench.text.contains("at least"))
        // A small write may have found what a larger one does not.
        bench.now.withLock { $0 = UInt64(Limits.serverRoomSeconds) * 1000 - 1 }
        troubles.foundRoom()
        #expect(troubles.isFull)
        bench.now.withLock { $0 += 1 }
        troubles.foundRoom()
        #expect(!troubles.isFull)
        #expect(bench.records.withLock { $0.count } == 2)
    }

    @Test("a read that failed is forgotten where nobody asks anything else")
    func readsThatFailed() {
        let bench = TroubleBench()
        let troubles = bench.troubles()
        troubles.failedToRead(.inUse(path: "/data"))
        bench.now.withLock { $0 = UInt64(Limits.readsFailingSeconds) * 1000 - 1 }
        troubles.lookAtReads()
        #expect(bench.health.has(.readsFailing))
        bench.now.withLock { $0 += 1 }
        troubles.lookAtReads()
        #expect(!bench.health.has(.readsFailing))
    }
}
