// Rates: what a burst may spend, what comes back with time, and what a strange clock may not do.

import Basis
import Testing

@testable import SyncDaemon

extension TokenBucket {
    /// How many of `count` tokens there are at this moment.
    fileprivate mutating func takeEach(_ count: Int, at milliseconds: UInt64) -> Int {
        (0..<count).count { _ in take(1, at: milliseconds) }
    }
}

@Suite("TokenBucket")
struct TokenBucketTests {
    @Test("a burst spends one second at once, and no more", arguments: [1, 10, 5000])
    func burst(rate: Int) {
        var bucket = TokenBucket(ratePerSecond: rate, at: 7)

        #expect(bucket.takeEach(rate * 2, at: 7) == rate)
    }

    @Test(
        "what was spent comes back at the rate",
        arguments: [(99, 0), (100, 1), (199, 1), (500, 5), (1000, 10)] as [(UInt64, Int)])
    func refill(elapsed: UInt64, tokens: Int) {
        var bucket = TokenBucket(ratePerSecond: 10, at: 1000)
        #expect(bucket.takeEach(10, at: 1000) == 10)

        #expect(bucket.takeEach(50, at: 1000 + elapsed) == tokens)
    }

    @Test("parts of a token add up")
    func parts() {
        var bucket = TokenBucket(ratePerSecond: 2, at: 0)
        #expect(bucket.takeEach(2, at: 0) == 2)

        let taken = [250, 500, 750, 1000].map { bucket.takeEach(1, at: $0) }

        #expect(taken == [0, 1, 0, 1])
    }

    @Test("what costs more than is there costs nothing, and is to be had later")
    func cost() {
        var bucket = TokenBucket(ratePerSecond: 10, at: 0)
        let taken = [(6, 0), (5, 0), (4, 0), (5, 400), (5, 500)].map { bucket.take($0, at: $1) }
        #expect(taken == [true, false, true, false, true])
    }

    @Test("what costs more than a full bucket is to be had for one, and paid off")
    func debt() {
        var bucket = TokenBucket(ratePerSecond: 10, at: 0)
        let taken = [(25, 0), (1, 0), (1, 1500), (1, 1600), (25, 2500), (25, 2600)].map {
            bucket.take($0, at: $1)
        }
        #expect(taken == [true, false, false, true, false, true])
    }

    @Test("a long rest saves up no more than one second")
    func rest() {
        var bucket = TokenBucket(ratePerSecond: 5, at: 0)

        #expect(bucket.takeEach(100, at: 3_600_000) == 5)
        #expect(bucket.takeEach(100, at: .max) == 5)
    }

    @Test("a clock that goes back gives nothing, and does not give the same second twice")
    func clockBack() {
        var bucket = TokenBucket(ratePerSecond: 5, at: 10_000)
        #expect(bucket.takeEach(5, at: 10_000) == 5)

        #expect(bucket.takeEach(5, at: 0) == 0)
        #expect(bucket.takeEach(5, at: 10_000) == 0)
        #expect(bucket.takeEach(5, at: 10_200) == 1)
    }

    @Test(
        "over any time there are at most rate times time, plus one burst", arguments: UInt64(1)...30
    )
    func neverMore(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rate = Int.random(in: 1...100, using: &generator)
        var bucket = TokenBucket(ratePerSecond: rate, at: 0)
        var (now, latest, taken) = (UInt64(0), UInt64(0), 0)
        for _ in 0..<500 {
            let step = UInt64.random(in: 0...200, using: &generator)
            now = generator.chance(10) ? now - min(now, step) : now + step
            latest = max(latest, now)
            taken += bucket.takeEach(Int.random(in: 0...20, using: &generator), at: now)
            #expect(Double(taken) <= Double(rate) * (1 + Double(latest) / 1000) + 0.001)
        }
        #expect(taken > rate)
    }

    @Test("what costs more than there ever is comes when all is there, after its first token, too")
    func putBack() {
        var bucket = TokenBucket(ratePerSecond: 20, at: 0)

        #expect(bucket.takeEach(1, at: 0) == 1)
        bucket.putBack()
        let isTaken = bucket.take(40, at: 0)

        #expect(isTaken)
        #expect(bucket.takeEach(1, at: 1000) == 0)
        #expect(bucket.takeEach(1, at: 2000) == 1)
    }
}
