// What a cursor is worth: of another store, of an earlier run, of a copy that was lost.

import EventModel
import Foundation
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

    @Test("what a lost copy gave is recognised, also after the restored one has moved past it")
    func restoredCopy() throws {
        let directory = try ScratchDirectory()
        let database = directory.path + "/syncdaemon.db"
        let room = Channel("room")
        func open(_ body: (SQLiteStore) throws -> Void = { _ in }) throws -> Epochs {
            let store = try SQLiteStore(directory: directory.path)
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
