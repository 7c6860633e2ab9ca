// A full disk never leaves a log that cannot be copied, and what the log takes up is not lost.

import EventModel
import SQLiteFaults
import Testing

@testable import SyncDaemon

@Suite("Room for the log")
struct LogRoomTests {
    private let room = Channel("room")
    private static let path = "/syncdaemon.db"

    private func open(_ disk: FaultyDisk) throws -> SQLStore {
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        return try SQLStore(
            path: Self.path, vfs: disk.vfsName, lock: nil, using: &generator, resume: { $0 })
    }

    private func bytes(_ disk: FaultyDisk, _ suffix: String) -> Int {
        disk.contents[Self.path + suffix]?.count ?? 0
    }

    private func write(_ operation: Write.Operation, _ number: Int) -> Write {
        Write(
            origin: Origin(
                reactor: 0, session: SessionID(slot: 0, generation: 0), command: Int64(number)),
            author: Author(userID: "ada", deviceID: "phone"), channel: room, operation: operation,
            mutation: "m\(number)")
    }

    private func ledger(on store: SQLStore) -> Ledger {
        var now: UInt64 = 0
        return Ledger(store: store, tombstoneTicksKept: 1 << 60) {
            now += 1
            return now
        }
    }

    @Test(
        "wherever the disk gets full, the log can be copied and emptied without a byte of room",
        arguments: [0, 5000, 60_000, 200_000, 900_000, 3_000_000])
    func canAlwaysBeCopied(left: Int) throws {
        let disk = FaultyDisk()
        let store = try open(disk)
        // More than one round of the log, so that it is written to from its beginning again.
        for number in 1...200 as ClosedRange<UInt64> {
            try store.commit(through: number) {
                try $0.insert(.sized(30_000), at: tick(number), in: room, by: "ada")
            }
        }
        disk.room = left
        var last: UInt64 = 200
        var failure: StoreError?
        while failure == nil {
            do {
                try store.commit(through: last + 1) {
                    try $0.insert(.sized(30_000), at: tick(last + 1), in: room, by: "ada")
                }
                last += 1
            } catch {
                store.rollback()
                failure = error as? StoreError
            }
        }
        #expect(failure == .full)
        disk.room = 0

        #expect(store.roomMissing == 0)
        #expect(try store.emptyLog())
        #expect(bytes(disk, "-wal") == 0)
        #expect(store.last == tick(last))
        // The file alone has it all.
        let copy = FaultyDisk([Self.path: disk.contents[Self.path] ?? []])
        let stored = try open(copy).makeReader().allChanges(in: room, after: .zero)
        #expect(stored.count == Int(last))
    }

    @Test("writes that change what is there go on for ever on a small disk")
    func writesOn() throws {
        let disk = FaultyDisk()
        let store = try open(disk)
        let ledger = ledger(on: store)
        var failure: StoreError?
        let published = ledger.commit(
            [write(.publish(.sized(1000), hoursKept: 0), 0)], failure: &failure)
        let message = try #require(published.events.first?.timetoken)
        _ = try store.emptyLog()
        // Half a MiB: an eighth of what the log takes before it is copied.
        disk.room = 1 << 19
        for number in 1...400 {
            let key = MessageAction.Key(
                messageTimetoken: message, type: "reaction", value: "👍", uuid: "ada")
            let operation: Write.Operation =
                number % 2 == 1 ? .add(key) : .remove(key, observed: nil)
            let commit = ledger.commit([write(operation, number)], failure: &failure)
            #expect(failure == nil && commit.events.count == 1, "\(number)")
        }
        #expect(bytes(disk, "-wal") <= 1 << 19)
    }

    @Test("a log that the file has no room for is copied once just that is there")
    func findsItsWayOut() throws {
        var contents: FaultyDisk.Contents
        let short: Int
        do {
            let disk = FaultyDisk()
            let store = try open(disk)
            _ = try store.emptyLog()
            short = bytes(disk, "")
            for number in 1...50 as ClosedRange<UInt64> {
                try store.commit(through: number) {
                    try $0.insert(.sized(30_000), at: tick(number), in: room, by: "ada")
                }
            }
            contents = disk.contents
        }
        // As an earlier release left it, which did not take the room ahead.
        let long = contents[Self.path]?.count ?? 0
        contents[Self.path]?.removeLast(long - short)
        let disk = FaultyDisk(contents)
        disk.room = 0
        let store = try open(disk)

        #expect(!store.isRunStored)
        #expect(store.roomMissing == long - short)
        #expect(try store.makeReader().allChanges(in: room, after: .zero).count == 50)
        let ledger = ledger(on: store)
        var failure: StoreError?
        disk.room = long - short - 1
        _ = ledger.commit([write(.publish(.sized(1000), hoursKept: 0), 1)], failure: &failure)
        #expect(failure == .full)
        // What there was is taken: nobody else can have it.
        #expect(store.roomMissing == 4096)

        disk.room = 4096
        failure = nil
        let commit = ledger.commit(
            [write(.publish(.sized(1000), hoursKept: 0), 2)], failure: &failure)
        #expect(failure == nil)
        #expect(commit.events.count == 1)
        #expect(store.isRunStored)
        #expect(bytes(disk, "-wal") < 100_000)
        #expect(try store.makeReader().allChanges(in: room, after: .zero).count == 51)
    }
}
