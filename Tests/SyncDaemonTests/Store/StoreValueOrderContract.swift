// What every store promises about a message's actions in the order of what they say.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: actions by value")
struct StoreValueOrderContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    private static let users = ["", "ada", "ada\u{1}", "bob", String(repeating: "z", count: 255)]

    /// Each user's three actions on message 1, one on message 2, and one that was removed.
    private func filled(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: 99) {
            var time: UInt64 = 10
            for user in Self.users {
                for (value, type) in [("👎", "reaction"), ("👍", "reaction"), ("👍", "receipt")] {
                    time += 1
                    let key = MessageAction.Key.on(1, value, type: type, by: user)
                    try $0.add(MessageAction(key: key, actionTimetoken: tick(time)), in: room)
                }
            }
            let other = MessageAction.Key.on(2, "👍", by: "ada")
            try $0.add(MessageAction(key: other, actionTimetoken: tick(80)), in: room)
            let long = MessageAction.Key.on(1, String(repeating: "x", count: 257), by: "ada")
            try $0.add(MessageAction(key: long, actionTimetoken: tick(81)), in: room)
            let gone = MessageAction.Key.on(1, "👍", by: "c")
            try $0.add(MessageAction(key: gone, actionTimetoken: tick(82)), in: room)
            try $0.remove(gone, at: tick(83), in: room)
        }
        return store
    }

    /// All pages, each of so many.
    private func read(
        _ query: ActionsQuery, of store: any Store,
        between: (MessageAction) throws -> Void = { _ in }
    ) throws -> [MessageAction.Key] {
        var query = query
        var found: [MessageAction.Key] = []
        repeat {
            let page = try store.makeReader().actions(query, in: room)
            #expect(page.actions.count <= query.limit)
            found += page.actions.map(\.key)
            // As it comes back from a client.
            query.after = page.next.flatMap { ActionsPlace($0.text) }
            if let last = page.actions.last { try between(last) }
        } while query.after != nil
        return found
    }

    private static let queries: [(ActionsQuery, [(String, String)], [String])] = [
        (
            ActionsQuery(channel: "room"),
            [("reaction", "👍"), ("reaction", "👎"), ("receipt", "👍")], users
        ),
        (ActionsQuery(channel: "room", values: ["👎"]), [("reaction", "👎")], users),
        (
            ActionsQuery(channel: "room", types: ["receipt", "reaction"], values: ["👍", "x"]),
            [("reaction", "👍"), ("receipt", "👍")], users
        ),
        (
            ActionsQuery(channel: "room", values: ["👍"], userIDs: ["bob", "", "bob", "nobody"]),
            [("reaction", "👍"), ("receipt", "👍")], ["", "bob"]
        ),
        (ActionsQuery(channel: "room", types: ["flag"]), [], users),
    ]

    @Test(
        "pages have what is wanted, in order, from both ends",
        arguments: StoreUnderTest.allCases, [1, 2, 5, 100])
    func pages(_ kind: StoreUnderTest, limit: Int) throws {
        let store = try filled(kind)
        for (wanted, groups, users) in Self.queries {
            let expected = groups.flatMap { type, value in
                users.map { MessageAction.Key.on(1, value, type: type, by: $0) }
            }
            for isDescending in [false, true] {
                var query = wanted
                (query.messageTimetoken, query.order, query.limit) = (tick(1), .value, limit)
                query.isDescending = isDescending
                let found = try read(query, of: store)
                #expect(
                    found == (isDescending ? expected.reversed() : expected),
                    "\(wanted), descending: \(isDescending)")
            }
        }
    }

    @Test(
        "nothing comes twice or is passed over when what ended a page is removed",
        arguments: StoreUnderTest.allCases)
    func changes(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        var time: UInt64 = 100
        let query = ActionsQuery(
            channel: "room", messageTimetoken: tick(1), values: ["👍", "👎"], order: .value,
            limit: 2)
        let found = try read(query, of: store) { last in
            time += 1
            try store.commit(through: time) {
                try $0.remove(last.key, at: tick(time), in: room)
            }
        }
        #expect(found.count == 15)
        #expect(found == found.sorted())
    }

    @Test("what few say of a message is found at once, however many say something else")
    func rare() throws {
        let store = try StoreUnderTest.sqlite.make(in: directory)
        let count = UInt64(Limits.actionsExaminedMax) + 2000
        try store.commit(through: 2 * count) {
            for number in 1...count {
                let isRare = number % (count / 3) == 5
                let key = MessageAction.Key.on(1, isRare ? "🎉" : "👍", by: "user\(number)")
                try $0.add(MessageAction(key: key, actionTimetoken: tick(number)), in: room)
            }
        }
        for order in ActionsQuery.Order.allCases {
            let page = try store.makeReader().actions(
                ActionsQuery(
                    channel: "room", messageTimetoken: tick(1), values: ["🎉"], order: order),
                in: room)
            #expect(page.actions.count == 3)
            #expect(page.next == nil)
        }
    }
}
