// What every store promises about files.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store contract: files")
struct StoreFileContract {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func file(
        _ number: UInt64, in channel: String = "room", _ keyset: String = "k"
    ) throws -> StoredFile {
        let digits = String(String(number + 0x1000, radix: 16).suffix(4))
        let id = try #require(FileID("00000000-0000-4000-8000-00000000\(digits)"))
        return StoredFile(
            channel: Channel(channel, keyset: keyset), id: id, name: "n\(number)",
            size: Int(number), userID: "ada", created: tick(number))
    }

    @Test("a channel's files are listed page by page", arguments: StoreUnderTest.allCases)
    func pages(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let files = try (1...5).map { try file($0) }
        try store.commit(through: 9) {
            for file in files.reversed() { try $0.add(file) }
            try $0.add(file(7, in: "other"))
            try $0.add(file(8, in: "room", "other"))
            #expect(try $0.file(files[0].id) == files[0], "before the commit")
        }

        let reader = try store.makeReader()
        let room = files[0].channel
        let first = try reader.files(in: room, after: .zero, limit: 2)
        #expect(first == FilePage(files: Array(files[..<2]), next: tick(2)))
        let second = try reader.files(in: room, after: tick(2), limit: 3)
        #expect(second == FilePage(files: Array(files[2...]), next: nil))
        #expect(try reader.file(files[4].id) == files[4])
        #expect(try reader.file(file(6).id) == nil)
    }

    @Test(
        "what is removed is gone, and what was taken back was never there",
        arguments: StoreUnderTest.allCases)
    func removes(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let (one, two) = try (file(1), file(2))
        try store.commit(through: 2) { try $0.add(one) }
        #expect(try store.use(ofKeyset: ExactText("k")).bytes == 100 + 1 + 2 + 3)

        try store.begin()
        try store.remove(one)
        try store.add(two)
        store.rollback()
        #expect(try store.file(one.id) == one)
        #expect(try store.file(two.id) == nil)

        try store.commit(through: 3) { try $0.remove(one) }
        #expect(try store.file(one.id) == nil)
        #expect(try store.makeReader().file(one.id) == nil)
        #expect(try store.use(ofKeyset: ExactText("k")).bytes == 0)
    }

    @Test("a file of the store keeps them, and salvage counts them anew")
    func reopens() throws {
        let one = try file(5)
        do {
            let store = try SQLStore(directory: directory.path)
            try store.commit(through: 5) { try $0.add(one) }
        }

        let store = try SQLStore(directory: directory.path)

        #expect(try store.file(one.id) == one)
        try store.connection.execute(
            "UPDATE keyset_use SET bytes = 7; \(SQLiteSchema.countFiles)")
        let bytes = try store.connection.prepare("SELECT bytes FROM keyset_use").first {
            $0.integer(0)
        }
        #expect(bytes == 117)
    }
}
