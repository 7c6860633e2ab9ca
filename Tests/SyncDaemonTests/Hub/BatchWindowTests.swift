// Batches that wait: windows of the channel and of single followers, and net effects.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Batch windows")
struct BatchWindowTests {
    private let bench = HubBench()
    private var room: Channel { bench.room }

    private func follow(_ milliseconds: Int, coalesces: Bool = false) -> Session {
        let session = bench.open()
        bench.hub.subscribe(
            session, to: room, from: nil, pace: Pace(wish: milliseconds, coalesces: coalesces))
        return session
    }

    private func turn(at milliseconds: UInt64) {
        bench.hub.beginTurn(at: milliseconds)
        bench.hub.endTurn()
    }

    @Test("a follower with a window gets one batch at its end, the others get theirs at once")
    func waits() throws {
        let (prompt, patient) = (follow(0), follow(100))
        bench.hub.beginTurn(at: 1000)
        try bench.publish(1...1)
        bench.hub.beginTurn(at: 1050)
        try bench.publish(2...3)
        #expect(bench.hub.delivery.nextDue == 1100)
        turn(at: 1099)
        #expect(try bench.transport.takeBatches(of: patient.id).isEmpty)
        turn(at: 1100)

        let batches = try bench.transport.takeBatches(of: patient.id)
        #expect(batches.map { $0.envelopes.map(\.timetoken.rawValue) } == [[1, 2, 3]])
        #expect(batches.map(\.cursor) == [tick(3)])
        #expect(try bench.transport.takeBatches(of: prompt.id).count == 2)
        #expect(bench.hub.delivery.nextDue == nil)
    }

    @Test("followers with one window share one frame")
    func shares() throws {
        let (one, other) = (follow(45), follow(50))
        bench.hub.beginTurn(at: 1000)
        try bench.publish(1...2)
        turn(at: 1050)
        #expect(bench.transport.writes[one.id] != nil)
        #expect(bench.transport.writes[one.id] == bench.transport.writes[other.id])
    }

    @Test("a channel's window holds for all its followers")
    func channelWindow() throws {
        let bench = HubBench(window: 20)
        let session = bench.open()
        bench.hub.subscribe(session, to: bench.room, from: nil)
        bench.hub.beginTurn(at: 1000)
        try bench.publish(1...1)
        #expect(try bench.seen(session) == [])
        bench.hub.beginTurn(at: 1020)
        bench.hub.endTurn()
        #expect(try bench.seen(session) == [1])
    }

    @Test("who subscribes while a window is open gets each event once")
    func joins() throws {
        let early = follow(100)
        bench.hub.beginTurn(at: 1000)
        try bench.publish(1...2)
        let late = follow(100)
        let resuming = bench.open()
        bench.hub.subscribe(
            resuming, to: room, from: tick(1), pace: Pace(wish: 100, coalesces: false))
        try bench.publish(3...3)
        turn(at: 1100)
        #expect(try bench.seen(early) == [1, 2, 3])
        #expect(try bench.seen(late) == [3])
        #expect(try bench.seen(resuming) == [2, 3])
    }

    @Test("a window that outlives its followers ends in peace")
    func leaves() throws {
        let session = follow(100)
        bench.hub.beginTurn(at: 1000)
        try bench.publish(1...1)
        bench.hub.unsubscribe(session, from: room)
        bench.hub.beginTurn(at: 1000 + UInt64(Limits.topicLingerSeconds) * 1000)
        bench.hub.tick()
        bench.hub.endTurn()
        #expect(try bench.seen(session) == [])
        #expect(bench.hub.delivery.nextDue == nil)
    }

    @Test("only what is left of a window is sent to who wants the net effect")
    func coalesces() throws {
        let (all, net) = (follow(0), follow(0, coalesces: true))
        let key = MessageAction.Key(
            messageTimetoken: tick(1), type: "reaction", value: "👍", uuid: "ada")
        let action = MessageAction(key: key, actionTimetoken: tick(2))
        func event(_ number: UInt64, _ event: Event) -> Envelope {
            Envelope(channel: room, timetoken: tick(number), uuid: "ada", event: event)
        }
        let pair = [event(2, .actionAdded(action)), event(3, .actionRemoved(action))]
        bench.deliver(pair + [event(4, .message(.numbered(4)))])
        bench.hub.endTurn()
        #expect(try bench.seen(all) == [2, 3, 4])
        #expect(try bench.seen(net) == [4])

        bench.deliver([
            event(5, .actionAdded(MessageAction(key: key, actionTimetoken: tick(5)))),
            event(6, .actionRemoved(MessageAction(key: key, actionTimetoken: tick(5)))),
        ])
        bench.hub.endTurn()
        #expect(try bench.seen(net) == [])
        bench.deliver([event(7, .message(.numbered(7)))])
        bench.hub.endTurn()
        let batches = try bench.transport.takeBatches(of: net.id)
        #expect(batches.map { $0.envelopes.map(\.timetoken.rawValue) } == [[7]])
    }

    @Test("a removal reaches who caught up with the action while the window was open")
    func removesWhatWasSeen() throws {
        let early = follow(100, coalesces: true)
        let key = MessageAction.Key(
            messageTimetoken: tick(1), type: "reaction", value: "👍", uuid: "ada")
        let action = MessageAction(key: key, actionTimetoken: tick(2))
        func event(_ number: UInt64, _ event: Event) -> Envelope {
            Envelope(channel: room, timetoken: tick(number), uuid: "ada", event: event)
        }
        bench.hub.beginTurn(at: 1000)
        bench.deliver([event(2, .actionAdded(action))])
        bench.hub.endTurn()
        let late = bench.open()
        bench.hub.subscribe(
            late, to: room, from: .zero, pace: Pace(wish: 100, coalesces: true))
        bench.hub.endTurn()
        #expect(try bench.seen(late) == [2])
        bench.deliver([event(3, .actionRemoved(action))])
        bench.hub.endTurn()
        turn(at: 1100)
        #expect(try bench.seen(early) == [], "it never had the action")
        #expect(try bench.seen(late) == [3])
    }

    @Test(
        "a wish is granted by the next longer window",
        arguments: [(0, 0), (1, 10), (10, 10), (11, 20), (51, 100), (999, 1000), (1000, 1000)])
    func rounds(wish: Int, window: Int) {
        #expect(Pace(wish: wish, coalesces: false).milliseconds == window)
    }
}
