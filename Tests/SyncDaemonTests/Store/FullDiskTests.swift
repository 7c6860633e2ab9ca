// A disk that is really full: a small file system of its own, filled up.

import EventModel
import Foundation
import Glibc
import Testing

@testable import SyncDaemon

/// A file system of a few MiB in memory, for one test.
private final class SmallDisk {
    let path: String
    private let scratch: ScratchDirectory

    /// Whether this process may mount one.
    static let isPossible: Bool = (try? SmallDisk(bytes: 1 << 20)) != nil

    struct Refused: Error {}

    init(bytes: Int) throws {
        scratch = try ScratchDirectory()
        path = scratch.path
        let status = mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)")
        guard status == 0 else { throw Refused() }
    }

    deinit {
        // Lazily: the kernel lets go of it once the last file in it is closed.
        umount2(path, Int32(MNT_DETACH))
    }

    /// Fills the disk, except for about this many bytes.
    func fill(leaving free: Int = 0) throws {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw Refused() }
        let size = Int(status.f_bavail) * Int(status.f_bsize) - free
        try Data(count: max(0, size)).write(to: URL(filePath: path + "/ballast"))
    }

    func empty() throws {
        try FileManager.default.removeItem(atPath: path + "/ballast")
    }
}

@Suite(
    "Full disk",
    .enabled(if: SmallDisk.isPossible, "Only root can mount the small file system this needs."))
struct FullDiskTests {
    private let room = Channel("room")

    private func write(_ bytes: Int, _ number: Int64) -> Write {
        Write(
            origin: Origin(
                reactor: 0, session: SessionID(slot: 0, generation: 0), command: number),
            author: Author(userID: "ada", deviceID: "phone"), channel: room,
            operation: .publish(.sized(bytes)), mutation: "m\(number)")
    }

    @Test("a write on a full disk is refused and leaves nothing, and the next one succeeds")
    func recovers() throws {
        let disk = try SmallDisk(bytes: 4 << 20)
        let store = try SQLiteStore(directory: disk.path + "/data")
        try store.publish(1, in: room)
        try disk.fill()

        let error = #expect(throws: StoreError.self) {
            try store.commit(through: 3) {
                for number in 2...3 as ClosedRange<UInt64> {
                    try $0.insert(.sized(30_000), at: tick(number), in: room, by: "ada")
                }
            }
        }
        store.rollback()

        #expect(error == .full)
        #expect(store.last == tick(1))
        let reader = try store.makeReader()
        #expect(try reader.allChanges(in: room, after: .zero).map(\.timetoken) == [tick(1)])

        try disk.empty()
        try store.publish(2, in: room)
        #expect(
            try reader.allChanges(in: room, after: .zero).map(\.timetoken) == [tick(1), tick(2)])
    }

    @Test("a disk that fills up anywhere never makes the ledger refuse what it stored")
    func refusesOnlyWhatIsNotThere() throws {
        let disk = try SmallDisk(bytes: 24 << 20)
        let store = try SQLiteStore(directory: disk.path + "/data")
        var now: UInt64 = 0
        let ledger = Ledger(store: store, tombstoneTicksKept: 1 << 60) { now }
        var accepted = 0
        var seen: [Timetoken] = []
        var failure: StoreError?
        // Up to one commit before the log is copied into the database, which then has to grow.
        for number in 1...255 as ClosedRange<Int64> {
            now += 1
            let commit = ledger.commit([write(30_000, number)], failure: &failure)
            seen += commit.events.map(\.timetoken)
        }
        #expect(seen.count == 255)
        try disk.fill(leaving: 200_000)
        for number in 256...300 as ClosedRange<Int64> {
            let commit = ledger.commit([write(1000, number)], failure: &failure)
            if case .success = commit.answers.first?.result { accepted += 1 }
            seen += commit.events.map(\.timetoken)
        }

        #expect(failure == nil)
        let stored = try store.makeReader().allChanges(in: room, after: .zero).map(\.timetoken)
        #expect(stored == seen)
        #expect(stored.count == 255 + accepted)

        try disk.empty()
        let commit = ledger.commit([write(1000, 999)], failure: &failure)
        #expect(commit.events.count == 1)
        #expect(failure == nil)
    }
}
