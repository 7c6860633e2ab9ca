import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Webhooks: a lane")
struct DeliveryLaneTests {
    private let place = OutboxPlace.of("a", 10)

    @Test("what waits behind something is no news; what a turn may miss is")
    func mayBecomeEmpty() {
        var lane = DeliveryLane()
        var generator = SeededGenerator(seed: 1)
        #expect(lane.mayBecomeEmpty)
        lane.begin(nil, at: 0)
        #expect(lane.mayBecomeEmpty)
        lane.begin((place, tick(50)), at: 0)
        #expect(!lane.mayBecomeEmpty)

        lane.state = .sending(place, events: 1)
        #expect(!lane.mayBecomeEmpty)
        _ = lane.take(.failed(reason: "away"), of: place, age: 1, at: 0, using: &generator)
        #expect(!lane.mayBecomeEmpty, "it pauses")

        lane.state = .sending(place, events: 1)
        _ = lane.take(
            .answered(status: 200, retryAfter: nil), of: place, age: 1, at: 0, using: &generator)
        #expect(lane.mayBecomeEmpty, "its rows are to go")
        lane.state = .settling(place)
        #expect(lane.mayBecomeEmpty)
    }
}
