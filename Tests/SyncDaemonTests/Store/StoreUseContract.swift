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
}
