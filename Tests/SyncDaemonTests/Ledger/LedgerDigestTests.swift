// Digests are those of the rows, whatever happens to the rows.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Ledger: digests")
struct LedgerDigestTests {
    private let room = Channel("room")

    @Test(
        "after every commit of a random life", arguments: StoreUnderTest.embedded, UInt64(1)...12)
    func randomLife(_ kind: StoreUnderTest, seed: UInt64) throws {
        let directory = try ScratchDirectory()
        let kept = [0, 200, 1 << 60] as [UInt64]
        let bench = LedgerBench(
            try kind.make(in: directory), tombstoneTicksKept: kept[Int(seed % 3)])
        var life = DigestLife(seed: seed)

        for number in 0..<150 {
            let problems = try life.step(bench)
            guard problems.isEmpty else {
                Issue.record("seed \(seed), step \(number): \(problems)")
                return
            }
        }
        #expect(life.addCount > 50, "seed \(seed) did too little")
        #expect(life.segmentsMax > 3, "seed \(seed) said too little")
        #expect(bench.failure == nil)
    }

    @Test("a life that is checked finds one update that was skipped", arguments: UInt64(1)...10)
    func findsSkipped(seed: UInt64) throws {
        let store = FaultyStore()
        store.skippedDigest = Int(seed) * 3
        let bench = LedgerBench(store)
        var life = DigestLife(seed: seed)
        var problems: [String] = []

        for _ in 0..<150 where problems.isEmpty { problems = try life.step(bench) }

        #expect(!problems.isEmpty, "seed \(seed)")
    }

    @Test("after commits that fail at any call", arguments: FaultyStore.Call.ofCommits)
    func rollsBack(_ call: FaultyStore.Call) throws {
        let store = FaultyStore()
        let bench = LedgerBench(store, tombstoneTicksKept: 0)
        var life = DigestLife(seed: 5)
        for number in 0..<120 {
            // What fails is rolled back; the next commit must not count it.
            store.fault = number % 3 == 0 ? (call, .full) : nil
            #expect(try life.step(bench) == [], "step \(number)")
        }
        // Nothing of this life changes groups or is remembered.
        #expect((store.failures > 0) == (call != .changeGroup && call != .remember))
    }

    @Test("after a restart", arguments: UInt64(1)...3)
    func restarts(seed: UInt64) throws {
        let directory = try ScratchDirectory()
        var life = DigestLife(seed: seed)
        for round in 0..<6 {
            let bench = LedgerBench(try SQLStore(directory: directory.path))
            bench.wall += UInt64(round) * 5000
            for _ in 0..<20 { #expect(try life.step(bench) == []) }
        }
    }

    @Test(
        "reactions to what is still to come go with the segment that they come into",
        arguments: StoreUnderTest.embedded, [3, Limits.segmentActionsMovedMax + 1])
    func actionsBeforeMessages(_ kind: StoreUnderTest, count: Int) throws {
        let directory = try ScratchDirectory()
        let bench = LedgerBench(try kind.make(in: directory))
        // As an earlier release took them.
        let early = (0..<count).map { number in
            MessageAction(
                key: .on(1_000_000, "v\(number)", by: "ada"),
                actionTimetoken: tick(10 + UInt64(number)))
        }
        let ledger = bench.ledger
        try bench.store.commit(through: 999) { store in
            for action in early + [MessageAction(key: .on(7), actionTimetoken: tick(9))] {
                try store.add(action, in: room)
                try ledger.digests.insert(.action(action), in: room, of: store)
            }
            _ = try ledger.digests.write(to: store)
        }
        var messages = 0
        var late = Timetoken.zero
        repeat {
            bench.wall += 1
            late = bench.commit(write(.publish(.numbered(1)))).last
            messages += 1
        } while messages == 1 || !late.beginsSegment(ofMessages: LedgerBench.segmentMessages)

        let found = try storedSegments(of: room, in: bench.store)

        #expect(try found == recomputedSegments(of: room, in: bench.store))
        // So many are not moved: the segment grows on.
        let isMoved = count <= Limits.segmentActionsMovedMax
        try #require(isMoved ? found.count > 1 : found.count == 1)
        #expect(found[0].messageCount == (isMoved ? 1 : messages))
        #expect(found[0].digest.count == Int64(count + (isMoved ? 1 : messages + 1)))
        #expect(found[0].after == (isMoved ? late.predecessor : .zero))
    }

    @Test("a reaction to what is still to come is refused")
    func future() throws {
        let bench = LedgerBench()
        let message = bench.commit(write(.publish(.numbered(1)))).last

        let commit = bench.commit(
            write(.add(.on(message.rawValue))), write(.add(.on(message.rawValue + 1_000_000))))

        #expect(throws: Never.self) { try commit.answers[0].result.get() }
        #expect(commit.answers[1].result == .failure(.noSuchMessage))
        #expect(commit.events.count == 1)
    }

    @Test("more channels than are remembered", .timeLimit(.minutes(10)))
    func manyChannels() throws {
        let bench = LedgerBench()
        let count = Limits.digestsInMemoryMax + 100
        let writes = (0..<count).map { write(.add(.on(1)), channel: Channel("c\($0)")) }
        #expect(bench.commit(writes).digests.count == count)
        let first = Channel("c0")
        #expect(bench.commit(write(.add(.on(2)), channel: first)).digests[first]?.count == 2)
        #expect(
            try recomputedDigest(of: first, in: bench.store)
                == bench.store.makeReader().digest(of: first).digest)
    }

