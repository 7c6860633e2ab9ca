// Repairs by segments: what a device cannot have is not compared.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Repairs by segments: news")
struct SegmentNewsTests: SegmentRepairs {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "what was added after what the device has heard of is sent, and all else is compared",
        arguments: StoreUnderTest.embedded, UInt64(1)...20)
    func news(_ kind: StoreUnderTest, seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let bench = LedgerBench(try kind.make(in: directory))
        live(bench, &choices, steps: 300)
        let key = bench.store.secret.key(of: room)
        for differences in [0, 0, 2, 9] {
            var device = damaged(try truth(bench.store), differences, &choices, key: key)
            let held = device.all
            let cursor = try bench.store.makeReader().withSnapshot(of: room) { $0.cursor }
            live(bench, &choices, steps: 30)
            let rows = try truth(bench.store)
            let found = try ask(.segments(heardOf: cursor), bench) { device.segmentSymbols($0) }
            var outcome = found
            if case .segments(let difference, let states) = found {
                outcome = try askWithStates(difference, states, bench, &device)
            } else {
                #expect(held.isSubset(of: rows), "seed \(seed): what is gone has to be found")
            }
            guard case .repaired(let repaired) = outcome else {
                Issue.record("seed \(seed): \(outcome)")
                continue
            }
            device.apply(repaired)
            #expect(device.all == rows, "seed \(seed), \(differences)")
            #expect(repaired.digest == device.digest)
        }
    }

    @Test("who lacks nothing but what was added is told at once; where that is much, all differs")
    func onlyNews() throws {
        var choices = SeededGenerator(seed: 8)
        let bench = LedgerBench()
        live(bench, &choices, steps: 300)
        let key = bench.store.secret.key(of: room)
        let before = try truth(bench.store)
        let device = RepairingDevice(before, key: key)
        let cursor = try bench.store.makeReader().withSnapshot(of: room) { $0.cursor }
        let message = try #require(before.map(\.message).max())
        for user in ["ada", "bob", "eve"] {
            let key = MessageAction.Key(
                messageTimetoken: message, type: "reaction", value: "new", uuid: user)
            _ = bench.commit(write(.add(key)))
        }
        _ = bench.commit(write(.publish(.numbered(1), hoursKept: 0)))
        try bench.store.makeReader().withSnapshot(of: room) { snapshot throws(StoreError) in
            for (newsMax, isTold) in [(4, true), (3, false)] {
                var comparison = try SegmentComparison(snapshot, key: key, newsMax: newsMax)
                let outcome = try comparison.outcome(
                    device.segmentSymbols(64), heardOf: cursor, as: snapshot)
                if case .repaired(let channel) = outcome {
                    #expect(isTold)
                    #expect(channel.rows.count == 3)
                    #expect(channel.messages.count == 1)
                    #expect(channel.drop.isEmpty)
                } else if case .segments(let difference, _) = outcome {
                    #expect(!isTold)
                    #expect(difference.heardOf == .end)
                } else {
                    Issue.record("\(outcome)")
                }
            }
        }
    }
}
