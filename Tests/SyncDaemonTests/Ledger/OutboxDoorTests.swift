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
        door.tell(OutboxNews(lanes: [busy]))
        #expect(wakes.withLock(\.self) == 1)
        #expect(door.take(wanting: [idle]).lanes == [busy])

        for _ in 0..<3 { door.tell(OutboxNews(lanes: [busy])) }
        #expect(wakes.withLock(\.self) == 1)

        for _ in 0..<3 { door.tell(OutboxNews(lanes: [idle])) }
        #expect(wakes.withLock(\.self) == 2)
        #expect(door.take(wanting: []).lanes == [busy, idle])
    }

    @Test(
        "what became of requests wakes it, wherever",
        arguments: [
            OutboxNews(settled: [.of("a", 1)]), OutboxNews(sealed: [.of("a", 1)]),
            OutboxNews(overflown: 1),
        ])
    func others(news: OutboxNews) {
        _ = door.take(wanting: [])
        door.tell(news)
        #expect(wakes.withLock(\.self) == 1)
    }
}
