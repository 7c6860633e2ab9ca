// The order point: what it decides, what it tells, and what is left when the store fails.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger")
struct LedgerTests {
    private let bench = LedgerBench()

    private func added(_ timetoken: UInt64, _ addition: Addition = .added) -> Reply {
        .actionAdded(MessageAction(key: .on(1), actionTimetoken: tick(timetoken)), addition)
    }

    // MARK: Order

    @Test(
        "timetokens strictly increase, whatever the clock does",
        arguments: [
            ([1000, 1000, 1000], [1000, 1001, 1002]), ([1000, 5, 1], [1000, 1001, 1002]),
            ([1000, 2000, 1500], [1000, 2000, 2001]), ([0, 0, 7], [1, 2, 7]),
            ([1000, 1001, 1001], [1000, 1001, 1002]),
        ] as [([UInt64], [UInt64])])
    func increases(readings: [UInt64], expected: [UInt64]) {
        var commits: [Commit] = []
        for reading in readings {
            bench.wall = reading
            commits.append(bench.commit(write(.publish(.numbered(1)))))
        }

        #expect(commits.flatMap(\.events).map(\.timetoken) == expected.map(tick))
        #expect(commits.map(\.last) == expected.map(tick))
    }

    @Test("a ledger goes on after the store's last timetoken, though the clock stepped back")
    func goesOn() {
        _ = bench.commit(write(.publish(.numbered(1))), write(.publish(.numbered(2))))

        let next = LedgerBench(bench.store)
        next.wall = 3
        let commit = next.commit(write(.publish(.numbered(3))))

        #expect(commit.events.map(\.timetoken) == [tick(1002)])
    }

