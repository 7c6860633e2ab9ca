// Telling another thread: nothing is lost, nothing overtakes, and one wake-up serves many.

import Basis
import Glibc
import Testing

@testable import SyncDaemon

@Suite("Mailbox")
struct MailboxTests {
    @Test("messages come out once, in the order in which they were posted")
    func order() {
        let mailbox = Mailbox<Int>(capacity: 10)
        var batch = [99]

        for number in 0..<5 { #expect(mailbox.post(number)) }
        #expect(mailbox.count == 5)
        mailbox.drain(into: &batch)
        #expect(batch == [0, 1, 2, 3, 4])
        mailbox.drain(into: &batch)
        #expect(batch == [])
        #expect(mailbox.count == 0)
    }

    @Test("a full mailbox takes nothing until it is drained")
    func capacity() {
        let mailbox = Mailbox<Int>(capacity: 2)
        var batch: [Int] = []

        for _ in 0..<3 {
            #expect(mailbox.post(1))
            #expect(mailbox.post(2))
            #expect(!mailbox.post(3))
            mailbox.drain(into: &batch)
            #expect(batch == [1, 2])
        }
    }

    @Test("the reader is woken once per batch, and not by what was refused")
    func wakes() {
        let mailbox = Mailbox<Int>(capacity: 3)
        let wakes = Locked(0)
        mailbox.setWake { wakes.withLock { $0 += 1 } }
        var batch: [Int] = []

        for round in 1...4 {
            for number in 0..<5 { #expect(mailbox.post(number) == (number < 3)) }
            #expect(wakes.withLock { $0 } == round)
            mailbox.drain(into: &batch)
        }

        mailbox.setWake(nil)
        #expect(mailbox.post(1))
        #expect(wakes.withLock { $0 } == 4)
    }

    @Test("what many threads post arrives whole, each thread's in its order, and wakes the reader")
    func threads() {
        let (writers, each) = (4, 5000)
        let mailbox = Mailbox<(writer: Int, number: Int)>(capacity: 64)
        let wakes = WorkQueue<Void>(capacity: 1_000_000)
        mailbox.setWake { _ = wakes.put(()) }
        let threads = (0..<writers).map { writer in
            TestThread("writer-\(writer)") {
                for number in 0..<each {
                    while !mailbox.post((writer, number)) { sched_yield() }
                }
            }
        }

        // The reader sleeps until it is woken: a missing wake-up would leave it asleep for ever.
        var next = Array(repeating: 0, count: writers)
        var batch: [(writer: Int, number: Int)] = []
        while next.reduce(0, +) < writers * each {
            _ = wakes.take(atMost: .max)
            mailbox.drain(into: &batch)
            #expect(batch.count <= 64)
            for message in batch {
                #expect(message.number == next[message.writer])
                next[message.writer] = message.number + 1
            }
        }

        #expect(next == Array(repeating: each, count: writers))
        for thread in threads { thread.join() }
    }
}
