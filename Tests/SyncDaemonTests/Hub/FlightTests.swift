// Devices that need the same page wait for one read of it.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Shared reads")
struct FlightTests {
    private let bench = HubBench()
    private var room: Channel { bench.room }

    /// A channel with ten stored events that memory does not hold.
    private func forget() throws {
        _ = try bench.store(1...10)
        bench.hub.accept(Commit(last: tick(10), durable: tick(10)))
        bench.hub.endTurn()
    }

    private func follow(from cursor: UInt64) -> Session {
        let session = bench.open()
        bench.hub.subscribe(session, to: room, from: tick(cursor))
        bench.hub.endTurn()
        return session
    }

    @Test("one read and one frame serve all who come from the same cursor")
    func shares() throws {
        try forget()
        let sessions = (0..<20).map { _ in follow(from: 4) }
        let other = follow(from: 6)
        #expect(bench.asked == 2)
        try bench.answerAll()

        let frame = try #require(bench.transport.writes[sessions[0].id]?.first)
        for session in sessions {
            #expect(bench.transport.writes[session.id]?.first == frame)
            #expect(try bench.seen(session) == Array(5...10))
        }
        #expect(try bench.seen(other) == Array(7...10))
        #expect(bench.asked == 2)
    }

    @Test("what was read for one serves all who come later, from there or from after it")
    func remembers() throws {
        try forget()
        let first = follow(from: 4)
        try bench.answerAll()
        #expect(bench.asked == 1)
        let (same, later, current) = (follow(from: 4), follow(from: 7), follow(from: 10))
        let frame = try #require(bench.transport.writes[first.id]?.first)
        #expect(bench.transport.writes[same.id]?.first == frame)
        #expect(try bench.seen(later) == [8, 9, 10])
        #expect(bench.hub.states.state(of: room, at: tick(10)) == .empty)
        try bench.publish(11...12)
        #expect(try bench.seen(current) == [11, 12])
        #expect(try bench.seen(follow(from: 8)) == Array(9...12))
        #expect(bench.asked == 1)

        let earlier = follow(from: 3)
        #expect(bench.asked == 2)
        try bench.answerAll()
        #expect(try bench.seen(earlier) == Array(4...12))
        #expect(try bench.seen(follow(from: 3)) == Array(4...12))
        #expect(bench.asked == 2)
    }

    @Test("who turns out to have missed nothing, because of another's page, is told the state")
    func nothingMissed() throws {
        try forget()
        try bench.publish(11, in: Channel("other"))
        _ = follow(from: 4)
        bench.refuseQuestions(true)
        let current = follow(from: 10)
        bench.refuseQuestions(false)
        try bench.answerAll()
        bench.hub.tick()
        bench.hub.endTurn()
        let batches = try bench.transport.takeBatches(of: current.id)
        #expect(batches.map(\.state) == [.empty])
        #expect(batches.map(\.cursor) == [tick(11)])
        #expect(bench.asked == 1)
    }

    @Test("a page of a commit that was not heard of, or of what is forgotten since, is not kept")
    func keepsNoPart() throws {
        _ = try bench.store(1...10)
        bench.hub.accept(Commit(last: tick(8), durable: tick(8)))
        bench.hub.endTurn()
        _ = follow(from: 4)
        try bench.answerAll()
        _ = follow(from: 4)
        #expect(bench.asked == 2)

        bench.hub.accept(Commit(last: tick(10), durable: tick(10)))
        bench.hub.endTurn()
        let answer = try bench.read()
        for number in 0..<3 as Range<UInt64> {
            let bytes = Limits.recentBytesPerChannelMax
            try bench.publish(11 + number...11 + number, bytes: bytes)
        }
        answer()
        let asked = bench.asked
        _ = follow(from: 4)
        #expect(bench.asked == asked + 1)
    }

    @Test("a page that may lack removals is not kept")
    func belowFloor() throws {
        try forget()
        let session = follow(from: 4)
        bench.raiseFloor(to: tick(5))
        try bench.answerAll()
        #expect(try bench.seen(session) == Array(5...10))
        _ = follow(from: 4)
        _ = follow(from: 5)
        #expect(bench.asked == 3)
        try bench.answerAll()
        _ = follow(from: 5)
        #expect(bench.asked == 3)
    }

    @Test("who leaves or starts anew while a read is under way gets nothing of it")
    func leaves() throws {
        try forget()
        let (stays, leaves, renews) = (follow(from: 0), follow(from: 0), follow(from: 0))
        bench.hub.unsubscribe(leaves, from: room)
        bench.hub.subscribe(renews, to: room, from: tick(8))
        bench.hub.endTurn()
        try bench.answerAll()

        #expect(try bench.seen(stays) == Array(1...10))
        #expect(try bench.seen(leaves) == [])
        #expect(try bench.seen(renews) == [9, 10])
    }

    @Test("a session that is gone does not keep the others from their page")
    func vanishes() throws {
        try forget()
        let (vanishes, stays) = (follow(from: 2), follow(from: 2))
        bench.hub.forget(vanishes.id)
        try bench.answerAll()
        #expect(try bench.seen(stays) == Array(3...10))
    }

    @Test("a page is read as long as somebody waits for it")
    func demand() throws {
        try bench.publish(1...3)
        let sessions = [bench.open(), bench.open()]
        for session in sessions { bench.hub.subscribe(session, to: room, from: .zero) }
        bench.hub.endTurn()
        let question = try #require(bench.waiting.first)
        #expect(bench.waiting.count == 1)
        bench.hub.forget(sessions[0].id)
        #expect(question.demand?.isOver == false)
        bench.hub.forget(sessions[1].id)
        #expect(question.demand?.isOver == true)
        // Who comes now waits for a page of their own.
        bench.hub.subscribe(bench.open(), to: room, from: .zero)
        bench.hub.endTurn()
        #expect(bench.waiting.map { $0.demand?.isOver } == [true, false])
        bench.hub.checkInvariants()
    }

    @Test("a failed read ends all who waited for it, with a cursor that still holds")
    func fails() throws {
        try forget()
        let sessions = (0..<3).map { _ in follow(from: 2) }
        let question = try #require(bench.waiting.first)
        bench.fail(question)
        bench.hub.endTurn()
        for session in sessions {
            #expect(bench.transport.closed[session.id] == .tryAgainLater)
        }
    }
}
