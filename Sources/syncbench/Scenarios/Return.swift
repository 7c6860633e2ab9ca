// Devices that know many channels come back all at once and prove that they are equal.

import EventModel
import Glibc
import JSON

/// A daemon with rooms, the users who react in them, and what the devices knew last.
private final class ReturnLoad {
    let server: Server
    let rooms: Rooms
    /// Per channel, what every device has that follows it.
    private var bases: [SharedState]
    private var epoch: String
    private let run: Run

    init(_ run: Run) throws(BenchError) {
        self.run = run
        server = try Server(.syncdaemon, run)
        rooms = try Rooms(run, server)
        (bases, epoch) = try Recorder(server, run.settings).read()
    }

    /// Lets all devices come, and waits until each is equal.
    func connect(parallel: Int) throws(BenchError) -> ReturnOutcome {
        let fleet = try Fleet(server, rooms: rooms, bases: bases)
        let reads = try server.total("reads_total")
        let cpu = try server.cpuNanoseconds
        let start = Clock.nanoseconds()
        var outcome = try fleet.connect(epoch: epoch, parallel: parallel)
        outcome.seconds = Double(Clock.nanoseconds() - start) / 1e9
        outcome.cpuSeconds = Double(try server.cpuNanoseconds - cpu) / 1e9
        outcome.reads = try server.total("reads_total") - reads
        let truth = try Recorder(server, run.settings).read().states
        try fleet.compare(with: truth)
        return outcome
    }

    /// What happens while nobody is there.
    ///
    /// - Returns: Seconds until the others of its cluster serve in the daemon's place, if they do.
    func passTime() throws(BenchError) -> Double? {
        try rooms.change(run.settings[.changes])
        guard run.settings[.failover] == 0 else { return try server.failOver() }
        try linger()
        return nil
    }

    private func linger() throws(BenchError) {
        guard run.settings[.linger] > 0 else { return try server.restart() }
        sleep(UInt32(run.settings[.linger]))
    }
}

/// What it took to make all devices equal.
struct ReturnOutcome {
    var equalDevices = 0
    var receivedBytes = 0
    var seconds = 0.0
    var cpuSeconds = 0.0
    var reads = 0
    var modes: [String: Int] = [:]
    var failoverSeconds: Double?

    func values(devices: Int) -> [Metric: Double] {
        var values: [Metric: Double] = [
            .secondsUntilEqual: seconds, .unequal: Double(devices - equalDevices),
            .bytesPerDevice: Double(receivedBytes) / Double(devices),
            .cpuSeconds: cpuSeconds, .cpuPerDevice: cpuSeconds * 1e6 / Double(devices),
            .reads: Double(reads), .currentChannels: Double(modes["current", default: 0]),
            .deltaChannels: Double(modes["delta", default: 0]),
            .repairChannels: Double(modes["repair", default: 0]),
            .snapshotChannels: Double(modes["snapshot", default: 0]),
        ]
        values[.failoverSeconds] = failoverSeconds
        return values
    }
}

/// All devices with what they have.
private final class Fleet {
    private let crowd: Crowd
    private let rooms: Rooms
    private let bases: [SharedState]
    private let state: State

    /// What arrived so far.
    private final class State {
        /// By device, in the order of its channels.
        var channels: [[SharedState]]
        /// Per device, how many of its channels are not known to be equal.
        var unequal: [Int]
        var isEqual: [[Bool]]
        var equalDevices = 0
        var modes: [String: Int] = [:]
        var failure: String?

        init(_ channels: [[SharedState]]) {
            self.channels = channels
            unequal = channels.map(\.count)
            isEqual = channels.map { $0.map { _ in false } }
        }

        func note(_ isNowEqual: Bool, device: Int, place: Int) {
            guard isEqual[device][place] != isNowEqual else { return }
            isEqual[device][place] = isNowEqual
            if unequal[device] == 0 { equalDevices -= 1 }
            unequal[device] += isNowEqual ? -1 : 1
            if unequal[device] == 0 { equalDevices += 1 }
        }
    }

