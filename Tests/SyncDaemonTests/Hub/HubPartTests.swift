// The hub's small parts: what it remembers, what waits for a socket, who follows a channel.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// An event at `timetoken` whose text has a known size.
func encoded(_ timetoken: UInt64) -> EncodedEnvelope {
    EncodedEnvelope(
        Envelope(
            channel: Channel("room"), timetoken: tick(timetoken), uuid: "ada",
            event: .message(.numbered(timetoken))))
}

@Suite("RecentEvents")
struct RecentEventsTests {
    @Test("an event that was given up keeps its place for a while, but not its text")
    func discards() {
        var event = EncodedEnvelope(
            Envelope(
                channel: Channel("room"), timetoken: tick(1), uuid: "ada",
                event: .message(Message(payload: "1"))))
        #expect(!event.json.isEmpty)

        event.discardText()

        #expect(event.json.isEmpty)
        #expect(event.timetoken == tick(1))
    }

    @Test("knows everything after its floor, and nothing of what came before")
    func floor() throws {
        var recent = RecentEvents(floor: tick(10))
        #expect(recent.events(after: tick(9)) == nil)
        #expect(recent.events(after: tick(10))?.isEmpty == true)

        for number in [12, 15, 17] as [UInt64] { recent.append(encoded(number), bytesMax: 10_000) }

        #expect(recent.floor == tick(10))
        #expect(recent.events(after: tick(9)) == nil)
        for (cursor, expected) in [
            (10, [12, 15, 17]), (11, [12, 15, 17]), (12, [15, 17]), (16, [17]), (17, []), (99, []),
        ] as [(UInt64, [UInt64])] {
            let found = try #require(recent.events(after: tick(cursor)))
            #expect(found.map(\.timetoken) == expected.map(tick))
        }
    }

    @Test("what a reader found brings no event back that is not stored")
    func whole() {
        var recent = RecentEvents(floor: tick(10))
        recent.append(encoded(12), bytesMax: 0)
        recent.append(encoded(15), bytesMax: 10_000)
        recent.reach(back: tick(8), with: [encoded(9)], state: .empty, bytesMax: 10_000)

        #expect(recent.events(after: tick(8))?.map(\.timetoken) == [tick(9), tick(15)])
        // At 12 there may have been a signal.
        #expect(recent.wholeEvents(after: tick(8)) == nil)
        #expect(recent.wholeEvents(after: tick(12))?.map(\.timetoken) == [tick(15)])
    }

    @Test("an event from before its floor does not lower it", arguments: [0, 10_000])
    func lateEvent(bytesMax: Int) {
        var recent = RecentEvents(floor: tick(10))
        recent.append(encoded(8), bytesMax: bytesMax)
        recent.append(encoded(12), bytesMax: 0)
        #expect(recent.floor == tick(12))
        #expect(recent.events(after: tick(8)) == nil)
        recent.append(encoded(11), bytesMax: 0)
        #expect(recent.floor == tick(12))
        #expect(recent.byteCount == 0)
    }

    @Test("gives up the oldest for its bytes, and says so", arguments: [0, 1, 3, 70, 500])
    func bytes(kept: Int) throws {
        // About so many: blocks of one text differ by what the allocator had at hand.
        let size = encoded(1000).bytesInMemory
        let bytesMax = size * kept + size / 2
        var recent = RecentEvents(floor: .zero)
        var model: [EncodedEnvelope] = []

        for number in 1000..<1400 as Range<UInt64> {
            let event = encoded(number)
            recent.append(event, bytesMax: bytesMax)
            model.append(event)
            while model.reduce(0, { $0 + $1.bytesInMemory }) > bytesMax { model.removeFirst() }

            let events = try #require(recent.events(after: recent.floor))
            #expect(recent.byteCount == events.reduce(0) { $0 + $1.bytesInMemory })
            #expect(recent.byteCount <= bytesMax)
            #expect(events.map(\.timetoken) == model.map(\.timetoken))
            #expect(kept > 0 || events.isEmpty)
            guard recent.floor > .zero else { continue }
            #expect(recent.events(after: tick(recent.floor.rawValue - 1)) == nil)
        }
    }
}

@Suite("SendQueue")
struct SendQueueTests {
    /// A frame of exactly this many bytes, which all say which frame it is.
    private func frame(_ number: UInt8, bytes: Int) -> Frame {
        let header = bytes - 2 < 126 ? 2 : bytes - 4 < 65536 ? 4 : 10
        return Frame(text: [UInt8](repeating: number, count: bytes - header))
    }

    @Test("frames leave whole, in order, within the limit of a write", arguments: UInt64(1)...20)
    func order(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        var queue = SendQueue()
        var scratch: [UInt8] = []
        var waiting: [Frame] = []
        for number in 0..<400 {
            if choices.chance(choices.pick([40, 80])) {
                let frame = frame(
                    UInt8(number & 0x7F), bytes: choices.pick([2, 10, 100, 1000, 5000]))
                queue.append(frame)
                waiting.append(frame)
            } else if !queue.isEmpty {
                let limit = choices.pick([1, 100, 1200, 100_000])
                var written: [UInt8] = []
                queue.takeNext(atMost: limit, scratch: &scratch) { bytes in
                    for index in bytes.indices { written.append(bytes[index]) }
                }
                var expected = waiting.removeFirst().bytes
                while let next = waiting.first, expected.count + next.bytes.count <= limit {
                    expected += waiting.removeFirst().bytes
                }
                #expect(written == expected)
            }
            #expect(queue.byteCount == waiting.map { SendQueue.bytes(of: $0) }.reduce(0, +))
            #expect(queue.isEmpty == waiting.isEmpty)
        }
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(queue.byteCount == 0)
    }
}

@Suite("Topic")
struct TopicTests {
    @Test("whoever leaves, the others stay and know their places", arguments: UInt64(1)...10)
    func membership(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let topic = Topic(channel: Channel("room"), position: .zero, durable: .zero)
        let session = Session(
            id: SessionID(slot: 0, generation: 0), bucket: TokenBucket(ratePerSecond: 1, at: 0))
        var members: [Subscription] = []
        for _ in 0..<300 {
            if members.isEmpty || choices.chance(55) {
                let subscription = Subscription(
                    session: session, topic: topic, position: .zero, state: .live)
                topic.add(subscription, pace: Pace(wish: choices.below(300), coalesces: false))
                members.append(subscription)
            } else {
                topic.remove(members.remove(at: choices.below(members.count)))
            }
            let subscriptions = topic.lanes.flatMap(\.subscriptions.elements)
            #expect(
                Set(subscriptions.map(ObjectIdentifier.init))
                    == Set(members.map(ObjectIdentifier.init)))
            #expect(subscriptions.count == members.count)
            #expect(topic.lanes.count <= Pace.windows.count)
            for lane in topic.lanes {
                #expect(!lane.subscriptions.isEmpty)
                for (index, subscription) in lane.subscriptions.elements.enumerated() {
                    #expect(subscription.place == index)
                    #expect(subscription.lane === lane)
                }
            }
        }
    }
}
