// A whole daemon and its devices on a bad network, replayable from one number.
//
// Goal: whatever happens in whatever order, each device is told everything once and in order.
// Method: one seeded generator makes every choice; `SYNC_SEED=7 swift test …` replays one seed.

import Basis
import EventModel
import Foundation
import Testing

@testable import SyncDaemon

/// Devices around a daemon, advanced one step at a time.
private struct Simulation {
    let daemon: SimulatedDaemon
    private(set) var devices: [SimulatedDevice]
    private(set) var pollers: [SimulatedPoller] = []
    private var choices: SeededGenerator
    private var lastSession: UInt32 = 0
    private let channels = ["room", "den", "hall"]
    /// How often, in percent, each reactor's turns read what other threads told it: one that seldom
    /// does is far behind the others.
    private let attention: [Int]
    /// How often things of each kind happened: a run in which nothing happens proves nothing.
    private(set) var counts = (reconnects: 0, retries: 0, slow: 0, pushes: 0, polls: 0)
    /// Whether removals are forgotten early, and rows damaged: then caches have to be repaired.
    private let isCruel: Bool

    init(seed: UInt64) throws {
        choices = SeededGenerator(seed: seed)
        isCruel = seed.isMultiple(of: 2)
        daemon = try SimulatedDaemon(
            reactorCount: choices.below(3) + 1,
            sendQueueBytesMax: choices.pick([600, 3000, 1_000_000]),
            questionsMax: choices.pick([1, 3, 1000]),
            tombstoneTicksKept: isCruel ? choices.pick([0, 100, 2000]) : 1 << 60,
            secret: .random(using: &choices))
        attention = [100, choices.pick([20, 100]), choices.pick([5, 50])]
        devices = (0..<5).map { SimulatedDevice(userID: "u\($0 % 3)", deviceID: "d\($0)") }
        for (index, device) in devices.enumerated() where index < devices.count - 1 {
            for name in channels { device.caches[name] = SimulatedCache() }
        }
        for device in devices { device.mayDiffer = isCruel }
    }

    var problems: [String] {
        daemon.problems + devices.flatMap(\.problems) + pollers.flatMap(\.problems)
    }

    // MARK: Steps

    mutating func step() throws {
        switch choices.below(100) {
        case 0..<10: daemon.commit(choices.below(6) + 1)
        case 10..<18: daemon.read(&choices)
        case 18..<26: daemon.deliver(&choices)
        case 26..<46:
            let number = choices.below(daemon.reactors.count)
            let hears = choices.chance(attention[number])
            daemon.reactors[number].turn(
                after: choices.below(400), sockets: choices.below(8),
                messages: hears ? choices.below(8) : 0)
        case 46..<48:
            // Nobody's cursor may move by these, and nobody's cache may change.
            daemon.signal(in: Channel(choices.pick(channels)), saying: "1")
        case 48..<50: daemon.moveClock(by: choices.pick([-500, -1, 1, 10, 1000]))
        case 50..<56: disturb(choices.pick(devices))
        case 56: damage(choices.pick(devices))
        case 57..<70: try listen(choices.pick(devices))
        case 70..<76: try poll()
        default: act(choices.pick(devices))
        }
    }

    /// A socket that fills up, drains or breaks.
    private mutating func disturb(_ device: SimulatedDevice) {
        guard let connection = device.connection else { return }
        let reactor = daemon.reactors[connection.reactor]
        switch choices.below(6) {
        case 0..<3: reactor.transport.full.insert(connection.session)
        case 3: makeRoom(connection)
        default: drop(device)
        }
    }

    private func makeRoom(_ connection: SimulatedDevice.Connection) {
        let reactor = daemon.reactors[connection.reactor]
        guard reactor.transport.makeRoom(connection.session) else { return }
        reactor.socketEvents.append(.canWrite(connection.session))
    }

    private mutating func drop(_ device: SimulatedDevice) {
        guard let connection = device.connection else { return }
        daemon.reactors[connection.reactor].socketEvents.append(.closed(connection.session))
        device.disconnect()
        counts.reconnects += 1
    }

    /// Rows that were lost, or never were.
    private mutating func damage(_ device: SimulatedDevice) {
        let name = choices.pick(channels)
        guard isCruel, device.repairing[name] == nil, device.caches[name]?.isWhole ?? false
        else { return }
        for _ in 0..<choices.pick([1, 3, 30]) {
            let number = choices.below(1000)
            if choices.chance(50) {
                device.caches[name]?.lose(number)
            } else {
                device.caches[name]?.invent(number)
            }
        }
    }

