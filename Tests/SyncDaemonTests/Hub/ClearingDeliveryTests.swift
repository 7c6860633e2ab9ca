// Who is told of a clearing: whoever holds rows, and whoever holds what they come to.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Clearings: delivery")
struct ClearingDeliveryTests {
    private let bench = HubBench()

    private func follow(_ actions: ActionsDetail, coalesces: Bool = false) -> Session {
        let session = bench.open()
        bench.hub.subscribe(
            session, to: bench.room, from: nil,
            pace: Pace(wish: 0, coalesces: coalesces, actions: actions))
        return session
    }

    private func event(_ number: UInt64, _ event: Event) -> Envelope {
        // The test's reader of frames wants to know who.
        Envelope(channel: bench.room, timetoken: tick(number), uuid: "bob", event: event)
    }

    private func added(_ number: UInt64, _ message: UInt64, by user: String) -> Event {
        .actionAdded(
            MessageAction(key: .on(message, by: user), actionTimetoken: tick(number)))
    }

    private func events(_ session: Session) throws -> [Event] {
        try bench.transport.takeBatches(of: session.id).flatMap(\.envelopes).map(\.event)
    }

    @Test("it is one event, in its place, to all but those who want nothing of actions")
    func reaches() throws {
        let (rows, summed, none) = (follow(.rows), follow(.summary), follow(.none))
        let clearing = Event.actionsCleared(Clearing(userID: "bob"))
        bench.deliver([event(1, added(1, 9, by: "bob")), event(2, clearing)])
        bench.hub.endTurn()
        #expect(try events(rows) == [added(1, 9, by: "bob"), clearing])
        #expect(try events(summed) == [clearing])
        #expect(try events(none) == [])
    }

    @Test("one of a message has that summed up anew, one of a user nothing that it knows of")
    func asks() throws {
        _ = follow(.summary)
        bench.deliver([event(1, .actionsCleared(Clearing(userID: "bob")))])
        bench.hub.endTurn()
        bench.hub.beginTurn(at: 1000)
        bench.hub.endTurn()
        #expect(bench.waiting.isEmpty)
        bench.deliver([event(2, .actionsCleared(Clearing(messageTimetoken: tick(9))))])
        bench.hub.endTurn()
        bench.hub.beginTurn(at: 2000)
        bench.hub.endTurn()
        guard case .summaries(let query)? = bench.waiting.first?.query else {
            Issue.record("nothing is asked: \(bench.waiting)")
            return
        }
        #expect(query.messages.map(\.timetoken) == [tick(9)])
    }

    @Test("a net effect keeps it between what it takes and what comes after")
    func coalesces() throws {
        let session = follow(.rows, coalesces: true)
        let clearing = Event.actionsCleared(Clearing(userID: "bob"))
        bench.deliver([
            event(1, added(1, 9, by: "bob")), event(2, clearing),
            event(3, added(3, 9, by: "bob")),
        ])
        bench.hub.endTurn()
        #expect(try events(session) == [clearing, added(3, 9, by: "bob")])
    }

    @Test("a long poll leaves it out, and what it says is JSON as documented")
    func isNotPolled() {
        let all = Clearing(
            messageTimetoken: tick(9), type: "reaction", value: "👍", userID: "bob")
        let encoded = EncodedEnvelope(.clearing(all, at: tick(2), in: bench.room))
        #expect(!encoded.isPolled)
        #expect(encoded.action == nil)
        #expect(encoded.changedMessage == tick(9))
        #expect(
            String(decoding: encoded.json, as: UTF8.self)
                == #"{"a":"1","f":0,"e":3,"p":{"t":"2","r":1},"k":"default","c":"room","#
                + #""d":{"source":"actions","version":"1.0","event":"cleared","data":"#
                + #"{"messageTimetoken":"9","type":"reaction","value":"👍","uuid":"bob"}}}"#)
    }
}
