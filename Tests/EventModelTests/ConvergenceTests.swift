// A whole fleet on a bad network, replayable from one number.
//
// Goal: after any mix of cuts, repeats and resumption, every device shows the same channel.
// Method: one seeded generator makes every choice, so a failing seed is the bug report.

import Basis
import EventModel
import Testing

/// One channel's log and the devices that follow it, advanced one tick at a time.
struct Simulation {
    private(set) var log: [Envelope] = []
    private(set) var devices: [DeviceCache]
    /// The truth, kept in the plainest way: what the whole log adds up to.
    private(set) var standing: [MessageAction.Key: Timetoken] = [:]
    private(set) var messages: Set<Timetoken> = []
    private(set) var deletionCount = 0
    private var messageCount = 0
    private var generator: SeededGenerator
    private let room = Channel("room")

    init(seed: UInt64, deviceCount: Int) {
        generator = SeededGenerator(seed: seed)
        devices = Array(repeating: DeviceCache(), count: deviceCount)
    }

    mutating func tick() {
        if generator.chance(70) { publish() }
        for index in devices.indices where generator.chance(40) { deliver(to: index) }
    }

    /// Lets every device catch up on a healed network.
    mutating func settle() {
        for index in devices.indices {
            let missed = log.filter { $0.timetoken > devices[index].cursor }
            devices[index].apply(Batch(channel: room, cursor: end, envelopes: missed))
        }
    }

    var end: Timetoken { log.last?.timetoken ?? .zero }

    /// Resumes from the device's cursor in random batches, which repeat a tail, and may be cut.
    private mutating func deliver(to index: Int) {
        let known = log.prefix { $0.timetoken <= devices[index].cursor }.count
        var position = max(0, known - Int.random(in: 0...3, using: &generator))
        while position < log.count {
            let size = Int.random(in: 1...4, using: &generator)
            let envelopes = Array(log[position...].prefix(size))
            let cursor = envelopes[envelopes.count - 1].timetoken
            devices[index].apply(Batch(channel: room, cursor: cursor, envelopes: envelopes))
            if generator.chance(20) { return }
            // The next batch may start with the end of this one.
            position += generator.chance(20) ? max(1, size - 1) : size
        }
    }

    private mutating func publish() {
        // A clock that moves, stands and steps back.
        let clock = end.rawValue + UInt64.random(in: 0...4, using: &generator)
        let timetoken = end.successor(at: clock - min(clock, 2))
        let user = ["ada", "bob", "cy"].randomElement(using: &generator) ?? "ada"
        let event = randomEvent(at: timetoken, by: user)
        log.append(Envelope(channel: room, timetoken: timetoken, uuid: user, event: event))
    }

    private mutating func randomEvent(at timetoken: Timetoken, by user: String) -> Event {
        if log.isEmpty || generator.chance(30) {
            messageCount += 1
            messages.insert(timetoken)
            return .message(Message(payload: "\(messageCount)"))
        }
        if generator.chance(8) { return deletion(before: timetoken) }
        let recent = messages.max()?.rawValue ?? 1
        let target = Timetoken(
            rawValue: generator.chance(50)
                ? recent : UInt64.random(in: 1...5, using: &generator))
        let value = ["👍", "🎉"].randomElement(using: &generator) ?? "👍"
        let key = MessageAction.Key(
            messageTimetoken: target, type: "reaction", value: value, uuid: user)
        if let added = standing[key], generator.chance(60) {
            standing[key] = nil
            return .actionRemoved(MessageAction(key: key, actionTimetoken: added))
        }
        standing[key] = timetoken
        return .actionAdded(MessageAction(key: key, actionTimetoken: timetoken))
    }

    private mutating func deletion(before timetoken: Timetoken) -> Event {
        let start = Timetoken(
            rawValue: UInt64.random(in: 0..<timetoken.rawValue, using: &generator))
        let length = UInt64.random(in: 1...9, using: &generator)
        let end = min(timetoken, Timetoken(rawValue: start.rawValue + length))
        messages = messages.filter { $0 <= start || $0 > end }
        standing = standing.filter {
            $0.key.messageTimetoken <= start || $0.key.messageTimetoken > end
        }
        deletionCount += 1
        return .messagesDeleted(after: start, through: end)
    }
}

@Suite("Convergence")
struct ConvergenceTests {
    @Test("every device ends with the same, right rows", arguments: UInt64(1)...50)
    func converges(seed: UInt64) {
        var simulation = Simulation(seed: seed, deviceCount: 5)

        for _ in 0..<200 { simulation.tick() }
        simulation.settle()

        #expect(Set(simulation.devices.map(\.canonicalBytes)).count == 1, "seed \(seed) diverged")
        for device in simulation.devices {
            #expect(device.cursor == simulation.end)
            #expect(device.actions == simulation.standing)
            #expect(Set(device.messages.keys) == simulation.messages)
        }
        #expect(simulation.deletionCount > 0)
    }

    @Test("a device only ever shows a state that the channel was in", arguments: UInt64(1)...10)
    func neverTornApart(seed: UInt64) {
        var simulation = Simulation(seed: seed, deviceCount: 3)

        for _ in 0..<60 {
            simulation.tick()
            for device in simulation.devices {
                var past = DeviceCache()
                for envelope in simulation.log where envelope.timetoken <= device.cursor {
                    past.apply(envelope)
                }
                #expect(device == past, "seed \(seed)")
            }
        }
    }

    @Test("a seed names one run, byte for byte")
    func isDeterministic() {
        func run(_ seed: UInt64) -> [DeviceCache] {
            var simulation = Simulation(seed: seed, deviceCount: 3)
            for _ in 0..<100 { simulation.tick() }
            return simulation.devices
        }
        #expect(run(42) == run(42))
        #expect(run(42) != run(43))
    }
}
