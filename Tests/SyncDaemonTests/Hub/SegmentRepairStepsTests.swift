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
            try hub.take(
                RepairRequest(channel: "room", level: level, run: run), for: subscription,
                command: command
            ).get()
        }
        func answer(_ outcome: RepairOutcome, to command: CommandID) throws -> Reply {
            let origin = Origin(reactor: 3, session: session.id, command: command)
            return try hub.finishRepair(
                outcome,
                for: ReadAnswer(asker: .client(origin), channel: room, result: .repair(outcome))
            ).get()
        }
        #expect(throws: RepairRefusal.self) { try take(run(0), .rows, 1) }
        guard case .segments(heardOf: tick(5)) = try take(run(0), .segments, 2).subject else {
            Issue.record("not of segments")
            return
        }
        // One level does not go on with another one's symbols.
        #expect(throws: RepairRefusal.self) { try take(run(4), .rows, 3) }
        let ranges = [MessageRange(after: tick(1), through: tick(9))]
        let difference = SegmentDifference(ranges: ranges, cursor: tick(5), digest: .empty)
        let states = [StretchState(count: 1, lane: 2, timetokens: 3)]

        #expect(
            try answer(.segments(difference, states: states), to: 2)
                == .repair(.segments(ranges, states: states, symbols: difference.symbolCount)))

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

    @Test("a device that knows more asks for rows, and has less compared; then once more for all")
    func choices() throws {
        let session = bench.open()
        hub.hold(session, on: room, at: tick(5))
        let subscription = try #require(session.subscriptions[room])
        func take(
            _ choice: RepairChoice?, _ run: SymbolRun, _ command: CommandID
        ) -> Result<RepairQuery, RepairRefusal> {
            hub.take(
                RepairRequest(channel: "room", level: .rows, choice: choice, run: run),
                for: subscription, command: command)
        }
        func answer(_ outcome: RepairOutcome, to command: CommandID) throws -> Reply {
            let origin = Origin(reactor: 3, session: session.id, command: command)
            return try hub.finishRepair(
                outcome,
                for: ReadAnswer(asker: .client(origin), channel: room, result: .repair(outcome))
            ).get()
        }
        func ask(_ choice: RepairChoice?, _ command: CommandID) throws -> SegmentDifference? {
            guard case .rowsOf(let difference) = try take(choice, run(0), command).get().subject
            else { return nil }
            return difference
        }
        let ranges = [
            MessageRange(after: tick(1), through: tick(3)),
            MessageRange(after: tick(3), through: tick(9)),
        ]
        let difference = SegmentDifference(ranges: ranges, cursor: tick(5), digest: .empty)
        let segments = RepairRequest(channel: "room", level: .segments, run: run(0))
        _ = hub.take(segments, for: subscription, command: 1)
        _ = try answer(.segments(difference, states: []), to: 1)

        let wanted = [1, 2, 3].map { WantedRow(timetoken: tick($0), tag: 7) }
        let chosen = try ask(RepairChoice(fetch: [wanted[1]], only: [1]), 2)
        #expect(chosen?.ranges == [ranges[1]])
        #expect(chosen?.fetch == [wanted[1]])
        #expect(try answer(.missing([tick(2)]), to: 2) == .repair(.missing([tick(2)])))
        #expect(try ask(RepairChoice(fetch: [], only: [0, 1]), 3)?.ranges == ranges)
        #expect(try ask(nil, 4) == difference)
        for choice in [
            RepairChoice(fetch: [], only: [2]),
            RepairChoice(fetch: wanted, only: []),
        ] {
            guard case .failure(.error(let error)) = take(choice, run(0), 5) else {
                Issue.record("taken: \(choice)")
                continue
            }
            #expect(error.code == "invalid_field")
            #expect(try ask(nil, 6) == difference)
        }
        hub.checkInvariants()
    }
}
