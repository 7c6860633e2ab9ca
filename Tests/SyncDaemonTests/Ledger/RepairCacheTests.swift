// Repairs: every difference is found, a channel is read once, and nobody can make anything up.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Repairs")
struct RepairCacheTests {
    private let room = Channel("room")
    private let store: MemoryStore

    init() {
        // Of a thousand secrets one lets a question of few symbols fail.
        var generator = SeededGenerator(seed: 1)
        store = MemoryStore(secret: .random(using: &generator))
    }

    private var device: RepairingDevice {
        RepairingDevice(rows: [], key: store.secret.key(of: room))
    }

    /// Adds actions as a ledger does, on messages of their own.
    private func add(_ timetokens: ClosedRange<UInt64>, valueBytes: Int = 1) throws {
        let key = store.secret.key(of: room)
        try store.commit(through: timetokens.upperBound) {
            var digest = try $0.digest(of: room)
            for number in timetokens {
                let value = String(repeating: "v", count: valueBytes - 1) + "\(number)"
                let action = MessageAction(key: .on(number, value), actionTimetoken: tick(number))
                try $0.add(action, in: room)
                digest.insert(action, key: key)
            }
            try $0.setDigest(digest, of: room)
        }
    }

    private func standing(in channel: Channel, of store: any Store) throws -> Set<CoveredRow> {
        var rows: Set<CoveredRow> = []
        try store.makeReader().withSnapshot(of: channel) { snapshot throws(StoreError) in
            try snapshot.forEachAction { rows.insert(.action($0)) }
            try snapshot.forEachMessage(after: .zero) { message in
                rows.insert(.message(message.row))
                return true
            }
        }
        return rows
    }

    // MARK: Every difference