    /// Reads what reached the device, up to the close.
    private mutating func listen(_ device: SimulatedDevice) throws {
        guard let connection = device.connection else { return }
        let transport = daemon.reactors[connection.reactor].transport
        for text in try transport.takeFrames(of: connection.session) {
            if case .push = text { counts.pushes += 1 }
            device.receive(text)
        }
        for text in device.outgoing { send(text, from: device) }
        device.outgoing = []
        guard let code = transport.closed[connection.session] else { return }
        #expect(code == .tryAgainLater)
        counts.slow += 1
        drop(device)
    }

    private mutating func act(_ device: SimulatedDevice) {
        guard device.connection != nil else {
            if choices.chance(40) { connect(device) }
            return
        }
        let name = choices.pick(channels)
        switch choices.below(20) {
        case 0, 1: follow(device, name)
        case 2:
            // Asking twice for "from now on" would rightly leave out what came in between.
            guard device.caches[name] != nil else { return }
            device.followed.remove(name)
            send(device.command(#""op":"unsubscribe","channels":["\#(name)"]"#), from: device)
        case 3:
            let limit = choices.below(5) + 1
            send(
                device.command(#""op":"history","channel":"\#(name)","limit":\#(limit)"#),
                from: device)
        case 4: send(device.command(#""op":"ping""#), from: device)
        case 5..<8: retry(device)
        default: write(device, name)
        }
    }

    private mutating func follow(_ device: SimulatedDevice, _ name: String) {
        // A device without a past must hear where it starts before it can name a cursor.
        guard device.caches[name] != nil || !device.followed.contains(name) else { return }
        device.followed.insert(name)
        send(device.subscription(to: [name], epoch: daemon.store.epoch), from: device)
    }

    mutating func connect(_ device: SimulatedDevice) {
        let number = choices.below(daemon.reactors.count)
        lastSession += 1
        let session = SessionID(slot: UInt32(choices.below(4)), generation: lastSession)
        device.connection = SimulatedDevice.Connection(reactor: number, session: session)
        daemon.reactors[number].socketEvents.append(
            .open(session, query: ["userId": device.userID, "deviceId": device.deviceID]))
        guard !device.followed.isEmpty else { return }
        let names = device.followed.sorted()
        send(device.subscription(to: names, epoch: daemon.store.epoch), from: device)
    }

    private func send(_ text: String, from device: SimulatedDevice) {
        guard let connection = device.connection else { return }
        daemon.reactors[connection.reactor].socketEvents.append(.text(connection.session, text))
    }

    // MARK: Long polls

    /// One poller takes its answer, polls, or hangs up; once in a while another one begins.
    private mutating func poll() throws {
        if pollers.count < 3, choices.chance(20) {
            let names = choices.chance(50) ? channels : [choices.pick(channels)]
            pollers.append(
                SimulatedPoller(names.map { Channel($0) }, from: daemon.freshCursor()))
        }
        guard !pollers.isEmpty else { return }
        try move(choices.pick(pollers), mayHangUp: true)
    }

    private mutating func move(_ poller: SimulatedPoller, mayHangUp: Bool) throws {
        guard let open = poller.open else {
            let number = choices.below(daemon.reactors.count)
            lastSession += 1
            let session = SessionID(slot: 100, generation: lastSession)
            daemon.reactors[number].socketEvents.append(
                .poll(poller.poll(on: number, as: session)))
            return
        }
        let reactor = daemon.reactors[open.reactor]
        if mayHangUp, choices.chance(25) {
            reactor.socketEvents.append(.cancelPoll(open.session))
            return poller.cancel()
        }
        for answer in reactor.pollAnswers where answer.session == open.session {
            counts.polls += 1
            try poller.receive(answer)
        }
    }

    // MARK: Writes

    private mutating func write(_ device: SimulatedDevice, _ name: String) {
        let number = device.mutations.count
        var fields = #""mutation":"m\#(number)","channel":"\#(name)","#
        let known = device.caches[name].map { $0.messages.keys.sorted() } ?? []
        let message = known.isEmpty ? tick(5) : choices.pick(known.suffix(3).map { $0 })
        let value = choices.pick(["👍", "👎"])
        let action = #""messageTimetoken":"\#(message)","value":"\#(value)""#
        switch choices.below(3) {
        case 0:
            let padding = String(repeating: "x", count: choices.chance(8) ? 15_000 : 5)
            fields += #""op":"publish","payload":"\#(device.deviceID) \#(number) \#(padding)""#
        case 1: fields += #""op":"addAction",\#(action)"#
        default:
            fields += #""op":"removeAction",\#(action)"#
            let key = MessageAction.Key(
                messageTimetoken: message, type: "reaction", value: value, uuid: device.userID)
            if choices.chance(50), let seen = device.caches[name]?.actions[key] {
                fields += #","actionTimetoken":"\#(seen)""#
            }
        }
        device.mutations.append(SimulatedDevice.Mutation(fields: fields))
        send(device.command(fields, mutation: number), from: device)
    }

    private mutating func retry(_ device: SimulatedDevice) {
        guard !device.mutations.isEmpty else { return }
        let number = choices.below(device.mutations.count)
        counts.retries += 1
        send(device.command(device.mutations[number].fields, mutation: number), from: device)
    }

    // MARK: The end

    /// Heals the network and lets everything arrive.
    mutating func settle() throws {
        var quietRounds = 0
        for device in devices where device.connection != nil {
            // Whoever is damaged and heard nothing since learns of it.
            let names = device.followed.filter { device.caches[$0] != nil }.sorted()
            guard !names.isEmpty else { continue }
            send(device.subscription(to: names, epoch: daemon.store.epoch), from: device)
        }
        for _ in 0..<1000 where quietRounds < 4 {
            for device in devices {
                if device.connection == nil { connect(device) }
                device.connection.map(makeRoom)
            }
            for reactor in daemon.reactors { reactor.turn(after: 600, sockets: 99, messages: 99) }
            daemon.commit(99)
            for _ in 0..<4 {
                daemon.read(&choices)
                daemon.deliver(&choices)
            }
            for device in devices { try listen(device) }
            for poller in pollers { try move(poller, mayHangUp: false) }
            for reactor in daemon.reactors { reactor.pollAnswers = [] }
            quietRounds = daemon.isQuiet ? quietRounds + 1 : 0
        }
        #expect(quietRounds == 4, "it never came to rest")
    }

    /// What is wrong once everything has arrived.
    func differences() throws -> [String] {
        var found: [String] = []
        for device in devices {
            if !device.pending.isEmpty { found.append("no reply to \(device.pending.keys)") }
            for name in device.followed {
                let truth = try daemon.truth(of: name)
                guard let cache = device.caches[name] else {
                    found.append("\(device.deviceID) never followed \(name)")
                    continue
                }
                if let start = device.starts[name] {
                    let expected = truth.messages.filter { $0.key > start }
                    if cache.messages != expected { found.append("\(device.deviceID) has a gap") }
                } else if cache.messages != truth.messages || cache.actions != truth.actions {
                    found.append("\(device.deviceID) shows another \(name)")
                }
            }
        }
        // A poll has no way to learn of a removal that is forgotten.
        for poller in pollers where !isCruel {
            found += try poller.differences(
                truth: { try daemon.truth(of: $0.name) },
                sent: { channel in
                    daemon.signals.filter { $0.channel == channel }.map(\.timetoken)
                })
        }
        return found
    }
}

@Suite("Reactor simulation")
struct ReactorSimulation {
    private static let seeds: [UInt64] = {
        if let seed = ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap(UInt64.init) {
            return [seed]
        }
        return Array(1...100)
    }()

    private func run(_ seed: UInt64) throws -> Simulation {
        var simulation = try Simulation(seed: seed)
        for _ in 0..<600 where simulation.problems.isEmpty { try simulation.step() }
        try simulation.settle()
        return simulation
    }

    @Test("every device is told everything once and in order", arguments: seeds)
    func converges(seed: UInt64) throws {
        let simulation = try run(seed)

        #expect(simulation.problems == [], "replay with SYNC_SEED=\(seed)")
        let differences = try simulation.differences()
        #expect(differences == [], "replay with SYNC_SEED=\(seed)")
    }

    @Test("the runs meet what they are meant to meet")
    func isHard() throws {
        var counts = (reconnects: 0, retries: 0, slow: 0, pushes: 0, polls: 0)
        var devices: [SimulatedDevice] = []
        for seed in 1...10 as ClosedRange<UInt64> {
            let simulation = try run(seed)
            counts.reconnects += simulation.counts.reconnects
            counts.retries += simulation.counts.retries
            counts.slow += simulation.counts.slow
            counts.pushes += simulation.counts.pushes
            counts.polls += simulation.counts.polls
            devices += simulation.devices
        }

        #expect(counts.reconnects > 20)
        #expect(counts.retries > 50)
        #expect(counts.slow > 0)
        #expect(counts.pushes > 200)
        #expect(counts.polls > 50)
        #expect(devices.map(\.counts.compared).reduce(0, +) > 100)
        #expect(devices.map(\.counts.repaired).reduce(0, +) > 10)
    }

    @Test("a seed names one run, byte for byte")
    func isDeterministic() throws {
        let runs = try [run(42), run(42)]

        #expect(runs[0].devices.map(\.caches) == runs[1].devices.map(\.caches))
        #expect(runs[0].counts == runs[1].counts)
    }
}
