// Webhooks while the store cannot be read: all that waits is sent afterwards, once and in order.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Webhooks: a store that cannot be read")
struct DeliveryOutageTests {
    enum Question: CaseIterable {
        case firstBatch, rows, deadBatches
    }

    private final class World: DeliveryWorld {
        var sent: [(lane: LaneID, request: DeliveryRequest)] = []
        var steps: [OutboxStep] = []

        func position() -> Timetoken { tick(900) }
        func ticks() -> UInt64 { 900 }
        func send(_ request: DeliveryRequest, for lane: LaneID) { sent.append((lane, request)) }

        func report(_ step: OutboxStep) -> Bool {
            steps.append(step)
            return true
        }
    }

    /// A store's reader that fails once, or of one lane always.
    private final class Reader: OutboxReader {
        private let base: any OutboxReader
        /// Which one is not answered, and how many are before.
        var fault: (question: Question, before: Int)?
        var damagedLane: Int?
        private(set) var failures = 0

        init(_ base: any OutboxReader) { self.base = base }

        private func pass(_ question: Question) throws(StoreError) {
            guard let fault, fault.question == question else { return }
            guard fault.before == 0 else {
                self.fault = (question, fault.before - 1)
                return
            }
            self.fault = nil
            failures += 1
            throw .broken(code: 10, reason: "disk I/O error")
        }

        func firstBatch(
            of webhook: String, lane: Int
        ) throws(StoreError) -> (place: OutboxPlace, due: Timetoken)? {
            guard lane != damagedLane else { throw .damaged(path: "/data", reason: "a page") }
            try pass(.firstBatch)
            return try base.firstBatch(of: webhook, lane: lane)
        }

        func rows(of place: OutboxPlace) throws(StoreError) -> [OutboxRow] {
            try pass(.rows)
            return try base.rows(of: place)
        }

        func deadBatches(of webhook: String, limit: Int) throws(StoreError) -> [DeadBatch] {
            try pass(.deadBatches)
            return try base.deadBatches(of: webhook, limit: limit)
        }
    }

    private let store: any Store = MemoryStore()
    private let world = World()
    private let reader: Reader
    private let deliveries: Deliveries<World>
    private let lane = LaneID(webhook: "a", number: 0)

    init() throws {
        var webhook = Webhook(name: "a")
        webhook.url = "https://a.example/"
        webhook.secrets = [String(repeating: "s", count: 32)]
        reader = Reader(try store.makeReader())
        deliveries = Deliveries(
            [webhook], reader: reader, world: world, using: SeededGenerator(seed: 7),
            log: Log(level: .error, format: .text))
    }

    /// A batch of two events.
    private func put(_ batch: UInt64, lane: Int = 0) throws {
        try store.commit(through: batch + 1) {
            for number in [batch, batch + 1] {
                try $0.put(.numbered(number, in: .of("a", batch, lane: lane)))
            }
        }
        deliveries.hear(OutboxNews(lanes: [LaneID(webhook: "a", number: lane)]))
    }

    /// What the ledger does with steps.
    private func settle() throws {
        var news = OutboxNews()
        try store.commit(through: store.last.rawValue + 1) { store in
            for case .delivered(let place) in world.steps {
                _ = try store.remove(place)
                news.settled.append(place)
            }
        }
        world.steps = []
        deliveries.hear(news)
    }

    private var bodies: [String] {
        world.sent.map { String(decoding: $0.request.body, as: UTF8.self) }
    }

    @Test(
        "what waits is sent once and in order, whatever was not answered",
        arguments: Question.allCases, 0..<3)
    func once(_ question: Question, before: Int) throws {
        let batches: [UInt64] = [10, 20, 30]
        try put(1)
        try store.commit(through: 3) { _ = try $0.bury(.of("a", 1), "old", at: tick(3)) }
        for batch in batches { try put(batch) }
        reader.fault = (question, before)
        var answered = 0
        var failed = 0
        for round in 1...10 {
            // Each time there seem to be others.
            let dead = OutboxUse(rows: round, bytes: 1)
            deliveries.hear(OutboxNews(uses: ["a": OutboxUses(dead: dead)]))
            do {
                _ = try deliveries.turn(at: 0)
                try deliveries.readDead(all: true)
            } catch {
                failed += 1
                deliveries.reader = nil
                #expect(try deliveries.turn(at: 0) > 0, "nothing can be done at once")
                try deliveries.readDead(all: true)
                deliveries.reader = reader
            }
            for _ in answered..<world.sent.count {
                deliveries.finish(lane, .answered(status: 200, retryAfter: nil), at: 0)
            }
            answered = world.sent.count
            _ = try deliveries.turn(at: 0)
            try settle()
        }

        #expect(reader.failures == 1)
        #expect(failed == 1)
        let expected = batches.map { batch in
            #"{"webhook":"a","id":"a-\#(batch)","events":[{"number":\#(batch)},"#
                + #"{"number":\#(batch + 1)}]}"#
        }
        #expect(bodies == expected)
        #expect(deliveries.figures["a"]?.delivered == 6)
        #expect(deliveries.figures["a"]?.oldestDead.map(\.place) == [.of("a", 1)])
    }

    @Test("meanwhile the ledger is told of what was under way, and orders are taken")
    func meanwhile() throws {
        try put(10)
        try put(20)
        _ = try deliveries.turn(at: 0)
        deliveries.reader = nil
        deliveries.finish(lane, .answered(status: 200, retryAfter: nil), at: 0)
        #expect(try deliveries.turn(at: 0) == 1000)
        #expect(world.steps == [.delivered(.of("a", 10))])
        try settle()
        var webhook = Webhook(name: "a")
        webhook.url = "https://b.example/"
        webhook.secrets = [String(repeating: "s", count: 32)]
        deliveries.apply([webhook])
        #expect(try deliveries.turn(at: 0) == 1000)
        #expect(world.sent.count == 1)

        deliveries.reader = reader
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.map(\.request.url) == ["https://a.example/", "https://b.example/"])
    }

    @Test("a lane whose rows are damaged holds up no other")
    func damage() throws {
        for lane in 0..<3 { try put(UInt64(lane + 1) * 10, lane: lane) }
        reader.damagedLane = 1
        #expect(throws: StoreError.self) { try deliveries.turn(at: 0) }
        #expect(world.sent.map(\.lane.number) == [0, 2])

        reader.damagedLane = nil
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.map(\.lane.number) == [0, 2, 1])
    }

    @Test("what waits for a webhook that is gone is looked for again")
    func removed() throws {
        try put(10, lane: 3)
        let waiting = OutboxUse(rows: 2, bytes: 1)
        deliveries.hear(OutboxNews(uses: ["a": OutboxUses(waiting: waiting)]))
        deliveries.apply([])
        reader.fault = (.firstBatch, 3)
        #expect(throws: StoreError.self) { try deliveries.turn(at: 0) }
        deliveries.reader = nil
        _ = try deliveries.turn(at: 0)
        #expect(deliveries.figures["a"]?.oldest == nil)

        deliveries.reader = reader
        _ = try deliveries.turn(at: 0)
        #expect(deliveries.figures["a"]?.oldest == tick(10))
    }
}