    init(_ server: Server, rooms: Rooms, bases: [SharedState]) throws(BenchError) {
        crowd = try Crowd(ports: server.ports)
        dialect = server.dialect
        self.rooms = rooms
        self.bases = bases
        state = State(rooms.followed.map { $0.map { bases[$0] } })
        let state = state
        crowd.onMessage = { connection, message in
            guard state.failure == nil else { return }
            do throws(JSONError) {
                try Self.take(message, connection.index, rooms.followed[connection.index], state)
            } catch {
                state.failure =
                    "\(error) in: \(String(decoding: message.prefix(300), as: UTF8.self))"
            }
        }
    }

    private let dialect: Dialect

    func connect(epoch: String, parallel: Int) throws(BenchError) -> ReturnOutcome {
        let requests = bases.enumerated().map { channel, base in
            base.replica.request(FrameTemplate.channelName(channel), epoch: epoch)
        }
        let devices = rooms.followed.count
        try crowd.open(devices, parallel: parallel) { index in
            var plan = Plan(request: dialect.request(user: "s\(index)"))
            plan.greeting = Dialect.subscribe(to: rooms.followed[index].map { requests[$0] })
            plan.readyWord = "\"mode\":"
            plan.readyCount = rooms.followed[index].count
            plan.keepsMessages = true
            return plan
        }
        var last = (equal: 0, time: Clock.nanoseconds())
        while state.equalDevices < devices, state.failure == nil {
            try crowd.poll(milliseconds: 100) { _, _, _ in }
            let now = Clock.nanoseconds()
            if state.equalDevices > last.equal { last = (state.equalDevices, now) }
            guard now < last.time + 20_000_000_000 else { break }
        }
        if let failure = state.failure { throw BenchError(failure) }
        return ReturnOutcome(
            equalDevices: state.equalDevices,
            receivedBytes: crowd.connections.reduce(0) { $0 + $1.receivedBytes },
            modes: state.modes)
    }

    /// Checks what the daemon says against everything anew.
    func compare(with truth: [SharedState]) throws(BenchError) {
        for (device, channels) in rooms.followed.enumerated() where state.unequal[device] == 0 {
            for (place, channel) in channels.enumerated() {
                guard state.channels[device][place].replica.isEqual(to: truth[channel].replica)
                else {
                    throw BenchError(
                        "Device \(device) believes that it is equal in"
                            + " \(FrameTemplate.channelName(channel)), and is not.")
                }
            }
        }
    }

    private static func take(
        _ message: [UInt8], _ device: Int, _ followed: [Int], _ state: State
    ) throws(JSONError) {
        if FrameText.isPush(message) {
            let channel = FrameText.channel(ofPush: message)
            guard let place = followed.firstIndex(where: { $0 == channel }) else {
                throw .wrongType("c", expected: "a channel that the device follows")
            }
            let next = try state.channels[device][place].after(message)
            state.channels[device][place] = next
            return state.note(next.isVerified, device: device, place: place)
        }
        let reply = try unsafe JSONValue(parsing: message.span.bytes)
        // The reply to `hello`.
        if try reply.optionalInteger("id") == 0 { return }
        let channels = try reply.object("ok").array("channels")
        for index in 0..<channels.count {
            let channel = try SubscribedReply(channels.element(at: index))
            state.modes[channel.mode, default: 0] += 1
            guard let known = channel.state else { continue }
            state.note(
                known == state.channels[device][index].replica.state, device: device, place: index)
        }
    }
}

extension Scenario {
    static func comingBack(_ run: Run) throws(BenchError) -> [Record] {
        let load = try ReturnLoad(run)
        let devices = run.settings[.subscribers]
        let first = try load.connect(parallel: 64)
        guard first.equalDevices == devices else {
            throw BenchError("Of \(devices) devices \(first.equalDevices) were equal at first.")
        }
        let failover = try load.passTime()
        var outcome = try load.connect(parallel: run.settings[.parallel])
        outcome.failoverSeconds = failover
        var parameters = ["devices": devices]
        for setting in [
            Setting.channels, .follows, .messages, .last, .reactions, .changes, .linger,
        ] { parameters[setting.rawValue] = run.settings[setting] }
        if failover != nil { parameters[Setting.failover.rawValue] = 1 }
        return [
            Record(
                scenario: "return", server: .syncdaemon, parameters: parameters,
                values: outcome.values(devices: devices))
        ]
    }
}
