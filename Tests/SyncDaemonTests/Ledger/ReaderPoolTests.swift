// Readers: made before anybody is told that the daemon is ready.

import Basis
import EventModel
import Glibc
import Testing

@testable import SyncDaemon

@Suite("ReaderPool")
struct ReaderPoolTests {
    private struct Nobody: ReadReceiver, CommitReceiver {
        func deliver(_ answer: ReadAnswer) {}
        func publish(_ step: Commit) {}
    }

    @Test("each thread has its reader before the pool is there, however long that takes")
    func made() {
        let store = MemoryStore()
        let (make, made) = (store.makeReader, Locked(0))
        let health = Health()
        let troubles = StoreTroubles(
            directory: "", health: health, counters: Counters(),
            log: Log(level: .error, sink: TextSink()))
        let caches = ReaderCaches(
            repairs: RepairCache(secret: store.secret), secret: store.secret)
        let order = EventOrder(
            after: .zero, ceiling: .zero, wallTicks: { 1 }, receiver: Nobody(),
            askForCeiling: {})

        let pool = ReaderPool(
            count: 3,
            makeReader: { () throws(StoreError) in
                usleep(20_000)
                made.withLock { $0 += 1 }
                return try make()
            },
            surroundings: ReaderPool.Surroundings(
                order: order, caches: caches, counters: Counters(),
                quarantine: Quarantine(troubles: troubles), troubles: troubles,
                receiver: Nobody()), fail: { _ in })

        #expect(made.withLock { $0 } == 3)
        #expect(pool.backlog == 0)
    }
}
