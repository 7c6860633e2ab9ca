// Read marks: where the ledger lets them go, and who is told.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: read marks")
struct LedgerReadMarkTests {
    private let bench = LedgerBench()
    private let room = Channel("room")

    private func mark(_ through: UInt64) throws -> (Timetoken, [MovedMark]) {
        let commit = bench.commit(write(.markRead(through: tick(through))))
        #expect(commit.events == [])
        guard case .markedRead(let mark) = try commit.answers[0].result.get() else {
            Issue.record("another answer")
            return (.zero, [])
        }
        return (mark, commit.readMarks)
    }

    @Test("they go forward, and a move that is none tells nobody")
    func forward() throws {
        _ = try bench.reply(.publish(Message(payload: "1")))

        var (mark, moved) = try mark(500)
        #expect(mark == tick(500))
        #expect(moved == [MovedMark(channel: room, userID: "ada", through: tick(500))])

        for earlier in [500, 400, 0] as [UInt64] {
            (mark, moved) = try self.mark(earlier)
            #expect(mark == tick(500))
            #expect(moved == [])
        }
        #expect(try bench.store.readMark(of: "ada", in: room) == tick(500))
    }

    @Test("nothing is read that is still to come")
    func future() throws {
        _ = try bench.reply(.publish(Message(payload: "1")))

        let (mark, moved) = try mark(1 << 60)

        #expect(mark == bench.ledger.last)
        #expect(moved.map(\.through) == [mark])
        _ = try bench.reply(.publish(Message(payload: "2")))
        #expect(try bench.store.makeReader().unread(of: "eve", in: room).count == 2)
    }

    @Test("of a channel that nobody wrote into nothing is kept")
    func unknown() throws {
        let (mark, moved) = try mark(5)

        #expect(mark == tick(5))
        #expect(moved == [])
        #expect(try bench.store.readMark(of: "ada", in: room) == nil)
        #expect(try !bench.store.hasChannel(room))
    }

    @Test("a full disk refuses it, and it is where it was")
    func full() throws {
        let store = FaultyStore()
        let bench = LedgerBench(store)
        _ = try bench.reply(.publish(Message(payload: "1")))
        store.fault = (.commit, .full)

        let commit = bench.commit(write(.markRead(through: tick(5))))

        #expect(commit.answers.map(\.result) == [.failure(.storeFull)])
        #expect(commit.readMarks == [])
        #expect(store.readMark(of: "ada", in: room) == nil)
    }
}
