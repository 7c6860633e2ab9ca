// One life of the daemon's process: the real core, wired as `Node` wires it, without a thread.

import Basis
import EventModel

@testable import SyncDaemon

/// What was said where nobody can act on it at once.
final class Waiting<Item: Sendable>: Sendable {
    private let items = Locked<[Item]>([])

    func add(_ item: Item) { items.withLock { $0.append(item) } }

    func take() -> [Item] {
        items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}

/// What became visible and no reactor was told of.
extension Waiting<Commit>: CommitReceiver {
    func publish(_ step: Commit) { add(step) }
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
    /// The process is stopped.
    private let standstill: Standstill
    var bug: PlantedBug? { world.bug }

    /// For a planted bug: once in so many times.
    func isUnlucky(_ once: Int) -> Bool { world.choices.below(once) == 0 }
    let interests = InterestTable()
    private let steps = Waiting<Commit>()
    /// Daemons that follow this one.
    private var links: [SimulatedLink] = []
    /// To the one that this follows; `nil`: it orders.
    private var link: SimulatedLink?
    /// What of a follower's is wanted of the one that orders.
    private let wanted = Waiting<EventOrder.Wanted>()
    /// Where its run began.
    let began: Timetoken
    /// Of a follower, as steps have it.
    let heardFloors = KnownFloors()
    private let asksForCeiling = Locked(false)
    let counters = Counters()
    let clock: SimulatedClock
    /// For a planted bug: whoever comes late is taken for one who missed nothing.
    let ignoresFloor: Bool
    /// Whether its acceptor runs.
    var isAccepting = true

    /// One that orders.
    ///
    /// - Parameter clock: The daemon's time.
    init(
        on store: SimulatedStore, _ clock: SimulatedClock, in world: World
    ) throws(StoreError) {
        self.world = world
        self.clock = clock
        standstill = Standstill(on: world.scheduler)
        life = world.life
        began = store.last
        ignoresFloor = world.bug == .ignoredFloor
        let asks = asksForCeiling
        order = EventOrder(
            after: store.last,
            ceiling: store.clock.ceiling, wallTicks: clock.ticks,
            receiver: steps, askForCeiling: { asks.withLock { $0 = true } })
        groups = ChannelGroups(try store.allGroups())
        ledger = SimulatedLedger(store, of: self, in: world)
        presence = SimulatedPresence(of: self, in: world)
        try read(store) {}
    }

    /// One that follows: it is let in, and then reads what the store is.
    ///
    /// - Parameters:
    ///   - leader: Who orders.
    ///   - store: Whose.
    ///   - life: A number of no other start.
    init(
        following leader: SimulatedDaemon, on store: SimulatedStore, life: Int, in world: World
    ) throws(StoreError) {
        self.world = world
        self.life = life
        standstill = Standstill(on: world.scheduler)
        // Of another machine, which may be hours off: it plays no part.
        clock = SimulatedClock(
            world.otherClock, resuming: nil, boot: "follower", isSynchronised: true,
            agesByWall: false)
        began = leader.began
        ignoresFloor = false
        let settled = leader.order.settled
        order = EventOrder(
            after: store.last, ceiling: store.clock.ceiling, wallTicks: clock.ticks,
            forward: { [wanted] in
                wanted.add($0)
                return true
            }, receiver: steps, askForCeiling: {})
        groups = ChannelGroups(try store.allGroups())
        heardFloors.raise(to: store.floors)
        isAccepting = settled.durable >= store.last
        let link = SimulatedLink(from: self, to: leader, after: store.last, in: world)
        self.link = link
        if world.bug == .gapAtStart {
            // It is let in late, and takes what it read for all that was before.
            isAccepting = true
            world.scheduler.after(world.choices.span(0, Microseconds.second)) { [weak leader] in
                leader?.links.append(link)
            }
        } else {
            leader.links.append(link)
        }
        try read(store) { [unowned world, heardFloors] in
            if let floors = world.store?.floors { heardFloors.raise(to: floors) }
        }
    }

