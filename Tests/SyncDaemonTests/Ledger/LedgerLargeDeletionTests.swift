// Deletions that are too large for one commit: between their steps others write, and every device
// stays equal.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: large deletions")
struct LedgerLargeDeletionTests {
    private let directory: ScratchDirectory
    private let room = Channel("room")
    private let hour: UInt64 = 36_000_000_000

    init() throws {
        directory = try ScratchDirectory()
    }

    /// A ledger whose commits delete 4 rows, with two messages and 20 actions on the first.
    private func filled(_ store: any Store) throws -> LedgerBench {
        let bench = LedgerBench(store, deletedRowsMax: 4)
        _ = try bench.reply(.publish(.numbered(1), hoursKept: 1))
        _ = try bench.reply(.publish(.numbered(2)))
        for number in 1...20 { _ = try bench.reply(.add(.on(1000, by: "user\(number)"))) }
        return bench
    }

    private func deletion(_ mutation: String? = nil, command: CommandID = 7) -> Write {
        write(
            .deleteMessages(after: .zero, through: tick(1000)), mutation: mutation,
            command: command)
    }

    private func rowCount(_ store: any Store) throws -> Int {
        try store.rowCount(
            in: MessageRange(after: .zero, through: .end), of: room, limit: .max / 2)
    }

    @Test("a ledger whose steps take long still removes everything")
    func removesSlowly() throws {
        let bench = try filled(try SQLStore(directory: directory.path))
        _ = bench.commit(deletion())
        while bench.hasWork {
            _ = bench.work()
            bench.lasted(microseconds: .max)
        }
        // The message after the deleted one.
        #expect(try rowCount(bench.store) == 1)
    }

    @Test("it is answered and told once it has taken place, and its rows go a few at a time")
    func goesInSteps() throws {
        let bench = try filled(try SQLStore(directory: directory.path))
        let before = try bench.stored()

        let first = bench.commit(deletion("m"))
        #expect(first.answers.isEmpty)
        #expect(first.events.isEmpty)
        #expect(try bench.stored() == before)

        var told: Commit?
        // The message after the deleted one.
        var others: Int64 = 1
        while told == nil {
            told = bench.work()
            if told == nil { others += 1 }
            // Others are answered in between.
            _ = try bench.reply(.publish(.numbered(9)))
            #expect(bench.hasWork)
        }
        let commit = try #require(told)
        let place = try #require(commit.events.first).timetoken
        #expect(
            commit.events.map(\.event) == [.messagesDeleted(after: .zero, through: tick(1000))])
        #expect(commit.answers.map(\.origin.command) == [7])
        #expect(try commit.answers[0].result.get() == .messagesDeleted(place))
        #expect(commit.digests[room]?.count == others)
        let left = try recomputedDigest(of: room, in: bench.store)
        #expect(left.count == others + 1)
        #expect(try bench.store.makeReader().digest(of: room).digest == left)

