// Removing what others said: one event and one answer, however many actions go.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: moderation")
struct LedgerModerationTests {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    /// A ledger whose commits look at `rowsMax` rows, with 20 users' 👍 on a message and the ❤️ of
    /// half of them.
    private func filled(_ store: any Store, rowsMax: Int = 1000) throws -> LedgerBench {
        let bench = LedgerBench(store, deletedRowsMax: rowsMax)
        for number in 1...20 {
            _ = try bench.reply(.add(.on(500, by: "user\(number)")))
            if number % 2 == 0 { _ = try bench.reply(.add(.on(500, "❤️", by: "user\(number)"))) }
        }
        return bench
    }

    private func count(_ bench: LedgerBench) throws -> Int {
        var count = 0
        for event in try bench.stored() { if case .actionAdded = event.event { count += 1 } }
        return count
    }

    @Test("few go in the commit that asks for it", arguments: StoreUnderTest.embedded)
    func clearsAtOnce(_ kind: StoreUnderTest) throws {
        let bench = try filled(try kind.make(in: directory))
        let clearing = Clearing(type: "reaction", value: "❤️")
        let commit = bench.commit(write(.clear(clearing), mutation: "m"))
        let place = try #require(commit.events.first).timetoken
        #expect(commit.events.map(\.event) == [.actionsCleared(clearing)])
        #expect(commit.events[0].gone?.count == 10)
        #expect(try commit.answers[0].result.get() == .actionsCleared(place, count: 10))
        #expect(try commit.digests[room] == recomputedDigest(of: room, in: bench.store))
        #expect(commit.digests[room]?.count == 20)
        // For the log.
        #expect(
            commit.cleared == [
                ClearingRecord(
                    clearing: clearing, count: 10, channel: room,
                    author: Author(userID: "ada", deviceID: "phone"))
            ])
        // A retry is answered alike, though somebody said it again.
        _ = try bench.reply(.add(.on(500, "❤️", by: "user1")))
        let retry = bench.commit(write(.clear(clearing), mutation: "m"))
        #expect(try retry.answers[0].result.get() == .actionsCleared(place, count: 10))
        #expect(retry.events.isEmpty)
        #expect(retry.cleared.isEmpty)
        // The same name for something else is refused.
        let other = bench.commit(
            write(.clear(Clearing(type: "reaction", userID: "❤️")), mutation: "m"))
        #expect(throws: ProtocolError.mutationReused) { try other.answers[0].result.get() }
        #expect(try count(bench) == 21)
    }

    @Test("where there is nothing nobody hears of it", arguments: StoreUnderTest.embedded)
    func findsNothing(_ kind: StoreUnderTest) throws {
        let bench = try filled(try kind.make(in: directory), rowsMax: 4)
        for clearing in [Clearing(userID: "nobody"), Clearing(messageTimetoken: tick(7))] {
            var commits = [bench.commit(write(.clear(clearing)))]
            while bench.hasWork { bench.work().map { commits.append($0) } }
            let answer = try #require(commits.flatMap(\.answers).first)
            #expect(try answer.result.get() == .actionsCleared(nil, count: 0))
            #expect(commits.flatMap(\.events) == [])
        }
        #expect(try count(bench) == 30)
    }

    @Test(
        "many are read in steps, go at once and are removed in steps",
        arguments: StoreUnderTest.embedded)
    func goesInSteps(_ kind: StoreUnderTest) throws {
        let bench = try filled(try kind.make(in: directory), rowsMax: 4)
        let clearing = Clearing(messageTimetoken: tick(500), type: "reaction", value: "👍")
        #expect(bench.commit(write(.clear(clearing), mutation: "m", command: 7)).answers.isEmpty)
        #expect(try count(bench) == 30)
        var told: Commit?
        var more = 0
        while told == nil {
            told = bench.work()
            // What comes meanwhile goes, too, if it comes before.
            if told == nil {
                more += 1
                _ = try bench.reply(.add(.on(500, by: "late\(more)")))
            }
            try #require(told != nil || bench.hasWork)
        }
        let commit = try #require(told)
        let place = try #require(commit.events.first).timetoken
        #expect(commit.events.map(\.event) == [.actionsCleared(clearing)])
        #expect(commit.events[0].timetoken == place)
        #expect(commit.events[0].gone?.count == Int64(20 + more))
        #expect(commit.answers.map(\.origin.command) == [7])
        #expect(
            try commit.answers[0].result.get() == .actionsCleared(place, count: 20 + more))
        #expect(commit.digests[room]?.count == 10)
        #expect(try count(bench) == 10)
        _ = try bench.reply(.add(.on(500, by: "user1")))
        var steps = 0
        while bench.hasWork {
            #expect(bench.work() == nil)
            #expect(try count(bench) == 11)
            steps += 1
        }
        #expect(kind == .memory || steps > 3)
        #expect(try recomputedDigest(of: room, in: bench.store).count == 11)
        #expect(
            try bench.store.makeReader().digest(of: room).digest
                == recomputedDigest(of: room, in: bench.store))
        #expect(
            try bench.commit(write(.clear(clearing), mutation: "m")).answers[0].result.get()
                == .actionsCleared(place, count: 20 + more))
    }

    @Test(
        "a full disk refuses it, and it may come again",
        arguments: [
            (1000, FaultyStore.Call.commit), (4, .hideActions), (4, .setDigest),
        ])
    func meetsAFullDisk(rowsMax: Int, call: FaultyStore.Call) throws {
        let store = FaultyStore()
        let bench = try filled(store, rowsMax: rowsMax)
        let clearing = write(.clear(Clearing(type: "reaction", value: "👍")), mutation: "m")
        var commits: [Commit] = []
        func finish() {
            while bench.hasWork { bench.work().map { commits.append($0) } }
        }
        if rowsMax > 20 { store.fault = (call, .full) }
        commits.append(bench.commit(clearing))
        store.fault = (call, .full)
        finish()
        let answer = try #require(commits.flatMap(\.answers).first)
        #expect(throws: ProtocolError.storeFull) { try answer.result.get() }
        #expect(try count(bench) == 30)

        store.fault = nil
        bench.failure = nil
        commits = [bench.commit(clearing)]
        finish()
        #expect(try count(bench) == 10)
        #expect(commits.flatMap(\.events).count == 1)
        #expect(
            try store.makeReader().digest(of: room).digest
                == recomputedDigest(of: room, in: store))
    }

    @Test("a value goes by any of its names")
    func knowsAliases() throws {
        let bench = try filled(MemoryStore())
        var rules = ReactionRules()
        rules.aliases = [ReactionRules.Alias(name: "love", value: "❤️")]
        rules.types = ["like"]
        let commit = bench.commit(
            write(.clear(Clearing(type: "like", value: "love"), under: rules)))
        #expect(
            commit.events.map(\.event)
                == [.actionsCleared(Clearing(type: "reaction", value: "❤️"))])
        #expect(try count(bench) == 20)
    }

    @Test(
        "what stands by the very name that is said goes first, and then what that name means",
        arguments: StoreUnderTest.embedded, [1000, 4])
    func knowsFormerNames(_ kind: StoreUnderTest, rowsMax: Int) throws {
        let bench = try filled(try kind.make(in: directory), rowsMax: rowsMax)
        for number in 1...6 {
            _ = try bench.reply(.add(.on(500, "love", by: "user\(number)")))
            // Groups enough to make looking for a name alone too much for a small commit.
            _ = try bench.reply(.add(.on(500, "other\(number)", by: "user1")))
        }
        var rules = ReactionRules()
        rules.aliases = [ReactionRules.Alias(name: "love", value: "❤️")]
        var told: [Commit] = []
        for _ in 0..<3 {
            var commits = [
                bench.commit(write(.clear(Clearing(type: "reaction", value: "love"), under: rules)))
            ]
            while bench.hasWork { bench.work().map { commits.append($0) } }
            let answered = commits.filter { !$0.answers.isEmpty }
            #expect(answered.count == 1)
            told += answered
        }
        #expect(
            told.flatMap(\.events).map(\.event)
                == ["love", "❤️"].map {
                    .actionsCleared(Clearing(type: "reaction", value: $0))
                })
        let counts = try told.flatMap(\.answers).map { answer -> Int? in
            guard case .actionsCleared(_, let count) = try answer.result.get() else { return nil }
            return count
        }
        #expect(counts == [6, 10, 0])
        #expect(told.flatMap(\.cleared).map(\.count) == [6, 10])
        #expect(try count(bench) == 26)
        #expect(
            try bench.store.makeReader().digest(of: room).digest
                == recomputedDigest(of: room, in: bench.store))
        #expect(bench.failure == nil)
    }

    @Test("what becomes of a clearing survives its row")
    func isStored() {
        for count in [1, 2, 1_000_000] {
            let outcome = Outcome.cleared(tick(9), count: count)
            let stored = outcome.stored
            #expect(Outcome(kind: stored.kind, timetoken: stored.timetoken) == outcome)
        }
    }
}
