// How many rows are removed at a time, of what a large deletion has hidden.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: steps of a removal")
struct RemovalStepTests {
    @Test("steps that take long become smaller, down to an eighth, and grow again")
    func pacesSteps() {
        var step = RemovalStep(rowsMax: 1000)
        func rows(after milliseconds: UInt64...) -> [Int] {
            milliseconds.map {
                step.lasted(microseconds: 1000 * $0)
                return step.rows
            }
        }
        let aim = UInt64(Limits.deletionStepMilliseconds)
        #expect(rows(after: aim, aim + 1, aim + 1, aim + 1, 9000) == [1000, 500, 250, 125, 125])
        #expect(rows(after: aim / 4, aim / 5, 0, 0, 0) == [125, 250, 500, 1000, 1000])
        step = RemovalStep(rowsMax: 4)
        #expect(rows(after: 9000, 9000, 9000, 9000) == [2, 1, 1, 1])
    }

    @Test("where there is no room for a step there may be some for a smaller one")
    func removesFewer() throws {
        let store = FaultyStore()
        let bench = LedgerBench(store, deletedRowsMax: 16)
        store.hiddenSteps = 2
        store.removableRows = 3
        while bench.hasWork { #expect(bench.work() == nil) }
        #expect(store.removals == [16, 8, 4, 2, 2])
        #expect(bench.failure == nil)
        store.hiddenSteps = 1
        store.removableRows = 0
        #expect(bench.work() == nil)
        #expect(store.removals.suffix(2) == [2, 1])
        #expect(bench.failure == .full)
        bench.ledger.checkInvariants()
    }
}
