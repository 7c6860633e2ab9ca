// Directories: what a change does to the messages that entries are, and what is refused.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: directories")
struct LedgerDirectoryTests {
    private let bench = LedgerBench()
    private let users = Channel(Directory.users.channelName)

    private func request(
        _ directory: Directory, _ changes: [EntryChange], expected: Timetoken? = nil
    ) -> Write.Operation {
        .changeDirectory(
            DirectoryRequest(directory: directory, changes: changes, expected: expected))
    }

    private func setting(_ id: String, _ fields: [String: String?] = [:]) -> EntryChange {
        EntryChange(id: id, kind: .set(fields.map { EntryField(name: $0, value: $1) }))
    }

    private func commit(_ operation: Write.Operation) -> Commit {
        bench.commit(write(operation, channel: users))
    }

    private func entry(_ id: String, in directory: Directory = .users) throws -> DirectoryEntry? {
        try bench.store.entry(ExactText(id), in: Channel(directory.channelName))
    }

    private func refusal(of operation: Write.Operation) -> ProtocolError? {
        guard case .failure(let error) = commit(operation).answers[0].result else { return nil }
        return error
    }

    @Test("a first content is a message, another one takes its place, the same changes nothing")
    func set() throws {
        let first = commit(request(.users, [setting("ada", ["name": #""Ada""#])]))
        let made = try #require(try entry("ada"))
        #expect(made.content == #"{"id":"ada","name":"Ada"}"#)
        #expect(first.events.filter(\.isStored).map(\.timetoken) == [made.timetoken])
        // Whoever reads it later may find another's.
        #expect(
            first.answers[0].result == .success(.directoryChanged(made.timetoken, entry: made)))

        let second = commit(
            request(.users, [setting("ada", ["status": #""away""#, "email": nil])]))
        let changed = try #require(try entry("ada"))
        #expect(changed.content == #"{"id":"ada","name":"Ada","status":"away"}"#)
        let stored = second.events.filter(\.isStored)
        #expect(stored.count == 2)
        #expect(
            stored.first?.event
                == .messagesDeleted(after: made.timetoken.predecessor, through: made.timetoken))
        #expect(stored.last?.timetoken == changed.timetoken)
        // What it comes to is what a device makes of the events.
        #expect(second.digests[users]?.count == 1)

        let third = commit(request(.users, [setting("ada", ["name": #""Ada""#])]))
        #expect(third.events == [])
        #expect(try entry("ada") == changed)
    }

    @Test("fields are in one order, whatever they were set in")
    func order() throws {
        _ = commit(request(.users, [setting("ada", ["type": #""x""#, "custom": "{}"])]))
        _ = commit(request(.users, [setting("ada", ["name": #""Ada""#])]))

        #expect(
            try entry("ada")?.content == #"{"id":"ada","custom":{},"name":"Ada","type":"x"}"#)
    }

    @Test("a change that expects another entry is refused whole")
    func expected() throws {
        _ = commit(request(.users, [setting("ada", ["name": #""Ada""#])]))
        let standing = try #require(try entry("ada"))

        for wrong in [standing.timetoken.predecessor, .end] {
            #expect(
                refusal(of: request(.users, [setting("ada")], expected: wrong)) == .entryModified)
            #expect(
                refusal(
                    of: request(
                        .users, [EntryChange(id: "ada", kind: .remove)], expected: wrong))
                    == .entryModified)
        }
        #expect(
            refusal(of: request(.users, [setting("bob")], expected: standing.timetoken))
                == .entryModified)
        #expect(try entry("ada") == standing)
        let changed = request(
            .users, [setting("ada", ["name": #""A""#])], expected: standing.timetoken)
        #expect(refusal(of: changed) == nil)
    }

    @Test("a change that expects none makes one, and changes none that is there")
    func expectedNone() throws {
        let making = request(.users, [setting("ada", ["name": #""Ada""#])], expected: .zero)
        #expect(refusal(of: making) == nil)
        let standing = try #require(try entry("ada"))
        #expect(refusal(of: making) == .entryModified)
        #expect(try entry("ada") == standing)
    }

    @Test("a membership is in both lists, from whichever side it is changed")
    func memberships() throws {
        let members = Directory.members(channel: "room")
        let bobs = Directory.memberships(user: "bob")
        _ = commit(request(members, [setting("bob", ["custom": #"{"a":1}"#]), setting("eve")]))
        #expect(try entry("bob", in: members)?.content == #"{"id":"bob","custom":{"a":1}}"#)
        #expect(try entry("room", in: bobs)?.content == #"{"id":"room","custom":{"a":1}}"#)

        _ = commit(request(bobs, [setting("room", ["status": #""x""#]), setting("den")]))
        #expect(
            try entry("bob", in: members)?.content
                == #"{"id":"bob","custom":{"a":1},"status":"x"}"#)
        #expect(try entry("bob", in: .members(channel: "den")) != nil)

        _ = commit(request(members, [EntryChange(id: "bob", kind: .remove)]))
        #expect(try entry("bob", in: members) == nil)
        #expect(try entry("room", in: bobs) == nil)
        #expect(try entry("eve", in: members) != nil)
    }

    @Test("with who goes the memberships go, but not too many at once")
    func removal() throws {
        let memberships = Directory.memberships(user: "ada")
        _ = commit(request(.users, [setting("ada")]))
        for part in 0..<3 {
            _ = commit(
                request(memberships, (0..<100).map { setting("room-\(100 * part + $0)") }))
        }
        let removal = request(.users, [EntryChange(id: "ada", kind: .remove)])
        #expect(refusal(of: removal) == .tooManyMemberships)
        #expect(try entry("ada") != nil)
        _ = commit(
            request(
                memberships, (0..<100).map { EntryChange(id: "room-\($0)", kind: .remove) }))

        #expect(refusal(of: removal) == nil)
        #expect(try entry("ada") == nil)
        #expect(
            try bench.store.entries(in: Channel(memberships.channelName), limit: 1) == [])
        #expect(try entry("ada", in: .members(channel: "room-200")) == nil)
    }

    @Test("an entry has a limit, and one that is over it changes nothing")
    func tooLarge() throws {
        let text = "\"" + String(repeating: "x", count: Limits.entryBytesMax) + "\""
        #expect(
            refusal(of: request(.users, [setting("ada", ["custom": #"{"x":\#(text)}"#])]))
                == .entryTooLarge)
        #expect(try entry("ada") == nil)
    }

    @Test("listeners are told in the user's channel and where the user is a member")
    func notices() throws {
        _ = commit(request(.members(channel: "room"), [setting("bob")]))

        let told = commit(request(.users, [setting("bob", ["name": #""Bob""#])])).events
            .filter { !$0.isStored }

        #expect(told.map(\.channel.name) == ["bob", "room"])
        let entry = try entry("bob")
        #expect(
            told.map(\.event)
                == [Event](
                    repeating: .directory(DirectoryNotice(kind: .user, id: "bob", entry: entry)),
                    count: 2))
    }

    @Test("a retry has the first answer, and happens once")
    func retry() throws {
        let operation = request(.users, [setting("ada", ["name": #""Ada""#])])
        let first = bench.commit(write(operation, mutation: "m-1", channel: users))
        _ = commit(request(.users, [setting("ada", ["name": #""Eve""#])]))

        let second = bench.commit(write(operation, mutation: "m-1", channel: users))

        #expect(first.answers.map(\.result) == second.answers.map(\.result))
        #expect(try entry("ada")?.content == #"{"id":"ada","name":"Eve"}"#)
        let other = request(.users, [setting("ada", ["name": nil])])
        let third = bench.commit(write(other, mutation: "m-1", channel: users))
        #expect(third.answers[0].result == .failure(.mutationReused))
    }
}
