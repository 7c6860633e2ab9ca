// The micro-benchmarks at a tiny size, and what they must show whatever the machine.

import CAllocations
import Testing

@testable import microbench

@Suite("microbench")
struct MicroBenchTests {
    @Test("every operation is measured once and costs something")
    func smoke() {
        let effort = Effort(rounds: 1, round: .microseconds(1), sizeMax: 100)

        let table = MicroBenchmark.table(effort)

        let operations = table.rows.map(\.operation).filter { !$0.hasPrefix("…") }
        #expect(operations.count > 15)
        #expect(Set(operations).count == operations.count)
        for row in table.rows where !row.operation.hasSuffix("adds") {
            #expect(row.cost.nanoseconds > 0, "\(row.operation)")
        }
        #expect(table.text.split(separator: "\n").count == table.rows.count + 2)
    }

    @Test("each check is timed with a code that is wrong early, and wrong late")
    func constantTime() {
        let result = ConstantTime(samples: 50)

        #expect(result.rows.count == 5)
        #expect(result.rows.allSatisfy { $0.comparison.early.mean > 0 && $0.comparison.ratio > 0 })
        #expect(result.text.split(separator: "\n").count == 7)
    }

    @Test("two samples are compared without their slowest values")
    func comparison() {
        let early = TimeComparison.Sample([1, 2, 3])
        #expect(early.mean == 2 && early.variance == 1)
        let one = (0..<1000).map { Double(100 + $0 % 10) }
        let same = TimeComparison(one + [90_000], one + [100_000])
        #expect(same.ratio == 1 && same.statistic == 0)
        let slower = TimeComparison(one, one.map { $0 + 2 })
        #expect(slower.statistic > 4.5 && slower.ratio > 1)
    }

    @Test("a cost is shared out, and told apart from what is fixed")
    func costs() {
        let few = Cost(nanoseconds: 1500, allocations: 12)
        let many = Cost(nanoseconds: 10_500, allocations: 12)

        let marginal = many.marginal(over: few, parts: 900)

        #expect(marginal.nanoseconds == 10)
        #expect(marginal.allocations == 0)
        #expect(many.divided(by: 1000).nanoseconds == 10.5)
    }

    @Test("allocations are counted", .enabled(if: sync_counts_allocations()))
    func counting() {
        func allocations(_ body: () -> Int) -> UInt64 {
            let before = sync_allocation_count()
            #expect(body() > 0)
            return sync_allocation_count() - before
        }

        let none = allocations { 1 }
        let some = allocations { (0..<100).map { Array(repeating: 0, count: $0 + 1) }.count }

        #expect(some >= none + 100)
    }

    /// What this build allocates for each step of a `for` over an array: without the optimiser
    /// one, which says nothing about the hub.
    private func allocationsPerStep() -> Double {
        let objects = (0..<1000).map { _ in CountingTransport() }
        var found = 0
        let before = sync_allocation_count()
        for object in objects where object === objects[0] { found += 1 }
        let allocations = sync_allocation_count() - before
        #expect(found == 1)
        return Double(allocations / UInt64(objects.count))
    }

    /// Followers of whom each gets every event.
    private static let crowds = [100, 1000]

    @Test(
        "a turn of the hub allocates as much for a thousand followers as for a hundred",
        .enabled(if: sync_counts_allocations()),
        arguments: [(events: 1, channels: 1), (50, 1), (2, 2)])
    func steadyState(events: Int, channels: Int) {
        let turns = 20
        let allocations = Self.crowds.map { followers in
            let load = HubLoad(followers: followers, channels: channels)
            load.warmUp(events: events)
            let commits = load.commits(turns, events: events)
            let before = sync_allocation_count()
            let deliveries = load.run(commits)
            let allocations = sync_allocation_count() - before
            #expect(deliveries == turns * events * followers)
            return Double(allocations) / Double(turns)
        }

        #expect(allocations[0] > 0)
        let steps = Double((Self.crowds[1] - Self.crowds[0]) * channels) * allocationsPerStep()
        #expect(abs(allocations[1] - allocations[0] - steps) <= 3, "\(allocations)")
    }
}
