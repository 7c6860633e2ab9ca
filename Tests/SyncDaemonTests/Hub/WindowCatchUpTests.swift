// How who holds a part of a channel is brought up to date.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Windows: catching up")
struct WindowCatchUpTests {
    private let bench = HubBench()
    private var hub: Hub { bench.hub }
    private var room: Channel { bench.room }

    /// A session that comes back with what it has after 2.
    private func comeBack(at cursor: UInt64) -> Session {
        let session = bench.open()
        hub.subscribe(session, to: room, from: tick(cursor), window: tick(2))
        hub.endTurn()
        return session
    }

    @Test("what is still in memory comes as it happened, and says nothing of a window")
    func fromMemory() throws {
        hub.subscribe(bench.open(), to: room, from: nil)
        try bench.publish(1...5)

        let session = comeBack(at: 3)

        #expect(bench.waiting.isEmpty)
        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.flatMap(\.envelopes).map(\.timetoken) == [tick(4), tick(5)])
        #expect(batches.map(\.window) == [nil])
    }

    @Test("what is not in memory is read for the window, and never kept for others")
    func fromStore() throws {
        _ = try bench.store(1...5)
        try bench.publish(6...6)

        let session = comeBack(at: 1)
        let question = try #require(bench.waiting.first)
        guard case .changes(let start, let window) = question.query else {
            Issue.record("something else was asked")
            return
        }
        #expect((start.messages, window) == (tick(1), tick(2)))
        try bench.answerAll()

        // The second message is before the window.
        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(
            batches.flatMap(\.envelopes).map(\.timetoken) == [tick(3), tick(4), tick(5), tick(6)])
        #expect(batches.last?.window?.after == tick(2))
        // One who holds everything asks for a page of its own.
        hub.subscribe(bench.open(), to: room, from: tick(3))
        hub.endTurn()
        #expect(bench.waiting.count == 1)
    }

    @Test("more than a little is read, though it is in memory")
    func much() throws {
        hub.subscribe(bench.open(), to: room, from: nil)
        try bench.publish(1...UInt64(Limits.windowEventsMax + 5))

        _ = comeBack(at: 5)
        #expect(bench.waiting.isEmpty)
        _ = comeBack(at: 4)
        #expect(bench.waiting.count == 1)
    }

    @Test("who was brought pages that leave the rest out is read for until one says what it is")
    func restIsTold() throws {
        let (before, missed) = (UInt64(3), UInt64(Limits.catchUpEventsMax) + 10)
        // All that it missed is before its window, and the last of it is in memory.
        _ = try bench.store(before...before + missed - 6)
        try bench.publish(before + missed - 5...before + missed)
        let session = bench.open()
        hub.subscribe(session, to: room, from: tick(1), window: tick(before + missed))
        hub.endTurn()

        try bench.read()()
        #expect(try bench.transport.takeBatches(of: session.id).isEmpty)
        #expect(bench.waiting.count == 1)
        try bench.answerAll()

        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.flatMap(\.envelopes).isEmpty)
        #expect(batches.last?.window?.rest != nil)
        // From here on all is told as it happens.
        try bench.publish(before + missed + 1...before + missed + 1)
        #expect(try bench.seen(session) == [before + missed + 1])
    }

    @Test("who began now and falls behind is told of everything, as nothing is known of its window")
    func fresh() throws {
        let session = bench.open()
        hub.subscribe(session, to: room, from: nil, window: .end)
        #expect(session.subscriptions[room]?.window == .zero)
    }

    @Test("who began when nothing was there is told of removals: of what a page brought meanwhile")
    func fromNothing() {
        let (session, whole) = (bench.open(), bench.open())
        hub.subscribe(session, to: room, from: nil, window: .end)
        hub.subscribe(whole, to: room, from: nil)
        #expect(session.subscriptions[room]?.start == ChangeStart(after: .zero))
        #expect(whole.subscriptions[room]?.start == .ofNothing)
    }
}
