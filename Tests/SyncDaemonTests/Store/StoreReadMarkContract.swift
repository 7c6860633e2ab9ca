// What every store promises about read marks, and what is unread behind them.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: read marks")
struct StoreReadMarkContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func publish(
        _ range: ClosedRange<UInt64>, by user: String, in store: any Store
    ) throws {
        for number in range {
            try store.insert(
                Message(payload: "1"), at: tick(number), in: room, by: user, expires: nil)
        }
    }

    private func unread(
        _ user: String, _ store: any Store, in channel: Channel? = nil
    ) throws -> UnreadMessages {
        try store.makeReader().unread(of: user, in: channel ?? room)
    }

    @Test(
        "each user has one in a channel, the last that was set", arguments: StoreUnderTest.allCases)
    func keeps(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let other = Channel("room", keyset: "other")
        try store.commit(through: 6) {
            try publish(1...5, by: "ada", in: $0)
            try $0.insert(Message(payload: "1"), at: tick(6), in: other, by: "x", expires: nil)
            #expect(try $0.readMark(of: "bob", in: room) == nil)
            try $0.setReadMark(tick(2), of: "bob", in: room)
            try $0.setReadMark(tick(3), of: "bob", in: room)
            try $0.setReadMark(tick(1), of: "e\u{301}", in: room)
            #expect(try $0.readMark(of: "bob", in: room) == tick(3), "before the commit")
        }

        #expect(try store.readMark(of: "bob", in: room) == tick(3))
        #expect(try store.readMark(of: "\u{e9}", in: room) == nil)
        #expect(try store.readMark(of: "e\u{301}", in: room) == tick(1))
        #expect(try store.readMark(of: "bob", in: other) == nil)
        #expect(try store.readMark(of: "bob", in: Channel("nowhere")) == nil)
    }

    @Test("a rollback puts the former one back", arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 2) {
            try publish(1...2, by: "ada", in: $0)
            try $0.setReadMark(tick(1), of: "bob", in: room)
        }
        let before = try store.use(ofKeyset: ExactText(room.keyset))

        try store.begin()
        try store.setReadMark(tick(2), of: "bob", in: room)
        try store.setReadMark(tick(2), of: "eve", in: room)
        store.rollback()

        #expect(try store.readMark(of: "bob", in: room) == tick(1))
        #expect(try store.readMark(of: "eve", in: room) == nil)
        #expect(try store.use(ofKeyset: ExactText(room.keyset)) == before)
    }

    @Test("they count for the quota, each once", arguments: StoreUnderTest.allCases)
    func use(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) { try publish(1...1, by: "ada", in: $0) }
        let before = try store.use(ofKeyset: ExactText(room.keyset)).bytes
        for number in 2...4 as ClosedRange<UInt64> {
            try store.commit(through: number) {
                try $0.setReadMark(tick(number), of: "bob", in: room)
            }
        }

        let after = try store.use(ofKeyset: ExactText(room.keyset)).bytes
        #expect(after - before == StoredUse.bytes(ofMarkBy: "bob"))
    }

    @Test("messages of others behind the mark are unread", arguments: StoreUnderTest.allCases)
    func counts(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 9) {
            try publish(1...3, by: "ada", in: $0)
            try publish(4...6, by: "bob", in: $0)
            try publish(7...9, by: "ada", in: $0)
            try $0.setReadMark(tick(2), of: "bob", in: room)
        }

        #expect(
            try unread("bob", store)
                == UnreadMessages(channel: "room", through: tick(2), count: 4, hasMore: false))
        #expect(
            try unread("eve", store)
                == UnreadMessages(channel: "room", through: nil, count: 9, hasMore: false))
        #expect(
            try unread("bob", store, in: Channel("nowhere"))
                == UnreadMessages(channel: "nowhere", through: nil, count: 0, hasMore: false))

        try store.commit(through: 10) {
            let isDone = try $0.deleteMessages(
                after: tick(7), through: tick(8), at: tick(10), in: room, eachRow: { _ in })
            #expect(isDone)
            try $0.setReadMark(tick(6), of: "bob", in: room)
        }
        #expect(try unread("bob", store).count == 2, "without the deleted one")
    }

    @Test("what a large deletion hides is not unread", arguments: StoreUnderTest.allCases)
    func hidden(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 9) { try publish(1...9, by: "ada", in: $0) }
        try store.commit(through: 10) {
            try $0.hideMessages(
                in: MessageRange(after: tick(3), through: tick(7)), at: tick(10), of: room)
        }

        #expect(try unread("bob", store).count == 5)
    }

    @Test("over a thousand it says that there are more", arguments: StoreUnderTest.allCases)
    func many(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let limit = UInt64(Limits.unreadMessagesMax)
        try store.commit(through: limit) { try publish(1...limit, by: "ada", in: $0) }
        #expect(
            try unread("bob", store)
                == UnreadMessages(
                    channel: "room", through: nil, count: Int(limit), hasMore: false))
        // One's own are looked at, too: else a channel of nobody else's would be read whole.
        try store.commit(through: limit + 1) {
            try publish(limit + 1...limit + 1, by: "bob", in: $0)
        }
        #expect(
            try unread("bob", store)
                == UnreadMessages(channel: "room", through: nil, count: Int(limit), hasMore: true))
        #expect(
            try unread("ada", store)
                == UnreadMessages(channel: "room", through: nil, count: 0, hasMore: true))
    }
}
