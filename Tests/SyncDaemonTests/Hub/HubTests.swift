// The hub with a transport and readers that do what the test says.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

@Suite("Hub")
struct HubTests {
    private let bench = HubBench()
    private var room: Channel { bench.room }

    // MARK: Live events

    @Test("live events arrive once, in order, at the end of the turn")
    func deliversLive() throws {
        let session = bench.open()
        #expect(!bench.hub.subscribe(session, to: room, from: nil))

        bench.deliver(try bench.store(1...2))
        bench.deliver(try bench.store(3...3))
        #expect(bench.transport.writes[session.id] == nil)
        bench.hub.endTurn()

        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.map { $0.envelopes.map(\.timetoken.rawValue) } == [[1, 2, 3]])
        #expect(batches.map(\.cursor) == [tick(3)])
        bench.hub.endTurn()
        #expect(try bench.seen(session) == [])
    }

    @Test("followers of one channel get the same bytes, and others nothing")
    func sharesFrames() throws {
        let sessions = (0..<3).map { _ in bench.open() }
        bench.hub.subscribe(sessions[0], to: room, from: nil)
        bench.hub.subscribe(sessions[1], to: room, from: nil)
        bench.hub.subscribe(sessions[2], to: Channel("room", keyset: "other"), from: nil)

        try bench.publish(1...4)

        let writes = bench.transport.writes
        #expect(writes[sessions[0].id]?.count == 1)
        #expect(writes[sessions[0].id] == writes[sessions[1].id])
        #expect(writes[sessions[2].id] == nil)
        #expect(bench.counters.deliveries.value == 8)
    }

    @Test("nothing follows after an unsubscribe, and the others go on")
    func unsubscribes() throws {
        let leaving = bench.open()
        let staying = bench.open()
        for session in [leaving, staying] { bench.hub.subscribe(session, to: room, from: nil) }
        bench.deliver(try bench.store(1...1))
        bench.hub.unsubscribe(leaving, from: room)
        bench.hub.endTurn()
        try bench.publish(2...2)

        #expect(try bench.seen(leaving) == [])
        #expect(try bench.seen(staying) == [1, 2])
        bench.hub.forget(staying.id)
        try bench.publish(3...3)
        #expect(try bench.seen(staying) == [])
        #expect(bench.counters.subscriptions.value == 0)
        #expect(bench.counters.sessions.value == 1)
    }

    // MARK: Catching up

    @Test(
        "a subscription from any cursor at any moment has no gap and no repeat",
        arguments: 0...12 as ClosedRange<UInt64>, [0, 1, 2, 3])
    func subscribesMidStream(cursor: UInt64, moment: Int) throws {
        let first = bench.open()
        if moment.isMultiple(of: 2) { bench.hub.subscribe(first, to: room, from: nil) }
        try bench.publish(1...3)
        try bench.publish(4...6)
        // Durable, and known to another reactor, but here not heard of, or heard of in this turn.
        let late = try bench.store(7...9)
        let session = bench.open()
        if moment < 2 { bench.deliver(late) }
        bench.hub.subscribe(session, to: room, from: tick(cursor))
        if moment >= 2 { bench.deliver(late) }
        bench.hub.endTurn()
        try bench.publish(10...12)
        try bench.answerAll()
        try bench.publish(13...14)

        #expect(try bench.seen(session) == Array(1...14).filter { $0 > cursor })
    }

    @Test("memory is enough for what was published since somebody followed")
    func catchesUpFromMemory() throws {
        bench.hub.subscribe(bench.open(), to: room, from: nil)
        try bench.publish(1...5)
        let session = bench.open()

        #expect(bench.hub.subscribe(session, to: room, from: tick(2)))
        bench.hub.endTurn()

        #expect(bench.asked == 0)
        #expect(try bench.seen(session) == [3, 4, 5])
        #expect(!bench.hub.subscribe(session, to: room, from: tick(5)))
    }

    @Test("a device with nothing hears of no deletion that came before its first page")
    func fresh() throws {
        let follower = bench.open()
        bench.hub.subscribe(follower, to: room, from: .zero)
        try bench.publish(1...3)
        let deletion = try bench.delete(after: 1, through: 2, at: 4)
        #expect(try bench.seen(follower) == [1, 2, 3])
        bench.deliver([deletion])
        bench.hub.endTurn()
        #expect(try bench.seen(follower) == [4])
        // It is in this reactor's memory, and that reaches back to the beginning.
        let session = bench.open()
        bench.hub.subscribe(session, to: room, from: .zero)
        bench.hub.endTurn()
        try bench.answerAll()
        #expect(try bench.seen(session) == [1, 3])
    }

    @Test("an event that is not stored sets nobody back")
    func unstoredCursor() throws {
        try bench.publish(1...3)
        let (old, new) = (bench.open(), bench.open())
        bench.hub.subscribe(old, to: room, from: nil)
        try bench.publish(5, in: Channel("den"))
        let cursor = bench.hub.freshCursor(in: room)
        #expect(cursor == tick(5))
        bench.hub.subscribe(new, to: room, from: nil)
        bench.signal(6, in: room)
        for session in [old, new] {
            let batches = try bench.transport.takeBatches(of: session.id)
            #expect(batches.map(\.cursor) == [tick(5)])
        }
    }

    @Test("an answer that comes late, after commits, leaves neither gap nor repeat")
    func answersLate() throws {
        let session = bench.open()
        try bench.publish(1...3)
        bench.hub.subscribe(session, to: room, from: .zero)
        bench.hub.endTurn()
        let early = try bench.read()
        try bench.publish(4...6)
        #expect(try bench.seen(session) == [])

        early()
        try bench.answerAll()
        try bench.publish(7...7)

        #expect(try bench.seen(session) == Array(1...7))
    }

    @Test("an answer that knows more than the hub leaves neither gap nor repeat")
    func answersEarly() throws {
        let session = bench.open()
        try bench.publish(1...3)
        bench.hub.subscribe(session, to: room, from: .zero)
        bench.hub.endTurn()
        let unheard = try bench.store(4...6)
        try bench.answerAll()
        #expect(try bench.seen(session) == Array(1...6))

        bench.deliver(unheard)
        bench.deliver(try bench.store(7...7))
        bench.hub.endTurn()

        #expect(try bench.seen(session) == [7])
    }

    @Test("an answer that never comes holds up nobody else")
    func answersNever() throws {
        let stuck = bench.open()
        let other = bench.open()
        try bench.publish(1...3)
        bench.hub.subscribe(stuck, to: room, from: .zero)
        bench.hub.subscribe(other, to: room, from: nil)
        bench.hub.endTurn()

        try bench.publish(4...5)

        #expect(try bench.seen(stuck) == [])
        #expect(try bench.seen(other) == [4, 5])
        bench.hub.forget(stuck.id)
        // Too late: its session is gone.
        try bench.answerAll()
        #expect(try bench.seen(stuck) == [])
    }

    @Test(
        "an answer to a subscription that was taken back or renewed is not used",
        arguments: [true, false])
    func ignoresOldAnswers(renews: Bool) throws {
        let session = bench.open()
        try bench.publish(1...5)
        bench.hub.subscribe(session, to: room, from: .zero)
        bench.hub.endTurn()
        let old = try bench.read()
        if renews {
            bench.hub.subscribe(session, to: room, from: tick(3))
        } else {
            bench.hub.unsubscribe(session, from: room)
        }
        bench.hub.endTurn()

        old()
        #expect(try bench.seen(session) == [])
        try bench.answerAll()
        try bench.publish(6...6)

        #expect(try bench.seen(session) == (renews ? [4, 5, 6] : []))
        #expect(session.pagesInFlight == 0)
    }

    @Test("a session that cannot be read for is told to come again")
    func failsToRead() throws {
        let session = bench.open()
        try bench.publish(1...1)
        bench.hub.subscribe(session, to: room, from: .zero)
        bench.hub.endTurn()
        let question = try #require(bench.waiting.first)

        bench.fail(question)
        bench.hub.endTurn()

        #expect(bench.transport.closed[session.id] == .tryAgainLater)
        #expect(bench.counters.subscriptions.value == 0)
    }

    @Test("a session has few questions under way, and all are answered in the end")
    func boundsQuestions() throws {
        let session = bench.open()
        try bench.publish(1...2)
        for number in 0..<20 {
            bench.hub.subscribe(session, to: Channel("c\(number)"), from: .zero)
            bench.hub.catchUp.ask(
                ReadRequest(
                    asker: .client(Origin(reactor: 3, session: session.id, command: Int64(number))),
                    channel: room, query: .history(HistoryQuery(channel: "room"))),
                for: session)
        }
        bench.hub.endTurn()

        var rounds = 0
        while !bench.waiting.isEmpty, rounds < 100 {
            #expect(bench.waiting.count <= Limits.pagesInFlightMax)
            #expect(session.pagesInFlight == bench.waiting.count)
            try bench.read()()
            rounds += 1
        }

        #expect(rounds == 40)
        #expect(session.pagesInFlight == 0)
        #expect(session.subscriptions.values.allSatisfy { $0.state == .live })
        // Twenty replies, and the state of each channel.
        #expect(try bench.transport.takeFrames(of: session.id).count == 40)
    }

    @Test("questions that found no place are asked again")
    func retriesStarved() throws {
        let session = bench.open()
        try bench.publish(1...3)
        bench.refuseQuestions(true)
        bench.hub.subscribe(session, to: room, from: .zero)
        bench.hub.endTurn()
        bench.refuseQuestions(false)
        bench.hub.endTurn()
        #expect(bench.asked == 0)

        bench.hub.catchUp.retryStarved()
        bench.hub.endTurn()
        try bench.answerAll()

        #expect(try bench.seen(session) == [1, 2, 3])
    }

    // MARK: Sockets that are full

    @Test("a blocked session gets everything, in order, once it can write")
    func resumes() throws {
        let session = bench.open()
        bench.hub.subscribe(session, to: room, from: nil)
        bench.transport.full.insert(session.id)
        for number in 1...5 as ClosedRange<UInt64> { try bench.publish(number...number) }
        // The write that filled the socket was taken; the rest waits.
        #expect(try bench.seen(session) == [1])

        #expect(bench.transport.makeRoom(session.id))
        bench.hub.outlet.canWrite(session)
        bench.hub.endTurn()

        #expect(try bench.seen(session) == [2, 3, 4, 5])
        #expect(bench.transport.writes[session.id]?.count == 2)
    }

    @Test("a blocked session asks for no pages")
    func asksNothingWhileBlocked() throws {
        let session = bench.open()
        bench.hub.subscribe(session, to: Channel("den"), from: nil)
        bench.transport.full.insert(session.id)
        bench.hub.outlet.send(session) { $0.null() }
        bench.hub.endTurn()
        try bench.publish(1...3)
        bench.hub.subscribe(session, to: room, from: .zero)
        bench.hub.endTurn()
        #expect(bench.asked == 0)

        #expect(bench.transport.makeRoom(session.id))
        bench.hub.outlet.canWrite(session)
        bench.hub.endTurn()

        #expect(bench.asked == 1)
    }

    @Test("a backlog becomes positions to read on from, and nobody else notices")
    func collapses() throws {
        let bench = HubBench(sendQueueBytesMax: 5000)
        let slow = bench.open()
        let other = bench.open()
        for session in [slow, other] { bench.hub.subscribe(session, to: bench.room, from: nil) }
        bench.transport.full.insert(slow.id)

        for number in 1...20 as ClosedRange<UInt64> {
            try bench.publish(number...number, bytes: 900)
        }

        #expect(bench.transport.closed.isEmpty)
        #expect(bench.counters.slowConsumersCollapsed.value > 0)
        #expect(slow.queue.byteCount <= 5000)
        #expect(try bench.seen(other) == Array(1...20))

        for _ in 0..<20 {
            if bench.transport.makeRoom(slow.id) { bench.hub.outlet.canWrite(slow) }
            bench.hub.endTurn()
            try bench.answerAll()
        }
        #expect(try bench.seen(slow) == Array(1...20))
    }

    @Test("a session that has stopped reading is closed after a while")
    func closesStuckSession() throws {
        let bench = HubBench(sendQueueBytesMax: 5000)
        let stuck = bench.open()
        bench.hub.subscribe(stuck, to: bench.room, from: nil)
        bench.transport.full.insert(stuck.id)
        for number in 1...20 as ClosedRange<UInt64> {
            try bench.publish(number...number, bytes: 900)
        }

        bench.hub.beginTurn(at: UInt64(Limits.stuckSeconds) * 1000 - 1)
        bench.hub.tick()
        #expect(bench.transport.closed.isEmpty)
        bench.hub.beginTurn(at: UInt64(Limits.stuckSeconds) * 1000)
        bench.hub.tick()
        bench.hub.endTurn()

        #expect(bench.transport.closed == [stuck.id: .tryAgainLater])
        #expect(bench.counters.slowConsumersClosed.value == 1)
        #expect(bench.counters.subscriptions.value == 0)
        #expect(stuck.queue.isEmpty)
    }

    @Test("a session that reads everything is never called slow, however much one turn brings")
    func keepsFastConsumer() throws {
        let bench = HubBench(sendQueueBytesMax: 5000)
        let session = bench.open()

        for _ in 0..<3 {
            bench.hub.outlet.send(session) { $0.string(String(repeating: "x", count: 3000)) }
        }
        bench.hub.endTurn()

        #expect(bench.transport.closed.isEmpty)
        let bytes = bench.transport.writes[session.id, default: []].joined().count
        #expect(bytes == 3 * 3006)
    }
}
