// Budgets beside the process: what is counted is what is taken.

import Basis
import EventModel
import Foundation
import Glibc
import Testing

@testable import SyncDaemon

/// What this process has of the machine's memory.
enum ResidentMemory {
    /// Sanitizers put space around each block.
    static var canBeMeasured: Bool {
        ["__asan_init", "__tsan_init"].allSatisfy { (name: String) in
            unsafe dlsym(nil, name) == nil
        }
    }

    static var bytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        // Without those of files, which come when they are first used and go when others need room.
        let pages = fields.split(separator: " ").prefix(3).compactMap { Int($0) }
        return pages.count == 3 ? (pages[1] - pages[2]) * 4096 : 0
    }

    /// Fails unless what `fill` makes takes about as much as it says.
    static func check<Made>(_ fill: () -> (made: Made, counted: Int)) {
        let before = bytes
        let (made, counted) = fill()
        let ratio = Double(bytes - before) / Double(counted)
        withExtendedLifetime(made) {}
        #expect((0.6...1.3).contains(ratio), "\(ratio) bytes are taken for each that is counted")
    }
}

/// Each in a process of its own, where nobody else takes memory.
@Suite("Budgets, beside the memory of the process", .enabled(if: ResidentMemory.canBeMeasured))
struct BudgetMemoryTests {
    @Test("recent events of many channels, half of them reactions")
    func recentEvents() async {
        await #expect(processExitsWith: .success) {
            ResidentMemory.check {
                var channels: [RecentEvents] = []
                for index in 0..<200 {
                    let room = Channel("a room with a name \(index)")
                    var recent = RecentEvents(floor: .zero)
                    for number in 1...500 as ClosedRange<UInt64> {
                        let key = MessageAction.Key(
                            messageTimetoken: tick(number), type: "reaction", value: "👍",
                            uuid: "a user with a name \(number)")
                        let event: Event =
                            number % 2 == 0
                            ? .message(Message(payload: #"{"text":"number \#(number)"}"#))
                            : .actionAdded(
                                MessageAction(key: key, actionTimetoken: tick(number)))
                        recent.append(
                            EncodedEnvelope(
                                Envelope(
                                    channel: room, timetoken: tick(number),
                                    uuid: "a user with a name \(number)", event: event)),
                            bytesMax: Limits.recentBytesPerChannelMax)
                    }
                    channels.append(recent)
                }
                return (channels, channels.reduce(0) { $0 + $1.byteCount })
            }
        }
    }

    @Test("events that are not stored, of several tenants")
    func unstored() async {
        await #expect(processExitsWith: .success) { Self.announce(bytes: 1) }
        await #expect(processExitsWith: .success) { Self.announce(bytes: 200) }
        await #expect(processExitsWith: .success) { Self.announce(bytes: 5000) }
    }

    private static func announce(bytes: Int) {
        ResidentMemory.check {
            var memory = UnstoredEvents()
            for number in 1...(100_000 / (1 + bytes / 100)) {
                memory.append(
                    Envelope(
                        channel: Channel(
                            "a room with a name \(number % 100)", keyset: "k\(number % 5)"),
                        timetoken: tick(UInt64(number)), uuid: "a user with a name",
                        event: .signal(Message(payload: String(repeating: "1", count: bytes))),
                        isStored: false))
            }
            return (memory, memory.byteCount)
        }
    }

    @Test("writes that wait for the ledger")
    func writes() async {
        await #expect(processExitsWith: .success) {
            ResidentMemory.check {
                let queue = WorkQueue<Write>(capacity: 200_000, cost: \.size)
                var counted = 0
                for number in 0..<60_000 {
                    let write = Write(
                        origin: Origin(
                            reactor: 0, session: SessionID(slot: 0, generation: 1), command: 1),
                        author: Author(
                            keyset: "k", userID: "a user with a name \(number)",
                            deviceID: "a device with a name"),
                        channel: Channel("a room with a name \(number)", keyset: "k"),
                        operation: .publish(Message(payload: #"{"text":"number \#(number)"}"#)),
                        mutation: "a mutation with a name \(number)")
                    counted += write.size
                    #expect(queue.put(write, wakesReader: false))
                }
                return (queue, counted)
            }
        }
    }

    @Test("verdicts keep no filter, which takes ten times its text")
    func verdicts() async {
        await #expect(processExitsWith: .success) {
            let verdicts = Verdicts()
            let event = EncodedEnvelope(
                Envelope(
                    channel: Channel("a"), timetoken: tick(1), uuid: "ada",
                    event: .message(Message(payload: "1"))))
            func ask(_ numbers: Range<Int>) throws {
                for number in numbers {
                    verdicts.beginTurn()
                    let filter = try MessageFilter(
                        FilterCostTests.repeated("data==\(number)", reserving: 0))
                    #expect(verdicts.verdict(of: filter, on: event) != nil)
                }
            }
            try ask(0..<100)
            let before = ResidentMemory.bytes
            try ask(100..<3000)
            #expect(ResidentMemory.bytes - before < 4 << 20)
        }
    }

    @Test("frames that wait for a socket")
    func frames() async {
        await #expect(processExitsWith: .success) { Self.queue(bytes: 20) }
        await #expect(processExitsWith: .success) { Self.queue(bytes: 300) }
        await #expect(processExitsWith: .success) { Self.queue(bytes: 3000) }
    }

    private static func queue(bytes: Int) {
        ResidentMemory.check {
            var queues: [SendQueue] = []
            for _ in 0..<20 {
                var queue = SendQueue()
                while queue.byteCount < Limits.sendQueueBytesMax {
                    queue.append(Frame(text: [UInt8](repeating: 32, count: bytes)))
                }
                queues.append(queue)
            }
            return (queues, queues.reduce(0) { $0 + $1.byteCount })
        }
    }
}
