// What a cache file keeps: everything that was committed, through a process that ends anywhere.

import Basis
import EventModel
import Foundation
import SQL
import SQLite
import SyncClient
import Testing

@Suite("SQLiteDeviceStore")
struct DeviceStoreTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func at(_ ticks: UInt64) -> Timetoken { Timetoken(rawValue: ticks) }

    private func header(_ cursor: UInt64, _ key: DigestKey?) -> ChannelHeader {
        ChannelHeader(
            cursor: at(cursor), epoch: "a.1", key: key, digest: .empty)
    }

    private func thumb(_ uuid: String, _ ticks: UInt64) -> MessageAction {
        MessageAction(
            key: .init(messageTimetoken: at(10), type: "reaction", value: "👍", uuid: uuid),
            actionTimetoken: at(ticks), score: Int(ticks))
    }

    /// Copies the files as they are, as a process that is killed leaves them.
    private func copy(of path: String, as name: String) throws -> String {
        let copy = folder.appending(path: name).path()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }

    @Test("what was committed is there after the process was killed")
    func survives() throws {
        let path = folder.appending(path: "cache").path()
        let store = try SQLiteDeviceStore(path: path)
        var generator = SeededGenerator(seed: 1)
        let key = DigestKey.random(using: &generator)
        let identity = DeviceIdentity(userID: "ada", keyset: "k", deviceID: "phone")
        try store.setIdentity(identity)
        let message = Message(payload: #"{"a":"é"}"#, meta: "1", type: "text")
        let wishes: [OutboxEntry] = [
            OutboxEntry(mutation: "m1", channel: "room", wish: .publish(message)),
            OutboxEntry(
                mutation: "m2", channel: "room", wish: .add(thumb("ada", 1).key, score: 3),
                progress: .perhapsSent),
            OutboxEntry(
                mutation: "m3", channel: "room", wish: .remove(thumb("ada", 1).key, seen: at(12)),
                progress: .answered(nil)),
            OutboxEntry(
                mutation: "m4", channel: "room", wish: .remove(thumb("ada", 1).key, seen: nil),
                progress: .perhapsSent, sentAfter: .zero),
        ]
        let successor = OutboxEntry(
            mutation: "m2~1", channel: "room", wish: .add(thumb("ada", 1).key),
            progress: .perhapsSent)

        try store.commit(
            [
                .channel(
                    "room", header(20, key),
                    [
                        .messagePut(at(10), .init(uuid: "ada", message: message)),
                        .messagePut(at(11), .init(uuid: "ada", message: message)),
                        .actionPut(thumb("ada", 12)), .actionPut(thumb("bob", 13)),
                        .actionDropped(thumb("bob", 13)),
                        .messageDropped(at(11), .init(uuid: "ada", message: message)),
                    ])
            ] + wishes.map { .outbox(.put($0)) })
        try store.commit([
            .outbox(.put(wishes[1].answered(at(14)))), .outbox(.drop(mutation: "m1")),
            .outbox(.replace(mutation: "m2", by: successor)),
        ])
        let reopened = try SQLiteDeviceStore(path: copy(of: path, as: "copy"))
        let base = try reopened.base(of: "room")

        #expect(try reopened.identity() == identity)
        #expect(try reopened.channels() == ["room"])
        #expect(try reopened.outbox() == [successor, wishes[2], wishes[3]])
        #expect(base.cursor == at(20))
        #expect(base.epoch == "a.1")
        #expect(base.key == key)
        #expect(base.cache.messages == [at(10): .init(uuid: "ada", message: message)])
        #expect(base.cache.actions == [thumb("ada", 12).key: at(12)])
        var digest = Digest.empty
        digest.insert(thumb("ada", 12), key: key)
        digest.insert(MessageRow(timetoken: at(10), uuid: "ada", type: message.type), key: key)
        #expect(base.digest == digest)
        #expect(try reopened.base(of: "den") == ChannelBase())
    }

    @Test("a process that is killed between two batches finds all of one and nothing of the next")
    func crashesBetweenBatches() throws {
        let path = folder.appending(path: "cache").path()
        let store = try SQLiteDeviceStore(path: path)
        for number in UInt64(1)...20 {
            try store.commit([
                .channel(
                    "room", header(number * 10 + 1, nil),
                    [
                        .messagePut(
                            at(number * 10),
                            .init(uuid: "ada", message: Message(payload: "\(number)"))),
                        .actionPut(thumb("user-\(number)", number * 10 + 1)),
                    ])
            ])
            let found = try SQLiteDeviceStore(path: copy(of: path, as: "copy-\(number)"))
                .base(of: "room")
            #expect(found.cursor == at(number * 10 + 1))
            #expect(found.cache.messages.count == Int(number))
            #expect(found.cache.actions.count == Int(number))
        }
    }

    @Test("a channel that lost a message comes to what is left, and not to what was kept")
    func lostMessages() throws {
        let store = try SQLiteDeviceStore(path: ":memory:")
        let key = try #require(DigestKey(String(repeating: "0f", count: 16)))
        let entry = DeviceCache.Entry(uuid: "ada", message: Message(payload: "1"))
        let rows: [RowChange] = [.messagePut(at(10), entry), .messagePut(at(11), entry)]
        try store.commit([.channel("room", header(20, key), rows)])
        let whole = try store.base(of: "room")
        #expect(whole.digest.count == 2)
        try store.commit([.channel("room", whole.header, [.messageDropped(at(10), entry)])])
        let base = try store.base(of: "room")
        #expect(base.cache.messages.count == 1)
        #expect(base.digest.count == 1)
        #expect(base.digest != whole.digest)
    }

    @Test("rules are kept with their channel, whatever they say")
    func rules() throws {
        let path = folder.appending(path: "cache").path()
        var all: [ReactionRules] = ReactionRules.Mode.allCases.map { mode in
            var rules = ReactionRules()
            rules.mode = mode
            return rules
        }
        all[0].values = .emoji
        all[1].values = .list(["👍", "❤️"])
        all[1].aliases = [ReactionRules.Alias(name: "love", value: "❤️")]
        all[2].types = ["like", "\"x\""]
        (all[2].isOn, all[2].needsMessage) = (false, true)
        (all[3].valuesMax, all[3].ownMax, all[3].actionsMax) = (7, 8, 9)
        for rules in all {
            do {
                var header = header(20, nil)
                header.rules = rules
                try SQLiteDeviceStore(path: path).commit([.channel("room", header, [])])
            }
            let store = try SQLiteDeviceStore(path: path)
            #expect(try store.rules(of: "room") == rules)
            #expect(try store.rules(of: "den") == nil)
        }
        let store = try SQLiteDeviceStore(path: path)
        try store.commit([.forget("room")])
        #expect(try store.rules(of: "room") == nil)
    }

    @Test("a file of the first version is brought up to date")
    func firstVersion() throws {
        let path = folder.appending(path: "cache").path()
        let entry = DeviceCache.Entry(uuid: "ada", message: Message(payload: "1"))
        do {
            let store = try SQLiteDeviceStore(path: path)
            try store.commit([.channel("room", header(20, nil), [.messagePut(at(10), entry)])])
        }
        do {
            let file = try SQLiteConnection<SQLiteError>(
                path: path, checkpoints: .automatic, failure: { $0 })
            try file.execute(
                """
                ALTER TABLE channel ADD COLUMN deletion INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE channel DROP COLUMN after; ALTER TABLE channel DROP COLUMN rest;
                ALTER TABLE channel DROP COLUMN rest_cursor; ALTER TABLE channel DROP COLUMN whole;
                ALTER TABLE message DROP COLUMN checksum;
                ALTER TABLE message DROP COLUMN parent;
                ALTER TABLE outbox DROP COLUMN parent; ALTER TABLE action DROP COLUMN score;
                ALTER TABLE outbox DROP COLUMN score; ALTER TABLE channel DROP COLUMN rules;
                DROP TABLE mark;
                PRAGMA user_version = 1
                """)
        }
        let store = try SQLiteDeviceStore(path: path)
        let base = try store.base(of: "room")
        #expect(base.cache.messages == [at(10): entry])
        #expect(base.epoch == "a.1")
        #expect(try store.rules(of: "room") == nil)
        #expect(base.rest == .none)
        try store.commit([.channel("room", base.header, [.messageDropped(at(10), entry)])])
        #expect(try store.base(of: "room").isEmpty)
    }

    @Test("a file of a version that there cannot be is left alone", arguments: [-1, 9, 4711])
    func otherVersions(version: Int) throws {
        let path = folder.appending(path: "cache").path()
        do { _ = try SQLiteDeviceStore(path: path) }
        do {
            let file = try SQLiteConnection<SQLiteError>(
                path: path, checkpoints: .automatic, failure: { $0 })
            try file.execute("PRAGMA user_version = \(version)")
        }
        #expect(throws: DeviceStoreError.newerVersion(path: path, version: version)) {
            try SQLiteDeviceStore(path: path)
        }
    }

    @Test("marks and wishes are there again, and go with what is forgotten")
    func marks() throws {
        let path = folder.appending(path: "cache").path()
        let marks = [
            KeptMark(channel: "den", confirmed: .zero),
            KeptMark(channel: "hall", wished: at(7)),
            KeptMark(channel: "room", confirmed: at(5), wished: at(9)),
        ]
        do {
            let store = try SQLiteDeviceStore(path: path)
            #expect(try store.marks().isEmpty)
            try store.commit([.mark(KeptMark(channel: "room", confirmed: at(3)))])
            try store.commit(marks.map { .mark($0) })
            let killed = try SQLiteDeviceStore(path: copy(of: path, as: "copy"))
            #expect(try killed.marks() == marks)
        }
        let store = try SQLiteDeviceStore(path: path)
        #expect(try store.marks() == marks)
        try store.commit([.forget("room"), .mark(KeptMark(channel: "hall"))])
        #expect(try store.marks() == [marks[0]])
        #expect(try store.channels().isEmpty)
    }

    /// Found by an attack: told to the daemon, such a mark says of all devices what nobody read.
    @Test("a damaged mark is none; one of an earlier release, without a checksum, is one")
    func damagedMarks() throws {
        let path = folder.appending(path: "cache").path()
        let marks = ["den", "hall", "room"].map { KeptMark(channel: $0, confirmed: at(5)) }
        do {
            let store = try SQLiteDeviceStore(path: path)
            try store.commit(marks.map { .mark($0) })
        }
        do {
            let file = try SQLiteConnection<SQLiteError>(
                path: path, checkpoints: .automatic, failure: { $0 })
            try file.execute(
                """
                UPDATE mark SET checksum = NULL WHERE channel = 'den';
                UPDATE mark SET confirmed = 9223372036854775807 WHERE channel = 'room';
                UPDATE mark SET wished = 6 WHERE channel = 'hall'
                """)
        }
        #expect(try SQLiteDeviceStore(path: path).marks() == [marks[0]])
    }

    @Test("what is before a window is kept with its rows")
    func window() throws {
        let store = try SQLiteDeviceStore(path: ":memory:")
        var generator = SeededGenerator(seed: 2)
        let key = DigestKey.random(using: &generator)
        var digest = Digest.empty
        digest.insert(thumb("bob", 4), key: key)
        let entry = DeviceCache.Entry(uuid: "ada", message: Message(payload: "1"))
        for rest in [
            ChannelRest(after: at(9), digest: digest, cursor: at(19), whole: .empty),
            ChannelRest(after: at(9), digest: nil), .all, .none,
        ] {
            var written = header(20, key)
            written.rest = rest
            try store.commit([.channel("room", written, [.messagePut(at(10), entry)])])
            #expect(try store.base(of: "room").rest == rest)
        }
    }

    @Test("a message that the disk changed is as if it were not there")
    func changedText() throws {
        let path = folder.appending(path: "cache").path()
        let entry = DeviceCache.Entry(uuid: "ada", message: Message(payload: #""ten""#))
        let rows: [RowChange] = [.messagePut(at(10), entry), .messagePut(at(11), entry)]
        do {
            let store = try SQLiteDeviceStore(path: path)
            try store.commit([.channel("room", header(20, nil), rows)])
            let file = try SQLiteConnection<SQLiteError>(
                path: path, checkpoints: .automatic, failure: { $0 })
            try file.execute("UPDATE message SET payload = '\"tem\"' WHERE timetoken = 10")
        }
        let base = try SQLiteDeviceStore(path: path).base(of: "room")
        #expect(base.cache.messages == [at(11): entry])
    }

    @Test("a channel that is forgotten leaves nothing, and the others stay")
    func forgets() throws {
        let store = try SQLiteDeviceStore(path: ":memory:")
        for name in ["room", "den"] {
            try store.commit([.channel(name, header(20, nil), [.actionPut(thumb("ada", 12))])])
        }

        try store.commit([.forget("room")])

        #expect(try store.channels() == ["den"])
        #expect(try store.base(of: "room") == ChannelBase())
        #expect(try store.base(of: "den").cache.actions.count == 1)
    }

    @Test("names are compared byte for byte")
    func exactNames() throws {
        let store = try SQLiteDeviceStore(path: ":memory:")
        try store.commit([
            .channel("caf\u{E9}", header(1, nil), []), .channel("cafe\u{301}", header(2, nil), []),
        ])

        #expect(try store.base(of: "caf\u{E9}").cursor == at(1))
        #expect(try store.base(of: "cafe\u{301}").cursor == at(2))
    }

    @Test("a file that is no cache is refused with what to do")
    func damaged() throws {
        let path = folder.appending(path: "damaged").path()
        try Data(repeating: 7, count: 8192).write(to: URL(filePath: path))

        let error = #expect(throws: DeviceStoreError.self) { try SQLiteDeviceStore(path: path) }
        #expect(error?.description.contains("delete it") == true)
        #expect(throws: DeviceStoreError.self) {
            try SQLiteDeviceStore(path: folder.appending(path: "no/where").path())
        }
    }

    /// Found by an operator: it was called damaged, and deleting it loses unsent writes.
    @Test("a file that another program has locked is in use, and not to be deleted")
    func inUse() throws {
        let path = folder.appending(path: "cache").path()
        let store = try SQLiteDeviceStore(path: path)
        let other = try SQLiteConnection<SQLiteError>(path: path, checkpoints: .automatic) { $0 }
        try other.execute("BEGIN EXCLUSIVE")

        let error = #expect(throws: DeviceStoreError.self) {
            try store.setIdentity(DeviceIdentity(userID: "ada", deviceID: "phone"))
        }

        #expect(error == .inUse(path: path))
        #expect(error?.description.contains("End the program that uses it") == true)
        try other.execute("ROLLBACK")
    }

    @Test("a cache of another user is not taken")
    func otherUser() throws {
        let path = folder.appending(path: "cache").path()
        try SQLiteDeviceStore(path: path)
            .setIdentity(DeviceIdentity(userID: "ada", deviceID: "phone"))
        let bob = try SyncClient.Configuration(userID: "bob", deviceID: "tablet")

        #expect(throws: DeviceStoreError.self) {
            try SyncClient.open(cache: path, configuration: bob)
        }
    }
}

extension OutboxEntry {
    /// The entry with the server's answer.
    fileprivate func answered(_ timetoken: Timetoken) -> OutboxEntry {
        OutboxEntry(
            mutation: mutation, channel: channel, wish: wish, progress: .answered(timetoken))
    }
}
