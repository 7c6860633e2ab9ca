// What a cursor is worth: of another store, of an earlier run, of a copy that was lost.

import EventModel
import Foundation
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Epochs")
struct EpochTests {
    private let epochs = Epochs(
        store: "5ca1ab1e",
        runs: [
            StoreRun(id: "aaaaaaaa", startedAfter: tick(0)),
            StoreRun(id: "bbbbbbbb", startedAfter: tick(100)),
            StoreRun(id: "cccccccc", startedAfter: tick(200)),
        ])

    @Test(
        "a cursor is good up to the end of the run that gave it",
        arguments: [
            ("5ca1ab1e.aaaaaaaa", 100, .known), ("5ca1ab1e.aaaaaaaa", 101, .beyond(tick(100))),
            ("5ca1ab1e.bbbbbbbb", 200, .known), ("5ca1ab1e.bbbbbbbb", 201, .beyond(tick(200))),
            ("5ca1ab1e.cccccccc", 300, .known), ("5ca1ab1e.cccccccc", 301, .beyond(tick(300))),
            // Cursors of the release before runs, and of clients that name no epoch.
            ("5ca1ab1e", 300, .known), ("5ca1ab1e", 301, .beyond(tick(300))),
            (nil, 300, .known), (nil, 301, .beyond(tick(300))),
            // A run that this copy of the store never had, and another store.
            ("5ca1ab1e.dddddddd", 1, .foreign), ("5ca1ab1e.", 1, .foreign),
            ("5ca1ab1e.cccccccc.x", 1, .foreign), ("", 1, .foreign),
            ("5CA1AB1E.cccccccc", 1, .foreign), ("5ca1ab1f.aaaaaaaa", 1, .foreign),
        ] as [(String?, UInt64, CursorJudgement)])
    func judges(epoch: String?, cursor: UInt64, expected: CursorJudgement) {
        #expect(epochs.judge(tick(cursor), epoch, newest: tick(300)) == expected)
    }

    @Test(
        "without an epoch, what was given when this copy gave nothing is a lost one's",
        arguments: [nil, "5ca1ab1e"] as [String?],
        [
            (99, .known), (100, .known), (101, .beyond(tick(100))), (149, .beyond(tick(100))),
            (150, .known), (200, .known), (201, .beyond(tick(200))), (260, .known),
            (301, .beyond(tick(300))),
        ] as [(UInt64, CursorJudgement)])
    func judgesWithoutRun(epoch: String?, row: (cursor: UInt64, expected: CursorJudgement)) {
        let epochs = Epochs(
            store: "5ca1ab1e",
            runs: [
                StoreRun(id: "aaaaaaaa", startedAfter: tick(0)),
                StoreRun(id: "bbbbbbbb", startedAfter: tick(100), began: tick(150)),
                StoreRun(id: "cccccccc", startedAfter: tick(200), began: tick(260)),
            ])
        #expect(epochs.judge(tick(row.cursor), epoch, newest: tick(300)) == row.expected)
    }

    @Test("a run that was forgotten takes nothing from those beside it")
    func forgottenRun() {
        let epochs = Epochs(
            store: "e",
            runs: [
                StoreRun(id: "a", startedAfter: tick(0), ended: tick(100)),
                StoreRun(id: "c", startedAfter: tick(200)),
            ])
        #expect(epochs.judge(tick(150), "e.a", newest: tick(300)) == .beyond(tick(100)))
        #expect(epochs.judge(tick(150), "e.b", newest: tick(300)) == .foreign)
        #expect(epochs.judge(tick(150), nil, newest: tick(300)) == .known)
    }

    @Test("a crash loop costs the cursors of its own runs only")
    func crashLoop() throws {
        let directory = try ScratchDirectory()
        var now: UInt64 = 1_000_000
        func start(lasting ticks: UInt64) throws -> String {
            let store = try SQLStore(directory: directory.path) { _ in
                ClockAnchor(boot: "b", uptime: now, ticks: now, age: now)
            }
            now += ticks
            return Epochs(store: store.epoch, runs: store.runs).text
        }
        let long = try (0..<3).map { _ in try start(lasting: 1_000_000_000_000) }
        // As many as a crash loop makes in two hours, written by hand.
        let connection = try StoreConnection(path: directory.path + "/syncdaemon.db")
        try connection.execute("BEGIN")
        for number in 0..<Limits.runsMax {
            now += 20_000_000
            try connection.execute(
                "INSERT INTO run(id, started_after, began, ended) "
                    + "VALUES ('loop\(number)', \(now - 10), \(now), \(now + 19_999_990))")
        }
        try connection.execute(
            "UPDATE clock SET last = \(now), ceiling = \(now), sum = NULL; COMMIT")
        now += 20_000_000
        _ = try start(lasting: 5)
        let store = try SQLStore(directory: directory.path) { _ in
            ClockAnchor(boot: "b", uptime: now, ticks: now, age: now)
        }
        let epochs = Epochs(store: store.epoch, runs: store.runs)
        for epoch in long {
            #expect(epochs.judge(tick(1_000_000), epoch, newest: store.last) == .known)
        }
        #expect(store.runs.count == Limits.runsMax)
        let rows = try connection.prepare("SELECT count(*) FROM run").first { $0.integer(0) }
        #expect(rows == Int64(Limits.runsMax))
    }

    @Test("what a lost copy gave is recognised, also after the restored one has moved past it")
    func restoredCopy() throws {
        let directory = try ScratchDirectory()
        let database = directory.path + "/syncdaemon.db"
        let room = Channel("room")
        func open(_ body: (SQLStore) throws -> Void = { _ in }) throws -> Epochs {
            let store = try SQLStore(directory: directory.path)
            try body(store)
            return Epochs(store: store.epoch, runs: store.runs)
        }
        let first = try open { try $0.publish(10, in: room) }
        try FileManager.default.copyItem(atPath: database, toPath: database + ".backup")
        // The same run goes on after the backup, and another one follows; then all that is lost.
        let later = try open { try $0.publish(50, in: room) }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: database + suffix)
        }
        try FileManager.default.moveItem(atPath: database + ".backup", toPath: database)

        let restored = try open { try $0.publish(90, in: room) }
        let next = try open()

        for epochs in [restored, next] {
            #expect(epochs.judge(tick(10), first.text, newest: tick(90)) == .known)
            #expect(epochs.judge(tick(20), first.text, newest: tick(90)) == .beyond(tick(10)))
            #expect(epochs.judge(tick(50), later.text, newest: tick(90)) == .foreign)
            #expect(epochs.judge(tick(90), restored.text, newest: tick(90)) == .known)
        }
        #expect(Set([first, later, restored, next].map(\.text)).count == 4)
    }
}
