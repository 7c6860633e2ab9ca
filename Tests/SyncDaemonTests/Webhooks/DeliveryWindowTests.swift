// How long what forms waits for others: no longer than what was before it, or than somebody wants.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Webhooks: what forms behind a backlog")
struct DeliveryWindowTests {
    private final class World: DeliveryWorld {
        var now = tick(0)
        var sent = 0
        var steps: [OutboxStep] = []
        var isFull = false

        func position() -> Timetoken { now }
        func ticks() -> UInt64 { now.rawValue }
        func send(_ request: DeliveryRequest, for lane: LaneID) { sent += 1 }

        func report(_ step: OutboxStep) -> Bool {
            if !isFull { steps.append(step) }
            return !isFull
        }
    }

    private let store: any Store = MemoryStore()
    private let world = World()
    private let deliveries: Deliveries<World>
    private let place = OutboxPlace.of("a", 1_000_000)
    /// 50 and 5,000 milliseconds.
    private static let (own, backlog): (UInt64, UInt64) = (500_000, 50_000_000)

    init() throws {
        var webhook = Webhook(name: "a")
        webhook.url = "https://a.example/"
        webhook.secrets = [String(repeating: "s", count: 32)]
        webhook.windowMilliseconds = 50
        deliveries = Deliveries(
            [webhook], reader: try store.makeReader(), world: world,
            using: SeededGenerator(seed: 7), log: Log(level: .error, format: .text))
        // What was to be sent at the start is.
        _ = try deliveries.turn(at: 0)
        let place = place
        let due = place.batch.advanced(by: Self.backlog)
        try store.commit(through: 1_000_000) {
            try $0.put(OutboxRow(place: place, timetoken: place.batch, due: due, event: "{}"))
        }
        world.now = place.batch
        deliveries.hear(OutboxNews(lanes: [place.laneID]))
    }

    @Test("it is closed once its own time is over, and sent when the store says that it is")
    func closes() throws {
        #expect(try deliveries.turn(at: 0) <= 51)
        #expect(world.steps.isEmpty)
        world.now = place.batch.advanced(by: Self.own)
        world.isFull = true
        #expect(try deliveries.turn(at: 50) < 10, "the store is to be told soon")
        world.isFull = false
        for now in 55...58 as ClosedRange<UInt64> { _ = try deliveries.turn(at: now) }
        #expect(world.steps == [.sealed(place)], "once")
        #expect(world.sent == 0, "an event may be about to join it")

        deliveries.hear(OutboxNews(sealed: [place]))
        _ = try deliveries.turn(at: 60)
        #expect(world.sent == 1)
    }

    @Test("whoever has it tried again gets it at once")
    func hurries() throws {
        _ = try deliveries.turn(at: 0)
        deliveries.retry("a")
        _ = try deliveries.turn(at: 1)
        #expect(world.steps == [.sealed(place)])
        deliveries.hear(OutboxNews(sealed: [place]))
        _ = try deliveries.turn(at: 2)
        #expect(world.sent == 1)
    }
}
