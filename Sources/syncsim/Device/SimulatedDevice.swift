// One device: the real core of a client, with a socket, a disk and a person of the simulation.

import Basis
import EventModel

@testable import SyncClient

/// A `Device` and everything around it that fails.
final class SimulatedDevice {
    /// A command without its reply.
    struct Sent {
        let kind: CommandKind
        /// `nil` for hello.
        let ticket: DeviceTicket?
        /// What the channels were asked to start from.
        let subscribes: [SubscribeRequest]
        /// The store's tombstone floor when the question left.
        let floor: Timetoken
        /// The store's newest commit then.
        let end: Timetoken
    }

    let userID: String
    let deviceID: String
    unowned let world: World
    var core: Device
    var disk = DeviceDisk()
    let person: Person
    let witness: DeviceWitness
    private var holder = WindowHolder()

    private(set) var connection: Connection?
    private var sent: [CommandID: Sent] = [:]
    private var lastID: CommandID = 0
    /// Whether hello was answered on the present connection.
    private(set) var isGreeted = false
    /// It does not want to be connected before.
    private var offlineUntil: UInt64 = 0
    private var busyUntil: UInt64 = 0
    /// The network does not reach it before.
    private(set) var partitionedUntil: UInt64 = 0
    private var failedConnects = 0
    private var isRetryPlanned = false
    /// What was planned for an earlier life or connection finds another number.
    private var life = 0

    init(userID: String, deviceID: String, channels: [String], in world: World) {
        self.userID = userID
        self.deviceID = deviceID
        self.world = world
        core = Device(user: userID)
        person = Person(channels: channels)
        witness = DeviceWitness(deviceID, in: world)
        holder.begin(channels, in: world)
        for channel in channels { _ = core.follow(channel, window: holder.windows[channel]) }
        witness.begin(&core, channels)
        after(0, Microseconds.second) { $0.connect() }
        act()
        if world.hasWindows { look() }
    }

    private func after(
        _ low: UInt64, _ high: UInt64, _ body: @escaping (SimulatedDevice) -> Void
    ) {
        world.scheduler.after(world.choices.span(low, high)) { [weak self] in
            guard let self else { return }
            body(self)
        }
    }

    // MARK: The connection

    private func connect() {
        guard connection == nil else { return }
        let now = world.scheduler.now
        guard now >= offlineUntil, now >= partitionedUntil, let daemon = world.anyDaemon
        else { return connectLater() }
        let reactor = world.choices.pick(daemon.reactors)
        let connection = Connection(world.nextSession(), to: reactor, of: self, in: world)
        self.connection = connection
        reactor.transport.add(connection)
        reactor.hear(.open(connection.session))
        world.tally.count("connection")
        witness.connected()
        sent = [:]
        isGreeted = false
        send(
            .hello(Hello(userID: userID, deviceID: deviceID)), ticket: nil)
    }

    private func connectLater() {
        failedConnects += 1
        let wait = UInt64(min(failedConnects, 8)) * 300 * Microseconds.millisecond
        after(wait / 4, wait) { $0.connect() }
    }

    func disconnected(from connection: Connection, code: UInt16?) {
        guard connection === self.connection else { return }
        self.connection = nil
        isGreeted = false
        sent = [:]
        core.disconnected()
        world.trace("\(deviceID) is disconnected \(code.map(String.init) ?? "")")
        if code == 1013 { witness.cutOff() }
        if let code, code != 1001, code != 1013 {
            world.violation("wire", "\(deviceID) was closed with \(code)")
        }
        connectLater()
    }

    /// Ends the connection from this side.
    func hangUp(silently: Bool) {
        guard let connection else { return }
        self.connection = nil
        isGreeted = false
        sent = [:]
        connection.deviceLeft(silently: silently)
        core.disconnected()
        connectLater()
    }

    func goOffline(for microseconds: UInt64) {
        offlineUntil = max(offlineUntil, world.scheduler.now + microseconds)
        hangUp(silently: world.choices.chance(30))
    }