    @Test("a commit tells the state of channels with a message, and of none with a retry")
    func tellsStates() throws {
        _ = bench(.add(.on(1)))
        let told = bench(.publish(.numbered(1))).digests
        #expect(told == [room: try recomputedDigest(of: room, in: shared.store)])
        #expect(told[room]?.count == 2)
        #expect(bench(.add(.on(1))).digests == [:])
        #expect(bench(.remove(.on(9), observed: nil)).digests == [:])
        #expect(bench(.deleteMessages(after: tick(1), through: tick(2))).digests == [:])
        #expect(bench(.remove(.on(1), observed: nil)).digests[room]?.count == 1)
        #expect(
            bench(.deleteMessages(after: .zero, through: .end)).digests == [room: .empty])
    }

    private let shared = LedgerBench()

    private func bench(_ operation: Write.Operation) -> Commit {
        shared.commit(write(operation))
    }
}

@Suite("Ledger: tombstones")
struct LedgerTombstoneTests {
    private let room = Channel("room")

    /// Timetokens of everything that changed in the room.
    private func stored(_ bench: LedgerBench) throws -> [UInt64] {
        try bench.stored().map(\.timetoken.rawValue)
    }

    @Test("a removed action is remembered for its time and forgotten with a later commit")
    func forgets() throws {
        let bench = LedgerBench(tombstoneTicksKept: 100)
        _ = bench.commit(write(.add(.on(1))), write(.remove(.on(1), observed: nil)))
        #expect(try stored(bench) == [1001])
        bench.wall = 1099
        _ = bench.commit(write(.add(.on(2))))
        #expect(try stored(bench) == [1001, 1099])
        #expect(bench.store.tombstoneFloor == .zero)

        bench.wall = 1100
        _ = bench.commit(write(.add(.on(3))))

        #expect(try stored(bench) == [1099, 1100])
        #expect(bench.store.tombstoneFloor == tick(1001))
    }

    @Test("with no time they are forgotten at once, and their event is told all the same")
    func forgetsAtOnce() throws {
        let bench = LedgerBench(tombstoneTicksKept: 0)
        let commit = bench.commit(write(.add(.on(1))), write(.remove(.on(1), observed: nil)))

        #expect(commit.events.count == 2)
        #expect(try stored(bench) == [])
        #expect(bench.store.tombstoneFloor == tick(1001))
        #expect(bench.commitExpired() == nil)
    }

    @Test("while nothing comes they are forgotten too, all of them, and the floor stays")
    func forgetsWhenIdle() throws {
        let directory = try ScratchDirectory()
        let bench = LedgerBench(
            try SQLStore(directory: directory.path), tombstoneTicksKept: 1_000_000)
        let count = 20 * Limits.commitWritesMax
        let keys = (1...UInt64(count)).map { MessageAction.Key.on($0) }
        _ = bench.commit(keys.map { write(.add($0)) })
        _ = bench.commit(keys.map { write(.remove($0, observed: nil)) })
        #expect(bench.commitExpired() == nil)
        bench.wall += 2_000_000

        var commits = 0
        while let commit = bench.commitExpired() {
            #expect(commit.events.isEmpty)
            commits += 1
            guard commits < 100 else { break }
        }

        #expect(commits == 3)
        #expect(try stored(bench) == [])
        #expect(bench.store.tombstoneFloor == tick(1000 + UInt64(2 * count) - 1))
        #expect(
            try StoreConnection(path: directory.path + "/syncdaemon.db").prepare(
                "SELECT count(*) FROM action"
            ).first { $0.integer(0) } == 0)
    }

    @Test("a floor outlives a restart")
    func restarts() throws {
        let directory = try ScratchDirectory()
        do {
            let store = try SQLStore(directory: directory.path)
            let bench = LedgerBench(store, tombstoneTicksKept: 0)
            _ = bench.commit(write(.add(.on(1))), write(.remove(.on(1), observed: nil)))
        }
        #expect(try SQLStore(directory: directory.path).tombstoneFloor == tick(1001))
    }
}
