// What only the store on a disk promises: it comes back, it is alone, and a full disk is no
// disaster.

import EventModel
import Foundation
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("SQLite store")
struct SQLStoreTests {
    private let directory: ScratchDirectory
    private let room = Channel("room")
    private let ada = Author(userID: "ada", deviceID: "phone")

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test("everything that was committed survives, and nothing else")
    func reopens() throws {
        let record = MutationRecord(fingerprint: 7, outcome: .already(tick(2)))
        let epoch: String
        do {
            let store = try SQLStore(directory: directory.path)
            epoch = store.epoch
            try store.commit(through: 5) {
                try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada")
                try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(2)), in: room)
                try $0.remember(record, of: "m", by: ada, at: tick(3))
            }
            try store.begin()
            try store.insert(.numbered(6), at: tick(6), in: room, by: "ada")
        }

        let store = try SQLStore(directory: directory.path)

        #expect(store.epoch == epoch)
        #expect(store.last == tick(5))
        let events = try store.makeReader().allChanges(in: room, after: .zero)
        #expect(events.map(\.timetoken) == [tick(1), tick(2)])
        try store.begin()
        #expect(try store.outcome(of: "m", by: ada) == record)
        #expect(try store.standingAction(.on(1), in: room) == tick(2))
        store.rollback()
    }

    @Test("a reader goes on while the store commits past a checkpoint")
    func checkpoints() throws {
        let store = try SQLStore(directory: directory.path)
        let reader = try store.makeReader()
        for number in 1...600 as ClosedRange<UInt64> { try store.publish(number, in: room) }

        let events = try reader.allChanges(in: room, after: .zero)

        #expect(events.map(\.timetoken) == (1...600).map(tick))
    }

    @Test("the action of a moment is found without walking its channel")
    func actionAddedAt() throws {
        let store = try SQLStore(directory: directory.path)
        try store.commit(through: 2000) {
            for number in 1...1000 as ClosedRange<UInt64> {
                try $0.add(
                    MessageAction(key: .on(number), actionTimetoken: tick(number + 1000)), in: room)
            }
        }
        let reader = try #require(try store.makeReader() as? SQLReader)

        let found = try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
            try snapshot.action(addedAt: tick(1500))
        }

        #expect(found?.key == .on(500))
        #expect((1...100).contains(reader.statements.actionAddedAt.stepCount))
    }

    @Test("a directory belongs to one store at a time")
    func isAlone() throws {
        let path = directory.path
        do {
            let store = try SQLStore(directory: path)
            let error = #expect(throws: StoreError.self) { try SQLStore(directory: path) }
            #expect(error == .inUse(path: path + "/lock"))
            #expect(error?.description.contains(path) == true)
            // The refused one took nothing from the first.
            try store.publish(1, in: room)
        }

        #expect(try SQLStore(directory: path).last == tick(1))
    }

    @Test("missing directories are made, for this user only")
    func makesDirectories() throws {
        let path = directory.path + "/a/b"

        _ = try SQLStore(directory: path)

        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test(
        "a path that cannot hold a store is refused with the path and the reason",
        arguments: [("/file", "Not a directory"), ("/file/below", "Not a directory")])
    func cannotOpen(suffix: String, reason: String) throws {
        try Data().write(to: URL(filePath: directory.path + "/file"))
        let path = directory.path + suffix

        let error = #expect(throws: StoreError.self) { try SQLStore(directory: path) }

        guard case .cannotOpen(let named, let why) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(named.hasPrefix(path))
        #expect(why == reason)
    }

    @Test("a database that is a directory is refused with the path and the reason")
    func cannotOpenDatabase() throws {
        let path = directory.path + "/syncdaemon.db"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)

        #expect(
            throws: StoreError.cannotOpen(path: path, reason: "unable to open database file")
        ) { try SQLStore(directory: directory.path) }
    }

    @Test("a file of a newer release is left alone")
    func refusesNewerSchema() throws {
        let path = directory.path + "/syncdaemon.db"
        do { _ = try SQLStore(directory: directory.path) }
        try StoreConnection(path: path).execute("PRAGMA user_version=\(SQLiteSchema.version + 1)")

        let error = #expect(throws: StoreError.self) { try SQLStore(directory: directory.path) }

        let known = SQLiteSchema.version
        #expect(error == .newerSchema(path: path, version: known + 1, known: known))
        #expect(error?.description.contains("schema \(SQLiteSchema.version + 1)") == true)
        #expect(error?.description.contains("knows up to \(SQLiteSchema.version))") == true)
        try StoreConnection(path: path).execute("PRAGMA user_version=\(SQLiteSchema.version)")
        #expect(try SQLStore(directory: directory.path).last == .zero)
    }

    @Test("a file of a version that there cannot be is left alone", arguments: [-1, Int32.min])
    func refusesNegativeSchema(version: Int32) throws {
        let path = directory.path + "/syncdaemon.db"
        do { _ = try SQLStore(directory: directory.path) }
        try StoreConnection(path: path).execute("PRAGMA user_version=\(version)")

        let error = #expect(throws: StoreError.self) { try SQLStore(directory: directory.path) }

        #expect(
            error == .damaged(path: path, reason: "its schema is of version \(version)"))
        try StoreConnection(path: path).execute("PRAGMA user_version=\(SQLiteSchema.version)")
        #expect(try SQLStore(directory: directory.path).last == .zero)
    }

    @Test("a file that is no database is refused")
    func refusesGarbage() throws {
        let path = directory.path + "/syncdaemon.db"
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))

        let error = #expect(throws: StoreError.self) { try SQLStore(directory: directory.path) }

        #expect(
            error == .damaged(path: path, reason: "file is not a database (SQLite 26)"))
    }
}
