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

    /// Gives some of what was filled back.
    func give(_ bytes: Int) throws {
        let ballast = path + "/ballast"
        let size = try FileManager.default.attributesOfItem(atPath: ballast)[.size] as? Int ?? 0
        guard truncate(ballast, max(0, size - bytes)) == 0 else { throw Refused() }
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
        let store = try SQLStore(directory: disk.path + "/data")
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
        let store = try SQLStore(directory: disk.path + "/data")
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

    @Test("a deletion that one commit could hold is carried out in the room of a small write")
    func deletesInLittleRoom() throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        let store = try SQLStore(directory: disk.path + "/data")
        let bench = LedgerBench(store)
        for number in 0..<60 {
            _ = bench.commit(
                (0..<150).map { row in
                    let index = number * 150 + row
                    return SyncDaemonTests.write(
                        .add(
                            .on(
                                UInt64(1 + index % 3), "v\(index / 30)", by: "user\(index / 3 % 10)"
                            )))
                })
        }
        try disk.fill()
        for number in 1...20_000 as ClosedRange<Int64> where bench.failure == nil {
            _ = bench.commit(write(1000, number))
        }
        #expect(bench.failure == .full)
        try disk.give(64 << 10)
        bench.failure = nil

        var commits = [
            bench.commit(SyncDaemonTests.write(.clear(Clearing(userID: "user1"))))
        ]
        #expect(commits[0].answers.isEmpty)
        for _ in 0..<100 where commits.flatMap(\.answers).isEmpty {
            if let commit = bench.work() { commits.append(commit) }
        }
        let reply = try #require(commits.flatMap(\.answers).first).result.get()
        let place = try #require(commits.flatMap(\.events).first).timetoken
        #expect(reply == .actionsCleared(place, count: 900))
        #expect(store.hasHiddenRows)
    }

    @Test("steps that find no room do not send smaller ones back to the beginning")
    func removesOn() throws {
        let disk = try SmallDisk(bytes: 4 << 20)
        let store = try SQLStore(directory: disk.path + "/data")
        try store.commit(through: 200) {
            for number in 1...40 as ClosedRange<UInt64> {
                for (index, user) in ["ada", "bob"].enumerated() {
                    try $0.add(
                        MessageAction(
                            key: .on(number, by: user),
                            actionTimetoken: tick(100 + 2 * number + UInt64(index))),
                        in: room)
                }
            }
        }
        try store.commit(through: 300) {
            try $0.hideActions(coveredBy: Clearing(userID: "bob"), at: tick(250), of: room)
        }
        var steps: UInt64 = 0
        while store.hasHiddenRows, steps < 100 {
            try store.begin()
            try store.removeHiddenRows(limit: 8)
            store.rollback()
            steps += 1
            try store.commit(through: 300 + steps) { try $0.removeHiddenRows(limit: 4) }
        }
        #expect(!store.hasHiddenRows)
        let left = try store.makeReader().allChanges(in: room, after: .zero)
        #expect(Set(left.map(\.uuid)) == ["ada", ""])
    }
}
