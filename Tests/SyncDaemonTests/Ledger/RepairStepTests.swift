// Repairs in steps: a channel that changes while it is read, and several questions at once.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Repairs in steps")
struct RepairStepTests {
    private let room = Channel("room")

    private func question(_ symbols: SymbolRun, _ command: CommandID) -> Reading {
        let session = SessionID(slot: UInt32(command), generation: 1)
        let origin = Origin(reactor: 0, session: session, command: command)
        return Reading(
            ReadRequest(
                asker: .client(origin), channel: room,
                query: .repair(RepairQuery(symbols: symbols))))
    }

    private func truth(_ store: any Store) throws -> Set<MessageAction> {
        var rows: Set<MessageAction> = []
        try store.makeReader().withSnapshot(of: room) { snapshot throws(StoreError) in
            try snapshot.forEachAction { rows.insert($0) }
        }
        return rows
    }

    @Test(
        "rows that come, go and come back between steps end up as they stand",
        arguments: StoreUnderTest.embedded, UInt64(1)...6)
    func mixedCommits(_ kind: StoreUnderTest, seed: UInt64) throws {
        let directory = try ScratchDirectory()
        // Every third one forgets tombstones at once: then steps cannot be put together.
        let bench = LedgerBench(
            try kind.make(in: directory), tombstoneTicksKept: seed % 3 == 0 ? 0 : 1 << 60)
        var choices = SeededGenerator(seed: seed)
        _ = bench.commit((1...150).map { write(.add(.on($0))) })
        let cache = RepairCache(secret: bench.store.secret)
        let reader = try bench.store.makeReader()
        let key = bench.store.secret.key(of: room)
        let order = EventOrder(
            after: .zero, ceiling: .end, wallTicks: { 1 }, receiver: Steps(), askForCeiling: {})
        var device = RepairingDevice(rows: try truth(bench.store), key: key)
        var symbols = device.symbols(32)
        var steps = 0

        for _ in 0..<20 {
            var reading = question(symbols, 1)
            var result: ReadAnswer.Result?
            while result == nil {
                steps += 1
                var left = choices.below(12)
                let step = reading.step(
                    from: reader, order, ReaderCaches(repairs: cache, secret: bench.store.secret)
                ) {
                    left -= 1
                    return left >= 0
                }
                if case .done(let answer) = step { result = answer.result }
                if choices.chance(50) { change(bench, &choices) }
            }
            guard case .repair(let outcome) = result else {
                Issue.record("seed \(seed): \(String(describing: result))")
                return
            }
            switch outcome {
            case .needs(let count): symbols = device.symbols(count)
            case .repaired(let repaired):
                device.apply(repaired)
                #expect(device.digest == repaired.digest, "seed \(seed)")
                symbols = device.symbols(32)
            case .snapshot, .segments, .missing, .whole: Issue.record("seed \(seed): \(outcome)")
            }
        }
        _ = try device.repair(room, with: cache, from: reader, looks: 3)
        #expect(try device.rows == truth(bench.store), "seed \(seed)")
        #expect(steps > 30)
    }

    /// One commit of somebody else.
    private func change(_ bench: LedgerBench, _ choices: inout SeededGenerator) {
        let number = UInt64(1 + choices.below(160))
        switch choices.below(8) {
        case 0:
            let end = tick(number)
            _ = bench.commit(
                write(.deleteMessages(after: tick(number - 1), through: end)),
                write(.add(.on(number, "again"))))
        case 1, 2: _ = bench.commit(write(.remove(.on(number), observed: nil)))
        case 3: _ = bench.commit(write(.clear(Clearing(messageTimetoken: tick(number)))))
        default: _ = bench.commit(write(.add(.on(number))))
        }
    }

