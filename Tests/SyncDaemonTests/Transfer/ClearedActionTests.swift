// What moderators took away does not come back with an import.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Import: what moderators took away")
struct ClearedActionTests {
    private let room = Channel("room")
    private let kim = MessageAction.Key.on(10, by: "kim")
    private let bob = MessageAction.Key.on(10, "👏", by: "bob")
    private let source: TransferBench
    /// With kim's and bob's reactions.
    private let lines: [String]

    init() throws {
        source = try TransferBench()
        try source.ledger { bench in
            bench.wall = 10
            _ = bench.commit([write(.publish(.numbered(1), hoursKept: 0))])
            bench.wall = 20
            _ = bench.commit([
                write(.add(.on(10, by: "kim"))), write(.add(.on(10, "👏", by: "bob"))),
            ])
        }
        lines = try source.export()
    }

    private func change(_ wall: UInt64, _ operation: Write.Operation) throws {
        try source.ledger { bench in
            bench.wall = wall
            _ = bench.commit([write(operation)])
        }
    }

    private func stands(_ key: MessageAction.Key, in bench: TransferBench) throws -> Bool {
        defer { bench.close() }
        let store = try bench.open()
        let found = try StoreIntake(store).action(under: key, in: store.id(of: room))
        return found.map { $0.removed == nil } ?? false
    }

    /// Found by an operator: they stood again, and nobody was told.
    @Test(
        "what a moderator took away is a contradiction, and stays away",
        arguments: [
            Clearing(userID: "kim"), Clearing(type: "reaction", value: "👍"),
            Clearing(messageTimetoken: Timetoken(rawValue: 10), userID: "kim"),
            Clearing(
                messageTimetoken: Timetoken(rawValue: 10), type: "reaction", value: "👍",
                userID: "kim"),
        ])
    func stays(clearing: Clearing) throws {
        try change(200, .clear(clearing))
        try #require(try !stands(kim, in: source))

        let error = #expect(throws: TransferError.self) { try source.take(lines) }
        #expect(error?.code == "contradiction")
        #expect(error?.message.contains("was removed by a moderator at") == true)
        #expect(try !stands(kim, in: source))

        let report = try source.take(lines, keeps: true)
        #expect(report.outcome.kept == 1 && report.outcome.written == 0)
        #expect(try !stands(kim, in: source))
        #expect(try stands(bob, in: source))
        let store = try source.open()
        #expect(try recomputedDigest(of: room, in: store) == store.digest(of: room))
    }

    @Test("what was added again behind it comes")
    func addedAgain() throws {
        try change(200, .clear(Clearing(userID: "kim")))
        let target = try TransferBench()
        try target.take(try source.export())
        try #require(try !stands(kim, in: target))
        try change(300, .add(kim))

        let report = try target.take(try source.export())

        #expect(report.outcome.written == 1 && report.outcome.kept == 0)
        #expect(try stands(kim, in: target))
    }

    @Test(
        "an index finds what covers a key, as the clearing itself says",
        arguments: [nil, 10, 11] as [UInt64?], [nil, "reaction", "edited"] as [String?])
    func index(message: UInt64?, type: String?) {
        let keys = [
            kim, bob, MessageAction.Key.on(11, by: "kim"),
            MessageAction.Key.on(10, "7", type: "edited", by: "kim"),
        ]
        for value in [nil, "👍", "7"] as [String?] {
            for user in [nil, "kim", "bob"] as [String?] {
                let clearing = Clearing(
                    messageTimetoken: message.map { tick($0) }, type: type, value: value,
                    userID: user)
                var index = ClearingIndex()
                index.insert(KeptClearing(timetoken: tick(9), clearing: clearing))
                for key in keys {
                    let found = index.newest(covering: key)
                    #expect(found == (clearing.covers(key) ? tick(9) : nil), "\(clearing) \(key)")
                }
            }
        }
    }

    @Test("of several that cover a key the newest counts")
    func newest() {
        var index = ClearingIndex()
        for (moment, clearing) in [
            (5, Clearing(userID: "kim")), (9, Clearing(userID: "kim")), (7, Clearing()),
            (12, Clearing(userID: "bob")),
        ] as [(UInt64, Clearing)] {
            index.insert(KeptClearing(timetoken: tick(moment), clearing: clearing))
        }
        #expect(index.newest(covering: kim) == tick(9))
        #expect(index.count == 3)
    }
}
