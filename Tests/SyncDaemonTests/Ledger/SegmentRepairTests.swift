// Repairs by segments: which of a device's differ, then which of their rows.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Repairs by segments")
struct SegmentRepairTests: SegmentRepairs {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "any device becomes equal, by what differs alone: what that comes to, or its symbols",
        arguments: StoreUnderTest.embedded, UInt64(1)...15)
    func mends(_ kind: StoreUnderTest, seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let bench = LedgerBench(try kind.make(in: directory))
        live(bench, &choices, steps: 400)
        let key = bench.store.secret.key(of: room)
        let rows = try truth(bench.store)
        for differences in [1, 3, 12] {
            var device = damaged(rows, differences, &choices, key: key)
            let found = try ask(.segments(heardOf: .end), bench) { device.segmentSymbols($0) }
            guard case .segments(let difference, let states) = found else {
                Issue.record("seed \(seed), \(differences): \(found)")
                continue
            }
            let held = rows.count
            let compared = device.all.filter { difference.ranges.contain($0.message) }.count
            if differences < 4 { #expect(compared < held / 2, "seed \(seed)") }
            let outcome = try ask(.rowsOf(difference), bench, looks: 1) {
                device.symbols($0, in: difference.ranges)
            }
            var other = device
            let quick = try askWithStates(difference, states, bench, &other)
            for outcome in [outcome, quick] {
                guard case .repaired(let repaired) = outcome else {
                    Issue.record("seed \(seed), \(differences): \(outcome)")
                    continue
                }
                if outcome == quick { swap(&device, &other) }
                device.apply(repaired)
                #expect(device.all == rows, "seed \(seed), \(differences)")
                #expect(repaired.digest == device.digest)
            }
        }
    }

    @Test("one row that differs is found without reading any other")
    func single() throws {
        var choices = SeededGenerator(seed: 3)
        let bench = LedgerBench()
        live(bench, &choices, steps: 300)
        let key = bench.store.secret.key(of: room)
        let rows = try truth(bench.store).sorted { $0.timetoken < $1.timetoken }
        for index in [0, rows.count / 2, rows.count - 1] {
            var device = RepairingDevice(Set(rows).subtracting([rows[index]]), key: key)
            let found = try ask(.segments(heardOf: .end), bench) { device.segmentSymbols($0) }
            guard case .segments(let difference, let states) = found else {
                Issue.record("\(index): \(found)")
                continue
            }
            let findings = device.findings(in: difference.ranges, states)
            #expect(
                findings.choice
                    == RepairChoice(fetch: [rows[index].wanted(key)], only: []), "\(index)")
            let outcome = try askWithStates(difference, states, bench, &device)
            guard case .repaired(let repaired) = outcome else {
                Issue.record("\(index): \(outcome)")
                continue
            }
            #expect(repaired.rows.count + repaired.messages.count == 1)
            device.apply(repaired)
            #expect(device.all == Set(rows))
        }
    }

    @Test("what is asked for twice, and what is made up, does no harm")
    func madeUp() throws {
        var choices = SeededGenerator(seed: 4)
        let bench = LedgerBench()
        live(bench, &choices, steps: 200)
        let key = bench.store.secret.key(of: room)
        let rows = try truth(bench.store)
        let lost = try #require(rows.max { $0.timetoken < $1.timetoken })
        let device = RepairingDevice(rows.subtracting([lost]), key: key)
        let found = try ask(.segments(heardOf: .end), bench) { device.segmentSymbols($0) }
        guard case .segments(let difference, _) = found else {
            Issue.record("\(found)")
            return
        }
        // The symbols tell of the row that is fetched besides.
        let all = Array(difference.ranges.indices)
        let twice = try #require(
            difference.chosen(RepairChoice(fetch: [lost.wanted(key)], only: all)))
        let outcome = try ask(.rowsOf(twice), bench) { device.symbols($0, in: twice.ranges) }
        guard case .repaired(let repaired) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(repaired.rows.count + repaired.messages.count == 1)
        let none = [
            WantedRow(timetoken: tick(1), tag: 0), WantedRow(timetoken: .end, tag: 0),
            WantedRow(timetoken: lost.timetoken, tag: lost.wanted(key).tag ^ 1),
        ]
        for nothing in none {
            let chosen = try #require(difference.chosen(RepairChoice(fetch: [nothing], only: [])))
            #expect(
                try read(.rowsOf(chosen), device.symbols(0), bench)
                    == .missing([nothing.timetoken]))
        }
    }

    @Test("a device that sends no symbols of stretches that differ is asked for some")
    func noSymbols() throws {
        var choices = SeededGenerator(seed: 6)
        let bench = LedgerBench()
        live(bench, &choices, steps: 100)
        let key = bench.store.secret.key(of: room)
        let none = RepairingDevice(Set<CoveredRow>(), key: key)
        let whole = [MessageRange(after: .zero, through: .end)]
        let difference = SegmentDifference(ranges: whole, cursor: .zero, digest: .empty)
        for subject in [.rows, .rowsOf(difference)] as [RepairQuery.Subject] {
            guard case .needs = try read(subject, none.symbols(0), bench) else {
                Issue.record("nothing is no answer")
                continue
            }
        }
    }

    @Test("segments are read again when the channel is another, and kept within bounds")
    func kept() throws {
        var choices = SeededGenerator(seed: 5)
        let bench = LedgerBench()
        live(bench, &choices, steps: 100)
        let key = bench.store.secret.key(of: room)
        let none = SegmentCache(bytesMax: 0)
        let cache = SegmentCache()
        for step in 0..<20 {
            if step % 3 > 0 { live(bench, &choices, steps: 5) }
            let device = damaged(try truth(bench.store), 2, &choices, key: key)
            try bench.store.makeReader().withSnapshot(of: room) { snapshot throws(StoreError) in
                for count in [4, 200] {
                    let symbols = device.segmentSymbols(count)
                    let cursor = tick(snapshot.cursor.rawValue - UInt64(count))
                    func outcome(_ cache: SegmentCache) throws(StoreError) -> RepairOutcome {
                        try cache.outcome(
                            symbols, heardOf: cursor, in: room, as: snapshot, key: key)
                    }
                    let (fresh, kept) = (try outcome(none), try outcome(cache))
                    #expect(kept == fresh, "step \(step)")
                }
            }
        }
        #expect(none.bytes == 0)
        #expect(cache.bytes > 0)
    }

    @Test("a total that segments do not add up to is told to the operator, and ends in a snapshot")
    func contradiction() throws {
        var choices = SeededGenerator(seed: 3)
        let bench = LedgerBench()
        live(bench, &choices, steps: 100)
        let key = bench.store.secret.key(of: room)
        let device = RepairingDevice(try truth(bench.store), key: key)
        var wrong = try bench.store.digest(of: room)
        wrong.insert(MessageRow(timetoken: tick(1), uuid: "nobody", type: nil), key: key)
        try bench.store.commit(through: 1_000_000) { try $0.setDigest(wrong, of: room) }
        let operators = TroubleBench()
        let cache = SegmentCache(troubles: operators.troubles())

        let outcome = try bench.store.makeReader().withSnapshot(of: room) {
            snapshot throws(StoreError) in
            try cache.outcome(
                device.segmentSymbols(200), heardOf: .end, in: room, as: snapshot, key: key)
        }

        #expect(outcome == .snapshot)
        #expect(operators.places == [Quarantine.Place.channel(room).description])
    }

    @Test(
        "what changes between the levels is left to the pushes from where the first one was",
        arguments: UInt64(1)...10)
    func overtaken(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let bench = LedgerBench()
        live(bench, &choices, steps: 300)
        let key = bench.store.secret.key(of: room)
        let before = try truth(bench.store)
        var device = damaged(before, 3, &choices, key: key)
        let found = try ask(.segments(heardOf: .end), bench) { device.segmentSymbols($0) }
        guard case .segments(let difference, _) = found else {
            Issue.record("seed \(seed): \(found)")
            return
        }
        live(bench, &choices, steps: 20)
        let after = try truth(bench.store)

        let outcome = try ask(.rowsOf(difference), bench) {
            device.symbols($0, in: difference.ranges)
        }

        guard case .repaired(let repaired) = outcome else {
            Issue.record("seed \(seed): \(outcome)")
            return
        }
        device.apply(repaired)
        #expect(repaired.digest == nil)
        #expect(repaired.cursor == difference.cursor)
        func part(_ rows: Set<CoveredRow>, isInside: Bool) -> Set<CoveredRow> {
            rows.filter { difference.ranges.contain($0.message) == isInside }
        }
        // Were a message among them that is deleted again, no push would say so.
        let known = after.filter { $0.timetoken <= difference.cursor }
        #expect(part(device.all, isInside: true) == part(known, isInside: true), "seed \(seed)")
        #expect(part(device.all, isInside: false) == part(before, isInside: false), "seed \(seed)")
    }

    @Test("random symbols of segments do no harm, and end", arguments: UInt64(1)...40)
    func random(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let bench = LedgerBench()
        live(bench, &choices, steps: 60)
        // 16 bytes, and a count of one.
        let bytes = (0..<17 * (choices.below(60) + 1)).map { index in
            index % 17 == 16 ? UInt8(choices.below(5)) : UInt8(choices.below(256))
        }
        let run = try SymbolRun(first: 0, itemCount: 9, bytes: bytes, symbolsMax: 60)
        if case .repaired = try read(.segments(heardOf: .end), run, bench) {
            Issue.record("seed \(seed): what is made up repairs nothing")
        }
    }

    @Test("where too much would be read all rows are compared")
    func tooMuch() throws {
        var choices = SeededGenerator(seed: 1)
        let bench = LedgerBench()
        live(bench, &choices, steps: 300)
        let key = bench.store.secret.key(of: room)
        let empty = RepairingDevice(Set<CoveredRow>(), key: key)
        for count in [4, 2000] {
            let outcome = try bench.store.makeReader().withSnapshot(of: room) {
                snapshot throws(StoreError) in
                var comparison = try SegmentComparison(snapshot, key: key, rowsMax: 50)
                return try comparison.outcome(empty.segmentSymbols(count), as: snapshot)
            }
            #expect(outcome == .whole, "\(count) symbols")
        }
    }
}