    func partition(for microseconds: UInt64) {
        let end = world.scheduler.now + microseconds
        partitionedUntil = max(partitionedUntil, end)
        // Longer than the heartbeat: both ends give up, each at its own time.
        if microseconds > 30 * Microseconds.second { connection?.cut(silently: true) }
    }

    var isBusy: Bool { world.scheduler.now < busyUntil }

    func beBusy(for microseconds: UInt64) {
        busyUntil = max(busyUntil, world.scheduler.now + microseconds)
        world.scheduler.at(busyUntil) { [weak self] in self?.connection?.read() }
    }

    /// Nothing keeps it from the daemon any more.
    func heal() {
        (offlineUntil, busyUntil, partitionedUntil) = (0, 0, 0)
        failedConnects = 0
        connection?.read()
    }

    // MARK: Its life

    /// The process ends, and begins again from what it kept.
    ///
    /// - Parameter corrupting: Whether its file is spoiled meanwhile.
    func crash(corrupting: Bool) {
        hangUp(silently: world.choices.chance(50))
        if corrupting {
            for channel in person.channels where world.choices.chance(60) {
                if disk.corrupt(channel, &world.choices) {
                    world.tally.count("corrupted cache")
                    witness.taint(channel)
                }
            }
        }
        core = Device(user: userID, outbox: disk.outbox)
        var writes: [DeviceWrite] = []
        if world.choices(forWindows: 50) { holder.begin(person.channels, in: world) }
        for channel in person.channels {
            let base = disk.base(of: channel)
            writes += core.follow(channel, base: base, window: holder.windows[channel]).writes
        }
        disk.commit(writes)
        witness.begin(&core, person.channels)
    }

    /// What a person does at intervals, offline or not.
    private func act() {
        after(Microseconds.millisecond, world.setting.pause) { device in
            guard device.world.isEventful else { return }
            let mutation = "m\(device.world.nextMutation())"
            let (effects, wish) = device.person.act(
                &device.core, mutation: mutation, device.world)
            device.perform(effects, wish)
            device.act()
        }
    }

    /// The same about what is not on the screen.
    private func look() {
        after(Microseconds.millisecond, 4 * world.setting.pause) { device in
            guard device.world.isEventful else { return }
            let effects = device.holder.act(&device.core, in: device.world) {
                device.witness.wishesRepair(of: $0)
            }
            device.perform(effects)
            device.look()
        }
    }

    // MARK: What comes in