    @Test("who asks for a channel that is being read waits, and it is read once")
    func parks() throws {
        let bench = LedgerBench(MemoryStore())
        _ = bench.commit((1...50).map { write(.add(.on($0))) })
        let cache = RepairCache(secret: bench.store.secret)
        let reads = Locked(0)
        let reader = CountingReader(try bench.store.makeReader(), wholeReads: reads)
        let key = bench.store.secret.key(of: room)
        let symbols = RepairingDevice(rows: try truth(bench.store), key: key).symbols(32)
        let questions = (1...3).map { question(symbols, $0).request }
        var work: RepairWork?
        func step(_ index: Int, _ work: inout RepairWork?, looks: Int) throws -> RepairCache.Step {
            var left = looks
            return try cache.step(
                &work, symbols, in: room, from: reader, parking: questions[index]
            ) {
                left -= 1
                return left >= 0
            }
        }
        guard case .goesOn = try step(0, &work, looks: 10) else {
            Issue.record("50 rows in one step of 11")
            return
        }
        for index in 1...2 {
            var none: RepairWork?
            guard case .waits = try step(index, &none, looks: .max) else {
                Issue.record("two read the same")
                return
            }
        }
        #expect(cache.takeReleased().isEmpty)

        guard case .outcome(.repaired) = try step(0, &work, looks: .max) else {
            Issue.record("the first is not answered")
            return
        }
        let released = cache.takeReleased()
        #expect(released.map(\.asker) == questions.dropFirst().map(\.asker))
        for index in 1...2 {
            var none: RepairWork?
            guard case .outcome(.repaired) = try step(index, &none, looks: 0) else {
                Issue.record("what was read is read again")
                return
            }
        }
        #expect(reads.withLock { $0 } == 1)
    }

    @Test("one channel may be larger than all others together, and is kept")
    func largeSet() throws {
        let bench = LedgerBench(MemoryStore())
        let channels = (0..<4).map { Channel("c\($0)") }
        for channel in channels {
            let count = UInt64(channel == channels[0] ? 2000 : 20)
            _ = bench.commit((1...count).map { write(.add(.on($0)), channel: channel) })
        }
        let cache = RepairCache(secret: bench.store.secret, bytesMax: 50_000)
        let reads = Locked(0)
        let reader = CountingReader(try bench.store.makeReader(), wholeReads: reads)
        for _ in 0..<5 {
            for channel in channels {
                let key = bench.store.secret.key(of: channel)
                let symbols = RepairingDevice(rows: [], key: key).symbols(32)
                _ = try cache.outcome(of: symbols, in: channel, from: reader)
            }
        }

        #expect(reads.withLock { $0 } == 4)
        #expect(cache.bytes > 50_000)
    }

    @Test("two large channels are read one after the other; a small one does not wait")
    func crowded() throws {
        let bench = LedgerBench(MemoryStore())
        let channels = (0..<3).map { Channel("c\($0)") }
        for (index, channel) in channels.enumerated() {
            let count: UInt64 = index < 2 ? 500 : 20
            _ = bench.commit((1...count).map { write(.add(.on($0)), channel: channel) })
        }
        let cache = RepairCache(secret: bench.store.secret, bytesMax: 40_000)
        let reader = try bench.store.makeReader()
        var works: [RepairWork?] = [nil, nil, nil]
        func step(_ index: Int, looks: Int) throws -> RepairCache.Step {
            var left = looks
            let key = bench.store.secret.key(of: channels[index])
            let symbols = RepairingDevice(rows: [], key: key).symbols(32)
            let request = ReadRequest(
                asker: .state(reactor: index), channel: channels[index],
                query: .repair(RepairQuery(symbols: symbols)))
            return try cache.step(
                &works[index], symbols, in: channels[index], from: reader, parking: request
            ) {
                left -= 1
                return left >= 0
            }
        }

        guard case .goesOn = try step(0, looks: 3), case .waits = try step(1, looks: 3),
            case .outcome = try step(2, looks: .max)
        else {
            Issue.record("the room is not what decides")
            return
        }
        // Whenever somebody has read, those who wait for room look whether it is enough.
        #expect(cache.takeReleased().map(\.asker) == [.state(reactor: 1)])
        guard case .waits = try step(1, looks: 3), cache.takeReleased().isEmpty,
            case .outcome = try step(0, looks: .max)
        else {
            Issue.record("the second did not wait for the first")
            return
        }
        #expect(cache.takeReleased().map(\.asker) == [.state(reactor: 1)])
    }
}