    @Test(
        "devices that stopped anywhere and lost anything are mended, while the channel lives",
        arguments: StoreUnderTest.embedded, UInt64(1)...10)
    func mends(_ kind: StoreUnderTest, seed: UInt64) throws {
        let directory = try ScratchDirectory()
        let kept = [0, 300, 1 << 60] as [UInt64]
        let bench = LedgerBench(
            try kind.make(in: directory), tombstoneTicksKept: kept[Int(seed % 3)])
        let cache = RepairCache(secret: bench.store.secret)
        let reader = CountingReader(try bench.store.makeReader())
        var life = DigestLife(seed: seed)
        var choices = SeededGenerator(seed: seed + 100)
        var old: [Channel: Set<CoveredRow>] = [:]

        for number in 0..<120 {
            #expect(try life.step(bench) == [])
            let channel = choices.pick(life.channels)
            let truth = try standing(in: channel, of: bench.store)
            var device = RepairingDevice(
                old[channel, default: []].filter { _ in !choices.chance(10) },
                key: bench.store.secret.key(of: channel))
            if choices.chance(30) {
                // Somebody else's row, and a damaged one: an action, or a message.
                let wrong = choices.pick([truth.first?.timetoken ?? tick(1), tick(5)])
                if choices.chance(50) {
                    device.rows.insert(
                        MessageAction(key: .on(77, "x\(number)"), actionTimetoken: wrong))
                } else {
                    device.messages.insert(
                        MessageRow(timetoken: wrong, uuid: "x\(number)", type: nil))
                }
            }

            let outcome = try device.repair(channel, with: cache, from: reader)

            guard case .repaired(let repaired) = outcome else {
                Issue.record("seed \(seed), step \(number): \(outcome)")
                return
            }
            #expect(device.all == truth, "seed \(seed), step \(number)")
            #expect(repaired.digest == device.digest)
            #expect(repaired.cursor == bench.store.last)
            if choices.chance(30) { old[channel] = truth }
        }
        // Tombstones that are forgotten at once leave nothing to follow by.
        if kept[Int(seed % 3)] > 0 {
            // A clearing names no rows: after it the channel is read again.
            #expect(
                reader.wholeReads.withLock { $0 } < 30 + life.clearingCount, "seed \(seed)")
        }
    }

    @Test("a channel that nobody ever wrote to, and a device with nothing")
    func emptySets() throws {
        let cache = RepairCache(secret: store.secret)
        let reader = store.makeReader
        var empty = device
        let nothing = try empty.repair(room, with: cache, from: try reader())
        #expect(
            nothing
                == .repaired(
                    RepairedChannel(cursor: .zero, digest: .empty, rows: [], drop: [])))
        try add(1...40)
        _ = try empty.repair(room, with: cache, from: try reader())
        #expect(empty.rows.count == 40)
        var foreign = device
        foreign.rows = [MessageAction(key: .on(1), actionTimetoken: tick(99))]
        guard
            case .repaired(let repaired) = try foreign.repair(
                Channel("none"), with: cache, from: try reader())
        else {
            // Under another channel's key its symbols contradict themselves.
            return
        }
        #expect(repaired.drop == [tick(99)])
    }

    // MARK: One read

    @Test("a channel is read once, however many devices come while it changes")
    func readsOnce() throws {
        try add(1...1000)
        let bench = LedgerBench(store)
        bench.wall = 10_000
        let cache = RepairCache(secret: store.secret)
        let reader = CountingReader(try store.makeReader())
        let old = try standing(in: room, of: store)
        let toggled = MessageAction.Key.on(1, "1")

        for number in 0..<40 {
            // The same key again and again, and now and then a message goes with its actions.
            let toggle = bench.commit(
                write(.remove(toggled, observed: nil)), write(.add(toggled)),
                write(.publish(.numbered(1))))
            let message = try #require(toggle.events.last).timetoken.rawValue
            _ = bench.commit(write(.add(.on(message))), write(.add(.on(message, "👎"))))
            if number % 7 == 3 {
                let range = (after: tick(message - 9), through: tick(message))
                let deletion = Write.Operation.deleteMessages(
                    after: range.after, through: range.through)
                #expect(bench.commit(write(deletion)).events.count == 1)
                _ = bench.commit(write(.add(.on(message))))
            }
            var device = RepairingDevice(old, key: device.key)
            _ = try device.repair(room, with: cache, from: reader)
            #expect(try device.all == standing(in: room, of: store))
        }

        #expect(reader.wholeReads.withLock { $0 } == 1)
    }

    @Test("threads that mend at the same time read a channel a few times at most")
    func concurrent() throws {
        let directory = try ScratchDirectory()
        let store = try SQLStore(directory: directory.path)
        let bench = LedgerBench(store)
        _ = bench.commit((1...2000).map { write(.add(.on($0))) })
        let cache = RepairCache(secret: store.secret)
        let key = store.secret.key(of: room)
        let old = try standing(in: room, of: store)
        let (reads, problems) = (Locked(0), Locked<[String]>([]))
        let makeReader = store.makeReader
        let room = room
        let threads = (0..<4).map { number in
            TestThread("repair-\(number)") {
                do {
                    let reader = CountingReader(try makeReader(), wholeReads: reads)
                    for _ in 0..<40 {
                        var device = RepairingDevice(old, key: key)
                        let outcome = try device.repair(room, with: cache, from: reader)
                        guard case .repaired(let repaired) = outcome,
                            repaired.digest == device.digest
                        else {
                            problems.withLock { $0.append("\(outcome)") }
                            return
                        }
                    }
                } catch {
                    problems.withLock { $0.append("\(error)") }
                }
            }
        }
        for number in 0..<200 as Range<UInt64> {
            let key = MessageAction.Key.on(number % 20 + 1)
            _ = bench.commit(write(.remove(key, observed: nil)), write(.add(key)))
        }
        for thread in threads { thread.join() }

        #expect(problems.withLock { $0 } == [])
        #expect(reads.withLock { $0 } == 1)
    }

    // MARK: Bounds

    @Test("what fits into a command is asked for, and a snapshot when it would be cheaper")
    func weighsCost() throws {
        try add(1...4000)
        let cache = RepairCache(secret: store.secret)
        let reader = try store.makeReader()
        let all = try standing(in: room, of: store).sorted { $0.timetoken < $1.timetoken }
        func first(missing count: Int) throws -> RepairOutcome {
            let device = RepairingDevice(Set(all.dropFirst(count)), key: device.key)
            return try cache.outcome(of: device.symbols(32), in: room, from: reader)
        }

        guard case .repaired(let few) = try first(missing: 8),
            case .needs(let more) = try first(missing: 300)
        else {
            Issue.record("small differences are repaired")
            return
        }
        #expect(Set(few.rows.map { CoveredRow.action($0) }) == Set(all.prefix(8)))
        #expect((300...3000).contains(more))
        #expect(try first(missing: 3500) == .snapshot)
    }

    @Test("too many symbols, or not the first ones, are refused")
    func refusesRuns() throws {
        try add(1...3)
        let cache = RepairCache(secret: store.secret)
        let reader = try store.makeReader()
        let most = device.symbols(Limits.repairSymbolsMax)
        var many = most
        many.symbols.append(.empty)
        var later = device.symbols(32)
        later.first = 1

        #expect(try cache.outcome(of: many, in: room, from: reader) == .snapshot)
        #expect(try cache.outcome(of: later, in: room, from: reader) == .snapshot)
        guard case .repaired = try cache.outcome(of: most, in: room, from: reader) else {
            Issue.record("the most that is allowed is refused")
            return
        }
        let none = SymbolRun(first: 0, itemCount: 0, symbols: [])
        guard case .needs = try cache.outcome(of: none, in: room, from: reader) else {
            Issue.record("no symbols at all tell nothing")
            return
        }
    }

    @Test("rows that are too long for an answer end in a snapshot")
    func longRows() throws {
        try add(1...20, valueBytes: 20_000)
        let cache = RepairCache(secret: store.secret)
        var empty = device
        #expect(try empty.repair(room, with: cache, from: try store.makeReader()) == .snapshot)
        var most = RepairingDevice(
            try standing(in: room, of: store).filter { $0.timetoken > tick(10) }, key: device.key)
        guard case .repaired = try most.repair(room, with: cache, from: try store.makeReader())
        else {
            Issue.record("ten rows of 20,000 bytes fit")
            return
        }
    }

    @Test("the memory for channels is bounded, and what went is read again")
    func boundsMemory() throws {
        let bench = LedgerBench(store)
        let channels = (0..<50).map { Channel("c\($0)") }
        for channel in channels {
            _ = bench.commit((1...20).map { write(.add(.on($0)), channel: channel) })
        }
        let cache = RepairCache(secret: store.secret, bytesMax: 100_000)
        let reader = CountingReader(try store.makeReader())
        func ask(_ channel: Channel) throws {
            var device = RepairingDevice(rows: [], key: store.secret.key(of: channel))
            _ = try device.repair(channel, with: cache, from: reader)
            #expect(device.rows.count == 20)
        }

        for channel in channels { try ask(channel) }

        #expect(cache.bytes > 0)
        #expect(cache.bytes <= 100_000)
        let before = reader.wholeReads.withLock { $0 }
        #expect(before == 50)
        try ask(channels[49])
        #expect(reader.wholeReads.withLock { $0 } == before)
        try ask(channels[0])
        #expect(reader.wholeReads.withLock { $0 } == before + 1)
    }

    // MARK: Nobody is believed

    @Test("symbols of rows that the ledger cannot have made do no harm", arguments: 0..<3)
    func forged(_ row: Int) throws {
        try add(1...3)
        let cache = RepairCache(secret: store.secret)
        let key = device.key
        var encoder = RatelessEncoder(0..<64)
        func item(_ value: String, _ timetoken: UInt64) -> RepairItem {
            RepairItem(
                MessageAction(key: .on(1, value), actionTimetoken: tick(timetoken)), key: key)
        }
        switch row {
        case 0: encoder.insert(item("zero", 0))
        case 1: for value in ["a", "b", "c"] { encoder.insert(item(value, 9)) }
        // As if the device lacked rows that never were.
        default: for value in ["a", "b"] { encoder.remove(item(value, 2)) }
        }

        let outcome = try cache.outcome(
            of: encoder.run(0..<64), in: room, from: try store.makeReader())

        if row == 1, case .repaired(let repaired) = outcome {
            #expect(repaired.drop == [tick(9)])
            #expect(repaired.rows.count == 3)
        } else {
            #expect(row != 1)
            #expect(outcome == .snapshot)
        }
    }

    @Test("random symbols never give rows away that do not stand", arguments: UInt64(1)...40)
    func random(seed: UInt64) throws {
        try add(1...30)
        var choices = SeededGenerator(seed: seed)
        let bytes = (0..<choices.below(3000)).map { _ in UInt8(truncatingIfNeeded: choices.next()) }
        guard
            let run = try? SymbolRun(first: 0, itemCount: 30, bytes: bytes, symbolsMax: 4096)
        else { return }
        let outcome = try RepairCache(secret: store.secret).outcome(
            of: run, in: room, from: try store.makeReader())
        if case .repaired = outcome { Issue.record("seed \(seed): \(outcome)") }
    }

    @Test(
        "a digest that is not that of its rows is told to the operator, and ends in a snapshot",
        arguments: [0, -1, .min, .max] as [Int64])
    func mismatch(count: Int64) throws {
        try add(1...3)
        let damaged = Digest(count: count, words: (0, 0))
        try store.commit(through: 4) { try $0.setDigest(damaged, of: room) }
        let bench = TroubleBench()
        let cache = RepairCache(secret: store.secret, troubles: bench.troubles())

        let outcome = try cache.outcome(
            of: device.symbols(32), in: room, from: try store.makeReader())

        #expect(outcome == .snapshot)
        #expect(bench.places == [Quarantine.Place.channel(room).description])
        #expect(cache.bytes == 0)
    }
}
