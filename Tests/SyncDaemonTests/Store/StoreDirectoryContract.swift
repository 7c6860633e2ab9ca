// What every store promises about the entries of directories.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: directories")
struct StoreDirectoryContract {
    private let directory: ScratchDirectory
    private let users = Channel(Directory.users.channelName)

    init() throws {
        directory = try ScratchDirectory()
    }

    private func put(
        _ payload: String, at position: UInt64, type: String? = Directory.messageType,
        in channel: Channel? = nil, _ store: any Store
    ) throws {
        try store.insert(
            Message(payload: payload, type: type), at: tick(position), in: channel ?? users,
            by: "ada", expires: nil)
    }

    private func page(
        _ query: DirectoryQuery, of store: any Store
    ) throws -> DirectoryPage {
        var scan = try EntryScan(query, keyset: Channel.defaultKeyset)
        let reader = try store.makeReader()
        // In as many steps as possible.
        while !scan.isOver {
            try reader.readOn(
                &scan, in: Channel(query.directory.channelName), while: { false })
        }
        return scan.page
    }

    @Test("an entry is found by its id, byte for byte", arguments: StoreUnderTest.allCases)
    func finds(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let ids = ["ada", "Ada", "\u{e9}", "e\u{301}", "a b/c", "\\\"", "👍"]
        let other = Channel("$users", keyset: "other")
        try store.commit(through: 100) {
            for (number, id) in ids.enumerated() {
                try put(EntryContent(id: id, nil).setting([]), at: UInt64(number + 1), $0)
            }
            try put(#"{"id":"ada"}"#, at: 50, in: other, $0)
            // Messages of other types are none, and a payload that is no object has no id.
            try put(#"{"id":"eve"}"#, at: 51, type: nil, $0)
            try put("7", at: 52, $0)
            #expect(try $0.entry(ExactText("ada"), in: users)?.timetoken == tick(1))
        }

        let reader = try store.makeReader()
        for (number, id) in ids.enumerated() {
            let found = try #require(try store.entry(ExactText(id), in: users))
            #expect(found.timetoken == tick(UInt64(number + 1)))
            #expect(ExactText(found.id) == ExactText(id))
            #expect(try reader.entry(ExactText(id), in: users) == found)
        }
        #expect(try store.entry(ExactText("eve"), in: users) == nil)
        #expect(try store.entry(ExactText("ada"), in: Channel("nowhere")) == nil)
        #expect(try reader.entry(ExactText("eve"), in: users) == nil)
        #expect(try reader.entry(ExactText("ada"), in: other)?.timetoken == tick(50))
        #expect(try store.entries(in: users, limit: 3).map(\.id) == ["Ada", "\\\"", "a b/c"])
        #expect(try store.entries(in: users, limit: 100).count == ids.count)
    }

    @Test("a message that is deleted is an entry no more", arguments: StoreUnderTest.allCases)
    func deletes(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) { try put(#"{"id":"ada","name":"A"}"#, at: 1, $0) }
        try store.commit(through: 3) {
            _ = try $0.deleteMessages(
                after: .zero, through: tick(1), at: tick(2), in: users, eachRow: { _ in })
            #expect(try $0.entry(ExactText("ada"), in: users) == nil)
            try put(#"{"id":"ada","name":"B"}"#, at: 3, $0)
        }
        let found = try store.entry(ExactText("ada"), in: users)
        #expect(found?.content == #"{"id":"ada","name":"B"}"#)
    }

    @Test("a subject comes with its membership", arguments: StoreUnderTest.allCases)
    func subjects(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let members = Directory.members(channel: "room")
        try store.commit(through: 10) {
            try put(#"{"id":"ada","name":"Zoe"}"#, at: 1, $0)
            for (number, id) in ["ada", "bob"].enumerated() {
                try put(
                    EntryContent(id: id, nil).setting([]), at: UInt64(number + 2),
                    in: Channel(members.channelName), $0)
            }
        }
        var query = DirectoryQuery(directory: members, includesSubjects: true)
        #expect(
            try page(query, of: store).rows.map(\.subject?.content)
                == [#"{"id":"ada","name":"Zoe"}"#, nil])
        query.orders = [DirectoryQuery.Order(.name, isOfSubject: true)]
        #expect(try page(query, of: store).rows.map(\.entry.id) == ["bob", "ada"])
        query.filter = #"user.name == "Zoe""#
        #expect(try page(query, of: store).rows.map(\.entry.id) == ["ada"])
        // Nobody need be known to be a member, and each has an id.
        for filter in [#"user.id == "bob""#, #"uuid.id == "bob""#] {
            query.filter = filter
            #expect(try page(query, of: store).rows.map(\.entry.id) == ["bob"])
        }
        query.filter = nil
        query.orders = [DirectoryQuery.Order(.id, isOfSubject: true)]
        #expect(try page(query, of: store).rows.map(\.entry.id) == ["ada", "bob"])
        query.filter = #"uuid.name == "Zoe""#
        query.includesSubjects = false
        let row = try #require(try page(query, of: store).rows.first)
        #expect((row.entry.id, row.subject) == ("ada", nil))
    }

    /// Against a list that is sorted and cut.
    @Test(
        "pages, forward and back, are those of the sorted list",
        arguments: StoreUnderTest.allCases, 0..<8 as Range<UInt64>)
    func pages(_ kind: StoreUnderTest, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try kind.make(in: directory)
        let count = Int.random(in: 0...230, using: &random)
        var entries: [(id: String, name: String?, level: Int)] = []
        try store.commit(through: 1000) {
            for number in 0..<count {
                let name =
                    Int.random(in: 0...4, using: &random) == 0
                    ? nil : "n\(Int.random(in: 0...9, using: &random))"
                let level = Int.random(in: 0...3, using: &random)
                let fields = [
                    EntryField(name: "name", value: name.map { "\"\($0)\"" }),
                    EntryField(name: "custom", value: #"{"level":\#(level)}"#),
                ]
                let id = "u\(number)"
                try put(EntryContent(id: id, nil).setting(fields), at: UInt64(number + 1), $0)
                entries.append((id, name, level))
            }
        }
        let isDescending = Bool.random(using: &random)
        let isByName = Bool.random(using: &random)
        let level = Int.random(in: 0...3, using: &random)
        let expected = entries.filter { $0.level >= level }.sorted { left, right in
            if isByName, left.name != right.name {
                let isBefore = (left.name ?? "") < (right.name ?? "")
                return isBefore != isDescending
            }
            let isBefore = ExactText(left.id) < ExactText(right.id)
            return isByName ? isBefore : isBefore != isDescending
        }.map(\.id)
        var query = DirectoryQuery(
            directory: .users, filter: "custom.level >= \(level)",
            orders: [DirectoryQuery.Order(isByName ? .name : .id, isDescending: isDescending)],
            limit: Int.random(in: 1...40, using: &random), counts: Bool.random(using: &random))
        var found: [String] = []
        var last: DirectoryPage
        repeat {
            last = try page(query, of: store)
            found += last.rows.map(\.entry.id)
            #expect(last.count == (query.counts ? expected.count : nil))
            query.after = last.next
        } while last.hasMore
        #expect(found == expected)
        query.after = nil
        query.before = last.previous
        var back = last.rows.map(\.entry.id)
        while query.before != nil {
            let earlier = try page(query, of: store)
            back = earlier.rows.map(\.entry.id) + back
            query.before = earlier.hasMore ? earlier.previous : nil
        }
        #expect(back == expected)
    }

    @Test("a place of another order, and a filter that is none, are refused")
    func refusals() throws {
        #expect(throws: EntryScanError.self) {
            try EntryScan(
                DirectoryQuery(directory: .users, filter: "name =="), keyset: "default")
        }
        for place in ["", "%", "W10", "WzFd", "WyJhIl0", "WyJhIiwiYiIsImMiXQ"] {
            #expect(throws: EntryScanError.self) {
                try EntryScan(
                    DirectoryQuery(directory: .users, after: place), keyset: "default")
            }
        }
        _ = try EntryScan(
            DirectoryQuery(directory: .users, after: "WyJhIiwiYSJd"), keyset: "default")
    }

    @Test("of one id the entry alone is found", arguments: StoreUnderTest.allCases)
    func one(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 3) {
            for (number, id) in ["a", "b", "c"].enumerated() {
                try put(EntryContent(id: id, nil).setting([]), at: UInt64(number + 1), $0)
            }
        }
        let found = try page(DirectoryQuery(directory: .users, id: "b"), of: store)
        #expect(found.rows.map(\.entry.id) == ["b"])
        #expect(!found.hasMore)
        let none = try page(DirectoryQuery(directory: .users, id: "x"), of: store)
        #expect(none.rows == [])
    }
}
