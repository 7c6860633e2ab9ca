// What every store promises, tested once for all of them: transactions, actions and names.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract")
struct StoreContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")
    private let ada = Author(userID: "ada", deviceID: "phone")

    init() throws {
        directory = try ScratchDirectory()
    }

    // MARK: Transactions

    @Test("a new store is empty and has an epoch of its own", arguments: StoreUnderTest.allCases)
    func isEmpty(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let other = try kind.make(in: ScratchDirectory())

        #expect(store.last == .zero)
        #expect(store.epoch != other.epoch)
        #expect(store.epoch.utf8.count == 16)
        let page = try store.makeReader().changes(in: room, after: .zero)
        #expect(
            page
                == ChangePage(
                    envelopes: [], through: .zero, isComplete: true, digest: .empty, asOf: .zero))
    }

    @Test(
        "readers see a transaction when it is committed, all at once",
        arguments: StoreUnderTest.allCases
    )
    func commits(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        try store.begin()
        try store.insert(.numbered(1), at: tick(1), in: room, by: "ada")
        try store.add(MessageAction(key: .on(1), actionTimetoken: tick(2)), in: room)

        #expect(try reader.changes(in: room, after: .zero).envelopes == [])
        #expect(try reader.history(HistoryQuery(channel: "room"), in: room).messages == [])
        #expect(try reader.actions(ActionsQuery(channel: "room"), in: room).actions == [])
        #expect(try store.standingAction(.on(1), in: room) == tick(2))
        #expect(store.last == .zero)

        try store.commit(through: tick(7))

        let page = try reader.changes(in: room, after: .zero)
        #expect(page.envelopes.map(\.timetoken) == [tick(1), tick(2)])
        #expect(page.through == tick(7))
        #expect(page.isComplete)
        #expect(store.last == tick(7))
    }

    @Test(
        "a rollback leaves nothing, and the names it made work again",
        arguments: StoreUnderTest.allCases
    )
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let den = Channel("den")
        let record = MutationRecord(fingerprint: 1, outcome: .published(tick(1)))
        try store.begin()
        try store.insert(.numbered(1), at: tick(1), in: room, by: "ada")
        try store.add(MessageAction(key: .on(1), actionTimetoken: tick(2)), in: room)
        try store.remember(record, of: "m", by: ada, at: tick(1))
        store.rollback()

        #expect(store.last == .zero)
        #expect(try store.makeReader().changes(in: room, after: .zero).envelopes == [])
        try store.begin()
        #expect(try store.standingAction(.on(1), in: room) == nil)
        #expect(try store.outcome(of: "m", by: ada) == nil)
        // A channel and a device that take the ids that were rolled back.
        let bob = Author(userID: "bob", deviceID: "tablet")
        try store.insert(.numbered(3), at: tick(3), in: den, by: "bob")
        try store.remember(record, of: "m", by: bob, at: tick(3))
        try store.insert(.numbered(4), at: tick(4), in: room, by: "ada")
        try store.commit(through: tick(4))

        let reader = try store.makeReader()
        #expect(try reader.allChanges(in: den, after: .zero).map(\.timetoken) == [tick(3)])
        #expect(try reader.allChanges(in: room, after: .zero).map(\.timetoken) == [tick(4)])
        try store.begin()
        #expect(try store.outcome(of: "m", by: ada) == nil)
        #expect(try store.outcome(of: "m", by: bob) == record)
        store.rollback()
    }

    @Test("a rollback keeps what was committed before", arguments: StoreUnderTest.allCases)
    func rollsBackToCommit(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 2) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada")
            try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(2)), in: room)
        }
        try store.begin()
        try store.remove(.on(1), at: tick(3), in: room)
        #expect(try store.standingAction(.on(1), in: room) == nil)
        store.rollback()

        try store.begin()
        #expect(try store.standingAction(.on(1), in: room) == tick(2))
        store.rollback()
        #expect(store.last == tick(2))
    }

    @Test("a rollback without a transaction is harmless", arguments: StoreUnderTest.allCases)
    func rollsBackNothing(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.publish(1, in: room)
        store.rollback()
        try store.publish(2, in: room)

        let changes = try store.makeReader().allChanges(in: room, after: .zero)
        #expect(changes.map(\.timetoken) == [tick(1), tick(2)])
    }

    // MARK: Actions

    @Test(
        "an action stands from its add to its removal, and again",
        arguments: StoreUnderTest.allCases)
    func stands(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        func changed(after cursor: UInt64) throws -> [Envelope] {
            try reader.changes(in: room, after: tick(cursor)).envelopes
        }
        func envelope(_ timetoken: UInt64, _ event: Event) -> Envelope {
            Envelope(channel: room, timetoken: tick(timetoken), uuid: "ada", event: event)
        }
        let first = MessageAction(key: .on(1), actionTimetoken: tick(2))
        let second = MessageAction(key: .on(1), actionTimetoken: tick(4))

        try store.commit(through: 2) { try $0.add(first, in: room) }
        #expect(try changed(after: 0) == [envelope(2, .actionAdded(first))])
        #expect(try changed(after: 2) == [])

        try store.commit(through: 3) { try $0.remove(.on(1), at: tick(3), in: room) }
        #expect(try changed(after: 0) == [envelope(3, .actionRemoved(first))])
        #expect(try changed(after: 3) == [])
        #expect(try reader.actions(ActionsQuery(channel: "room"), in: room).actions == [])

        try store.commit(through: 4) { try $0.add(second, in: room) }
        #expect(try changed(after: 0) == [envelope(4, .actionAdded(second))])
        #expect(try reader.actions(ActionsQuery(channel: "room"), in: room).actions == [second])
        try store.begin()
        #expect(try store.standingAction(.on(1), in: room) == tick(4))
        store.rollback()
    }

    @Test(
        "every part of a key tells two actions apart", arguments: StoreUnderTest.allCases,
        [
            MessageAction.Key.on(2), .on(1, "👎"), .on(1, type: "receipt"), .on(1, by: "bob"),
        ])
    func tellsKeysApart(_ kind: StoreUnderTest, _ other: MessageAction.Key) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 6) {
            try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(5)), in: room)
            #expect(try $0.standingAction(other, in: room) == nil)
            try $0.add(MessageAction(key: other, actionTimetoken: tick(6)), in: room)
        }
        try store.commit(through: 7) { try $0.remove(.on(1), at: tick(7), in: room) }

        try store.begin()
        #expect(try store.standingAction(.on(1), in: room) == nil)
        #expect(try store.standingAction(other, in: room) == tick(6))
        store.rollback()
    }

    // MARK: Names

    @Test("channels and keysets do not see each other", arguments: StoreUnderTest.allCases)
    func separatesChannels(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let channels = [
            Channel("a"), Channel("b"), Channel("a", keyset: "other"),
            Channel("b", keyset: "other"),
        ]
        for (index, channel) in channels.enumerated() {
            let base = UInt64(index) * 10
            try store.commit(through: base + 2) {
                try $0.insert(.numbered(base + 1), at: tick(base + 1), in: channel, by: "ada")
                #expect(try $0.standingAction(.on(1), in: channel) == nil)
                try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(base + 2)), in: channel)
            }
        }

        let reader = try store.makeReader()
        for (index, channel) in channels.enumerated() {
            let base = UInt64(index) * 10
            let envelopes = try reader.allChanges(in: channel, after: .zero)
            #expect(envelopes.map(\.timetoken) == [tick(base + 1), tick(base + 2)])
            #expect(envelopes.allSatisfy { $0.channel == channel })
            let query = HistoryQuery(channel: channel.name)
            let messages = try reader.history(query, in: channel).messages
            #expect(messages.map(\.timetoken) == [tick(base + 1)])
        }
        let unknown = Channel("c")
        #expect(
            try reader.changes(in: unknown, after: .zero)
                == ChangePage(
                    envelopes: [], through: tick(32), isComplete: true, digest: .empty,
                    asOf: tick(32)))
        let history = try reader.history(HistoryQuery(channel: "c"), in: unknown)
        #expect(history == HistoryPage(messages: [], next: nil))
        let actions = try reader.actions(ActionsQuery(channel: "c"), in: unknown)
        #expect(actions == ActionsPage(actions: [], next: nil))
    }

    @Test(
        "texts come back as they went in", arguments: StoreUnderTest.allCases,
        [
            "'; DROP TABLE message; --", #""quoted" \ 'twice'"#, "👩‍👩‍👧‍👦🏳️‍🌈", "مرحبا", "a\u{1}b",
            "\u{FFFF}\u{10FFFF}", "line\nbreak\ttab", "%_*?", " ", "e\u{301}", "null",
        ])
    func keepsTexts(_ kind: StoreUnderTest, _ text: String) throws {
        let store = try kind.make(in: directory)
        let channel = Channel(text, keyset: text)
        let author = Author(keyset: text, userID: text, deviceID: text)
        let record = MutationRecord(fingerprint: .max, outcome: .absent)
        let message = Message(payload: text, meta: text, type: text)
        let action = MessageAction(
            key: .on(1, text, type: text, by: text), actionTimetoken: tick(2))
        try store.commit(through: 2) {
            try $0.insert(message, at: tick(1), in: channel, by: text)
            try $0.add(action, in: channel)
            try $0.remember(record, of: text, by: author, at: tick(1))
        }

        let reader = try store.makeReader()
        let events = try reader.allChanges(in: channel, after: .zero)
        #expect(events.map(\.event) == [.message(message), .actionAdded(action)])
        #expect(events.allSatisfy { $0.uuid.utf8.elementsEqual(text.utf8) })
        guard case .message(let stored) = events.first?.event else { return }
        #expect(stored.payload.utf8.elementsEqual(text.utf8))
        var query = ActionsQuery(channel: text, types: [text], values: [text], userIDs: [text])
        #expect(try reader.actions(query, in: channel).actions == [action])
        query.values = [text + "x"]
        #expect(try reader.actions(query, in: channel).actions == [])
        try store.begin()
        #expect(try store.outcome(of: text, by: author) == record)
        store.rollback()
    }

    @Test("a message without meta and type has none afterwards", arguments: StoreUnderTest.allCases)
    func keepsAbsence(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.publish(1, in: room)

        let page = try store.makeReader().history(HistoryQuery(channel: "room"), in: room)
        #expect(
            page.messages == [StoredMessage(timetoken: tick(1), uuid: "ada", message: .numbered(1))]
        )
    }
}
