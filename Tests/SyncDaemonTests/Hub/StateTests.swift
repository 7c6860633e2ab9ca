// Which pushes say what a channel's actions come to, and what is asked so that they can.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

/// A digest that only this number has.
private func digest(_ number: UInt64) -> Digest {
    let text = String(number, radix: 16)
    let digits = String(repeating: "0", count: 32 - text.utf8.count) + text
    return Digest(digits, count: Int64(number)) ?? .empty
}

@Suite("States")
struct StateTests {
    private let bench = HubBench()
    private var hub: Hub { bench.hub }
    private var room: Channel { bench.room }

    private func message(_ number: UInt64, bytes: Int = 10) -> Envelope {
        Envelope(
            channel: room, timetoken: tick(number), uuid: "ada", event: .message(.sized(bytes)))
    }

    /// A commit of one message, after which the room's digest has the message's number.
    private func commit(_ number: UInt64) {
        hub.accept(
            Commit(
                events: [message(number)], digests: [room: digest(number)], last: tick(number),
                durable: tick(number)))
    }

    /// A commit in another channel.
    private func commitElsewhere(_ number: UInt64) {
        hub.accept(Commit(last: tick(number), durable: tick(number)))
        hub.endTurn()
    }

    private func isStateQuestion(_ question: ReadRequest) -> Bool {
        if case .state = question.query { true } else { false }
    }

    /// A session that is up to date at a cursor, and waits for the state unless it is known.
    private func follow(from cursor: UInt64) -> Session {
        let session = bench.open()
        hub.subscribe(session, to: room, from: tick(cursor))
        session.subscriptions[room].map(hub.states.tell)
        hub.endTurn()
        return session
    }

    /// Found by an attack on a daemon whose webhook had taken a place before its reactors began:
    /// nobody who came back was told the state, until something was written.
    @Test("a reactor that begins behind places that were taken knows of no commit up to them")
    func beginsBehindPlaces() {
        let engine = StandInEngine(onNewest: { tick(9) }, durable: tick(5))
        let ground = Ground(engine: engine, settings: HubSettings(), counters: Counters())
        #expect((ground.position, ground.durablePosition) == (tick(9), tick(5)))
        let all = Ground(
            engine: StandInEngine(onNewest: { tick(9) }), settings: HubSettings(),
            counters: Counters())
        #expect(all.durablePosition == tick(9))
    }

    @Test("a state from before the channel was followed anew is none")
    func staleAnswer() throws {
        commitElsewhere(5)
        let session = bench.open()
        hub.subscribe(session, to: room, from: tick(5))
        hub.states.learn(digest(3), at: tick(3), of: room)
        #expect(hub.states.state(of: room, at: tick(5)) == nil)
        hub.states.learn(digest(5), at: tick(5), of: room)
        #expect(hub.states.state(of: room, at: tick(5)) == digest(5))
    }

    @Test("nobody waits for the state of a channel that was forgotten")
    func forgets() throws {
        weak var topic: Topic?
        do {
            let session = follow(from: 0)
            topic = session.subscriptions[room]?.topic
            #expect(topic?.state.waiting.count == 1)
            hub.unsubscribe(session, from: room)
        }
        #expect(topic != nil)
        hub.beginTurn(at: UInt64(Limits.topicLingerSeconds) * 1000)
        hub.tick()
        hub.endTurn()
        #expect(topic == nil)
    }

