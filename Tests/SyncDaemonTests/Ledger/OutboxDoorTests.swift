// Rows that wait behind others wake nobody; all else does.

import Basis
import Testing

@testable import SyncDaemon

@Suite("Webhooks: when their thread is woken")
struct OutboxDoorTests {
    private let door = OutboxDoor()
    private let wakes = Locked(0)
    private let busy = LaneID(webhook: "a", number: 0)
    private let idle = LaneID(webhook: "a", number: 1)

    init() {
        let wakes = wakes
        door.onNews { wakes.withLock { $0 += 1 } }
    }

    @Test("rows for a lane that is busy wake nobody, and are told with what does")
    func wanted() {
        _ = door.take()
        door.want([idle])
        for _ in 0..<3 { door.tell(OutboxNews(lanes: [busy])) }
        #expect(wakes.withLock(\.self) == 0)

        for _ in 0..<3 { door.tell(OutboxNews(lanes: [idle])) }
        #expect(wakes.withLock(\.self) == 1)
        #expect(door.take().lanes == [busy, idle])
    }

    @Test("rows that come while nobody has said what is wanted wake, whatever the lane")
    func meanwhile() {
        door.tell(OutboxNews(lanes: [busy]))
        #expect(wakes.withLock(\.self) == 1)
        _ = door.take()
        door.want([])
        _ = door.take()
        door.tell(OutboxNews(lanes: [busy]))
        #expect(wakes.withLock(\.self) == 2)
    }

    @Test(
        "what became of requests wakes it, wherever",
        arguments: [
            OutboxNews(settled: [.of("a", 1)]), OutboxNews(sealed: [.of("a", 1)]),
            OutboxNews(overflown: 1),
        ])
    func others(news: OutboxNews) {
        _ = door.take()
        door.want([])
        door.tell(news)
        #expect(wakes.withLock(\.self) == 1)
    }
}