    @Test("events and answers come in the order of their writes, each to its origin")
    func keepsOrder() throws {
        let den = Channel("den")
        let commit = bench.commit(
            write(.publish(.numbered(1)), command: 5),
            write(.add(.on(1)), command: 4, channel: den),
            write(.remove(.on(9), observed: nil), command: 3),
            write(.add(.on(1)), command: 2, channel: den),
            write(.remove(.on(1), observed: nil), command: 1, channel: den))

        let action = MessageAction(key: .on(1), actionTimetoken: tick(1001))
        #expect(
            commit.events == [
                Envelope(
                    channel: Channel("room"), timetoken: tick(1000), uuid: "ada",
                    event: .message(.numbered(1))),
                Envelope(
                    channel: den, timetoken: tick(1001), uuid: "ada", event: .actionAdded(action)),
                Envelope(
                    channel: den, timetoken: tick(1004), uuid: "ada",
                    event: .actionRemoved(action)),
            ])
        #expect(commit.answers.map(\.origin.command) == [5, 4, 3, 2, 1])
        #expect(
            try commit.answers.map { try $0.result.get() } == [
                .published(tick(1000)), added(1001), .actionRemoved(.absent),
                added(1001, .already), .actionRemoved(.removed),
            ])
    }

    // MARK: Actions

    @Test("an action is added once, removed once, and may be added again")
    func actions() throws {
        #expect(try bench.reply(.add(.on(1))) == added(1000))
        #expect(try bench.reply(.add(.on(1))) == added(1000, .already))
        #expect(try bench.reply(.remove(.on(1), observed: nil)) == .actionRemoved(.removed))
        #expect(try bench.reply(.remove(.on(1), observed: nil)) == .actionRemoved(.absent))
        bench.wall = 2000
        #expect(try bench.reply(.add(.on(1))) == added(2000))
    }

    @Test("a removal of an action that was seen keeps a newer one")
    func observedRemove() throws {
        _ = try bench.reply(.add(.on(1)))
        _ = try bench.reply(.remove(.on(1), observed: tick(1000)))
        bench.wall = 2000
        _ = try bench.reply(.add(.on(1)))

        let stale = bench.commit(write(.remove(.on(1), observed: tick(1000))))
        #expect(try stale.answers[0].result.get() == .actionRemoved(.stale))
        #expect(stale.events == [])
        #expect(try bench.reply(.add(.on(1))) == added(2000, .already))
        #expect(
            try bench.reply(.remove(.on(1), observed: tick(2000))) == .actionRemoved(.removed))
    }

    // MARK: Retries

    enum Retry: CaseIterable { case sameBatch, laterBatch, reopenedStore }

    /// Each outcome, with what must have happened before it.
    static let outcomes: [(before: [Write.Operation], operation: Write.Operation)] = [
        ([], .publish(.numbered(1))), ([], .add(.on(1))), ([.add(.on(1))], .add(.on(1))),
        ([.add(.on(1))], .remove(.on(1), observed: nil)), ([], .remove(.on(1), observed: nil)),
        ([.add(.on(1))], .remove(.on(1), observed: tick(7))),
        ([.add(.on(1))], removal(of: 1000, by: "ada")), ([], removal(of: 1000, by: "ada")),
        ([.add(.on(1))], removal(of: 1000, by: "bob")),
        ([.publish(.numbered(1))], .deleteMessages(after: .zero, through: tick(1000))),
        ([], .deleteMessages(after: .zero, through: tick(1000))),
        ([], .changeGroup(ChannelGroup("family", keyset: "default"), .add(["a"]))),
    ]

    private static func removal(of action: UInt64, by user: String) -> Write.Operation {
        .removeAction(messageTimetoken: tick(1), actionTimetoken: tick(action), userID: user)
    }

    @Test(
        "a retry is answered as the first time and has no second effect",
        arguments: Retry.allCases, 0..<LedgerTests.outcomes.count)
    func retries(_ retry: Retry, _ row: Int) throws {
        let directory = try ScratchDirectory()
        let (before, operation) = Self.outcomes[row]
        var bench = LedgerBench(try SQLStore(directory: directory.path))
        for operation in before { _ = try bench.reply(operation) }
        let first = write(operation, mutation: "m", command: 1)
        let second = write(operation, mutation: "m", command: 2)
        var commits: [Commit] = []
        switch retry {
        case .sameBatch: commits = [bench.commit(first, second)]
        case .laterBatch: commits = [bench.commit(first), bench.commit(second)]
        case .reopenedStore:
            commits = [bench.commit(first)]
            bench = LedgerBench(MemoryStore())
            bench = LedgerBench(try SQLStore(directory: directory.path))
            commits.append(bench.commit(second))
        }

        let answers = commits.flatMap(\.answers)
        #expect(answers.map(\.origin.command) == [1, 2])
        #expect(try answers[0].result.get() == answers[1].result.get())
        let changes = commits.flatMap(\.events).count
        #expect(changes == ([0, 1, 3, 6, 9].contains(row) ? 1 : 0))
        #expect(commits.flatMap(\.groups).count == (row == 11 ? 1 : 0))
        #expect(try bench.stored().count == ([4, 7, 10, 11].contains(row) ? 0 : 1))
    }

    @Test("a retry takes no timetoken, and says what stood then, not what stands now")
    func retryIsFrozen() throws {
        #expect(try bench.reply(.add(.on(1)), mutation: "m") == added(1000))
        _ = try bench.reply(.remove(.on(1), observed: nil))

        let retry = bench.commit(write(.add(.on(1)), mutation: "m"))

        #expect(try retry.answers[0].result.get() == added(1000))
        #expect(retry.events == [])
        #expect(retry.last == tick(1001))
    }

    @Test(
        "a retry whose members are in another order, or spelt in another way, is the same",
        arguments: [
            #"{ "n" : 1.10 , "a" : "\u00e9" , "b" : 100 }"#, #"{"b":1E2,"a":"é","n":1.1}"#,
        ])
    func otherSpelling(retry: String) throws {
        let first = #"{"a":"é","b":100,"n":1.1}"#
        let meta = #"{"x":1,"y":[2]}"#
        _ = try bench.reply(.publish(Message(payload: first, meta: meta)), mutation: "m")

        let again = bench.commit(
            write(
                .publish(Message(payload: retry, meta: #"{"y":[2],"x":1}"#)), mutation: "m"))

        #expect(again.events == [])
        #expect(throws: Never.self) { try again.answers[0].result.get() }
        let other = bench.commit(
            write(.publish(Message(payload: #"{"a":"é","b":101,"n":1.1}"#)), mutation: "m"))
        #expect(other.answers.map(\.result) == [.failure(.mutationReused)])
    }

    /// Releases up to 0.1 took the fingerprint of the text as it stood.
    @Test("what an earlier release remembered is the same write")
    func earlierFingerprint() throws {
        let text = #"{"b":"é","a":[1.5,2]}"#
        let write = write(.publish(Message(payload: text)), mutation: "m")
        #expect(write.fingerprint != 0xE402_3233_B477_8FA7)
        #expect(write.hasFingerprint(write.fingerprint))
        #expect(write.hasFingerprint(0xE402_3233_B477_8FA7))
        #expect(!write.hasFingerprint(0xE402_3233_B477_8FA8))
    }

    @Test("how long its author wants a message kept is a part of what is asked")
    func hoursAsked() {
        func write(_ hours: Int?, kept: Int) -> Write {
            Write(
                origin: Origin(
                    reactor: 0, session: SessionID(slot: 1, generation: 1), command: 1),
                author: Author(userID: "ada", deviceID: "phone"), channel: Channel("room"),
                operation: .publish(.numbered(1), hoursKept: kept), mutation: "m",
                hoursAsked: hours)
        }
        #expect(write(nil, kept: 0).fingerprint == write(nil, kept: 720).fingerprint)
        #expect(
            Set([write(nil, kept: 0), write(1, kept: 1), write(2, kept: 2)].map(\.fingerprint))
                .count == 3)
    }

    @Test("another operation under a used mutation is refused and changes nothing")
    func refusesReuse() throws {
        _ = try bench.reply(.publish(.numbered(1)), mutation: "m")

        let reuse = bench.commit(write(.publish(.numbered(2)), mutation: "m"))

        #expect(reuse.answers.map(\.result) == [.failure(.mutationReused)])
        #expect(reuse.events == [])
        #expect(try bench.stored().count == 1)
        #expect(bench.failure == nil)
    }

    @Test("the same mutation of another device is another")
    func scopesMutations() {
        let commit = bench.commit(
            write(.publish(.numbered(1)), mutation: "m", device: "phone"),
            write(.publish(.numbered(2)), mutation: "m", device: "tablet"))

        #expect(commit.events.count == 2)
    }

    @Test("a fingerprint depends on everything that is asked for")
    func fingerprints() {
        var operations: [Write.Operation] = [
            .publish(Message(payload: "1")), .publish(Message(payload: "2")),
            .publish(Message(payload: "1", meta: "2")), .publish(Message(payload: "1", type: "2")),
            .publish(Message(payload: "12")), .publish(Message(payload: "1", meta: "1", type: "2")),
            .publish(Message(payload: "1", meta: "12")),
        ]
        for key in [
            MessageAction.Key.on(1), .on(2), .on(1, "x"), .on(1, type: "x"), .on(1, by: "x"),
        ] {
            operations += [
                .add(key), .remove(key, observed: nil), .remove(key, observed: tick(1)),
                .remove(key, observed: tick(2)),
            ]
        }
        let family = ChannelGroup("family", keyset: "default")
        operations += [
            .removeAction(messageTimetoken: tick(1), actionTimetoken: tick(2), userID: "ada"),
            .removeAction(messageTimetoken: tick(2), actionTimetoken: tick(1), userID: "ada"),
            .removeAction(messageTimetoken: tick(1), actionTimetoken: tick(2), userID: "bob"),
            .deleteMessages(after: tick(1), through: tick(2)),
            .deleteMessages(after: tick(2), through: tick(1)),
            .changeGroup(family, .add(["a", "b"])), .changeGroup(family, .add(["ab"])),
            .changeGroup(family, .remove(["a", "b"])), .changeGroup(family, .delete),
            .changeGroup(ChannelGroup("friends", keyset: "default"), .delete),
        ]
        let writes =
            operations.map { write($0, mutation: "m") }
            + operations.map { write($0, mutation: "m", channel: Channel("den")) }

        #expect(Set(writes.map(\.fingerprint)).count == writes.count)
        // Not on who carries it, and the same in every release: it is stored.
        #expect(
            write(.publish(Message(payload: "1")), mutation: "n", command: 9).fingerprint
                == writes[0].fingerprint)
        #expect(writes[0].fingerprint == 0x1A20_DF97_49BD_9581)
    }

    @Test("mutations are forgotten after their time, faster than they come")
    func forgets() throws {
        let store = FaultyStore()
        let bench = LedgerBench(store)
        let first = bench.commit(write(.remove(.on(1), observed: nil)))
        bench.wall += Limits.mutationTicksKept

        _ = bench.commit(
            write(.remove(.on(1), observed: nil)), write(.remove(.on(2), observed: nil)))

        #expect(store.forgotten.map(\.limit) == [20])
        #expect(store.forgotten.first?.before.rawValue == first.last.rawValue + 1)
    }

    @Test("an outcome of another operation under the same fingerprint is refused, not believed")
    func collides() {
        let store = MemoryStore()
        let bench = LedgerBench(store)
        let add = write(.add(.on(1)), mutation: "m")
        store.remember(
            MutationRecord(fingerprint: add.fingerprint, outcome: .published(tick(9))), of: "m",
            by: add.author, at: tick(9))

        let commit = bench.commit(add)

        #expect(commit.answers.map(\.result) == [.failure(.mutationReused)])
        #expect(commit.events.isEmpty)
    }

    // MARK: A store that fails

    @Test(
        "a commit that fails takes nothing, tells nothing, and the next one works",
        arguments: FaultyStore.Call.ofCommits.flatMap { call in
            // What of such a batch a full disk takes all the same: `LittleRoomTests`.
            let broken = (call, StoreError.broken(code: 10, reason: "disk I/O error"))
            let isTaken: Set<FaultyStore.Call> = [
                .deleteMessages, .changeGroup, .digest, .setDigest, .segment, .setSegment,
            ]
            return isTaken.contains(call) ? [broken] : [broken, (call, .full)]
        })
    func failsWhole(_ call: FaultyStore.Call, _ error: StoreError) throws {
        let store = FaultyStore()
        let bench = LedgerBench(store, tombstoneTicksKept: 500)
        let before = bench.commit(write(.add(.on(9))))
        let storedBefore = try bench.stored()
        let group = ChannelGroup("family", keyset: "default")
        let writes = [
            write(.publish(.numbered(1)), mutation: "a", command: 1),
            write(.add(.on(1)), mutation: "b", command: 2),
            write(.remove(.on(9), observed: nil), mutation: "c", command: 3),
            write(.deleteMessages(after: .zero, through: tick(1)), mutation: "d", command: 4),
            write(.changeGroup(group, .add(["a"])), mutation: "e", command: 5),
            write(.publish(.numbered(2)), mutation: "f", command: 6, channel: Channel("attic")),
        ]
        store.fault = (call, error)
        let failed = bench.commit(writes)

        let refusal = error == .full ? ProtocolError.storeFull : .storeUnavailable
        #expect(error == .full ? (1...3).contains(store.failures) : store.failures == 1)
        #expect(failed.events == [])
        #expect(failed.groups == [])
        #expect(failed.digests == [:])
        #expect(failed.last == before.last)
        #expect(
            failed.answers == writes.map { Answer(origin: $0.origin, result: .failure(refusal)) })
        #expect(bench.failure == error)
        #expect(try bench.stored() == storedBefore)
        #expect(store.last == before.last)

        store.fault = nil
        let retried = bench.commit(writes)
        #expect(retried.events.count == 5)
        #expect(retried.groups == [GroupMembership(group: group, channels: ["a"])])
        #expect(try retried.answers.map { try $0.result.get() }.count == writes.count)
        #expect(retried.events.allSatisfy { $0.timetoken > before.last })
        #expect(store.last == retried.last)
    }
}
