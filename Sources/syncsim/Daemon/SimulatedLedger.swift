// The ledger's thread: takes what waits, commits it, tells the reactors; it may die in between.

import Basis
import EventModel

@testable import SyncDaemon

/// A real `Ledger` and the queue before it.
final class SimulatedLedger {
    private let ledger: Ledger
    private let store: SimulatedStore
    private let order: EventOrder
    private let groups: ChannelGroups
    private let clock: SimulatedClock
    private unowned let daemon: SimulatedDaemon
    private unowned let world: World
    private var writes: [Write] = []
    /// Whether a commit is under way.
    private(set) var isBusy = false
    /// The tombstone floor as reactors read it: behind the store's own for a moment.
    private(set) var floor: Timetoken
    /// The deletions' floor, likewise.
    private(set) var deletionFloor: Timetoken
    private var isAlive = true

    init(_ store: SimulatedStore, of daemon: SimulatedDaemon, in world: World) {
        self.store = store
        self.daemon = daemon
        self.world = world
        (order, groups, clock) = (daemon.order, daemon.groups, daemon.clock)
        floor = store.tombstoneFloor
        deletionFloor = store.deletionFloor
        ledger = Ledger(
            store: store, tombstoneTicksKept: world.setting.tombstoneSeconds * 10_000_000,
            deletedRowsMax: world.setting.deletedRowsMax,
            segments: world.setting.segments, anchor: clock.anchor,
            wallTicks: clock.ticks)
        beat()
    }

    func submit(_ write: Write) -> Bool {
        guard writes.count < world.setting.writesMax else { return false }
        writes.append(write)
        return true
    }

    /// The process must end.
    private func fail() {
        world.end(daemon, "its store is beyond use", isPowerLoss: store.hasLostPower)
    }

    func die() {
        isAlive = false
        writes = []
    }

    /// Its heartbeat, about once a second: time for what is over.
    private func beat() {
        daemon.after(Microseconds.second) { [weak self] in
            guard let self, isAlive else { return }
            // It finds its term over as soon as it shows that it lives.
            if store.isDead || store.isOusted { return fail() }
            clock.observe()
            if !isBusy, writes.isEmpty { ledger.hasWork ? workSoon() : tidy() }
            // That may have been the end of its process.
            if isAlive { beat() }
        }
    }

    /// Lets positions go on though nobody writes.
    func raiseCeiling() {
        after(100, world.setting.syncMax) { ledger in
            guard !ledger.isBusy, ledger.order.asksForCeiling else { return ledger.askAgain() }
            ledger.meetFate()
            var failure: StoreError?
            let ceiling = ledger.ledger.raiseCeiling(
                above: ledger.order.visible, failure: &failure)
            ledger.order.raise(to: ceiling)
            if let failure, failure != .full { return ledger.fail() }
            ledger.daemon.spread()
        }
    }

    private func askAgain() {
        if order.asksForCeiling { raiseCeiling() }
    }

    private func tidy() {
        meetFate()
        var failure: StoreError?
        guard let commit = ledger.commitExpired(after: order.reserve(), failure: &failure) else {
            if let failure, failure != .full { fail() }
            return
        }
        conclude(commit, of: [], failure)
    }

    private func workSoon() {
        isBusy = true
        after(20, world.setting.syncMax) { $0.work() }
    }

    /// A step of a deletion that is too large for one commit.
    private func work() {
        meetFate()
        var failure: StoreError?
        let waiting = ledger.deletions.compactMap(\.write)
        world.tally.count("step of a deletion")
        let commit = ledger.work(after: order.reserve(), failure: &failure)
        if let commit {
            // The first one's turn has come; or all are given up.
            let answered = Set(commit.answers.map(\.origin))
            return conclude(commit, of: waiting.filter { answered.contains($0.origin) }, failure)
        }
        if let failure, failure != .full { return fail() }
        goOn(afterFailure: failure != nil)
    }

    /// Each step of a deletion is followed by a commit, if somebody writes.
    private func goOn(afterFailure: Bool) {
        isBusy = false
        if !writes.isEmpty { return wake() }
        // After a failure the next heartbeat tries again.
        if ledger.hasWork, !afterFailure { workSoon() }
    }

    private func meetFate() {
        let fate = world.faults.fateOfCommit(
            &world.choices, now: world.scheduler.now, isOnServer: world.isOnServer)
        store.meet(fate, &world.choices)
        store.survivesPowerLoss = world.choices.chance(50)
    }

    /// Commits what was queued, as soon as it has a moment.
    func wake() {
        guard !isBusy, !writes.isEmpty, isAlive else { return }
        isBusy = true
        after(20, 500) { $0.start() }
    }

    private func start() {
        let taken = Array(writes.prefix(world.setting.commitWritesMax))
        writes.removeFirst(taken.count)
        let reserved = order.reserve()
        after(100, world.setting.syncMax) { $0.commit(taken, after: reserved) }
    }

    private func commit(_ writes: [Write], after reserved: Timetoken) {
        meetFate()
        var failure: StoreError?
        // The witnesses know what was asked.
        let commit = ledger.commit(
            writes.map { $0.spoilt(by: world.bug) }, after: reserved, failure: &failure)
        conclude(commit, of: writes, failure)
    }

    private func conclude(_ commit: Commit, of writes: [Write], _ failure: StoreError?) {
        world.witness(commit, of: writes, store, failed: failure != nil)
        store.forgetOutcome()
        if failure == .full { world.tally.count("full disk") }
        let isBeyondUse = failure.map { $0 != .full } ?? false
        // Of a store beyond use nobody knows what it has; a planted bug is the witnesses' to find.
        if !isBeyondUse, world.bug == nil {
            ledger.checkInvariants()
            order.checkInvariants()
        }
        if isBeyondUse { world.tally.count(store.hasLostPower ? "power loss" : "broken disk") }
        isBusy = true
        after(5, 500) { ledger in
            ledger.groups.apply(commit.groups)
            ledger.floor = ledger.store.tombstoneFloor
            ledger.deletionFloor = ledger.store.deletionFloor
            ledger.order.finish(commit)
            ledger.daemon.spread()
            // The reactors may have told some before the process ends.
            if isBeyondUse { return ledger.after(0, 2000) { $0.fail() } }
            if failure == nil, ledger.ledger.hasWork { return ledger.workSoon() }
            ledger.goOn(afterFailure: failure != nil)
        }
    }

    private func after(
        _ low: UInt64, _ high: UInt64, _ body: @escaping (SimulatedLedger) -> Void
    ) {
        daemon.after(world.choices.span(low, high)) { [weak self] in
            guard let self, isAlive else { return }
            body(self)
        }
    }
}
