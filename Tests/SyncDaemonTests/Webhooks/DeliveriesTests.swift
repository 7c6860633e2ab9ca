// Deliveries against receivers, a ledger and a clock that the test plays.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// The world of deliveries, at the test's pace.
private final class FakeWorld: DeliveryWorld {
    var now = tick(0)
    /// The commit under way holds it back.
    var isHeld = false
    var sent: [(lane: LaneID, request: DeliveryRequest)] = []
    var steps: [OutboxStep] = []
    var isFull = false

    func position() -> Timetoken { isHeld ? .zero : now }
    func ticks() -> UInt64 { now.rawValue }
    func send(_ request: DeliveryRequest, for lane: LaneID) { sent.append((lane, request)) }

    func report(_ step: OutboxStep) -> Bool {
        guard !isFull else { return false }
        steps.append(step)
        return true
    }
}

@Suite("Webhooks: deliveries")
struct DeliveriesTests {
    private let store: any Store = MemoryStore()
    private let world = FakeWorld()
    private let deliveries: Deliveries<FakeWorld>
    private let lane = LaneID(webhook: "a", number: 0)
    private static let secret = String(repeating: "s", count: 32)

    init() throws {
        var webhook = Webhook(name: "a")
        webhook.url = "https://a.example/"
        webhook.secrets = [Self.secret]
        deliveries = Deliveries(
            [webhook], reader: try store.makeReader(), world: world,
            using: SeededGenerator(seed: 7), log: Log(level: .error, format: .text))
    }

    /// Events of one batch, which is open for 50 ticks.
    private func put(_ batch: UInt64, _ numbers: [UInt64], lane: Int = 0) throws {
        try store.commit(through: numbers.max() ?? batch) {
            for number in numbers {
                try $0.put(.numbered(number, in: .of("a", batch, lane: lane)))
            }
        }
        deliveries.hear(OutboxNews(lanes: [LaneID(webhook: "a", number: lane)]))
    }

    /// What the ledger does with steps.
    private func settle() throws {
        var news = OutboxNews()
        try store.commit(through: store.last.rawValue + 1) { store in
            for step in world.steps {
                switch step {
                case .delivered(let place):
                    _ = try store.remove(place)
                    news.settled.append(place)
                case .buried(let place, let reason):
                    _ = try store.bury(place, reason, at: tick(1))
                    news.settled.append(place)
                case .sealed(let place): news.sealed.append(place)
                case .revived: break
                }
            }
        }
        world.steps = []
        deliveries.hear(news)
    }

    private var bodies: [String] {
        world.sent.map { String(decoding: $0.request.body, as: UTF8.self) }
    }

