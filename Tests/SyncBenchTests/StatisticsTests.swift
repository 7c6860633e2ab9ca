// Percentiles, medians and how numbers are written.

import Basis
import Testing

@testable import syncbench

@Suite("Statistics of measurements")
struct StatisticsTests {
    @Test("percentiles are right to one percent, whatever the size", arguments: 1...8)
    func percentiles(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var histogram = Histogram()
        let values = (0..<5000).map { _ in
            UInt64.random(
                in: 0...(1 << UInt64.random(in: 1...41, using: &generator)), using: &generator)
        }.sorted()

        for value in values.shuffled(using: &generator) { histogram.add(value) }

        #expect(histogram.count == values.count)
        for share in [0.01, 0.5, 0.9, 0.99, 1] {
            let exact = Double(values[Int((5000 * share).rounded(.up)) - 1])
            let found = try #require(histogram.percentile(share))
            #expect(abs(found - exact) <= exact * 0.01)
        }
    }

    @Test("small values are exact, an hour is the longest, and none is no percentile")
    func edges() throws {
        var histogram = Histogram()
        #expect(histogram.percentile(0.5) == nil)

        for value: UInt64 in 0...255 { histogram.add(value) }
        #expect(histogram.percentile(0.5) == 127)
        #expect(histogram.percentile(0) == 0)
        #expect(histogram.percentile(1) == 255)

        histogram.add(.max)
        let longest = try #require(histogram.percentile(1))
        #expect(abs(longest / 3.6e12 - 1) < 0.01)
    }

    @Test("the median of an even number lies between the middle two")
    func medians() {
        #expect([Double]().median == nil)
        #expect([3].median == 3)
        #expect([9, 1, 5].median == 5)
        #expect([9, 1, 5, 6].median == 5.5)
    }

    @Test(
        "numbers are written as people read them",
        arguments: [
            (0, "0"), (0.3424, "0.342"), (5.609, "5.61"), (12.34, "12.3"), (99.96, "100.0"),
            (123.4, "123"), (2_359_602.3, "2,359,602"), (-1.5, "-1.50"), (.infinity, "–"),
        ])
    func readable(number: Double, text: String) {
        #expect(number.readable == text)
    }

    @Test("a schedule does not wait for anything and loses nothing")
    func schedule() {
        var schedule = Schedule(start: 1000, rate: 10_000_000)  // One in 100 ns.

        #expect(schedule.next(at: 999) == nil)
        #expect(schedule.next(at: 1000) == 1000)
        #expect(schedule.next(at: 1099) == nil)
        var due: [UInt64] = []
        while let moment = schedule.next(at: 1450) { due.append(moment) }
        #expect(due == [1100, 1200, 1300, 1400])
        #expect(schedule.count == 5)
    }
}
