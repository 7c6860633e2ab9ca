// One life of the daemon's process: the real core, wired as `Node` wires it, without a thread.

import Basis
import EventModel

@testable import SyncDaemon

/// From start to crash or drain.
final class SimulatedDaemon {
    let order: EventOrder
    private(set) var reactors: [SimulatedReactor] = []
    private var ledger: SimulatedLedger?
    private var readers: SimulatedReaders?
    private var presence: SimulatedPresence?
    /// Who is in which group, as the daemon has it in memory.
    let groups: ChannelGroups
    private unowned let world: World
    let interests = InterestTable()
    private let steps = Locked<[Commit]>([])
    private let asksForCeiling = Locked(false)
    let counters = Counters()
    let clock: SimulatedClock
    /// For a planted bug: whoever comes late is taken for one who missed nothing.
    let ignoresFloor: Bool
    /// Whether its acceptor runs.
    var isAccepting = true

    /// - Parameter clock: The daemon's time.
    init(
        on store: SimulatedStore, _ clock: SimulatedClock, in world: World
    ) throws(StoreError) {
        self.world = world
        self.clock = clock
        ignoresFloor = world.bug == .ignoredFloor
        let steps = steps
        let asks = asksForCeiling
        order = EventOrder(
            after: store.last,
            ceiling: store.clock.ceiling, wallTicks: clock.ticks,
            publish: { step in steps.withLock { $0.append(step) } },
            askForCeiling: { asks.withLock { $0 = true } })
        groups = ChannelGroups(try store.allGroups())
        let ledger = SimulatedLedger(
            store, order: order, groups: groups, clock, in: world
        ) { [weak world] in
            world?.crash("the disk is beyond use", isPowerLoss: store.hasLostPower)
        }
        let readers = SimulatedReaders(
            try store.makeReader(), order: order, repairs: RepairCache(secret: store.secret),
            in: world
        ) { [weak self] answer in
            self?.reactors[answer.asker.reactor].post(.read(answer))
        }
        let presence = SimulatedPresence(
            in: world, announce: { [unowned self] in announce($0) },
            deliver: { [weak self] answer in
                self?.reactors[answer.origin.reactor].post(.presence(answer))
            }, isCommitting: { [unowned ledger] in ledger.isBusy })
        self.presence = presence
        self.ledger = ledger
        self.readers = readers
        for number in 0..<world.setting.reactors {
            let hub = Hub(
                engine: SimulatedEngine(
                    reactor: number, daemon: self, ledger: ledger, readers: readers,
                    presence: presence, store: store),
                settings: HubSettings(
                    sendQueueBytesMax: world.setting.sendQueueBytes,
                    recentBytesMax: world.setting.recentBytes,
                    window: { [window = world.setting.windowMilliseconds] _ in window }),
                counters: counters)
            reactors.append(
                SimulatedReactor(
                    number,
                    core: ReactorCore(
                        hub: hub, counters: counters,
                        commandsPerSecondMax: Limits.commandsPerSecondMax),
                    in: world))
        }
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
        presence?.die()
        for reactor in reactors { reactor.die() }
    }
}
