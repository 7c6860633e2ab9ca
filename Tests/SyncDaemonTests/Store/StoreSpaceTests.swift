// The sizes of the store's files: bounded, and given back.

import EventModel
import Foundation
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store: space")
struct StoreSpaceTests {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func bytes(_ suffix: String) throws -> Int {
        let path = directory.path + "/syncdaemon.db" + suffix
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// Messages of 9,000 bytes, a hundred a commit.
    private func publish(_ range: ClosedRange<UInt64>, in store: SQLStore) throws {
        var next = range.lowerBound
        while next <= range.upperBound {
            let end = min(next + 99, range.upperBound)
            try store.commit(through: end) {
                for number in next...end {
                    try $0.insert(.sized(9000), at: tick(number), in: room, by: "ada")
                }
            }
            next = end + 1
        }
    }

    @Test("the pages in memory are as many as the store may have", arguments: [2 << 20, 64 << 20])
    func cache(bytes: Int) throws {
        let store = try SQLStore(directory: directory.path)
        try store.limitCache(to: bytes)

        let kibibytes = try store.connection.prepare("PRAGMA cache_size").first { $0.integer(0) }
        #expect(kibibytes == -Int64(bytes / 1024))
    }

    @Test("in idle moments the log and the file shrink, a little at a time")
    func givesBack() throws {
        let store = try SQLStore(directory: directory.path)
        try publish(1...3000, in: store)
        try store.commit(through: 3001) {
            _ = try $0.deleteMessages(after: .zero, through: .end, at: tick(3001), in: room)
        }
        let before = try bytes("")
        // Every page of theirs, of 9,000 bytes that fill more than two.
        #expect(try #require(try store.freeBytes()) > 3000 * 9000)
        var steps = 0
        while try store.giveSpaceBack() {
            steps += 1
            try #require(steps < 1000)
        }

        #expect(steps > 10)
        #expect(try bytes("-wal") == 0)
        let left = try bytes("")
        #expect(left < before / 4)
        #expect(left <= (Limits.freePagesKept + 100) * 4096)
        #expect(try #require(try store.freeBytes()) <= Limits.freePagesKept * 4096)
        // What comes next is as durable as before.
        try publish(3002...3100, in: store)
        #expect(try !store.giveSpaceBack())
        #expect(try store.makeReader().allChanges(in: room, after: tick(3001)).count == 99)
    }

    @Test("a reader that stays is in nobody's way, and the log shrinks once it went")
    func meetsAReader() throws {
        let store = try SQLStore(directory: directory.path)
        try publish(1...100, in: store)
        let reader = try SQLReader(
            at: .file(path: directory.path + "/syncdaemon.db", vfs: nil))
        try reader.beginTransaction()
        _ = try reader.statements.clock.first { $0.timetoken(0) }
        store.log = StoreLog(pagesMax: 2000)
        // Beyond the bound each commit goes on, and the log with it.
        try publish(101...1600, in: store)
        #expect(try bytes("-wal") > 3000 * 4096)
        #expect(try !store.giveSpaceBack())
        reader.endTransaction()

        try publish(1601...2100, in: store)
        #expect(try bytes("-wal") < 3000 * 4096)
        while try store.giveSpaceBack() {}
        #expect(try bytes("-wal") == 0)
    }

    @Test("without such a reader the log stays short, whatever is written")
    func staysShort() throws {
        let store = try SQLStore(directory: directory.path)
        for number in 1...10 as ClosedRange<UInt64> {
            try publish(1 + 500 * (number - 1)...500 * number, in: store)
            #expect(try bytes("-wal") < 3000 * 4096)
        }
    }
}