    func receive(_ message: [UInt8]) {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try ServerFrameDecoder(keyset: Channel.defaultKeyset).decode(message) {
                sent[$0]?.kind
            }
        } catch {
            return world.violation("wire", "\(deviceID) cannot read a frame: \(error)")
        }
        switch frame {
        case .push(let batch): receive(batch)
        case .rules(let rules): perform(core.received(rules))
        case .reply(let id, let result): receive(result, to: id)
        case .lateReply(let id): world.violation("wire", "a reply to \(id), which nobody sent")
        case .absent(_, let error): world.violation("wire", "nobody wants presence: \(error)")
        case .read: world.violation("wire", "nobody asked what is unread")
        case .live, .liveEnded: world.violation("wire", "nobody asked a live query")
        case .follows, .followsNoMore:
            world.violation("wire", "nobody wants groups")
        case .complaint(let error): world.violation("wire", "a complaint: \(error)")
        }
    }

    private func receive(_ pushed: Batch) {
        var batch = pushed
        if world.bug == .removalsFirst { batch = batch.withRemovalsFirst }
        if world.bug == .doubleCount { batch = batch.withDoubleCounts }
        if let base = core.channel(batch.channel.name)?.base {
            batch = batch.misread(by: world.bug, holding: base.rest.after)
        }
        world.trace("\(deviceID) ← \(Trace.text(batch))")
        witness.hear(batch)
        let effects = core.received(batch)
        perform(effects)
        witness.check(core, batch.channel.name, &world.choices)
    }

    private func receive(_ result: Result<Reply, ProtocolError>, to id: CommandID) {
        guard let question = sent.removeValue(forKey: id) else {
            return world.violation("wire", "\(deviceID) got a second reply to \(id)")
        }
        world.trace("\(deviceID) ← \(id) \(Trace.text(result))")
        guard let ticket = question.ticket else { return greeted(result) }
        var result = result
        if case .success(.older(let page)) = result {
            result = .success(.older(page.misread(by: world.bug)))
        }
        witness.hear(result, to: question, of: core)
        let effects = core.received(result, to: ticket)
        if world.bug == .wrongSide, case .older(let channel, _) = ticket { core.misfile(channel) }
        perform(effects)
        for request in question.subscribes { witness.check(core, request.channel, &world.choices) }
        switch ticket {
        case .repair(let channel, _), .older(let channel, _):
            witness.check(core, channel, &world.choices)
        case .subscribe, .write, .unsubscribe, .markRead, .unread: break
        }
    }

    private func greeted(_ result: Result<Reply, ProtocolError>) {
        guard case .success(.hello(let welcome)) = result else {
            hangUp(silently: false)
            return
        }
        isGreeted = true
        failedConnects = 0
        perform(core.connected(epoch: welcome.epoch))
    }

    // MARK: What goes out

    private func perform(_ effects: DeviceEffects, _ wish: Person.Wish? = nil) {
        if let wish {
            let word = wish.isPresent ? "wishes" : "wishes away"
            world.trace("\(deviceID) \(word) \(Trace.text(wish.key)) in \(wish.channel)")
        }
        // The transaction may be the last thing that it does, or what it does not come to.
        let dies = world.isEventful && world.choices.below(3000) == 0
        let isKept = !dies || world.choices.chance(50)
        if isKept {
            disk.commit(effects.writes)
            // A wish that was never kept is not owed to anybody.
            if let wish { witness.wished(wish, on: core) }
        }
        if dies {
            world.tally.count("device crash")
            return crash(corrupting: false)
        }
        // It would find rows from before the window at once.
        if world.bug != .wrongSide { core.checkInvariants() }
        witness.see(effects, core)
        for question in effects.questions { send(question.command, ticket: question.ticket) }
        if effects.retriesLater { retryLater() }
    }

    private func send(_ command: Command, ticket: DeviceTicket?) {
        guard let connection else { return }
        lastID += 1
        var subscribes: [SubscribeRequest] = []
        if case .subscribe(let requests) = command { subscribes = requests }
        for request in subscribes { witness.asks(request, of: core) }
        sent[lastID] = Sent(
            kind: command.kind, ticket: ticket, subscribes: subscribes,
            // One that follows learns of the floor when it reads, or a moment later.
            floor: connection.reactor.isFollowing ? .zero : world.floor, end: world.truthEnd)
        world.trace("\(deviceID) → \(lastID) \(Trace.text(command))")
        connection.send(CommandEncoder.encode(command, id: lastID))
    }

    private func retryLater() {
        guard !isRetryPlanned else { return }
        isRetryPlanned = true
        after(50 * Microseconds.millisecond, 2 * Microseconds.second) { device in
            device.isRetryPlanned = false
            guard device.isGreeted else { return }
            device.perform(device.core.retry())
        }
    }

    /// For a report.
    var state: String {
        let channels = person.channels.compactMap { core.channel($0) }.map {
            "\($0.name) \($0.phase)\($0.isVerified ? " verified" : "")"
        }
        return "\(deviceID) \(isGreeted ? "online" : "offline"), \(sent.count) sent, "
            + "\(core.outbox.entries.count) in the outbox "
            + "(\(core.outbox.entries.prefix(2))), \(channels)"
    }

    /// Whether nothing of it is under way.
    var isAtRest: Bool {
        isGreeted && sent.isEmpty && core.outbox.isEmpty
            && person.channels.allSatisfy {
                core.channel($0).map { $0.phase == .following && $0.isVerified } ?? false
            }
    }
}
