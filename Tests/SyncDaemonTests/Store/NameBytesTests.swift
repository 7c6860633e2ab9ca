// Names are bytes: two spellings that only look alike are two names, in every store and after it.
//
// Swift calls strings equal when Unicode does; tables, files and other devices compare bytes.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Names are bytes")
struct NameBytesTests {
    /// "é" as one scalar, and as an "e" with an accent after it.
    private let spellings = ["caf\u{E9}", "cafe\u{301}"]
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test("channels that look alike do not see each other", arguments: StoreUnderTest.allCases)
    func channels(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let channels = spellings.map { Channel($0) }
        try store.publish(1, in: channels[0])
        try store.publish(2, in: channels[1])

        let reader = try store.makeReader()
        for (index, channel) in channels.enumerated() {
            let found = try reader.allChanges(in: channel, after: .zero).map(\.timetoken)
            #expect(found == [tick(UInt64(index) + 1)])
        }
    }

    @Test("actions that look alike are two", arguments: StoreUnderTest.allCases)
    func actions(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let room = Channel("room")
        try store.commit(through: 3) {
            let first = MessageAction(key: .on(1, spellings[0]), actionTimetoken: tick(2))
            try $0.add(first, in: room)
            #expect(try $0.standingAction(.on(1, spellings[1]), in: room) == nil)
            let second = MessageAction(key: .on(1, spellings[1]), actionTimetoken: tick(3))
            try $0.add(second, in: room)
        }

        let reader = try store.makeReader()
        let query = ActionsQuery(channel: "room", values: [spellings[1]])
        let found = try reader.actions(query, in: room).actions.map(\.actionTimetoken)
        #expect(found == [tick(3)])
        var cache = DeviceCache()
        for envelope in try reader.allChanges(in: room, after: .zero) { cache.apply(envelope) }
        #expect(cache.actions.count == 2)
    }

    @Test("devices and mutations that look alike are two", arguments: StoreUnderTest.allCases)
    func mutations(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let phones = spellings.map { Author(userID: "ada", deviceID: $0) }
        let record = MutationRecord(fingerprint: 1, outcome: .removed)
        try store.commit(through: 2) {
            try $0.remember(record, of: spellings[0], by: phones[0], at: tick(1))
            #expect(try $0.outcome(of: spellings[1], by: phones[0]) == nil)
            #expect(try $0.outcome(of: spellings[0], by: phones[1]) == nil)
        }
    }

    @Test("a follower of one spelling gets nothing of the other")
    func topics() throws {
        let transport = FakeTransport()
        let hub = Hub(engine: StandInEngine(onAsk: { _ in true }), counters: Counters())
        hub.outlet.attach(transport)
        let session = Session(
            id: SessionID(slot: 0, generation: 1), bucket: TokenBucket(ratePerSecond: 1, at: 0))
        hub.open(session)
        hub.subscribe(session, to: Channel(spellings[0]), from: nil)

        for (index, spelling) in spellings.enumerated() {
            let event = Envelope(
                channel: Channel(spelling), timetoken: tick(UInt64(index) + 1), uuid: "ada",
                event: .message(.numbered(1)))
            hub.accept(Commit(events: [event], last: event.timetoken, durable: event.timetoken))
        }
        hub.endTurn()

        let batches = try transport.takeBatches(of: session.id)
        #expect(batches.flatMap(\.envelopes).map(\.timetoken) == [tick(1)])
    }
}