        var rows = try rowCount(bench.store)
        #expect(rows >= 22)
        var steps = 0
        while bench.hasWork {
            #expect(bench.work() == nil)
            _ = try bench.reply(.publish(.numbered(9)))
            let left = try rowCount(bench.store)
            #expect(rows + 1 - left <= 2 * 4)
            rows = left
            steps += 1
        }
        #expect(steps >= 5)
        #expect(
            try !bench.stored().contains { if case .actionAdded = $0.event { true } else { false } }
        )
        // A retry afterwards is answered alike, and does nothing.
        #expect(try bench.commit(deletion("m")).answers[0].result.get() == .messagesDeleted(place))
        #expect(!bench.hasWork)
        #expect(bench.failure == nil)
    }

    @Test("a retry while it waits is answered alike", arguments: StoreUnderTest.embedded)
    func retries(_ kind: StoreUnderTest) throws {
        let bench = try filled(try kind.make(in: directory))
        _ = bench.commit(deletion("m"))
        _ = bench.work()
        _ = bench.commit(deletion("m", command: 8))
        var commits: [Commit] = []
        while bench.hasWork { if let commit = bench.work() { commits.append(commit) } }

        #expect(commits.map(\.events.count) == [1, 0])
        #expect(commits.flatMap(\.answers).map(\.origin.command) == [7, 8])
        let replies = try commits.flatMap(\.answers).map { try $0.result.get() }
        #expect(replies[0] == replies[1])
    }

    @Test(
        "a full disk whose log has room does not refuse it",
        arguments: [FaultyStore.Call.begin, .hideMessages, .setDigest, .commit])
    func findsRoom(_ call: FaultyStore.Call) throws {
        let store = FaultyStore()
        let bench = try filled(store)
        _ = bench.commit(deletion())
        var told: Commit?
        for step in 0..<100 where told == nil {
            // Amid the steps that read, others find no room either.
            if step == 2 {
                store.fault = (.insert, .full)
                store.roomInLog = 1
                _ = try bench.reply(.publish(.numbered(9)))
            }
            store.fault = (call, .full)
            store.roomInLog = 1
            told = bench.work()
            store.fault = nil
        }
        #expect(told?.events.map(\.event) == [.messagesDeleted(after: .zero, through: tick(1000))])
        // The message after the deleted one, and the one in between.
        let left = try recomputedDigest(of: room, in: store)
        #expect(left.count == 2)
        #expect(try store.makeReader().digest(of: room).digest == left)
    }

    @Test("a full disk refuses it, and it may come again", arguments: [0, 1, 2])
    func meetsAFullDisk(_ row: Int) throws {
        let store = FaultyStore()
        let bench = try filled(store)
        let before = try bench.stored()
        _ = bench.commit(deletion("m"))
        store.fault = ([.hideMessages, .commit, .setDigest][row], .full)
        var commit: Commit?
        while commit == nil { commit = bench.work() }

        #expect(throws: ProtocolError.storeFull) { try commit?.answers.first?.result.get() }
        #expect(commit?.events == [])
        #expect(!bench.hasWork)
        #expect(try bench.stored() == before)
        store.fault = nil
        _ = bench.commit(deletion("m"))
        while bench.hasWork { _ = bench.work() }
        let left = try recomputedDigest(of: room, in: store)
        #expect(left.count == 1)
        #expect(try store.makeReader().digest(of: room).digest == left)
    }

    @Test(
        "who waits behind rows that cannot be removed is refused, and may come again",
        arguments: [
            (StoreError.full, ProtocolError.storeFull), (.lost(path: "x"), .storeUnavailable),
            (.damaged(path: "x", reason: "bad page"), .storeDamaged),
        ])
    func isNotHeldUp(_ error: StoreError, _ refusal: ProtocolError) throws {
        let store = FaultyStore()
        let bench = try filled(store)
        let before = try bench.stored()
        _ = bench.commit(deletion("m"), deletion("n", command: 8))
        store.hiddenSteps = 1
        store.fault = (.removeHidden, error)
        var commit: Commit?
        for _ in 0..<3 where commit == nil { commit = bench.work() }

        #expect(commit?.answers.map(\.origin.command) == [7, 8])
        for answer in commit?.answers ?? [] {
            #expect(throws: refusal) { try answer.result.get() }
        }
        #expect(commit?.events == [])
        #expect(!bench.ledger.isAwaited)
        #expect(try bench.stored() == before)
        bench.ledger.checkInvariants()
        guard refusal != .storeDamaged else { return #expect(!bench.hasWork) }
        store.fault = nil
        #expect(bench.work() == nil)
        _ = bench.commit(deletion("m"))
        while bench.hasWork { _ = bench.work() }
        #expect(try store.makeReader().digest(of: room).digest.count == 1)
    }

    @Test("a commit that fails takes back the deletion that came with it")
    func isTakenBack() throws {
        let store = FaultyStore()
        let bench = try filled(store)
        store.fault = (.commit, .full)
        #expect(bench.commit(write(.publish(.numbered(3))), deletion()).answers.count == 2)
        #expect(!bench.hasWork)
    }

    @Test("of too many that wait the last ones are refused")
    func refusesTooMany() throws {
        let bench = try filled(MemoryStore())
        let most = Limits.deletionsWaitingPerKeysetMax
        let commit = bench.commit((0...most).map { deletion(command: CommandID($0)) })
        #expect(commit.answers.map(\.origin.command) == [CommandID(most)])
        #expect(throws: ProtocolError.overloaded) { try commit.answers[0].result.get() }
    }

    @Test("small ones share what one commit may delete; the rest waits for the next steps")
    func sharesTheCommit() throws {
        let bench = try filled(MemoryStore())
        for number in 1...3 as ClosedRange<UInt64> {
            _ = bench.commit(write(.publish(.numbered(number)), channel: Channel("\(number)")))
            _ = bench.commit(write(.add(.on(bench.wall)), channel: Channel("\(number)")))
        }
        let commit = bench.commit(
            (1...3).map {
                write(
                    .deleteMessages(after: .zero, through: .end), command: CommandID($0),
                    channel: Channel("\($0)"))
            })
        #expect(commit.answers.map(\.origin.command) == [1, 2])
        #expect(commit.events.count == 2)
        while bench.hasWork { _ = bench.work() }
        for number in 1...5 as ClosedRange<UInt64> {
            _ = bench.commit(write(.publish(.numbered(number)), channel: Channel("\(number)")))
        }
        let second = bench.commit(
            (1...5).map {
                write(
                    .deleteMessages(after: .zero, through: .end), command: CommandID($0),
                    channel: Channel("\($0)"))
            })
        #expect(second.answers.map(\.origin.command) == [1, 2, 3, 4])
        #expect(bench.hasWork)
    }

    @Test(
        "a message that expires with many actions goes in steps too",
        arguments: StoreUnderTest.embedded)
    func expires(_ kind: StoreUnderTest) throws {
        let bench = try filled(try kind.make(in: directory))
        bench.wall += 2 * hour
        #expect(try #require(bench.commitExpired()).events.isEmpty)
        var events: [Envelope] = []
        var steps = 0
        while bench.hasWork || bench.commitExpired() != nil {
            if let commit = bench.work() { events += commit.events }
            steps += 1
            try #require(steps < 99)
        }
        #expect(
            events.map(\.event) == [.messagesDeleted(after: tick(999), through: tick(1000))])
        #expect(try rowCount(bench.store) == 1)
    }

    // MARK: Whatever happens in between

    @Test(
        "a device that hears of every commit, and one that comes at any moment, stay equal",
        arguments: UInt64(1)...6)
    func staysEqual(seed: UInt64) throws {
        var life = LargeDeletionLife(seed: seed, directory: directory.path)
        for step in 0..<150 {
            let problems = try life.step()
            try #require(problems == [], "seed \(seed), step \(step)")
        }
        #expect(life.deletionCount > 0, "seed \(seed) deleted nothing")
        #expect(life.clearingCount > 0, "seed \(seed) cleared nothing")
    }
}

