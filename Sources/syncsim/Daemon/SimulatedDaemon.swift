// One life of the daemon's process: the real core, wired as `Node` wires it, without a thread.

import EventModel

@testable import SyncDaemon

/// From start to crash or drain.
final class SimulatedDaemon {
    let order: EventOrder
    private(set) var reactors: [SimulatedReactor] = []
    private var ledger: SimulatedLedger?
    private var readers: SimulatedReaders?
    private unowned let world: World
    private let interests = InterestTable()
    private let steps = Locked<[Commit]>([])
    private let asksForCeiling = Locked(false)
    let counters = Counters()
    /// Whether its acceptor runs.
    var isAccepting = true

    init(on store: SimulatedStore, in world: World) throws(StoreError) {
        self.world = world
        let (clock, steps) = (world.clock, steps)
        let asks = asksForCeiling
        order = EventOrder(
            after: store.last, ceiling: store.clock.ceiling, wallTicks: { clock.ticks },
            publish: { step in steps.withLock { $0.append(step) } },
            askForCeiling: { asks.withLock { $0 = true } })
        let groups = ChannelGroups(try store.allGroups())
        let ledger = SimulatedLedger(store, order: order, groups: groups, in: world) {
            [weak world] in
            world?.crash("power loss")
        }
        let readers = SimulatedReaders(
            try store.makeReader(), order: order, repairs: RepairCache(secret: store.secret),
            in: world
        ) { [weak self] answer in
            self?.reactors[answer.asker.reactor].post(.read(answer))
        }
        self.ledger = ledger
        self.readers = readers
        let epochs = Epochs(store: store.epoch, runs: store.runs)
        let ignoresFloor = world.bug == .ignoredFloor
        for number in 0..<world.setting.reactors {
            let engine = Engine(
                reactor: number, epoch: epochs.text,
                judge: { [order] in epochs.judge($0, $1, newest: order.visible) },
                tombstoneFloor: { [unowned ledger] in ignoresFloor ? .zero : ledger.floor },
                deletionFloor: { [unowned ledger] in ledger.deletionFloor },
                digestKey: { [secret = store.secret] in secret.key(of: $0) },
                keysets: Keysets(),
                submit: { [unowned ledger] in ledger.submit($0) },
                commitSoon: { [unowned ledger] in ledger.wake() },
                announce: { [unowned self] in announce($0) },
                ask: { [unowned readers] in readers.ask($0) },
                askPresence: { _ in true }, groups: groups,
                newest: { [order] in order.visible }, settled: { [order] in order.settled },
                freshCursor: { [unowned self] in freshCursor($0) }, began: store.last,
                wallTicks: { clock.ticks })
            let hub = Hub(
                reactor: number, position: engine.newest(),
                settings: HubSettings(
                    sendQueueBytesMax: world.setting.sendQueueBytes,
                    recentBytesMax: world.setting.recentBytes,
                    window: { [window = world.setting.windowMilliseconds] _ in window },
                    tombstoneFloor: engine.tombstoneFloor,
                    deletionFloor: engine.deletionFloor),
                counters: counters,
                follow: { [interests, order] channel in
                    interests.add(channel, of: number)
                    return order.frontier
                },
                unfollow: { [interests] in interests.remove($0, of: number) }, ask: engine.ask)
            reactors.append(
                SimulatedReactor(
                    number,
                    core: ReactorCore(
                        hub: hub, engine: engine, counters: counters,
                        commandsPerSecondMax: Limits.commandsPerSecondMax,
                        answerHTTP: { _ in .error(404, "none") }),
                    in: world))
        }
    }

    /// Queues a write that comes from nobody here: somebody with an SDK asked for it.
    func submit(_ operation: Write.Operation, in channel: String, by userID: String) {
        let nobody = SessionID(slot: .max, generation: 0)
        _ = ledger?.submit(
            Write(
                origin: Origin(reactor: 0, session: nobody, command: 0),
                author: Author(userID: userID, deviceID: "sdk"), channel: Channel(channel),
                operation: operation, mutation: nil))
        ledger?.wake()
    }

    func announce(_ announcement: Announcement) -> Announced {
        let announced = order.announce(announcement)
        spread()
        raiseCeiling()
        return announced
    }

    func freshCursor(_ origin: Origin) -> Announced {
        defer { raiseCeiling() }
        return order.now(for: origin)
    }

    private func raiseCeiling() {
        let asks = asksForCeiling.withLock { asks in
            defer { asks = false }
            return asks
        }
        if asks { ledger?.raiseCeiling() }
    }

    /// Tells the reactors what became visible, as `ReactorSwitch` does.
    func spread() {
        let steps = self.steps.withLock { steps in
            defer { steps = [] }
            return steps
        }
        for step in steps {
            world.witness(step)
            let parts = step.parts(
                for: reactors.count, wanted: interests.reactors(wanting: step.events))
            for (reactor, part) in zip(reactors, parts) {
                if let part { reactor.post(.commit(part)) }
            }
        }
    }

    /// The process stops at once; what it had in memory is gone.
    func die() {
        ledger?.die()
        readers?.die()
        for reactor in reactors { reactor.die() }
    }
}
