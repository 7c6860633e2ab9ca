// One life of the daemon's process: the real core, wired as `Node` wires it, without a thread.

import Basis
import EventModel

@testable import SyncDaemon

/// What became visible and no reactor was told of.
private final class Steps: CommitReceiver {
    private let waiting = Locked<[Commit]>([])

    func publish(_ step: Commit) { waiting.withLock { $0.append(step) } }

    func take() -> [Commit] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

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
    /// Which start of a daemon in its world this is.
    let life: Int
    /// It does nothing before: the process is stopped.
    private var frozenUntil: UInt64 = 0
    var bug: PlantedBug? { world.bug }

    /// For a planted bug: once in so many times.
    func isUnlucky(_ once: Int) -> Bool { world.choices.below(once) == 0 }
    let interests = InterestTable()
    private let steps = Steps()
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
        life = world.life
        ignoresFloor = world.bug == .ignoredFloor
        let asks = asksForCeiling
        order = EventOrder(
            after: store.last,
            ceiling: store.clock.ceiling, wallTicks: clock.ticks,
            receiver: steps, askForCeiling: { asks.withLock { $0 = true } })
        groups = ChannelGroups(try store.allGroups())
        let ownReader = try store.makeReader()
        let ledger = SimulatedLedger(store, of: self, in: world)
        let readers = SimulatedReaders(
            FaultyReader(pageEvents: world.setting.pageEvents, bug: world.bug) {
                // Of a database server: what the daemon has committed that serves now.
                [unowned world] in world.databaseReader ?? ownReader
            },
            of: self,
            caches: ReaderCaches(
                repairs: RepairCache(secret: store.secret), secret: store.secret,
                windows: world.setting.windowBounds), in: world)
        let presence = SimulatedPresence(of: self, in: world)
        self.presence = presence
        self.ledger = ledger
        self.readers = readers
        for number in 0..<world.setting.reactors {
            let engine = SimulatedEngine(
                reactor: number, daemon: self, ledger: ledger, readers: readers,
                presence: presence, store: store)
            reactors.append(SimulatedReactor(engine, counters: counters, in: world))
        }
    }

    /// Whether a commit is under way.
    var isCommitting: Bool { ledger?.isBusy ?? false }

    func announce(_ announcement: Announcement) -> Announced {
        let announced = order.announce(Relay.carry(value: announcement))
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
        for step in steps.take().map(Relay.carry(_:)) {
            world.witness(step, of: self)
            let parts = step.parts(
                for: reactors.count, wanted: interests.reactors(wanting: step.events))
            for (reactor, part) in zip(reactors, parts) {
                if let part { reactor.post(.commit(part)) }
            }
        }
    }

    // MARK: Time

    /// Has a thread of this process go on after a while.
    func after(_ microseconds: UInt64, _ body: @escaping () -> Void) {
        at(world.scheduler.now + microseconds, body)
    }

    /// The same at a moment; where the process is stopped then, when it goes on.
    func at(_ moment: UInt64, _ body: @escaping () -> Void) {
        world.scheduler.at(moment) { [weak self] in
            guard let self else { return }
            guard world.scheduler.now >= frozenUntil else { return at(frozenUntil, body) }
            body()
        }
    }

    /// Stops the process for a while (SIGSTOP, a machine that hangs).
    func freeze(for microseconds: UInt64) {
        frozenUntil = world.scheduler.now + microseconds
        for reactor in reactors { reactor.stall(for: microseconds) }
    }

    /// Whether it is stopped now.
    var isFrozen: Bool { world.scheduler.now < frozenUntil }

    /// The process stops at once; what it had in memory is gone.
    func die() {
        ledger?.die()
        readers?.die()
        presence?.die()
        for reactor in reactors { reactor.die() }
    }
}