/// Writes, deletions in steps, and crashes; and a device that must never differ.
private struct LargeDeletionLife {
    private var choices: SeededGenerator
    private let directory: String
    private var store: SQLStore?
    private var bench: LedgerBench
    private var device = DeviceCache()
    private var published: [Timetoken] = [.zero]
    private let room = Channel("room")
    private(set) var deletionCount = 0
    private(set) var clearingCount = 0

    init(seed: UInt64, directory: String) {
        choices = SeededGenerator(seed: seed)
        self.directory = directory
        bench = LedgerBench()
    }

    private mutating func open() throws {
        let wall = bench.wall
        // The lock goes with the old one.
        bench = LedgerBench()
        store = nil
        let store = try SQLStore(directory: directory)
        self.store = store
        bench = LedgerBench(store, deletedRowsMax: 3)
        bench.wall = wall
    }

    mutating func step() throws -> [String] {
        if store == nil || choices.chance(2) { try open() }
        bench.wall += UInt64(choices.below(50))
        let commit =
            choices.chance(40) && bench.hasWork
            ? bench.work()
            : bench.commit((0..<choices.below(6) + 1).map { _ in write(operation()) })
        if let failure = bench.failure { return ["\(failure)"] }
        guard let commit else { return try problems() }
        for event in commit.events {
            device.apply(event)
            if case .message = event.event { published.append(event.timetoken) }
            if case .messagesDeleted = event.event { deletionCount += 1 }
            if case .actionsCleared = event.event { clearingCount += 1 }
        }
        let digest = digest(of: device)
        var problems = try problems()
        if let told = commit.digests[room], told != digest { problems.append("told \(told)") }
        return problems
    }

    private mutating func operation() -> Write.Operation {
        let recent = Array(published.suffix(8))
        let key = MessageAction.Key(
            messageTimetoken: choices.pick(recent), type: "reaction",
            value: choices.pick(["👍", "👎"]), uuid: choices.pick(["ada", "bob", "eve"]))
        switch choices.below(20) {
        case 0..<3: return .publish(.numbered(bench.wall))
        case 3:
            return .deleteMessages(after: choices.pick(recent), through: choices.pick(recent))
        case 4..<8: return .remove(key, observed: nil)
        case 8: return .clear(clearing(of: key))
        default: return .add(key)
        }
    }

    private mutating func clearing(of key: MessageAction.Key) -> Clearing {
        switch choices.below(4) {
        case 0: Clearing(messageTimetoken: key.messageTimetoken)
        case 1: Clearing(type: key.type, value: key.value)
        case 2: Clearing(userID: key.uuid)
        default: Clearing(messageTimetoken: key.messageTimetoken, userID: key.uuid)
        }
    }

    /// The device that followed, the one that comes now, and the store's digest are one.
    private func problems() throws -> [String] {
        guard let store else { return [] }
        let reader = try store.makeReader()
        var fresh = DeviceCache()
        for event in try reader.allChanges(in: room, after: .zero) { fresh.apply(event) }
        var problems: [String] = []
        if fresh.canonicalBytes != device.canonicalBytes { problems.append("they differ") }
        if try reader.digest(of: room).digest != digest(of: device) { problems.append("digest") }
        return problems
    }

    private func digest(of cache: DeviceCache) -> Digest {
        store.map { cache.digest(under: $0.secret.key(of: room)) } ?? .empty
    }
}
