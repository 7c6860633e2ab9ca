// The levels of a repair, as one subscription goes through them.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Repairs by segments: one subscription")
struct SegmentRepairStepsTests {
    private let bench = HubBench()
    private var hub: Hub { bench.hub }
    private var room: Channel { bench.room }

    private func run(_ first: Int) -> SymbolRun {
        SymbolRun(
            first: first, itemCount: 3, symbols: Array(repeating: .empty, count: 4))
    }

    @Test("rows of segments are compared once it is known which differ, and not before")
    func levels() throws {
        let session = bench.open()
        hub.hold(session, on: room, at: tick(5))
        let subscription = try #require(session.subscriptions[room])
        func take(
            _ run: SymbolRun, _ level: RepairLevel, _ command: CommandID
        ) throws -> RepairQuery {
            try hub.take(run, of: level, for: subscription, command: command).get()
        }
        func answer(_ outcome: RepairOutcome, to command: CommandID) throws -> Reply {
            let origin = Origin(reactor: 3, session: session.id, command: command)
            return try hub.finishRepair(
                outcome,
                for: ReadAnswer(asker: .client(origin), channel: room, result: .repair(outcome))
            ).get()
        }
        #expect(throws: RepairRefusal.self) { try take(run(0), .rows, 1) }
        guard case .segments = try take(run(0), .segments, 2).subject else {
            Issue.record("not of segments")
            return
        }
        // One level does not go on with another one's symbols.
        #expect(throws: RepairRefusal.self) { try take(run(4), .rows, 3) }
        let ranges = [MessageRange(after: tick(1), through: tick(9))]
        let difference = SegmentDifference(
            ranges: ranges, count: 1, cursor: tick(5), digest: .empty)

        #expect(
            try answer(.segments(difference), to: 2)
                == .repair(.segments(ranges, symbols: difference.symbolCount)))

        #expect(session.repairSymbolCount == 0)
        for command in [4, 5] as [CommandID] {
            guard case .rowsOf(difference) = try take(run(0), .rows, command).subject else {
                Issue.record("not of these segments")
                return
            }
        }
        #expect(try answer(.whole, to: 5) == .repair(.whole))
        #expect(throws: RepairRefusal.self) { try take(run(0), .rows, 6) }
        #expect(try take(run(0), .whole, 7).symbols == run(0))
        hub.checkInvariants()
    }
}
