// The parts of the client that decide: pure, so every path is walked without a socket.

import Basis
import EventModel
import Testing

@testable import SyncClient

@Suite("Backoff")
struct BackoffTests {
    @Test("the ceiling doubles up to the cap")
    func doubles() {
        var backoff = Backoff(base: .milliseconds(250), cap: .seconds(30))

        let delays = (0..<10).map { _ in backoff.nextDelay(random: 1) }

        #expect(
            delays
                == [250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000].map {
                    .milliseconds($0)
                })
    }

    @Test("the jitter is full", arguments: [0, 0.25, 0.999])
    func jitter(random: Double) {
        var backoff = Backoff(base: .seconds(1), cap: .seconds(2))

        #expect(backoff.nextDelay(random: random) == .seconds(1) * random)
        #expect(backoff.nextDelay(random: random) == .seconds(2) * random)
    }

    @Test("a good session starts it again")
    func resets() {
        var backoff = Backoff()
        for _ in 0..<1000 { _ = backoff.nextDelay(random: 1) }

        backoff.reset()

        #expect(backoff.nextDelay(random: 1) == .milliseconds(250))
    }

    @Test(
        "what the end of a connection means",
        arguments: [
            (nil, Comeback.backoff), (1000, .backoff), (1001, .soon), (1002, .backoff),
            (1003, .never), (1006, .backoff), (1007, .never), (1008, .never), (1009, .never),
            (1013, .backoff), (3000, .backoff), (3499, .backoff), (3500, .never), (3999, .never),
            (4000, .backoff),
        ] as [(UInt16?, Comeback)])
    func comeback(code: UInt16?, expected: Comeback) {
        #expect(Comeback(after: WebSocketClosure(code: code, reason: "")) == expected)
    }
}

@Suite("CommandQueue")
struct CommandQueueTests {
    private typealias Commands = CommandQueue<Int>

    private static let start = ContinuousClock.now

    private func item(_ id: CommandID, _ kind: CommandKind, after: Int = 60) -> Commands.Item {
        Commands.Item(
            id: id, kind: kind, frame: [UInt8(truncatingIfNeeded: id)],
            deadline: Self.start + .seconds(after), owner: Int(id),
            outlivesConnection: kind.canBeSentAgain)
    }

    @Test("no more than the limit is in flight; each answer makes room for one")
    func window() throws {
        var commands = Commands()
        let max = ClientLimits.commandsInFlightMax
        for id in 1...(max + 2) { try commands.add(item(Int64(id), .publish)) }

        var sent = 0
        while commands.nextToSend() != nil { sent += 1 }

        #expect(sent == max)
        #expect(commands.answer(1)?.owner == 1)
        #expect(commands.nextToSend() == [UInt8(truncatingIfNeeded: max + 1)])
        #expect(commands.nextToSend() == nil)
    }

    @Test("over the limit of waiting commands the next one is refused")
    func bounded() throws {
        var commands = Commands()
        for id in 1...ClientLimits.commandsWaitingMax {
            try commands.add(item(Int64(id), .publish))
        }

        #expect(throws: SyncClientError.tooManyWaiting(max: ClientLimits.commandsWaitingMax)) {
            try commands.add(item(0, .publish))
        }
    }

    @Test("after a break writes are sent again in order; the rest has failed")
    func breaks() throws {
        var commands = Commands()
        let kinds: [CommandKind] = [
            .publish, .history, .deleteMessages, .ping, .addAction, .actions, .removeAction,
        ]
        for (index, kind) in kinds.enumerated() {
            try commands.add(item(Int64(index + 1), kind))
        }
        for _ in 0..<5 { _ = commands.nextToSend() }

        let failed = commands.connectionBroke()

        #expect(failed.map(\.owner) == [2, 4, 6])
        #expect((0..<5).map { _ in commands.nextToSend() } == [[1], [3], [5], [7], nil])
    }

    @Test("what a stopping daemon refuses waits, with all others, for the next session")
    func heldBack() throws {
        var commands = Commands()
        for id in 1...3 { try commands.add(item(Int64(id), .publish)) }
        _ = commands.nextToSend()
        _ = commands.nextToSend()
        for id: CommandID in [1, 2] {
            let item = commands.answer(id)
            commands.holdBack(try #require(item))
        }

        #expect(commands.nextToSend() == nil)
        #expect(commands.connectionBroke().isEmpty)
        #expect((0..<4).map { _ in commands.nextToSend() } == [[1], [2], [3], nil])
    }

    @Test("what is overdue is taken out, sent or not")
    func expires() throws {
        var commands = Commands()
        try commands.add(item(1, .publish, after: 1))
        try commands.add(item(2, .publish, after: 2))
        try commands.add(item(3, .publish, after: 3))
        _ = commands.nextToSend()

        #expect(commands.nextDeadline == Self.start + .seconds(1))
        #expect(commands.expire(at: Self.start + .seconds(2)).map(\.owner) == [1, 2])
        #expect(commands.nextDeadline == Self.start + .seconds(3))
        #expect(commands.cancel(3)?.owner == 3)
        #expect(commands.nextDeadline == nil)
    }
}

