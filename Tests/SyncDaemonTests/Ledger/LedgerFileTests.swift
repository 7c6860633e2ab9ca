// Files: their rows come once, and go when their channel and name are right.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: files")
struct LedgerFileTests {
    private let bench = LedgerBench()
    private let room = Channel("room")
    private let id: FileID

    init() throws {
        id = try #require(FileID("01234567-89ab-4cde-8f01-23456789abcd"))
    }

    private func file() -> StoredFile {
        StoredFile(channel: room, id: id, name: "a.txt", size: 3, userID: "ada")
    }

    private func reply(_ change: FileChange) throws -> Reply {
        try bench.commit(write(.changeFile(change))).answers[0].result.get()
    }

    @Test("a file comes at a place of its own, and not twice")
    func adds() throws {
        #expect(try reply(.add(file())) == .fileAdded)
        let found = try #require(try bench.store.file(id))
        #expect(found.created == bench.ledger.last)

        #expect(try reply(.add(file())) == .fileRemoved(id: nil))
        #expect(try bench.store.file(id) == found)
    }

    @Test("it goes by its channel, id and name, and says which it was")
    func removes() throws {
        _ = try reply(.add(file()))

        #expect(try reply(.remove(id, name: "b.txt")) == .fileRemoved(id: nil))
        let elsewhere = write(
            .changeFile(.remove(id, name: "a.txt")), channel: Channel("other"))
        #expect(
            try bench.commit(elsewhere).answers[0].result.get() == .fileRemoved(id: nil))
        #expect(try reply(.remove(id, name: "a.txt")) == .fileRemoved(id: id.text))
        #expect(try bench.store.file(id) == nil)
        #expect(try reply(.remove(id, name: "a.txt")) == .fileRemoved(id: nil))
    }
}
