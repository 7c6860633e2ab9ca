// Deletions on a disk with room for a small write, and for no more.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: little room")
struct LittleRoomTests {
    private let store = FaultyStore()
    private let bench: LedgerBench
    private let room = Channel("room")

    /// Two messages, and 20 actions on the first.
    init() throws {
        bench = LedgerBench(store)
        _ = try bench.reply(.publish(.numbered(1)))
        _ = try bench.reply(.publish(.numbered(2)))
        for number in 1...20 { _ = try bench.reply(.add(.on(1000, by: "user\(number)"))) }
    }

    private func deletion(_ row: Int) -> Write {
        [
            write(.deleteMessage(tick(1000)), mutation: "m", command: 7),
            write(.deleteMessages(after: .zero, through: tick(1000)), mutation: "m", command: 7),
            write(.clear(Clearing(messageTimetoken: tick(1000))), mutation: "m", command: 7),
        ][row]
    }

    private func settle() -> [Commit] {
        var commits: [Commit] = []
        while bench.hasWork { if let commit = bench.work() { commits.append(commit) } }
        return commits
    }

    private func expectDigest(_ count: Int64) throws {
        let left = try recomputedDigest(of: room, in: store)
        #expect(left.count == count)
        #expect(try store.makeReader().digest(of: room).digest == left)
    }

    @Test("what cannot be removed at once is hidden, and removed in steps", arguments: [0, 1, 2])
    func hides(_ row: Int) throws {
        let call: FaultyStore.Call = row == 2 ? .clear : .deleteMessages
        store.fault = (call, .full)

        let first = bench.commit(deletion(row), write(.publish(.numbered(3)), command: 8))

        // What others wrote meanwhile needs no room of it.
        #expect(first.answers.map(\.origin.command) == [8])
        #expect(first.events.count == 1)
        #expect(bench.failure == nil)
        let told = settle()
        #expect(told.flatMap(\.events).count == 1)
        #expect(told.flatMap(\.answers).map(\.origin.command) == [7])
        let reply = try #require(told.flatMap(\.answers).first).result.get()
        #expect(bench.failure == nil)
        try expectDigest(row == 2 ? 3 : 2)
        // A retry is answered alike.
        #expect(try bench.commit(deletion(row)).answers.first?.result.get() == reply)
    }

    @Test("deletions take the room that writes beside them do not find", arguments: [0, 1, 2])
    func goesFirst(_ row: Int) throws {
        store.fault = (.insert, .full)

        let first = bench.commit(deletion(row), write(.publish(.numbered(3)), command: 8))

        #expect(first.answers.map(\.origin.command) == [8])
        #expect(throws: ProtocolError.storeFull) { try first.answers.first?.result.get() }
        #expect(first.events.isEmpty)
        #expect(bench.failure == .full)
        let told = settle()
        #expect(told.flatMap(\.events).count == 1)
        #expect(throws: Never.self) { try told.flatMap(\.answers).first?.result.get() }
        try expectDigest(row == 2 ? 2 : 1)
    }

    @Test("where there is no room at all each is refused once", arguments: [0, 1, 2])
    func refuses(_ row: Int) throws {
        store.fault = (.commit, .full)

        let first = bench.commit(deletion(row), write(.publish(.numbered(3)), command: 8))

        #expect(first.answers.map(\.origin.command).sorted() == [7, 8])
        for answer in first.answers { #expect(answer.result == .failure(.storeFull)) }
        #expect(first.events.isEmpty)
        #expect(bench.failure == .full)
        #expect(!bench.hasWork)
        store.fault = nil
        try expectDigest(22)
    }
}
