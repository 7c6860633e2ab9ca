// Names and pictures: entries as a list changes, and with a real daemon.

import Testing

@testable import EventModel
@testable import SyncClient

@Suite("Directories of a client")
struct DirectoryTests {
    private func item(
        _ timetoken: UInt64?, _ payload: String, type: String? = Directory.messageType
    ) -> ListItem {
        ListItem(
            id: timetoken.map { .message(Timetoken(rawValue: $0)) } ?? .written("m"),
            timetoken: timetoken.map(Timetoken.init(rawValue:)), uuid: "eve",
            message: Message(payload: payload, type: type), isPending: timetoken == nil,
            reactions: [])
    }

    @Test("another content takes the place of the one before, in either order")
    func replaces() {
        let old = item(1, #"{"id":"ada","name":"Ada"}"#)
        let new = item(2, #"{"id":"ada","name":"A"}"#)
        for changes in [
            [ListChange.remove(at: 0), .insert(new, at: 0)],
            [.insert(new, at: 1), .remove(at: 0)],
        ] {
            var entries = DirectoryEntries()
            #expect(entries.apply(.all([old])) == ["ada"])

            #expect(entries.apply(.changes(changes)) == ["ada"])

            #expect(entries["ada"]?.text("name") == "A")
            #expect(entries["ada"]?.timetoken == Timetoken(rawValue: 2))
            #expect(entries.count == 1)
            #expect(entries.apply(.changes([.remove(at: 0)])) == ["ada"])
            #expect(entries["ada"] == nil)
        }
    }

    @Test("what is no entry is passed over")
    func others() {
        var entries = DirectoryEntries()
        let items = [
            item(1, #"{"id":"ada"}"#, type: nil), item(nil, #"{"id":"ada"}"#), item(2, "7"),
            item(3, #"{"id":7}"#),
        ]
        #expect(entries.apply(.all(items)) == [])
        #expect(entries.count == 0)
        #expect(entries.apply(.changes([.remove(at: 0), .move(from: 0, to: 1)])) == [])
    }

    @Test("ids are compared byte for byte")
    func bytes() {
        var entries = DirectoryEntries()
        entries.apply(.all([item(1, #"{"id":"é"}"#), item(2, #"{"id":"e\u0301"}"#)]))
        #expect(entries.count == 2)
        #expect(entries["\u{e9}"]?.timetoken == Timetoken(rawValue: 1))
    }

    @Test("a text is JSON, whatever it has in it")
    func fields() {
        let field = EntryField.text("name", "A \"b\"\n")
        #expect(field == EntryField(name: "name", value: #""A \"b\"\n""#))
        #expect(EntryField.text("name", nil) == EntryField(name: "name", value: nil))
    }

    private func device(_ user: String, of daemon: Daemon) async throws -> SyncClient {
        let client = SyncClient(
            try SyncClient.Configuration(url: daemon.url, userID: user, deviceID: user))
        try await client.connect()
        return client
    }

    @Test("an author's new name shows on another device, proven")
    func names() async throws {
        let daemon = try await Daemon()
        let (ada, eve) = (try await device("ada", of: daemon), try await device("eve", of: daemon))
        let users = try await eve.channel(Directory.users.channelName)
        let first = try await ada.set("ada", [.text("name", "Ada")], in: .users)
        try await ada.set("ada", [.text("name", "A")], in: .users, expected: first)
        await #expect(throws: SyncClientError.self) {
            try await ada.set("ada", [.text("name", "B")], in: .users, expected: first)
        }
        try await ada.change(
            DirectoryRequest(
                directory: .members(channel: "room"),
                changes: [
                    EntryChange(id: "ada", kind: .set([EntryField(name: "custom", value: "{}")])),
                    EntryChange(id: "bob", kind: .set([])),
                ]))

        var entries = DirectoryEntries()
        for await update in await users.updates {
            entries.apply(update)
            if entries["ada"]?.text("name") == "A" { break }
        }
        #expect(entries.count == 1)
        try await eventually("a proof") { await users.isVerified }

        let members = try await eve.directory(
            DirectoryQuery(
                directory: .members(channel: "room"), limit: 1, counts: true,
                includesSubjects: true))
        #expect(members.rows.map(\.entry.id) == ["ada"])
        #expect(members.rows.first?.subject?.text("name") == "A")
        #expect((members.count, members.hasMore) == (2, true))
        try await ada.remove("ada", from: .users)
        let none = try await eve.directory(DirectoryQuery(directory: .users, id: "ada"))
        #expect(none.rows == [])
        await ada.close()
        await eve.close()
    }
}
