// Whatever stands still, and for how long: what comes goes on in its order.

import Testing

@testable import syncsim

@Suite struct StandstillTests {
    private let scheduler = Scheduler()

    /// - Parameters:
    ///   - stops: When it is told to stand still, and for how long.
    ///   - moments: When something comes.
    /// - Returns: When what went on, by number.
    private func run(
        stops: [(at: UInt64, length: UInt64)], moments: [UInt64]
    ) -> [(number: Int, at: UInt64)] {
        let standstill = Standstill(on: scheduler)
        var done: [(number: Int, at: UInt64)] = []
        for stop in stops {
            scheduler.at(stop.at) { standstill.last(for: stop.length) }
        }
        for (number, moment) in moments.enumerated() {
            scheduler.at(moment) { [scheduler] in
                standstill.pass { done.append((number, scheduler.now)) }
            }
        }
        while scheduler.step(until: 1000) {}
        return done
    }

    @Test func whatComesMeanwhileGoesOnAfterwards() {
        let done = run(stops: [(at: 10, length: 20)], moments: [5, 15, 25, 30, 40])
        #expect(done.map(\.number) == [0, 1, 2, 3, 4])
        #expect(done.map(\.at) == [5, 30, 30, 30, 40])
    }

    /// What was held by the first time was held once more, behind what the second time held.
    @Test func twoTimesThatOverlapKeepTheOrder() {
        let done = run(
            stops: [(at: 10, length: 20), (at: 20, length: 50), (at: 22, length: 1)],
            moments: [15, 25, 35, 70, 71])
        #expect(done.map(\.number) == [0, 1, 2, 3, 4])
        #expect(done.map(\.at) == [70, 70, 70, 70, 71])
    }

    @Test func whatIsDoneMayStopTheRest() {
        let standstill = Standstill(on: scheduler)
        var done: [UInt64] = []
        standstill.last(for: 10)
        for _ in 0..<3 {
            standstill.pass { [scheduler] in
                done.append(scheduler.now)
                standstill.last(for: 5)
            }
        }
        while scheduler.step(until: 1000) {}
        #expect(done == [10, 15, 20])
    }
}
