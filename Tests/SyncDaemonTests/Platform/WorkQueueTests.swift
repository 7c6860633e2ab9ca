// Work for sleeping threads: each item is done once, and a closed queue is emptied first.

import Basis
import Glibc
import Testing

@testable import SyncDaemon

@Suite("WorkQueue")
struct WorkQueueTests {
    @Test("items come out oldest first, at most as many as asked for")
    func order() {
        let queue = WorkQueue<Int>(capacity: 10)
        for number in 0..<5 { #expect(queue.put(number)) }

        #expect(queue.take(atMost: 2) == [0, 1])
        #expect(queue.count == 3)
        #expect(queue.take(atMost: 10) == [2, 3, 4])
        #expect(queue.count == 0)
    }

    @Test("a full queue takes nothing until something is taken")
    func capacity() {
        let queue = WorkQueue<Int>(capacity: 2)

        #expect(queue.put(1))
        #expect(queue.put(2))
        #expect(!queue.put(3))
        #expect(queue.take(atMost: 1) == [1])
        #expect(queue.put(4))
        #expect(queue.take(atMost: 9) == [2, 4])
    }

    @Test("a closed queue refuses items, gives what is left, and then nothing")
    func close() {
        let queue = WorkQueue<Int>(capacity: 10)
        for number in 0..<3 { #expect(queue.put(number)) }

        queue.close()

        #expect(!queue.put(3))
        #expect(queue.take(atMost: 2) == [0, 1])
        #expect(queue.take(atMost: 2) == [2])
        #expect(queue.take(atMost: 2) == [])
        #expect(queue.take(atMost: 2) == [])
    }

    @Test("a nudge has every reader that sleeps come round with nothing")
    func nudge() {
        let queue = WorkQueue<Int>(capacity: 10)
        let rounds = [Heartbeat(), Heartbeat()]
        let readers = rounds.map { round in
            TestThread("reader") {
                while queue.take(atMost: 1).isEmpty { round.beat() }
            }
        }

        // Again and again: who is on the way to sleep does not hear it.
        while rounds.contains(where: { $0.count == 0 }) { queue.nudge() }

        for _ in readers { #expect(queue.put(1)) }
        for reader in readers { reader.join() }
    }

    @Test("closing wakes every reader that sleeps")
    func closeWakes() {
        let queue = WorkQueue<Int>(capacity: 1)
        let finished = Locked(0)
        let readers = startReaders(4) {
            if queue.take(atMost: 1).isEmpty { finished.withLock { $0 += 1 } }
        }

        queue.close()
        for reader in readers { reader.join() }

        #expect(finished.withLock { $0 } == 4)
    }

    @Test("many readers take each item once", arguments: [1, 3, 100])
    func manyReaders(limit: Int) {
        let (items, capacity) = (20_000, 50)
        let queue = WorkQueue<Int>(capacity: capacity)
        let taken = Locked(Array(repeating: 0, count: items))
        let readers = startReaders(4) {
            while true {
                let work = queue.take(atMost: limit)
                if work.isEmpty { return }
                #expect(work.count <= limit)
                taken.withLock { taken in
                    for item in work { taken[item] += 1 }
                }
            }
        }

        for item in 0..<items {
            while !queue.put(item) { sched_yield() }
        }
        queue.close()
        for reader in readers { reader.join() }

        #expect(taken.withLock { $0 } == Array(repeating: 1, count: items))
    }

    private func startReaders(
        _ count: Int, _ body: @escaping @Sendable () -> Void
    ) -> [TestThread] {
        (0..<count).map { TestThread("reader-\($0)", body) }
    }
}
