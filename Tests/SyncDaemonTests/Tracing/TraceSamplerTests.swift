// Which writes are traced, and what becomes of those that nobody takes.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Traces: which")
struct TraceSamplerTests {
    private let room = Channel("room")

    @Test("one in so many, the first among them", arguments: [1, 3, 1000])
    func oneIn(count: Int) {
        let sampler = TraceSampler(oneIn: count)
        let taken = (0..<3000).filter {
            sampler.sample("addAction", in: room, at: UInt64($0)) != nil
        }
        #expect(taken.prefix(2) == [0, count])
        #expect(taken.count == min(3000 / count, Limits.tracesWaitingMax))
    }

    @Test("they are told in their order, not before their time, and so many at once")
    func order() {
        let sampler = TraceSampler(oneIn: 1)
        for moment in 1...5 as ClosedRange<UInt64> {
            _ = sampler.sample("publish", in: room, at: moment)
        }
        func asked(_ moment: UInt64, _ count: Int) -> [UInt64] {
            sampler.take(submittedBefore: moment, atMost: count).map(\.moments.asked)
        }
        #expect(asked(0, 9) == [])
        #expect(asked(4, 3) == [1, 2, 3])
        #expect(asked(4, 3) == [4])
        #expect(asked(9, 3) == [5])
    }

    @Test("where there is no room for one it is counted, and the write goes on without")
    func full() {
        let sampler = TraceSampler(oneIn: 1)
        for _ in 0..<(Limits.tracesWaitingMax + 7) {
            _ = sampler.sample("publish", in: room, at: 1)
        }
        #expect(sampler.dropped == 7)
        #expect(sampler.sample("publish", in: room, at: 1) == nil)
        _ = sampler.take(submittedBefore: 1, atMost: 1)
        #expect(sampler.sample("publish", in: room, at: 1) != nil)
    }
}
