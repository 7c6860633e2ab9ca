// Segments stay short enough to be read at once, whoever chooses what is deleted.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Segments: length")
struct SegmentLengthTests: SegmentRepairs {
    private let directory: ScratchDirectory
    private let mean = LedgerBench.segmentMessages
    private var messagesMax: Int { mean * Limits.segmentMeansMax }

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Publishes, and deletes each message that begins a segment: at once, or all in the end.
    private func grind(_ bench: LedgerBench, atOnce: Bool, messages count: Int = 400) {
        var first: [Timetoken] = []
        for _ in 0..<count {
            bench.wall += 7
            let message = bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last
            guard message.beginsSegment(ofMessages: mean) else { continue }
            first.append(message)
            if atOnce { delete(first.removeLast(), bench) }
        }
        for message in first { delete(message, bench) }
    }

    private func delete(_ message: Timetoken, _ bench: LedgerBench) {
        _ = bench.commit(write(.deleteMessages(after: message.predecessor, through: message)))
    }

    @Test(
        "a writer who deletes what begins segments makes none that is too large",
        arguments: StoreUnderTest.embedded, [true, false])
    func grinding(_ kind: StoreUnderTest, atOnce: Bool) throws {
        let bench = LedgerBench(try kind.make(in: directory))
        grind(bench, atOnce: atOnce)
        let found = try storedSegments(of: room, in: bench.store)

        #expect(try found == recomputedSegments(of: room, in: bench.store))
        #expect(found.allSatisfy { $0.messageCount <= messagesMax })
        // Nor do they stay as short as they were: a deletion makes one of two.
        #expect(found.count < 40)
        #expect(try recomputedCuts(of: room, in: bench.store) == [])
    }

    @Test("nor one with very many reactions", arguments: [0, 1])
    func reactions(over: Int) throws {
        let bench = LedgerBench(segmentMessages: 1_000_000)
        let ledger = bench.ledger
        let start = Timetoken(rawValue: 5_000_000)
        let before = Segment(after: .zero)
        var large = Segment(after: start.predecessor)
        let message = MessageRow(timetoken: start, uuid: "ada", type: nil)
        try bench.store.commit(through: 999) { store in
            let count = Limits.segmentJoinedRowsMax + over
            let hash = CoveredRow.message(message).hash(store.secret.key(of: room))
            for _ in 0...count { large.insert(.message(message), hash) }
            large.messageCount = 1
            try store.setSegment(before, of: room)
            try store.setSegment(large, of: room)
            try ledger.digests.remove(.message(message), in: room, of: store)
            _ = try ledger.digests.write(to: store)
        }

        let found = try storedSegments(of: room, in: bench.store)

        #expect(found.count == 1 + over)
        #expect(found[0].digest.count == Int64(Limits.segmentJoinedRowsMax + over))
    }

    @Test(
        "a device, which cuts by the messages alone, is repaired all the same",
        arguments: UInt64(1)...10)
    func repairs(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let bench = LedgerBench()
        grind(bench, atOnce: seed.isMultiple(of: 2), messages: 200)
        live(bench, &choices, steps: 100)
        let key = bench.store.secret.key(of: room)
        let rows = try truth(bench.store)
        for differences in [0, 1, 5] {
            var device = damaged(rows, differences, &choices, key: key)
            var outcome = try ask(.segments(heardOf: .end), bench) { device.segmentSymbols($0) }
            if case .segments(let difference, let states) = outcome {
                outcome = try askWithStates(difference, states, bench, &device)
            }
            guard case .repaired(let repaired) = outcome else {
                Issue.record("seed \(seed), \(differences): \(outcome)")
                continue
            }
            device.apply(repaired)
            #expect(device.all == rows, "seed \(seed), \(differences)")
        }
    }
}