@Suite("StreamQueue")
struct StreamQueueTests {
    @Test("a reader that is too far behind is told, and goes on with what is new")
    func overflows() async {
        let queue = StreamQueue<SyncEvent>(capacity: 3)
        func event(_ number: Int) -> SyncEvent { .channelVerified("\(number)") }

        for number in 1...7 {
            queue.append(event(number), orInstead: { [.eventsMissed, event(number)] })
        }
        queue.finish()
        queue.append(event(8), orInstead: { [] })
        var taken: [SyncEvent] = []
        for await event in queue.stream { taken.append(event) }

        #expect(taken == [.eventsMissed, event(6), event(7)])
    }

    @Test("somebody can wait until the reader is done with what came, replaced or not")
    func taken() async {
        let queue = StreamQueue<Int>(capacity: 2)
        let done = Locked(0)
        let reader = Task {
            for await number in queue.stream {
                await Task.yield()
                done.withLock { $0 = number }
            }
        }
        for number in 1...300 {
            queue.append(number, orInstead: { [number] })
            guard number % 4 == 0 else { continue }
            await queue.taken()
            #expect(done.withLock { $0 } == number)
        }
        reader.cancel()
        await reader.value
        queue.append(301, orInstead: { [] })
        await queue.taken()
    }

    @Test("who waits for a reader that never comes is told at the end")
    func neverTaken() async {
        let queue = StreamQueue<Int>(capacity: 2)
        queue.append(1, orInstead: { [] })
        let follower = Task { await queue.taken() }
        await Task.yield()
        queue.finish()
        await follower.value
    }

    @Test("a stream that nobody reads any more keeps nothing")
    func goesAway() {
        weak var forgotten: StreamQueue<SyncEvent>?
        do {
            let queue = StreamQueue<SyncEvent>(capacity: 3)
            forgotten = queue
            _ = queue.stream
        }
        #expect(forgotten == nil)
    }
}

@Suite("Queue")
struct QueueTests {
    @Test("it is first in, first out, whatever is put in front or taken out")
    func order() {
        var queue = Queue<Int>()
        var model: [Int] = []
        var generator = SystemRandomNumberGenerator()

        for step in 0..<5000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                queue.append(step)
                model.append(step)
            case 5..<9:
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            default:
                queue.prepend(contentsOf: [step, -step])
                model = [step, -step] + model
                #expect(queue.removeAll { $0 % 7 == 0 } == model.filter { $0 % 7 == 0 })
                model.removeAll { $0 % 7 == 0 }
            }
            #expect(queue.count == model.count)
            #expect(queue.first == model.first)
        }
    }
}

@Suite("Addresses")
struct AddressTests {
    @Test(
        "URLs as people write them",
        arguments: [
            ("ws://127.0.0.1:8080", "ws://127.0.0.1:8080/v1/sync"),
            ("http://127.0.0.1:8080", "ws://127.0.0.1:8080/v1/sync"),
            ("ws://example.org/", "ws://example.org:80/v1/sync"),
            ("ws://example.org/chat?x=1", "ws://example.org:80/chat?x=1"),
            ("ws://example.org?x=1", "ws://example.org:80/v1/sync?x=1"),
            ("ws://[::1]:9000", "ws://[::1]:9000/v1/sync"),
            ("ws://[::1]", "ws://[::1]:80/v1/sync"),
            ("wss://example.org", "wss://example.org:443/v1/sync"),
            ("https://example.org:8443/x", "wss://example.org:8443/x"),
        ])
    func reads(url: String, expected: String) throws {
        #expect("\(try WebSocketAddress(url))" == expected)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "room", "wss:/example.org", "ws://", "wss://", "ws://:80", "ws://host:0",
            "ws://host:65536",
            "ws://host:x", "ws://[::1", "ws://[::1]x", "ws://a b", "ws://user@host", "ws://hö.org",
        ])
    func refuses(url: String) {
        #expect(throws: SyncClientError.self) { try WebSocketAddress(url) }
    }
}

@Suite("MutationIDs")
struct MutationIDsTests {
    @Test("each is new and short enough")
    func unique() {
        var first = MutationIDs(instance: 1)
        var second = MutationIDs(instance: .max)

        let ids = (0..<100).flatMap { _ in [first.next(), second.next()] }

        #expect(Set(ids).count == 200)
        #expect(ids.allSatisfy { $0.utf8.count <= Limits.mutationBytesMax })
        #expect(ids.first == "0000000000000001-1")
    }
}