    @Test("a batch is sent once nothing can join it any more, and the next one after it")
    func order() throws {
        try put(10, [10, 11])
        world.now = tick(59)
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.isEmpty)
        world.now = tick(60)
        world.isHeld = true
        #expect(try deliveries.turn(at: 0) < 10)
        #expect(world.sent.isEmpty, "an event may be in a commit that is under way")
        world.isHeld = false
        _ = try deliveries.turn(at: 0)
        #expect(
            bodies == [#"{"webhook":"a","id":"a-10","events":[{"number":10},{"number":11}]}"#])
        let others = (1..<Limits.webhookLanes).map { LaneID(webhook: "a", number: $0) }
        #expect(deliveries.wanted == Set(others), "what comes to this one waits behind it")

        try put(70, [70])
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.count == 1, "one at a time")
        deliveries.finish(lane, .answered(status: 204, retryAfter: nil), at: 0)
        _ = try deliveries.turn(at: 0)
        #expect(world.steps == [.delivered(.of("a", 10))])
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.count == 1, "the store still has it")
        try settle()
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.count == 2 && bodies[1].contains("a-70"))
        #expect(deliveries.figures["a"]?.delivered == 2)
    }

    @Test("a batch that is full is sent at once, also when it comes behind another")
    func full() throws {
        world.now = tick(12)
        try put(10, [10, 11])
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.isEmpty)
        deliveries.hear(OutboxNews(sealed: [.of("a", 10)]))
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.count == 1)

        try put(12, [12])
        deliveries.hear(OutboxNews(sealed: [.of("a", 12)]))
        // Its time is not over when it is its turn, nor when it is to be sent again.
        deliveries.finish(lane, .answered(status: 200, retryAfter: nil), at: 0)
        _ = try deliveries.turn(at: 0)
        try settle()
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.count == 2)
        deliveries.finish(lane, .answered(status: 500, retryAfter: nil), at: 0)
        _ = try deliveries.turn(at: 5000)
        _ = try deliveries.turn(at: 5000)
        #expect(world.sent.count == 3)
    }

    @Test("a list of what was given up is there with its count")
    func dead() throws {
        func news(_ count: Int) -> OutboxNews {
            OutboxNews(uses: ["a": OutboxUses(dead: OutboxUse(rows: count, bytes: 1))])
        }
        try put(10, [10])
        try put(70, [70])
        try store.commit(through: 100) { _ = try $0.bury(.of("a", 10), "old", at: tick(100)) }
        deliveries.hear(news(1))
        try deliveries.readDead(all: false)
        #expect(deliveries.figures["a"]?.oldestDead.map(\.place) == [.of("a", 10)])

        try store.commit(through: 101) { _ = try $0.bury(.of("a", 70), "old", at: tick(101)) }
        deliveries.hear(news(2))
        try deliveries.readDead(all: false)
        #expect(deliveries.figures["a"]?.oldestDead.count == 1, "that one is for now and then")
        try deliveries.readDead(all: true)
        #expect(deliveries.figures["a"]?.oldestDead.count == 2)

        deliveries.hear(news(0))
        try deliveries.readDead(all: false)
        #expect(deliveries.figures["a"]?.oldestDead.isEmpty == true)
    }

    @Test("lanes do not wait for each other")
    func lanes() throws {
        try put(10, [10])
        try put(11, [11], lane: 1)
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)

        #expect(Set(world.sent.map(\.lane.number)) == [0, 1])
    }

    @Test("what fails is sent again under its id with the same body, after a pause")
    func retries() throws {
        try put(10, [10])
        world.now = tick(20_000_000)
        _ = try deliveries.turn(at: 0)
        deliveries.finish(lane, .failed(reason: "no answer"), at: 0)
        var waits: [UInt64] = []
        for attempt in 1...8 {
            var now = UInt64(attempt) * 10_000_000
            deliveries.finish(lane, .answered(status: 500, retryAfter: nil), at: now)
            let wait = try deliveries.turn(at: now)
            waits.append(wait)
            now += 1_000_000
            world.now = tick(world.now.rawValue + 10_000_000)
            _ = try deliveries.turn(at: now)
        }

        #expect(world.sent.count == 9 && Set(bodies).count == 1)
        #expect(Set(world.sent.map { $0.request.headers[0] }) == ["Webhook-Id: a-10"])
        #expect(Set(world.sent.map { $0.request.headers[1] }).count > 1, "the time is another")
        #expect(waits.allSatisfy { $0 <= 1000 })
        #expect(deliveries.figures["a"]?.failed == 8)
        #expect(deliveries.figures["a"]?.failingSince == 0)
        deliveries.finish(lane, .answered(status: 200, retryAfter: nil), at: 200_000_000)
        #expect(deliveries.figures["a"]?.failingSince == nil)
    }

    @Test("nothing is sent during the pause that a receiver asked for")
    func pause() throws {
        try put(10, [10])
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)
        deliveries.finish(lane, .answered(status: 503, retryAfter: 60), at: 0)
        _ = try deliveries.turn(at: 59_999)
        #expect(world.sent.count == 1)
        _ = try deliveries.turn(at: 60_000)
        #expect(world.sent.count == 2)
    }

    /// Found by an operator: what had asked for a day had it at its new address, too.
    @Test("a webhook that is changed is asked at once", arguments: [false, true])
    func changed(isUnderWay: Bool) throws {
        try put(10, [10])
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)
        let answer = DeliveryOutcome.answered(status: 429, retryAfter: 86_400)
        if !isUnderWay { deliveries.finish(lane, answer, at: 0) }
        var webhook = Webhook(name: "a")
        webhook.secrets = [Self.secret]
        webhook.url = "https://b.example/"
        deliveries.apply([webhook])
        if isUnderWay { deliveries.finish(lane, answer, at: 0) }

        _ = try deliveries.turn(at: 1)
        #expect(world.sent.map(\.request.url) == ["https://a.example/", "https://b.example/"])
        deliveries.finish(lane, answer, at: 1)
        deliveries.apply([webhook])
        _ = try deliveries.turn(at: 2)
        #expect(world.sent.count == 2, "a reload that changes nothing")
    }

    @Test("410 makes dead letters at once, and the next request waits for a pause")
    func gone() throws {
        try put(10, [10])
        try put(70, [70])
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)
        deliveries.finish(lane, .answered(status: 410, retryAfter: 9), at: 0)
        _ = try deliveries.turn(at: 0)
        #expect(world.steps == [.buried(.of("a", 10), reason: "status 410")])
        try settle()

        _ = try deliveries.turn(at: 8999)
        #expect(world.sent.count == 1)
        _ = try deliveries.turn(at: 9000)
        #expect(world.sent.count == 2)
    }

    @Test("where all was given up nothing fails any more, and what comes next waits for its pause")
    func nothingWaits() throws {
        try put(10, [10])
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)
        deliveries.finish(lane, .answered(status: 410, retryAfter: 9), at: 0)
        _ = try deliveries.turn(at: 0)
        #expect(deliveries.figures["a"]?.failingSince == 0)
        try settle()
        _ = try deliveries.turn(at: 1)
        #expect(deliveries.figures["a"]?.failingSince == nil)

        try put(910, [910])
        world.now = tick(2000)
        _ = try deliveries.turn(at: 8999)
        #expect(world.sent.count == 1)
        deliveries.retry("a")
        _ = try deliveries.turn(at: 8999)
        #expect(world.sent.count == 2)
        deliveries.finish(lane, .answered(status: 410, retryAfter: nil), at: 9000)
        #expect(deliveries.figures["a"]?.failingSince == 9000)
    }

    @Test("what waits for a webhook that is gone has an age, also after a start without it")
    func removedOldest() throws {
        func news(_ rows: Int) -> OutboxNews {
            OutboxNews(uses: ["a": OutboxUses(waiting: OutboxUse(rows: rows, bytes: 1))])
        }
        try put(70, [70], lane: 1)
        try put(10, [10], lane: 3)
        deliveries.hear(news(2))
        deliveries.apply([])
        _ = try deliveries.turn(at: 0)
        #expect(deliveries.figures["a"]?.isRemoved == true)
        #expect(deliveries.figures["a"]?.oldest == tick(10))

        let later = Deliveries(
            [], reader: try store.makeReader(), world: world, using: SeededGenerator(seed: 7),
            log: Log(level: .error, format: .text))
        later.hear(news(2))
        _ = try later.turn(at: 0)
        #expect(later.figures["a"]?.oldest == tick(10))
        // Somebody takes some of it out of the store.
        try store.commit(through: 100) { _ = try $0.remove(.of("a", 10, lane: 3)) }
        later.hear(news(1))
        _ = try later.turn(at: 0)
        #expect(later.figures["a"]?.oldest == tick(70))
    }

    @Test("after a day, and some attempts, it is given up")
    func day() throws {
        try put(10, [10])
        world.now = tick(UInt64(Limits.webhookSecondsMax) * 10_000_000 + 10)
        for attempt in 0..<UInt64(Limits.webhookAttemptsMin) {
            _ = try deliveries.turn(at: attempt * 1_000_000)
            #expect(world.steps.isEmpty)
            deliveries.finish(
                lane, .failed(reason: "refused"), at: attempt * 1_000_000)
        }
        _ = try deliveries.turn(at: 9_000_000)

        #expect(world.sent.count == Limits.webhookAttemptsMin)
        #expect(world.steps == [.buried(.of("a", 10), reason: "refused")])
    }

    @Test("a ledger that is busy hears of it later; what left the store meanwhile is not sent")
    func busy() throws {
        try put(10, [10])
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)
        world.isFull = true
        deliveries.finish(lane, .answered(status: 200, retryAfter: nil), at: 0)
        _ = try deliveries.turn(at: 0)
        world.isFull = false
        _ = try deliveries.turn(at: 0)
        #expect(world.steps == [.delivered(.of("a", 10))])
        try settle()
        try put(920, [920])
        _ = try deliveries.turn(at: 0)
        // More waits than may.
        try store.commit(through: 930) { _ = try $0.bury(.of("a", 920), "full", at: tick(930)) }
        world.now = tick(5000)
        #expect(try deliveries.turn(at: 0) == 0)
        _ = try deliveries.turn(at: 0)
        #expect(world.sent.count == 1)
    }

    @Test("a clock that went back holds nothing up: the ledger is asked to begin another batch")
    func clockWentBack() throws {
        try put(40_000_000, [40_000_000])
        world.now = tick(7)
        _ = try deliveries.turn(at: 1000)
        _ = try deliveries.turn(at: 2999)
        #expect(world.steps.isEmpty)
        _ = try deliveries.turn(at: 3000)
        _ = try deliveries.turn(at: 3001)
        #expect(world.steps == [.sealed(.of("a", 40_000_000))])
        #expect(world.sent.isEmpty)
        try settle()
        _ = try deliveries.turn(at: 3002)

        #expect(world.sent.count == 1)
    }

    @Test("an outcome for a webhook that is gone is nobody's")
    func removed() throws {
        try put(10, [10])
        world.now = tick(900)
        _ = try deliveries.turn(at: 0)
        deliveries.apply([])
        deliveries.finish(lane, .answered(status: 200, retryAfter: nil), at: 0)
        _ = try deliveries.turn(at: 0)

        #expect(world.steps.isEmpty && deliveries.figures.isEmpty)
    }
}
