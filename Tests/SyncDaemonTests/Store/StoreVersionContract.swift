// What every store knows of authors, and of what they made of their messages.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: versions of messages")
struct StoreVersionContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func edit(_ value: String, by user: String = "ada") -> MessageAction.Key {
        .on(1, value, type: "edited", by: user)
    }

    private func add(_ store: any Store, _ key: MessageAction.Key, at time: UInt64) throws {
        try store.add(MessageAction(key: key, actionTimetoken: tick(time)), in: room)
    }

    @Test("a message has its author until it is gone", arguments: StoreUnderTest.allCases)
    func author(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        #expect(try store.author(ofMessage: tick(1), in: room) == nil)
        try store.commit(through: 9) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "\u{e9}")
            try $0.insert(.numbered(2), at: tick(2), in: room, by: "")
            // Seen in the transaction.
            #expect(try $0.author(ofMessage: tick(1), in: room) == "\u{e9}")
        }
        #expect(try store.author(ofMessage: tick(2), in: room) == "")
        #expect(try store.author(ofMessage: tick(3), in: room) == nil)
        #expect(try store.author(ofMessage: tick(1), in: Channel("den")) == nil)
        try store.commit(through: 19) {
            try $0.hideMessages(
                in: MessageRange(after: .zero, through: tick(1)), at: tick(11), of: room)
        }
        #expect(try store.author(ofMessage: tick(1), in: room) == nil)
        #expect(try store.author(ofMessage: tick(2), in: room) == "")
    }

    @Test(
        "the newest of a user's versions is found, removed and hidden ones passed over",
        arguments: StoreUnderTest.allCases)
    func newest(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func newest(_ kind: VersionKind, by user: String = "ada") throws -> String? {
            let action = try store.newest(kind, by: user, on: tick(1), in: room)
            return action.map { "\($0.key.value) \($0.actionTimetoken)" }
        }
        #expect(try newest(.edited) == nil)
        try store.commit(through: 9) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada")
            try add($0, edit("a"), at: 2)
            try add($0, edit("b"), at: 3)
            try add($0, edit("c", by: "bob"), at: 4)
            try add($0, .on(1, "d"), at: 5)
            try add($0, .on(1, "e", type: "deleted"), at: 6)
            try add($0, .on(2, "f", type: "edited"), at: 7)
        }
        #expect(try newest(.edited) == "b 3")
        #expect(try newest(.edited, by: "bob") == "c 4")
        #expect(try newest(.deleted) == "e 6")
        #expect(try newest(.deleted, by: "bob") == nil)
        try store.commit(through: 19) { try $0.remove(edit("b"), at: tick(11), in: room) }
        #expect(try newest(.edited) == "a 2")
        try store.commit(through: 29) { try add($0, edit("b"), at: 21) }
        #expect(try newest(.edited) == "b 21")
        try store.commit(through: 39) {
            try $0.hideMessages(
                in: MessageRange(after: .zero, through: tick(1)), at: tick(31), of: room)
        }
        #expect(try newest(.edited) == nil)
        try store.commit(through: 49) { try add($0, edit("a"), at: 41) }
        #expect(try newest(.edited) == "a 41")
    }

    @Test(
        "history tells the author's newest version with each message",
        arguments: StoreUnderTest.allCases)
    func history(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 29) {
            for number in 1...4 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
            }
            try add($0, edit(#"{"text": "one"}"#), at: 11)
            try add($0, .on(2, "bare words", type: "edited"), at: 12)
            try add($0, .on(3, #""not his""#, type: "edited", by: "bob"), at: 13)
            try add($0, .on(3, "x", type: "deleted"), at: 14)
            try add($0, edit(#"{"text":"two"}"#), at: 15)
        }
        let reader = try store.makeReader()
        var query = HistoryQuery(channel: "room")
        let page = try reader.history(query, in: room)
        #expect(
            page.messages.map(\.edited) == [
                MessageVersion(payload: #"{"text":"two"}"#, timetoken: tick(15)),
                MessageVersion(payload: #""bare words""#, timetoken: tick(12)), nil, nil,
            ])
        #expect(page.messages.map(\.deleted) == [nil, nil, tick(14), nil])
        #expect(page.messages.map(\.message.payload) == ["1", "2", "3", "4"])
        query.includesVersions = false
        #expect(try reader.history(query, in: room).messages.allSatisfy { $0.edited == nil })
    }

    @Test("large versions make a page shorter", arguments: StoreUnderTest.allCases)
    func cut(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let large = String(repeating: "x", count: 32 * 1024 - 2)
        try store.commit(through: 99) {
            for number in 1...20 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
                try add($0, .on(number, #""\#(large)""#, type: "edited"), at: 20 + number)
            }
        }
        let reader = try store.makeReader()
        var found: [Timetoken] = []
        var query = HistoryQuery(channel: "room", after: .zero)
        repeat {
            let page = try reader.history(query, in: room)
            #expect((1...8).contains(page.messages.count))
            #expect(page.messages.allSatisfy { $0.edited != nil })
            found += page.messages.map(\.timetoken)
            query.after = page.next
        } while query.after != nil && found.count < 30
        #expect(found == (1...20).map { tick($0) })
    }
}