    @Test("a batch has the state of the last commit in it")
    func live() throws {
        let session = bench.open()
        hub.subscribe(session, to: room, from: nil)
        commit(1)
        commit(2)
        hub.endTurn()
        bench.signal(3, in: room)
        commit(4)
        hub.accept(
            Commit(
                events: [
                    Envelope(
                        channel: room, timetoken: tick(5), uuid: "ada",
                        event: .signal(Message(payload: "1")), isStored: false)
                ], last: tick(5)))
        hub.endTurn()

        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.map(\.state) == [digest(2), nil, digest(4)])
        #expect(batches.map(\.cursor) == [tick(2), tick(2), tick(4)])
    }

    @Test("a commit that is too large for one frame has its state with the last one")
    func cut() throws {
        let session = bench.open()
        hub.subscribe(session, to: room, from: nil)
        let bytes = Limits.catchUpBytesMax / 3
        hub.accept(
            Commit(
                events: (1...6).map { message($0, bytes: bytes) }, digests: [room: digest(6)],
                last: tick(6), durable: tick(6)))
        hub.endTurn()

        let states = try bench.transport.takeBatches(of: session.id).map(\.state)
        #expect(states.count > 1)
        #expect(states.last == digest(6))
        #expect(states.dropLast().allSatisfy { $0 == nil })
    }

    @Test("a wildcard's followers are told no state: it would be of many channels")
    func wildcard() throws {
        let session = bench.open()
        hub.subscribe(session, to: Channel("a.*"), from: nil)
        let channel = Channel("a.b")
        let event = Envelope(
            channel: channel, timetoken: tick(1), uuid: "ada", event: .message(.sized(10)))
        hub.accept(
            Commit(
                events: [event], digests: [channel: digest(1)], last: tick(1), durable: tick(1)))
        hub.endTurn()

        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [nil])
    }

    @Test("what is caught up on from memory ends with the state")
    func memory() throws {
        hub.subscribe(bench.open(), to: room, from: nil)
        for number in 1...3 as ClosedRange<UInt64> { commit(number) }
        hub.endTurn()
        let session = bench.open()
        hub.subscribe(session, to: room, from: tick(1))
        hub.endTurn()

        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [digest(3)])
        #expect(hub.states.state(of: room, at: tick(3)) == digest(3))
        #expect(hub.states.state(of: room, at: tick(2)) == nil)
        #expect(hub.states.state(of: room, at: tick(4)) == nil, "a commit that was not heard of")
        #expect(bench.asked == 0)
    }

    @Test("a page from the readers brings the state, to the page's follower and to later ones")
    func page() throws {
        try bench.publish(1...3)
        let session = bench.open()
        hub.subscribe(session, to: room, from: tick(3))
        hub.subscribe(session, to: room, from: tick(1))
        hub.endTurn()
        let question = try #require(bench.waiting.first)
        guard case .page(let number, _) = question.asker else {
            Issue.record("no page was asked for")
            return
        }
        hub.catchUp.received(
            EncodedPage(
                events: [], cursor: tick(3), through: tick(3), state: digest(3), asOf: tick(3)),
            for: number)
        hub.endTurn()

        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.map(\.cursor) == [tick(3)])
        #expect(batches.map(\.state) == [digest(3)])
        #expect(batches.flatMap(\.envelopes).isEmpty)
        #expect(hub.states.state(of: room, at: tick(3)) == digest(3))
    }

    @Test("a full page that turns out to be the last one is followed by the state")
    func fullPage() throws {
        try bench.publish(1...3)
        let session = bench.open()
        hub.subscribe(bench.open(), to: room, from: tick(3))
        hub.subscribe(session, to: room, from: tick(1))
        hub.endTurn()
        let question = try #require(bench.waiting.first)
        guard case .page(let number, _) = question.asker else {
            Issue.record("no page was asked for")
            return
        }
        let events = [message(2), message(3)].map { EncodedEnvelope($0) }
        hub.catchUp.received(
            EncodedPage(
                events: events, cursor: tick(3), through: tick(3), state: nil, asOf: tick(3)),
            for: number)
        hub.endTurn()
        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [nil])
        #expect(bench.waiting.contains { isStateQuestion($0) })

        hub.states.learn(digest(3), at: tick(3), of: room)
        hub.endTurn()

        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.map(\.state) == [digest(3)])
        #expect(batches.flatMap(\.envelopes).isEmpty)
        hub.endTurn()
        #expect(try bench.transport.takeBatches(of: session.id).isEmpty)
    }

    @Test("however many wait for one channel's state, it is asked for once, and each is told once")
    func singleFlight() throws {
        try bench.publish(1...3)
        let sessions = (0..<50).map { _ in follow(from: 3) }
        #expect(bench.waiting.count { isStateQuestion($0) } == 1)
        #expect(bench.asked == 1)

        hub.states.learn(digest(3), at: tick(3), of: room)
        hub.endTurn()
        hub.endTurn()

        for session in sessions {
            let batches = try bench.transport.takeBatches(of: session.id)
            #expect(batches.map(\.state) == [digest(3)])
            #expect(batches.map(\.cursor) == [tick(3)])
        }
        _ = follow(from: 3)
        #expect(bench.asked == 1)
    }

    @Test("a state of commits that were not heard of waits for them")
    func readerIsAhead() throws {
        try bench.publish(1...3)
        let session = follow(from: 3)
        hub.states.learn(digest(7), at: tick(7), of: room)
        hub.endTurn()
        commitElsewhere(6)
        #expect(try bench.transport.takeBatches(of: session.id).isEmpty)
        #expect(hub.states.state(of: room, at: tick(3)) == nil)

        commitElsewhere(8)
        let batches = try bench.transport.takeBatches(of: session.id)
        #expect(batches.map(\.state) == [digest(7)])
        #expect(batches.map(\.cursor) == [tick(8)])
    }

    @Test("an event that comes before the answer brings the state by itself")
    func eventComesFirst() throws {
        try bench.publish(1...3)
        let session = follow(from: 3)
        commit(5)
        hub.states.learn(digest(3), at: tick(3), of: room)
        hub.endTurn()
        hub.states.learn(digest(4), at: tick(4), of: room)
        hub.endTurn()

        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [digest(5)])
        #expect(hub.states.state(of: room, at: tick(5)) == digest(5))
    }

    @Test("a device that another reactor served beyond this one is compared with nothing too old")
    func deviceIsAhead() throws {
        commit(1)
        hub.endTurn()
        hub.states.learn(digest(1), at: tick(1), of: room)
        let session = follow(from: 4)
        hub.states.learn(digest(1), at: tick(1), of: room)
        hub.endTurn()
        #expect(try bench.transport.takeBatches(of: session.id).isEmpty)

        commit(4)
        hub.endTurn()
        hub.endTurn()
        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [digest(4)])
    }

    @Test("a state that was dropped for want of room is said again, once")
    func droppedForRoom() throws {
        try bench.publish(1...3)
        let session = follow(from: 3)
        bench.hub.outlet.send(session) { $0.string("fills the socket") }
        bench.transport.full.insert(session.id)
        bench.hub.endTurn()
        hub.states.learn(digest(3), at: tick(3), of: room)
        hub.endTurn()
        hub.outlet.collapse(session)
        #expect(bench.transport.makeRoom(session.id))
        hub.outlet.canWrite(session)
        hub.endTurn()
        hub.endTurn()
        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [digest(3)])

        commit(4)
        hub.endTurn()
        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [digest(4)])
    }

    @Test("a question that found no place, or no answer, is asked again")
    func asksAgain() throws {
        try bench.publish(1...3)
        bench.refuseQuestions(true)
        let session = follow(from: 3)
        #expect(bench.asked == 0)
        bench.refuseQuestions(false)
        hub.tick()
        #expect(bench.asked == 1)

        let question = try #require(bench.waiting.first)
        bench.fail(question)
        hub.tick()
        #expect(bench.asked == 2)
        #expect(bench.transport.closed.isEmpty)
        hub.states.learn(digest(3), at: tick(3), of: room)
        hub.endTurn()
        #expect(try bench.transport.takeBatches(of: session.id).map(\.state) == [digest(3)])
    }
}
