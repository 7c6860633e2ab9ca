// What is counted as a turn, and where.

import Testing

@testable import SyncDaemon

@Suite("Durations")
struct DurationsTests {
    @Test("a turn is the time that passed, less what the loop waited")
    func clock() {
        var clock = TurnClock(at: 1_000_000, idle: 500)
        var turns: [UInt64] = []
        turns.append(clock.endTurn(at: 6_000_000, idle: 3_000_500))
        turns.append(clock.endTurn(at: 7_000_000, idle: 3_000_500))
        // Both clocks are read one after the other.
        turns.append(clock.endTurn(at: 8_000_000, idle: 5_000_000))
        #expect(turns == [2000, 1000, 0])
    }

    @Test("each turn is in one bucket, a bound in its own")
    func buckets() {
        let times = Durations(upTo: Durations.turns)
        for microseconds in [0, 1000, 1001, 50_000, 50_001, 2_000_000] as [UInt64] {
            times.add(microseconds)
        }

        #expect(times.figures.counts == [2, 1, 0, 0, 1, 1, 0, 0, 1])
        #expect(times.figures.microseconds == 2_102_002)

        let together = Durations(upTo: Durations.turns)
        together.add([0, 1000, 1001])
        together.add([])
        together.add([50_000, 50_001, 2_000_000])
        #expect(together.figures.counts == times.figures.counts)
        #expect(together.figures.microseconds == times.figures.microseconds)
    }
}
