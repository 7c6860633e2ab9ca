// What every store promises about how much it keeps for a tenant.

import Basis
import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store contract: what keysets use")
struct StoreUseContract {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func use(_ store: any Store, _ keyset: String = Channel.defaultKeyset) throws
        -> StoredUse
    {
        try store.use(ofKeyset: ExactText(keyset))
    }

    @Test(
        "messages and standing actions count, in their keyset", arguments: StoreUnderTest.allCases)
    func counts(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let (room, other) = (Channel("room"), Channel("room", keyset: "other"))
        let message = Message(payload: #""é""#, meta: "{}", type: "text")
        let action = MessageAction(key: .on(1), actionTimetoken: tick(2))
        let size = (
            message: StoredUse.bytes(of: message, by: "ada"),
            action: StoredUse.bytes(of: action.key)
        )
        #expect(size.message == 100 + 3 + 4 + 2 + 4)
        #expect(try use(store) == StoredUse())
        #expect(try !store.hasChannel(room))
        try store.commit(through: 2) {
            try $0.insert(message, at: tick(1), in: room, by: "ada", expires: nil)
            try $0.add(action, in: room)
            try $0.insert(message, at: tick(2), in: other, by: "ada", expires: nil)
            // The open transaction sees what it does.
            #expect(try use($0) == StoredUse(channels: 1, bytes: size.message + size.action))
        }
        #expect(try use(store) == StoredUse(channels: 1, bytes: size.message + size.action))
        #expect(try use(store, "other") == StoredUse(channels: 1, bytes: size.message))
        #expect(try store.hasChannel(room))

        try store.commit(through: 3) { try $0.remove(action.key, at: tick(3), in: room) }
        #expect(try use(store).bytes == size.message)
        try store.commit(through: 4) {
            try $0.add(MessageAction(key: action.key, actionTimetoken: tick(4)), in: room)
        }
        #expect(try use(store).bytes == size.message + size.action)
        try store.commit(through: 5) {
            let isDone = try $0.deleteMessages(
                after: .zero, through: tick(5), at: tick(5), in: room, eachRow: { _ in })
            #expect(isDone)
            #expect(try use($0) == StoredUse(channels: 1, bytes: 0))
        }
        #expect(try use(store) == StoredUse(channels: 1, bytes: 0))
        #expect(try use(store, "other").bytes == size.message)
    }

    @Test("what is rolled back does not count", arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.publish(1, in: Channel("room"))
        let before = try use(store)
        try store.begin()
        try store.insert(.sized(50), at: tick(2), in: Channel("b"), by: "ada", expires: nil)
        _ = try store.deleteMessages(
            after: .zero, through: tick(1), at: tick(3), in: Channel("room"), eachRow: { _ in })
        #expect(try use(store) != before)
        store.rollback()
        #expect(try use(store) == before)
    }

    @Test("whatever is done, it is the sum of the rows", arguments: UInt64(1)...6)
    func sums(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let file = try SQLStore(directory: directory.path)
        let model = MemoryStore()
        var last: UInt64 = 0
        for _ in 0..<60 {
            let (steps, isKept) = (choices.below(6), choices.chance(80))
            let start = choices
            for store in [file, model] as [any Store] {
                choices = start
                try store.begin()
                for step in 0..<steps {
                    let now = last + UInt64(step) + 1
                    let channel = Channel("c\(choices.below(3))")
                    let key = MessageAction.Key.on(UInt64(choices.below(Int(max(1, last)))))
                    let range = MessageRange(
                        after: tick(UInt64(choices.below(Int(max(1, last))))), through: tick(now))
                    switch choices.below(10) {
                    case 0...3:
                        try store.insert(
                            .sized(choices.below(90) + 10), at: tick(now), in: channel, by: "ada",
                            expires: nil)
                    case 4...6:
                        if try store.standingAction(key, in: channel) == nil {
                            try store.add(
                                MessageAction(key: key, actionTimetoken: tick(now)), in: channel)
                        } else {
                            try store.remove(key, at: tick(now), in: channel)
                        }
                    case 7:
                        _ = try store.deleteMessages(
                            after: range.after, through: range.through, at: tick(now), in: channel,
                            eachRow: { _ in })
                    case 8: try store.forgetTombstones(before: range.through, limit: 10)
                    default: _ = try use(store)
                    }
                }
                if isKept {
                    try store.commit(through: tick(last + UInt64(steps)))
                } else {
                    store.rollback()
                }
            }
            if isKept { last += UInt64(steps) }
            let (found, expected) = (try use(file).bytes, try use(model).bytes)
            #expect(found == expected, "seed \(seed)")
        }
        #expect(last > 50)
    }

    @Test("a file of an earlier release is counted once, hidden rows when they are removed")
    func countsAnew() throws {
        var file: SQLStore? = try SQLStore(directory: directory.path)
        for number in 1...9 as ClosedRange<UInt64> {
            try file?.publish(number, in: Channel("room\(number % 2)"))
        }
        let before = try use(#require(file))
        #expect(before.channels == 2 && before.bytes > 900)
        file = nil
        let path = SQLStore.path(in: directory.path)
        try StoreConnection(path: path).execute(
            """
            \(SQLiteSchema.withoutCounts) DROP TABLE key_grant;
            DROP TABLE keyset_use; DROP TRIGGER message_use; DROP TRIGGER action_use;
            PRAGMA user_version = 9
            """)
        let upgraded = try SQLStore(directory: directory.path)
        #expect(try use(upgraded) == before)

        try upgraded.commit(through: 10) {
            try $0.hideMessages(
                in: MessageRange(after: .zero, through: tick(10)), at: tick(10),
                of: Channel("room1"))
        }
        #expect(try use(upgraded) == before)
        while upgraded.hasHiddenRows {
            try upgraded.commit(through: 10) { try $0.removeHiddenRows(limit: 2) }
        }
        #expect(try use(upgraded).bytes == before.bytes * 4 / 9)
    }

    // MARK: Damage

    /// What damage may make of a counter.
    private static let extremes: [Int64] = [
        Int64.max, Int64.max - 1, Int64.max / 2, 0, -1, Int64.min / 2, Int64.min + 1, Int64.min,
    ]

    @Test("a counter that damage made of any size is still added to", arguments: extremes)
    func damaged(counter: Int64) throws {
        let room = Channel("room")
        let id = try #require(FileID("01234567-89ab-4cde-8f01-23456789abcd"))
        do {
            let store = try SQLStore(directory: directory.path)
            try store.publish(1, in: room)
            try store.commit(through: 2) {
                try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(2)), in: room)
                try $0.add(
                    StoredFile(
                        channel: room, id: id, name: "a", size: 3, userID: "ada",
                        created: tick(2)))
            }
        }
        let path = SQLStore.path(in: directory.path)
        try StoreConnection(path: path).execute(
            """
            UPDATE keyset_use SET channels = \(counter), bytes = \(counter);
            UPDATE file SET size = \(counter)
            """)

        let store = try SQLStore(directory: directory.path)
        #expect(try use(store).bytes == Int(counter))
        try store.commit(through: 3) {
            try $0.insert(.sized(50), at: tick(3), in: Channel("new"), by: "ada")
            _ = try use($0)
            try $0.setReadMark(tick(1), of: "bob", in: room)
            try $0.remove(.on(1), at: tick(3), in: room)
            _ = try use($0)
        }
        let bytes = try use(store).bytes
        #expect(counter > 0 ? bytes > 0 : bytes < 1000)
        let file = try #require(try store.file(id))
        try store.commit(through: 4) {
            try $0.remove(file)
            let isDone = try $0.deleteMessages(
                after: .zero, through: tick(4), at: tick(4), in: room)
            #expect(isDone)
            _ = try use($0)
        }
        _ = try use(store)
        try store.publish(5, in: Channel("newer"))
        _ = try use(store)
    }