    /// Makes readers, and reactors that ask them.
    ///
    /// - Parameter looking: Called whenever somebody reads.
    private func read(
        _ store: SimulatedStore, looking: @escaping () -> Void
    ) throws(StoreError) {
        let ownReader = try store.makeReader()
        let readers = SimulatedReaders(
            FaultyReader(pageEvents: world.setting.pageEvents, bug: world.bug) {
                [unowned world] in
                looking()
                // Of a database server: what the daemon has committed that serves now.
                return world.databaseReader ?? ownReader
            },
            of: self,
            caches: ReaderCaches(
                repairs: RepairCache(secret: store.secret), secret: store.secret,
                windows: world.setting.windowBounds), in: world)
        self.readers = readers
        for number in 0..<world.setting.reactors {
            let engine = SimulatedEngine(
                reactor: number, daemon: self, readers: readers, store: store)
            reactors.append(SimulatedReactor(engine, counters: counters, in: world))
        }
    }

    var isFollowing: Bool { link != nil }
    var floor: Timetoken { ledger?.floor ?? heardFloors.now.tombstones }
    var deletionFloor: Timetoken { ledger?.deletionFloor ?? heardFloors.now.deletions }

    /// How far a follower has caught up.
    let marks = CatchUpMarks()

    func catchUp() -> Int { marks.ask { link?.ask(mark: $0) ?? false } }

    // MARK: Of the ledger, wherever it is

    func submit(_ write: Write) -> Bool { ledger?.submit(write) ?? link?.ask(write) ?? false }
    func commitSoon() { ledger?.wake() }

    func askPresence(_ request: PresenceRequest) -> Bool {
        presence?.ask(request) ?? link?.ask(request) ?? false
    }

    // Who is where begins anew with each daemon of the simulator, and nothing there has a quota.
    func keep(_ promises: [PresencePromise]) {}
    func hear(_ uses: [TenantUse], of reactor: Int) {}

    /// Presence's answer, to a reactor of this daemon's or to another daemon.
    func deliver(_ answer: PresenceAnswer) {
        if answer.origin.reactor < reactors.count {
            reactors[answer.origin.reactor].post(.presence(answer))
        } else {
            links.first { $0.owns(answer.origin) }?.tell(.presence(answer.origin, answer.reply))
        }
    }

    /// Takes a step of the one that orders.
    func take(_ step: Commit) {
        groups.apply(step.groups)
        if let floors = step.floors { heardFloors.raise(to: floors) }
        order.finish(step)
        spread()
    }

    func cutLink() { link?.end() }
    func silenceLink(for microseconds: UInt64) { link?.silence(for: microseconds) }
    func forget(_ ended: SimulatedLink) { links.removeAll { $0 === ended } }

    /// Whether a commit is under way.
    var isCommitting: Bool { ledger?.isBusy ?? false }

    func announce(_ announcement: Announcement) -> Announced {
        let announced = order.announce(Relay.carry(value: announcement))
        if let link { return link.ask(wanted.take()) ? announced : .refused }
        spread()
        raiseCeiling()
        return announced
    }

    func freshCursor(for origin: Origin) -> Announced {
        defer { raiseCeiling() }
        let now = order.now(for: origin)
        if let link, !link.ask(wanted.take()) { return .at(order.visible) }
        return now
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
            var own = step
            own.answers.removeAll { $0.origin.reactor >= reactors.count }
            let parts = own.parts(
                for: reactors.count, wanted: interests.reactors(wanting: step.events))
            for link in links { link.publish(step) }
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
        world.scheduler.at(moment) { [weak self] in self?.standstill.pass(body) }
    }

    /// Stops the process for a while (SIGSTOP, a machine that hangs).
    func freeze(for microseconds: UInt64) {
        standstill.last(for: microseconds)
        for reactor in reactors { reactor.stall(for: microseconds) }
    }

    /// Whether it is stopped now.
    var isFrozen: Bool { standstill.isOn }

    /// The process stops at once; what it had in memory is gone.
    func die() {
        for link in links { link.end() }
        link?.end()
        ledger?.die()
        readers?.die()
        presence?.die()
        for reactor in reactors { reactor.die() }
    }
}

extension SimulatedDaemon: LinkDesk {
    func recall(
        _ write: Write, told: @escaping @Sendable (Result<Reply, ProtocolError>?) -> Void
    ) -> Bool { false }

    func answer(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        order.answer(origin, result)
        spread()
    }

    var visible: Timetoken { order.visible }
}