    @Test("a ledger takes or refuses writes beside such counters", arguments: extremes)
    func ledger(counter: Int64) throws {
        do {
            let bench = try LedgerBench(SQLStore(directory: directory.path))
            _ = bench.commit(write(.publish(.numbered(1))))
        }
        try StoreConnection(path: SQLStore.path(in: directory.path)).execute(
            "UPDATE keyset_use SET channels = \(counter), bytes = \(counter)")
        let bench = try LedgerBench(SQLStore(directory: directory.path))
        var keyset = Keyset(subscribeKey: Channel.defaultKeyset)
        (keyset.quotas.storedBytes, keyset.quotas.channels) = (1_000_000, 1000)
        let account = bench.ledger.accounts.account(of: keyset)

        let commit = bench.commit(
            write(.publish(.numbered(2))), write(.publish(.numbered(3)), channel: Channel("new")),
            write(.add(.on(1))), write(.markRead(through: tick(1))))

        let taken = commit.answers.map { (try? $0.result.get()) != nil }
        #expect(taken == Array(repeating: counter < 1000, count: 4))
        #expect(bench.failure == nil)
        try bench.ledger.tellUse()
        #expect((account.held(.storedBytes) > 1000) == (counter > 1000))
        do throws(QuotaRefusal) {
            try account.reserve(storedBytes: 10)
            account.release(reserved: 10)
            #expect(counter < 1000)
        } catch {
            #expect(counter > 1000)
        }
    }
}
